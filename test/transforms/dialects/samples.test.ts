import { describe, expect, it, test } from 'vitest';
import samples from '../../../transforms/dialects/samples.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { KINDS, text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';

const read = (json: string) => [...samples.create().read(lineOf(json))];

describe.each(KINDS)('a sample in a %s', (_kind, make) => {
  it('keeps its messages and its other members byte for byte', () => {
    const list = ['{ "role":"user","content":"\\u0041"}', '{"role":"assistant","content":"b","x":1.0}'];
    const json = `{"tags":["a"],"messages":[${list}],"expected":{"score": 1.0,\n"reason":"r"},"tools":[{"name":"f"}]}`;
    const line = lineOf(json, make);
    const [entry] = samples.create().read(line) as [Entry];
    line.bytes.fill(0);
    expect(entry.messages.map(({ bytes }) => text(bytes))).toEqual([list[0]]);
    expect(text(entry.reply?.bytes as Uint8Array)).toBe(list[1]);
    expect([...(entry.sample ?? [])].map(([key, value]) => [key, text(value)])).toEqual([
      ['tags', '["a"]'],
      ['expected', '{"score": 1.0, "reason":"r"}'],
    ]);
    expect(entry).toMatchObject({ sessionId: 'a.jsonl:1', alone: true, timestamp: undefined });
    expect(entry.tools.map(({ name }) => name)).toEqual(['f']);
  });
});

test.each([
  ['{}', 'bad-sample: Sample must have messages array'],
  ['{"messages":[]}', 'bad-sample: Messages array cannot be empty'],
  ['{"messages":[{"content":"a"}]}', 'bad-sample: Each message must have a role string'],
  ['{"messages":[{"role":"a","content":null}]}', 'bad-sample: Each message must have a content string'],
  [
    '{"messages":[{"role":"a","content":"b"}],"tools":1}',
    'bad-tools: tools is not valid at byte 49 of the line (49 of the source)',
  ],
  ['{"a":1,"a":2}', 'duplicate-key: duplicate key at byte 7 of the line (7 of the source)'],
  ['[]', 'not-an-object: JSON, but not an object at byte 0 of the line (0 of the source)'],
])('%s is rejected', (json, reason) => {
  expect(read(json).map((element) => why(element as Rejection))).toEqual([reason]);
});

it('each object of a line is a sample', () => {
  const one = '{"messages":[{"role":"a","content":"b"}],"expected":1}';
  expect(read(`${one}{"messages":[]} ${one}`).map(({ kind }) => kind)).toEqual([
    'entry',
    'rejection',
    'entry',
  ]);
});

it('a sample that was converted from TOML is rejected with its TOML bytes', () => {
  const raw = encode('[[samples]]');
  const line = { ...lineOf('{}'), created: { raw, dialect: 'samples' } };
  const [rejection] = samples.create().read(line) as [Rejection];
  expect(rejection.bytes).toBe(raw);
});

test.each([
  ['expected', true],
  ['userMessage', true],
  ['assistantResponse', true],
  ['tags', false],
  ['messages', false],
])('%s: detected %s', (key, yes) => {
  expect(samples.detect(new Map([[key, encode('[]')]]))).toBe(yes);
});

it('reports a text of the old shape that the messages lack', () => {
  const rulesOf = (more: object) =>
    read(JSON.stringify({ messages: [{ role: 'user', content: 'a b' }], ...more })).map((one) =>
      one.kind === 'entry'
        ? one.messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule))
        : one.kind,
    );
  expect(rulesOf({ userMessage: 'a b', assistantResponse: '' })).toEqual([[]]);
  expect(rulesOf({ userMessage: null })).toEqual([[]]);
  expect(rulesOf({ userMessage: 'c' })).toEqual([['unread-text']]);
  expect(rulesOf({ userMessage: 'a b', assistantResponse: 'c' })).toEqual([['unread-text']]);
});
