import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { TomlFramer } from '../../../../src/input/framing/toml-document.ts';
import type { Line, Rejection } from '../../../../transforms/model/element.ts';

/** Frames the text in chunks of this many bytes. */
function frame(text: string | Buffer, chunk = 1000, most = 10_000): (Line | Rejection)[] {
  const bytes = Buffer.from(text);
  const framer = new TomlFramer('d.toml', most, 100_000);
  const elements: (Line | Rejection)[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    const piece = bytes.subarray(at, at + chunk);
    framer.space().set(piece);
    elements.push(...framer.filled(piece.length));
  }
  elements.push(...framer.end());
  const counts = framer.counts();
  expect(counts.bomBytes + counts.lineBytes + counts.terminatorBytes).toBe(bytes.length);
  expect(counts.lineBytes).toBe(elements.reduce((sum, { origin }) => sum + origin.length, 0));
  expect(counts.lines).toBe(elements.length);
  for (const { origin, ...element } of elements) {
    const raw = bytes.subarray(origin.offset, origin.offset + origin.length);
    if (element.kind === 'line') expect(Buffer.from(element.created?.raw ?? [])).toEqual(raw);
    else expect(element.sha256).toBe(createHash('sha256').update(raw).digest('hex'));
  }
  return elements;
}

const json = (elements: readonly (Line | Rejection)[]) =>
  elements.map((element) =>
    element.kind === 'line' ? Buffer.from(element.bytes).toString() : element.reason,
  );
const places = (text: string) =>
  frame(text).map(({ origin: { offset, length } }) =>
    Buffer.from(text)
      .subarray(offset, offset + length)
      .toString(),
  );

const DECK = `title = "[[samples]]" # [[samples]]
[[samples]]
tags = [
  ["a"], # ]
  ["[[samples]]"],
]
text = '''
[[samples]]'' '''
more = "\\"\\\\" # "
[[samples.messages]]
role = 'user'
[samples.expected]
score = 1.0
[meta]
x = 1
[[samples]]
big = 1234567890123456789
when = 1979-05-27
odd = [inf, -inf, nan, -0.0, 1e22, 1.5]
`;

describe('an array of samples', () => {
  it('yields a line of JSON for each sample', () => {
    expect(json(frame(DECK))).toEqual([
      '{"tags":[["a"],["[[samples]]"]],"text":"[[samples]]\'\' ","more":"\\"\\\\","messages":[{"role":"user"}],"expected":{"score":1.0}}',
      '{"big":1234567890123456789,"when":"1979-05-27","odd":["inf","-inf","nan",-0.0,1e+22,1.5]}',
    ]);
  });

  it('has the place of each sample in the document', () => {
    const [first, second] = places(DECK);
    expect(first?.startsWith('[[samples]]\ntags')).toBe(true);
    expect(first?.endsWith('score = 1.0\n')).toBe(true);
    expect(second).toBe(DECK.slice(DECK.lastIndexOf('[[samples]]')));
  });

  it('is framed the same in any chunks', () => {
    const whole = frame(DECK);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (chunk) => {
        expect(frame(DECK, chunk)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('has no places for inline tables', () => {
    const elements = frame('samples = [{a = 1}, {a = 2}, 3]');
    expect(elements.map(({ origin }) => [origin.line, origin.offset, origin.length])).toEqual([
      [1, 0, 0],
      [2, 0, 0],
      [3, 0, 0],
    ]);
    expect(json(elements)).toEqual(['{"a":1}', '{"a":2}', '3']);
  });
});

describe('tables of samples', () => {
  const one = '[samples.one]\na = 1\n';
  const two = '[samples."two.x".expected]\nb = 2\n[[samples."two.x".messages]]\nrole = "é"\n';
  const deck = `\ufeff${one}${two}[other]\n[samples.one.more]\nc = true\n`;

  it('keep their ids', () => {
    expect(json(frame(deck))).toEqual([
      '{"id":"one","a":1,"more":{"c":true}}',
      '{"id":"two.x","expected":{"b":2},"messages":[{"role":"é"}]}',
    ]);
    expect(json(frame('[samples.one]\nid = "own"\n'))).toEqual(['{"id":"own"}']);
  });

  it('keep the order of the document, whatever their ids', () => {
    expect(json(frame('[samples.b]\n[samples.7]\n'))).toEqual(['{"id":"b"}', '{"id":"7"}']);
  });

  it('have their places, also after a byte order mark', () => {
    expect(places(deck)).toEqual([one, two]);
  });
});

test.each<readonly [text: string | Buffer, reason: string, detail: string]>([
  ['x = ', 'invalid-toml', 'line 1, column'],
  ['[[samples]]\na = 1\na = 2', 'invalid-toml', 'line 3, column'],
  ['x = 1', 'bad-sample', 'neither [[samples]] nor [samples.ID]'],
  ['samples = 1', 'bad-sample', 'neither'],
  [Buffer.from([0x61, 0xff]), 'invalid-utf8', 'not UTF-8'],
  [`# ${'x'.repeat(10_000)}`, 'line-too-long', '10002 bytes, the limit for TOML is 10000'],
])('%j is rejected as a whole', (text, reason, detail) => {
  for (const chunk of [1, 7, 1000]) {
    const rejections = frame(text, chunk) as Rejection[];
    expect(rejections).toMatchObject([{ kind: 'rejection', scope: 'line', stage: 'framing', reason }]);
    expect(rejections[0]?.detail).toContain(detail);
    expect(rejections[0]?.detail).not.toContain('\n');
  }
});

it('an empty document has no lines', () => {
  expect(frame('')).toEqual([]);
});
