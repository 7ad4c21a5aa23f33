import { describe, expect, it } from 'vitest';
import { type FormatOption, formatOptionsWith } from '../../transforms/formats/format-options.ts';
import { sessionReasons } from '../../transforms/formats/format-rules.ts';
import { formats } from '../../transforms/formats/index.ts';
import type { OptionSpec } from '../../transforms/stage.ts';
import { describePlugIns } from './plug-ins.ts';
import { conversations, freeze, snapshot } from './samples.ts';

describe('formats', () => {
  describePlugIns('formats', formats);

  it('describe their options, whose defaults are among their choices', () => {
    for (const { spec } of formatOptionsWith([]).values()) {
      expect(spec.describe).toMatch(/^[A-Z].{10,}[^.]$/);
      if (spec.choices !== undefined) expect(spec.choices).toContain(spec.default);
    }
  });

  it('give options of the same name the same meaning', () => {
    for (const { options } of formats) {
      for (const [name, { describe: text, choices }] of Object.entries(
        options as Readonly<Record<string, OptionSpec<unknown>>>,
      )) {
        const { spec } = formatOptionsWith([]).get(name) as FormatOption;
        expect([text, choices]).toEqual([spec.describe, spec.choices]);
      }
    }
  });

  describe.each(formats.map((format) => [format.name, format] as const))('%s', (_name, format) => {
    it('says what becomes of other contents in the rest of a sentence', () => {
      expect(format.otherContent).toMatch(/^[a-z].*[^.]$/);
    });

    it('writes the same in two runs and does not change the conversation', () => {
      freeze(conversations);
      const before = snapshot(conversations);
      const run = () => snapshot(conversations.map((conversation) => format.encode(conversation)));
      expect(run()).toBe(run());
      expect(snapshot(conversations)).toBe(before);
    });

    it('writes each record as one line of JSON, or as several if its kind of file allows', () => {
      const isOne = (format.fileKind?.({}) ?? 'jsonl') === 'jsonl';
      for (const conversation of conversations) {
        const text = Buffer.from(format.encode(conversation).bytes).toString('utf8');
        const lines = text.split('\n');
        if (isOne) expect(lines).toHaveLength(1);
        expect(text).not.toContain('\r');
        for (const json of lines) expect(() => JSON.parse(json)).not.toThrow();
      }
    });

    it('returns the messages as they stand in the record', () => {
      for (const conversation of conversations) {
        const { bytes, written } = format.encode(conversation);
        const record = Buffer.from(bytes);
        for (const message of written) expect(record.includes(Buffer.from(message.bytes))).toBe(true);
      }
    });

    it('rejects only by its own rules, each of which is a rejection reason', () => {
      for (const rule of format.rules) expect(sessionReasons).toHaveProperty([rule]);
      const others = formats.filter((other) => other !== format && other.rules !== format.rules);
      for (const rule of Object.keys(format.ownRules ?? {})) {
        expect(format.rules).toContain(rule);
        expect(others.flatMap(({ rules }) => rules)).not.toContain(rule);
      }
      for (const { rule, rejects } of conversations.flatMap((one) => format.encode(one).findings)) {
        if (rejects === true) expect(format.rules).toContain(rule);
      }
    });

    it('has kebab-case rules and one-line findings', () => {
      for (const rule of format.rules) expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      for (const { rule, message } of conversations.flatMap((one) => format.encode(one).findings)) {
        expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
        expect(message).toMatch(/^[^\r\n]+$/);
      }
    });
  });
});
