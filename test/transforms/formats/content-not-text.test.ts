/**
 * Content that is a number, an object or a boolean is kept by formats of messages, and rejected by those of text, which
 * write its JSON text if the finding is kept.
 */
import { describe, expect, it, test } from 'vitest';
import { formats } from '../../../transforms/formats/index.ts';
import { decode } from '../../../transforms/json/utf8.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { assistant, call, calling, conversationOf, rawMessage, result, user } from '../checks/samples.ts';

const KINDS = [
  ['a number', '12345678901234567890.50'],
  ['an object', '{"b":1.0,"a":[2]}'],
  ['a boolean', 'false'],
] as const;
const saying = (how: string): readonly string[] =>
  formats.filter(({ otherContent }) => otherContent.startsWith(how)).map(({ name }) => name);
const KEEPING = saying('is written as it is');
const WRITING_TEXT = saying('is written as its JSON text');
const REJECTING = saying('rejects the session');

const shown = (findings: readonly { severity: string; rule: string; rejects?: true }[]) =>
  findings
    .map(({ severity, rule, rejects }) => `${severity} ${rule}${rejects ? '!' : ''}`)
    .filter((one) => one.includes('content-not-text'));
const withContent = (role: string, json: string): Message =>
  rawMessage(role, `{"role":"${role}","content":${json}}`);

it('each format keeps, writes or rejects it, documents which, and declares the rule', () => {
  expect(formats.map(({ name }) => name).sort()).toEqual([...KEEPING, ...WRITING_TEXT, ...REJECTING].sort());
  for (const { rules } of formats) expect(rules).toContain('content-not-text');
});

describe.each(formats.map((format) => [format.name, format] as const))('%s', (name, format) => {
  const end = [user('x'), calling(call('1', 'f'))];

  test.each(KINDS)('does as documented with user content that is %s', (_what, json) => {
    const messages =
      format.endsInCall === true
        ? [withContent('user', json), end[1] as Message]
        : [withContent('user', json), assistant('b')];
    const { bytes, findings } = format.encode(conversationOf(messages));
    const record = decode(bytes);
    expect(shown(findings)).toEqual([
      KEEPING.includes(name) ? 'WARNING content-not-text' : 'ERROR content-not-text!',
    ]);
    if (!REJECTING.includes(name)) {
      expect(record).toContain(
        KEEPING.includes(name) ? `"content":${json}}` : JSON.stringify(json).slice(1, -1),
      );
    }
  });

  test.each(KINDS)('does as documented with a reply that is %s', (_what, json) => {
    if (format.endsInCall === true) return; // only calls are taught
    const { bytes, findings } = format.encode(conversationOf([user('a'), withContent('assistant', json)]));
    expect(shown(findings)).toEqual([
      KEEPING.includes(name) ? 'WARNING content-not-text' : 'ERROR content-not-text!',
    ]);
    if (!REJECTING.includes(name)) {
      expect(decode(bytes)).toContain(
        KEEPING.includes(name) ? `"content":${json}}` : JSON.stringify(json).slice(1, -1),
      );
    }
  });

  test('does not report text, parts, null or absent content', () => {
    const texts = [
      user('a'),
      user([{ type: 'text', text: 'a' }]),
      ...end.slice(1),
      result('1', 'r'),
      assistant('b'),
      ...end,
    ];
    const { findings } = format.encode(conversationOf(texts));
    expect(shown(findings)).toEqual([]);
  });
});
