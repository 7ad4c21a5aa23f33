import { describe, expect, it } from 'vitest';
import type { Check, Found } from '../../transforms/checks/check.ts';
import { checks } from '../../transforms/checks/index.ts';
import { describePlugIns } from './plug-ins.ts';
import { conversations, ends, entries, freeze, records, snapshot } from './samples.ts';

/** Runs a check over everything and returns its findings. */
function run(check: Check): readonly Found[] {
  if (check.on === 'conversation') return conversations.flatMap((one) => [...check.check(one)]);
  if (check.on === 'record') return records.flatMap((record) => [...check.check(record)]);
  if (check.on === 'session-end')
    return ends.flatMap((end) =>
      [
        { count: 0, last: undefined, inSource: [] },
        { count: 1, last: end.origin, inSource: [end.origin] },
      ].flatMap((rejected) => [...check.check(end, rejected)]),
    );
  const watch = check.create();
  const found = entries.flatMap((entry) => [...watch.entry(entry)]);
  const atEnd = [...watch.sessionEnd()];
  return [...found, ...atEnd, ...entries.toReversed().flatMap((entry) => [...watch.entry(entry)])];
}

describe('checks', () => {
  describePlugIns('checks', checks);

  describe.each(checks.map((check) => [check.name, check] as const))('%s', (_name, check) => {
    it('finds the same in two runs and does not change its input', () => {
      freeze([conversations, records, entries, ends]);
      const before = snapshot([conversations, records, entries, ends]);
      expect(snapshot(run(check))).toBe(snapshot(run(check)));
      expect(snapshot([conversations, records, entries, ends])).toBe(before);
    });

    it('reports only the rules that it declares, with kebab-case names and one-line messages', () => {
      expect(check.rules.length).toBeGreaterThan(0);
      for (const rule of check.rules) expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      for (const { rule, severity, message } of run(check)) {
        expect(check.rules).toContain(rule);
        expect(['ERROR', 'WARNING']).toContain(severity);
        expect(message).toMatch(/^[^\r\n]+$/);
      }
    });
  });

  it('no rule is reported by two checks', () => {
    const names = checks.flatMap(({ rules }) => rules);
    expect(new Set(names).size).toBe(names.length);
  });
});
