import { describe, expect, it } from 'vitest';
import type { Entry, Fate, SessionEnd, StreamElement } from '../../../transforms/model/element.ts';
import { createEntryLog, placesOf } from '../../../transforms/model/entry-log.ts';
import { apply } from '../../../transforms/stage.ts';
import { validate } from '../../../transforms/stages/validate.ts';
import { entryOf, originOf, user } from '../checks/samples.ts';

const entry = (line: number, timestamp: bigint, sessionId = 's'): Entry => ({
  ...entryOf([user('x')], line),
  timestamp,
  sessionId,
});
const end = (last = true): SessionEnd => ({ kind: 'session-end', origin: originOf(99), last });
const dropped = (line: number, sessionId?: string): Fate => ({
  kind: 'fate',
  fate: 'dropped:goose-title',
  origin: originOf(line),
  ...(sessionId === undefined ? {} : { sessionId, timestamp: 1n }),
});

const run = (...elements: readonly StreamElement[]) => [...apply(validate.create({}), elements)];
const shown = (elements: readonly StreamElement[]) =>
  elements.map((element) => {
    if (element.kind === 'rejection') return `${element.scope} ${element.reason} ${element.origin.line}`;
    if (element.kind !== 'session-end') return element.kind;
    const lines = element.entries === undefined ? [] : [...placesOf(element.entries)].map(({ line }) => line);
    return `end ${element.sessionId} ${lines.join()}`;
  });

describe('a session', () => {
  it('of one id and increasing timestamps passes, and its end has the places of its entries', () => {
    const entries = [entry(1, -5n), entry(2, 0n), entry(4, 1n)];
    const emitted = run(...entries, end());
    expect(emitted.slice(0, 3)).toEqual(entries);
    expect(shown(emitted.slice(3))).toEqual(['end s 1,2,4']);
    expect(emitted[3]).toMatchObject({ last: true, origin: originOf(99), entries: { count: 3 } });
  });

  it.each([
    ['decreasing', 4n, false],
    ['decreasing', 4n, true],
    ['equal', 5n, true],
  ])('with %s timestamps is rejected at the entry (%s, strict: %s)', (_what, second, strictTime) => {
    const entries = [entry(1, 5n), entry(2, second), entry(3, 9n), end()];
    const emitted = [...apply(validate.create({ strictTime }), entries)];
    expect(shown(emitted)).toEqual(['entry', 'session timestamp-not-increasing 2', 'end s 1,2,3']);
    expect(emitted[1]).toMatchObject({ stage: 'validate', sessionId: 's' });
  });

  it('with equal timestamps is in order', () => {
    const emitted = run(entry(1, 5n), entry(2, 5n), entry(3, 5n), end());
    expect(shown(emitted)).toEqual(['entry', 'entry', 'entry', 'end s 1,2,3']);
  });

  it('of which all conversations are written may have calls that overlap, and an id that returns', () => {
    const handlers = validate.create({ select: 'leaves' });
    const elements = [
      entry(1, 5n),
      entry(2, 4n),
      end(false),
      entry(3, 1n, 't'),
      end(false),
      entry(4, 6n),
      end(),
    ];
    expect(shown([...apply(handlers, elements)])).toEqual([
      ...['entry', 'entry', 'end s 1,2'],
      ...['entry', 'end t 3'],
      ...['entry', 'end s 4'],
    ]);
    const others = [entry(1, 5n), entry(2, 6n, 't'), end()];
    expect(shown([...apply(handlers, others)])).toEqual([
      'entry',
      'session session-id-mismatch 2',
      'end s 1,2',
    ]);
  });

  it('with several ids is rejected once, under its first id, and the message counts them', () => {
    const emitted = run(entry(1, 5n), entry(2, 6n, 't'), entry(3, 1n, 'u'), entry(4, 7n), end());
    expect(shown(emitted)).toEqual(['entry', 'session session-id-mismatch 2', 'end s 1,2,3,4']);
    expect(emitted[1]).toMatchObject({
      sessionId: 's',
      detail: 'the source seems to hold 3 sessions: read it with --session-by id',
    });
  });

  it('counts the ids of each source anew', () => {
    const twice = [entry(1, 5n), entry(2, 6n, 't'), end()];
    const details = run(...twice, ...twice).flatMap((one) => (one.kind === 'rejection' ? [one.detail] : []));
    expect(details).toEqual(Array(2).fill(expect.stringContaining('hold 2 sessions')));
  });

  it('keeps the first reason if the times went back before', () => {
    const emitted = run(entry(1, 5n), entry(2, 4n), entry(3, 6n, 't'), end());
    expect(shown(emitted)).toEqual(['entry', 'session timestamp-not-increasing 2', 'end s 1,2,3']);
  });

  it('has the places of all calls that were joined to an entry', () => {
    const log = createEntryLog();
    for (const line of [2, 4]) log.add(originOf(line));
    const joined: Entry = { ...entry(4, 9n), lines: log.take(), isGathered: true };
    expect(shown(run(entry(1, 5n), joined, entry(5, 10n), end()))).toEqual([
      ...['entry', 'entry', 'entry', 'end s 1,2,4,5'],
    ]);
  });

  it('does not affect the next session', () => {
    const emitted = run(entry(1, 5n), entry(2, 4n), end(), entry(1, 3n, 't'), end());
    expect(shown(emitted)).toEqual([
      'entry',
      'session timestamp-not-increasing 2',
      'end s 1,2',
      'entry',
      'end t 1',
    ]);
  });

  it('without entries ends without an id', () => {
    expect(shown(run(end()))).toEqual(['end undefined ']);
  });

  it('treats ids that differ only in Unicode normal form as different', () => {
    expect(shown(run(entry(1, 1n, '\u00e9'), entry(2, 2n, 'e\u0301'), end()))[1]).toBe(
      'session session-id-mismatch 2',
    );
  });
});

describe('a repeated id', () => {
  it('rejects the later session if the first one has ended', () => {
    const emitted = run(
      entry(1, 1n),
      end(false),
      entry(2, 1n, 't'),
      end(false),
      entry(3, 9n),
      entry(4, 9n),
      end(),
    );
    expect(shown(emitted)).toEqual([
      'entry',
      'end s 1',
      'entry',
      'end t 2',
      'session session-reopened 3',
      'end s 3,4',
    ]);
  });

  it('in another source is another session', () => {
    expect(shown(run(entry(1, 1n), end(), entry(1, 1n), end()))).toEqual([
      'entry',
      'end s 1',
      'entry',
      'end s 1',
    ]);
  });

  it('after a session whose entries were all dropped is rejected too', () => {
    const emitted = run(dropped(1, 's'), end(false), entry(2, 1n, 't'), end(false), entry(3, 2n), end());
    expect(shown(emitted)).toEqual([
      'fate',
      'end s ',
      'entry',
      'end t 2',
      'session session-reopened 3',
      'end s 3',
    ]);
  });
});

it('dropped entries can name a session but are ignored in the order of times', () => {
  expect(shown(run(dropped(1, 'a'), dropped(2, 'b'), end()))).toEqual(['fate', 'fate', 'end a ']);
  expect(shown(run(dropped(1, 'a'), entry(2, 1n), dropped(3, 's'), entry(4, 2n), end()))).toEqual([
    'fate',
    'entry',
    'fate',
    'entry',
    'end s 2,4',
  ]);
  expect(shown(run({ kind: 'fate', fate: 'blank', origin: originOf(1) }, end()))).toEqual([
    'fate',
    'end undefined ',
  ]);
});

describe('entries without a timestamp', () => {
  const timeless = (line: number, more: Partial<Entry> = {}): Entry => ({
    ...entry(line, 0n),
    timestamp: undefined,
    ...more,
  });

  it('keep the order of the source among entries with one', () => {
    const emitted = run(timeless(1), entry(2, 5n), timeless(3), entry(4, 6n), end());
    expect(shown(emitted)).toEqual(['entry', 'entry', 'entry', 'entry', 'end s 1,2,3,4']);
    expect(shown(run(entry(1, 5n), timeless(2), entry(3, 4n), end()))).toContain(
      'session timestamp-not-increasing 3',
    );
  });

  it('that are separate sessions do not make their ids repeated ones', () => {
    const alone = { alone: true } as const;
    const emitted = run(timeless(1, alone), end(false), timeless(2, alone), end(false), entry(3, 1n), end());
    expect(shown(emitted)).toEqual(['entry', 'end s 1', 'entry', 'end s 2', 'entry', 'end s 3']);
    expect(emitted.map((element) => 'alone' in element)).toEqual([true, true, true, true, false, false]);
  });
});
