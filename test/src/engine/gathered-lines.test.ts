import { expect, it } from 'vitest';
import { GatheredLines } from '../../../src/engine/gathered-lines.ts';
import { type PartialSettings, resolveSettings } from '../../../src/settings/settings.ts';
import type { Line, StreamElement } from '../../../transforms/model/element.ts';
import { entryLine } from '../../support/build-logs.ts';
import { createDice } from '../../support/odd-logs/dice.ts';

type Options = Partial<PartialSettings>;

function linesOf(texts: readonly string[]): readonly Line[] {
  let offset = 0;
  return texts.map((text, i) => {
    const bytes = Buffer.from(text);
    const origin = { source: 's', line: i + 1, offset, length: bytes.length };
    offset += bytes.length + 1;
    return { kind: 'line', bytes, origin };
  });
}

const shown = (element: StreamElement): string =>
  element.kind === 'line' ? Buffer.from(element.bytes).toString() : element.kind;

/** @returns the lines that are passed at once, and those that are held */
function gathered(
  texts: readonly string[],
  options: Options = {},
  maxBytes?: number,
): readonly [readonly string[], readonly string[]] {
  const lines = new GatheredLines(resolveSettings({ inputs: ['logs'], ...options }), maxBytes);
  lines.begin('s');
  const passed = [...lines.take(linesOf(texts))].map(shown);
  return [
    passed,
    Array.from(
      lines.rest((bytes) => new Uint8Array(bytes)),
      shown,
    ),
  ];
}

const entry = (id: string, at: number, text = ''): string =>
  entryLine({ id, at, messages: [{ role: 'user', content: text }] });

it('gathers entries by session, in the order of their times', () => {
  const [a1, a2, a2too, b1, b2] = [
    entry('a', 1),
    entry('a', 2),
    entry('a', 2, 'too'),
    entry('b', 1),
    entry('b', 2),
  ];
  expect(gathered([b2, a2, a2too, b1, a1])).toEqual([[], [b1, b2, a1, a2, a2too]]);
});

it('leaves lines without an entry after the last entry before them', () => {
  const [a1, a3, b1] = [entry('a', 1), entry('a', 3), entry('b', 1)];
  expect(gathered([a3, 'after a3', b1, 'after b1', a1, 'after a1'])[1]).toEqual([
    ...[a1, 'after a1', a3, 'after a3', b1, 'after b1'],
  ]);
  expect(gathered(['first', a1])[1]).toEqual(['first', a1]);
});

it('splits lines with entries of several sessions', () => {
  const [a1, a2, b1, b2] = [entry('a', 1), entry('a', 2), entry('b', 1), entry('b', 2)];
  expect(gathered([b2, `${a1}${a2}${b1}`])).toEqual([['repair'], [b1, b2, `${a1}${a2}`]]);
});

it.each([
  ['a dialect that gathers', `{"model":"m","messages":[{"role":"user","content":"x"}],"response":{}}`, {}],
  [
    'a dialect of whole conversations',
    '{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}',
    {},
  ],
  ['another dialect that was named', entry('a', 1), { dialect: 'calls' }],
])('passes the lines of %s', (_what, line, options) => {
  expect(gathered([line, entry('a', 1), line], options)).toEqual([[line, entry('a', 1), line], []]);
});

it('lets lines wait until one shows the dialect', () => {
  const unknown = '{"started":true}';
  const a1 = entry('a', 1);
  expect(gathered([unknown, a1])).toEqual([[], [unknown, a1]]);
  expect(gathered([unknown, unknown])).toEqual([[], [unknown, unknown]]);
  const noise = Array<string>(100).fill('noise');
  const [passed, held] = gathered([...noise, a1]);
  expect([passed.length, [...passed, ...held]]).toEqual([65, [...noise, a1]]);
});

it.each([1, 2, 3])('gives the same lines with any limit of memory (seed %i)', (seed) => {
  const dice = createDice(seed, new Map());
  const texts = Array.from({ length: 300 }, (_, i) => {
    if (dice.chance(0.05)) return `not an entry ${i}`;
    const one = (): string => entry(`s${dice.int(9)}`, dice.int(20), 'x'.repeat(dice.int(200)));
    return dice.chance(0.1) ? `${one()}${one()}` : one();
  });
  const whole = gathered(texts);
  for (const maxBytes of [1, 2000, 20_000]) expect(gathered(texts, {}, maxBytes)).toEqual(whole);
});
