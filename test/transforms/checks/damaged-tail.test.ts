import { expect, it } from 'vitest';
import damagedTail from '../../../transforms/checks/damaged-tail.ts';
import type { SessionEnd, SessionFate } from '../../../transforms/model/element.ts';
import { createEntryLog } from '../../../transforms/model/entry-log.ts';
import { named, originOf, texts } from './samples.ts';

const at = (line: number) => ({ ...originOf(line), offset: line * 100 });

function end(fate: SessionFate, ...entries: readonly number[]): SessionEnd {
  const log = createEntryLog();
  for (const line of entries) log.add(at(line));
  return { kind: 'session-end', origin: at(9), last: true, fate, entries: log.take() };
}
const rejected = (line: number) => ({ count: 1, last: at(line), inSource: [at(line)] });

it('reports a rejected line after the last entry', () => {
  const found = [...damagedTail.check(end('written', 1, 2), rejected(3))];
  expect(named(found)).toEqual(['ERROR damaged-tail']);
  expect(texts(found)).toEqual([
    'line 3, after the last entry, was rejected: the end of the conversation may be missing',
  ]);
});

it('reports a last line that is not complete, also after a session that is one entry', () => {
  const lines = { count: 0, last: undefined, inSource: [], unfinished: at(3) };
  for (const session of [end('written', 1, 2), { ...end('written', 1), alone: true } as const])
    expect(texts([...damagedTail.check(session, lines)])).toEqual([
      'line 3, the last one, is not complete: it was still being written, or the log was cut',
    ]);
  expect([...damagedTail.check(end('empty'), lines)]).toEqual([]);
});

it('reports nothing if an entry follows, no line was rejected or no record was written', () => {
  expect([...damagedTail.check(end('written', 1, 3), rejected(2))]).toEqual([]);
  expect([...damagedTail.check(end('written', 1), { count: 0, last: undefined, inSource: [] })]).toEqual([]);
  for (const fate of ['empty', 'rejected'] as const)
    expect([...damagedTail.check(end(fate, 1), rejected(3))]).toEqual([]);
  expect([...damagedTail.check({ ...end('written', 1), alone: true }, rejected(3))]).toEqual([]);
});
