import { describe, expect, it } from 'vitest';
import { type FormatOption, formatOptionsWith } from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { SESSION_REASONS } from '../../transforms/model/rejection.ts';
import type { OptionSpec } from '../../transforms/stage.ts';
import { describePlugIns } from './plug-ins.ts';
import { conversations, freeze, snapshot } from './samples.ts';

describe('formats', () => {
  describePlugIns('formats', formats);

  it('have options that are described, with a default that is one of the choices', () => {
    for (const { spec } of formatOptionsWith([]).values()) {
      expect(spec.describe).toMatch(/^[A-Z].{10,}[^.]$/);
      if (spec.choices !== undefined) expect(spec.choices).toContain(spec.default);
    }
  });

  it('mean the same by the same option', () => {
    for (const { options } of formats) {
      for (const [name, { describe: says, choices }] of Object.entries(
        options as Readonly<Record<string, OptionSpec<unknown>>>,
      )) {
        const { spec } = formatOptionsWith([]).get(name) as FormatOption;
        expect([says, choices]).toEqual([spec.describe, spec.choices]);
      }
    }
  });

  describe.each(formats.map((format) => [format.name, format] as const))('%s', (_name, format) => {
    it('writes the same in two runs, and leaves the conversation as it is', () => {
      freeze(conversations);
      const before = snapshot(conversations);
      const run = () => snapshot(conversations.map((conversation) => format.encode(conversation)));
      expect(run()).toBe(run());
      expect(snapshot(conversations)).toBe(before);
    });

    it('writes one line of JSON for each record, or several if its kind of file allows', () => {
      const isOne = (format.fileKind?.({}) ?? 'jsonl') === 'jsonl';
      for (const conversation of conversations) {
        const text = Buffer.from(format.encode(conversation).bytes).toString('utf8');
        const lines = text.split('\n');
        if (isOne) expect(lines).toHaveLength(1);
        expect(text).not.toContain('\r');
        for (const json of lines) expect(() => JSON.parse(json)).not.toThrow();
      }
    });

    it('returns the messages as written in the record', () => {
      for (const conversation of conversations) {
        const { bytes, written } = format.encode(conversation);
        const record = Buffer.from(bytes);
        for (const message of written) expect(record.includes(Buffer.from(message.bytes))).toBe(true);
      }
    });

    it('rejects by its own rules only, which are reasons, and every rule may become one', () => {
      for (const rule of format.rules) expect(SESSION_REASONS).toHaveProperty([rule]);
      for (const { rule, rejects } of conversations.flatMap((one) => format.encode(one).findings)) {
        if (rejects === true) expect(format.rules).toContain(rule);
      }
    });

    it('has kebab-case rules, and findings of one line', () => {
      for (const rule of format.rules) expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      for (const { rule, message } of conversations.flatMap((one) => format.encode(one).findings)) {
        expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
        expect(message).toMatch(/^[^\r\n]+$/);
      }
    });
  });
});
