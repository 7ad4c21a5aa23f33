/** Sessions in which the user went back many times: what is written of them, and what that costs. */
import { describe, expect, it, test } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import codex from '../../../transforms/dialects/codex.ts';
import type { ReadElement, ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import { type Item, itemAt, jumpAfter, rootItem } from '../../../transforms/dialects/fold/path.ts';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import pi from '../../../transforms/dialects/pi.ts';
import type { Entry, Message } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

type Say = (role: 'user' | 'assistant', id: string, parent: string | null) => object;

/** One turn that stays and one that is taken back, `count` times, and a last turn. */
function* tree(say: Say, count: number): Generator<object> {
  let kept: string | null = null;
  for (let i = 0; i <= count; i++) {
    yield* [say('user', `q${i}`, kept), say('assistant', `a${i}`, `q${i}`)];
    kept = `a${i}`;
    if (i < count) yield* [say('user', `lost-q${i}`, kept), say('assistant', `lost-a${i}`, `lost-q${i}`)];
  }
}

const sayInClaude: Say = (type, uuid, parentUuid) => {
  const message = { role: type, ...(type === 'assistant' && { id: uuid }), content: uuid };
  return { type, uuid, parentUuid, sessionId: 's', message };
};

const sayInPi: Say = (role, id, parentId) => ({
  ...{ type: 'message', id, parentId },
  message: { role, content: [{ type: 'text', text: id }] },
});

function* codexLog(count: number): Generator<object> {
  yield { type: 'session_meta', payload: { id: 's' } };
  const say: Say = (role, words) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'text', text: words }] },
  });
  for (const line of tree(say, count)) {
    yield line;
    const isLost = JSON.stringify(line).includes('lost-a');
    if (isLost) yield { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
  }
}

/** Each turn that is taken back is followed by the id of its question, to which the user goes back. */
function* geminiLog(count: number): Generator<object> {
  yield { sessionId: 's', projectHash: 'p', startTime: '2026-02-03T10:00:00Z', messages: [] };
  const say: Say = (role, id) => ({ id, type: role === 'user' ? 'user' : 'gemini', content: id });
  for (const line of tree(say, count)) {
    yield line;
    const { id } = line as { id: string };
    if (id.startsWith('lost-a')) yield { $rewindTo: id.replace('lost-a', 'lost-q') };
  }
}

const clients = [
  ['gemini-cli', geminiCli, (count: number) => [...geminiLog(count)]],
  ['codex', codex, (count: number) => [...codexLog(count)]],
  ['claude-code', claudeCode, (count: number) => [...tree(sayInClaude, count)]],
  [
    'pi',
    pi,
    (count: number) => [{ type: 'session', version: 3, id: 's', cwd: '/' }, ...tree(sayInPi, count)],
  ],
] as const;

const isEntry = (element: ReadElement): element is Entry => element.kind === 'entry';
const said = ({ bytes }: Message): string => /(?:lost-)?[qa]\d+/.exec(text(bytes))?.[0] ?? '';
const wordsOf = ({ messages, reply }: Entry): readonly string[] =>
  [...messages, ...(reply === undefined ? [] : [reply])].map(said);
const linesOf = ({ lines, origin }: Entry): readonly number[] =>
  lines === undefined ? [origin.line] : [...placesOf(lines)].map(({ line }) => line);

describe.each(clients)('branches of %s', (_name, dialect, log) => {
  const read = (count: number, options: ReadingOptions = {}): readonly Entry[] =>
    readLog(
      dialect.create(undefined, options),
      log(count).map((line) => JSON.stringify(line)),
    ).filter(isEntry);

  it('are all written up to the limit', () => {
    const entries = read(4, { maxBranches: 5 });
    expect(entries.filter(({ refused }) => refused !== undefined)).toEqual([]);
    expect(entries.map((entry) => wordsOf(entry).at(-1))).toEqual([
      'a4',
      'lost-a0',
      'lost-a1',
      'lost-a2',
      'lost-a3',
    ]);
  });

  it('beyond the limit are rejected, but never the last state', () => {
    const entries = read(4, { maxBranches: 3 });
    expect(entries.map((entry) => entry.refused?.reason ?? wordsOf(entry).at(-1))).toEqual([
      ...['a4', 'lost-a0', 'lost-a1', 'too-many-branches', 'too-many-branches'],
    ]);
    expect(entries.map(({ sessionId }) => sessionId)).toEqual(['s', 's#2', 's#3', 's#4', 's#5']);
    const all = entries.flatMap(linesOf).sort((a, b) => a - b);
    expect(all).toEqual(log(4).map((_line, i) => i + 1));
  });

  it('with a limit of one, only the last state is written', () => {
    const [last, ...others] = read(3, { maxBranches: 1 });
    expect(last && wordsOf(last)).toEqual(['q0', 'a0', 'q1', 'a1', 'q2', 'a2', 'q3', 'a3']);
    expect(others.map(({ refused }) => refused?.reason)).toEqual(new Array(3).fill('too-many-branches'));
  });

  it('that are not written cost the same to read, whatever their number', () => {
    const messages = (count: number): number =>
      read(count, { maxBranches: 2 }).reduce((sum, entry) => sum + wordsOf(entry).length, 0);
    expect(messages(400)).toBe(2 * 401 + 4);
  });
});

test('lines of messages that a written branch has too are its lines, even if they came with a rejected one', () => {
  const log = [
    { type: 'session', version: 3, id: 's', cwd: '/' },
    ...[sayInPi('user', 'q0', null), sayInPi('assistant', 'a0', 'q0')],
    ...[sayInPi('user', 'q1', 'a0'), sayInPi('assistant', 'a1', 'q1')],
    ...[sayInPi('user', 'q2', null), sayInPi('assistant', 'a2', 'q2')],
    ...[sayInPi('user', 'q3', 'a0'), sayInPi('assistant', 'a3', 'q3')],
  ];
  const lines = log.map((line) => JSON.stringify(line));
  const entries = readLog(pi.create(undefined, { maxBranches: 1 }), lines).filter(isEntry);
  const written = entries.filter(({ refused }) => refused === undefined);
  expect(written.map(wordsOf)).toEqual([['q0', 'a0', 'q3', 'a3']]);
  expect(written.flatMap(linesOf)).toEqual([1, 2, 3, 8, 9]);
  expect(entries.flatMap(linesOf).sort((a, b) => a - b)).toEqual(lines.map((_line, i) => i + 1));
});

it('reaches any earlier message in few steps', () => {
  const items: Item[] = [];
  let steps = 0;
  let before = rootItem();
  for (let index = 0; index < 4000; index++) {
    const [parent, jump] = [before, jumpAfter(before)];
    const step = (to: Item) => ({ get: () => [steps++, to][1] });
    before = Object.defineProperties({ ...parent, index }, { before: step(parent), jump: step(jump) });
    items.push(before);
  }
  for (const [index, item] of items.entries()) {
    steps = 0;
    expect(itemAt(before, index)).toBe(item);
    expect(steps).toBeLessThan(60);
  }
});
