import { describe, expect, it } from 'vitest';
import { rules } from '../../transforms/rules/index.ts';
import type { Rule } from '../../transforms/rules/rule.ts';
import { describePlugIns } from './plug-ins.ts';
import { entries, freeze, lists, snapshot } from './samples.ts';

const messages = lists.flat();

/** Applies a rule to every message, pair or entry. */
function run(rule: Rule): unknown {
  if (rule.on === 'message') return messages.map((message) => rule.apply(message) ?? null);
  if (rule.on === 'entry') return entries.map((entry) => rule.drops(entry));
  return messages.flatMap((message) => [
    rule.suspects(message),
    ...messages.map((next) => rule.drops(message, next)),
  ]);
}

describe('rules', () => {
  describePlugIns('rules', rules);

  describe.each(rules.map((rule) => [rule.name, rule] as const))('%s', (_name, rule) => {
    it('returns the same in two runs and does not change its input', () => {
      freeze([messages, entries]);
      const before = snapshot([messages, entries]);
      expect(snapshot(run(rule))).toBe(snapshot(run(rule)));
      expect(snapshot([messages, entries])).toBe(before);
    });

    it('returns valid one-line messages', () => {
      if (rule.on !== 'message') return;
      for (const message of messages) {
        const cleaned = rule.apply(message);
        if (cleaned === undefined || cleaned === message) continue;
        const json = Buffer.from(cleaned.bytes).toString('utf8');
        expect(json).not.toMatch(/[\r\n]/);
        expect(JSON.parse(json).role).toBe(cleaned.role);
      }
    });
  });
});
