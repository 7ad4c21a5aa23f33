import { expect, it } from 'vitest';
import lineLost from '../../../transforms/checks/line-lost.ts';
import type { Rejection, SessionEnd } from '../../../transforms/model/element.ts';
import { createEntryLog } from '../../../transforms/model/entry-log.ts';
import { apply } from '../../../transforms/stage.ts';
import { checkConversations } from '../../../transforms/stages/check.ts';
import { named, originOf, texts } from './samples.ts';

function end(...lines: readonly number[]): SessionEnd {
  const log = createEntryLog();
  for (const line of lines) log.add({ ...originOf(line), offset: line * 100 });
  const shared = { kind: 'session-end', origin: originOf(9), last: true, fate: 'written' } as const;
  return { ...shared, alone: true, isFolded: true, entries: log.take() };
}
const rejected = (...lines: readonly number[]) => {
  const inSource = lines.map((line) => originOf(line));
  return { count: lines.length, last: inSource.at(-1), inSource };
};

it.each([
  [[3], '3, in the conversation, was rejected'],
  [[1, 9], '1, in the conversation, was rejected'],
  [[5, 7], '5, in the conversation, was rejected, and so was 1 more'],
  [[2, 4, 6, 12], '2, in the conversation, was rejected, and so were 2 more'],
])('reports lines %j in a conversation or next to it', (lines, message) => {
  const found = [...lineLost.check(end(2, 4, 6), rejected(...lines))];
  expect(named(found)).toEqual(['WARNING line-lost']);
  expect(texts(found)).toEqual([`line ${message}: a part of the conversation may be missing`]);
});

it('reports nothing if other lines were rejected, no record was written or nothing was folded', () => {
  expect([...lineLost.check(end(3, 5), { ...rejected(1, 7), firstLine: 2 })]).toEqual([]);
  expect([...lineLost.check(end(3, 5), rejected())]).toEqual([]);
  expect([...lineLost.check(end(3), rejected(4))]).toEqual([]);
  expect([...lineLost.check({ ...end(3, 5), fate: 'rejected' }, rejected(4))]).toEqual([]);
  expect([...lineLost.check({ ...end(3, 5), isFolded: undefined as never }, rejected(4))]).toEqual([]);
});

it('reports lines before the first conversation, such as the header, for each conversation that begins there', () => {
  const message = 'line 1, in the conversation, was rejected: a part of the conversation may be missing';
  for (const firstLine of [undefined, 4, 5])
    expect(texts([...lineLost.check(end(4, 6), { ...rejected(1), firstLine })])).toEqual([message]);
});

it('knows the lines that were rejected before the first of several conversations', () => {
  const rejection = (line: number): Rejection => ({
    ...{ kind: 'rejection', scope: 'line', stage: 'parse', reason: 'invalid-json', detail: 'x' },
    origin: originOf(line),
  });
  const sessions = [{ ...end(1, 2), last: false }, end(4, 6)];
  const elements = [rejection(5), ...sessions, { ...end(4, 6), last: false }];
  const found = [...apply(checkConversations.create({}), elements)];
  expect(found.flatMap((one) => (one.kind === 'finding' ? [[one.rule, one.message]] : []))).toEqual([
    ['line-lost', 'line 5, in the conversation, was rejected: a part of the conversation may be missing'],
  ]);
});
