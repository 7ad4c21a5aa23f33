/** `snapshot-select` with `leaves`: each entry that no other one continues becomes a conversation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  Conversation,
  Entry,
  Message,
  Rejection,
  SessionEnd,
  StreamElement,
} from '../../../transforms/model/element.ts';
import { createEntryLog, placesOf } from '../../../transforms/model/entry-log.ts';
import { apply } from '../../../transforms/stage.ts';
import { type SelectOptions, snapshotSelect } from '../../../transforms/stages/snapshot-select.ts';
import { text } from '../bytes.ts';
import { assistant, entryOf, messageOf, originOf, toolOf, user } from '../checks/samples.ts';

const END: SessionEnd = { kind: 'session-end', origin: originOf(99), last: true, sessionId: 's' };

/** An entry whose messages are named by letters, those of the model in capitals; the last capital is its reply. */
function entry(line: number, path: string, more: Partial<Entry> = {}): Entry {
  const said = [...path].map((letter) => (letter < 'a' ? assistant(letter) : user(letter)));
  const isAnswered = /[A-Z]$/.test(path);
  return {
    ...entryOf(isAnswered ? said.slice(0, -1) : said, line),
    reply: isAnswered ? said.at(-1) : undefined,
    timestamp: BigInt(line),
    ...more,
  };
}

const run = (elements: readonly StreamElement[], options: SelectOptions = { select: 'leaves' }) => [
  ...apply(snapshotSelect.create(options), elements),
];
const wordsOf = (messages: readonly Message[]) =>
  messages.map(({ bytes }) => (JSON.parse(text(bytes)) as { content: string }).content).join('');
const linesOf = ({ entries }: SessionEnd) =>
  entries === undefined ? [] : [...placesOf(entries)].map(({ line }) => line);

/** Id, messages and fate of the conversations and ends. */
const shown = (elements: readonly StreamElement[]) =>
  elements.map((element) => {
    if (element.kind === 'conversation') return `${element.sessionId}: ${wordsOf(element.messages)}`;
    if (element.kind !== 'session-end') return element.kind;
    return `${element.fate} ${element.sessionId} ${linesOf(element).join()}`;
  });

describe('a session with leaves', () => {
  it('gives a conversation for each entry that no other one continues', () => {
    const entries = [entry(1, 'aB'), entry(2, 'aBcD'), entry(3, 'xY'), entry(4, 'aBeF'), entry(5, 'aBcDgH')];
    expect(shown(run([...entries, END]))).toEqual([
      's: aBcDgH',
      'written s 1,2,5',
      's#2: xY',
      'written s#2 3',
      's#3: aBeF',
      'written s#3 4',
    ]);
  });

  it('is one conversation, as with last, if all entries are the beginning of one', () => {
    const entries = [entry(1, 'a'), entry(2, 'aBcD'), entry(3, 'aB'), entry(4, 'aBcD')];
    const elements = [...entries, { ...END, entries: createEntryLog().take() }];
    expect(run(elements)).toEqual(run(elements, { select: 'last' }));
    expect(run(elements)).toMatchObject([{ superseded: 2 + 1, truncated: 0 }, { fate: 'written' }]);
  });

  it('has an answer once that the request has too, and no line about who pays', () => {
    const billed = (line: number, path: string, hash: string): Entry => {
      const { messages, ...more } = entry(line, path);
      const content = `x-anthropic-billing-header: cch=${hash};\nHelp.`;
      return { ...more, messages: [messageOf({ role: 'system', content }), ...messages] };
    };
    expect(shown(run([billed(1, 'aBB', '1'), billed(2, 'aBcDD', '2'), END]))).toEqual([
      's: Help.aBcD',
      'written s ',
    ]);
  });

  it('keeps the answer of a call that was repeated without one', () => {
    expect(shown(run([entry(1, 'aB'), entry(2, 'a'), END]))).toEqual(['s: aB', 'written s 1,2']);
    expect(shown(run([entry(1, 'a'), entry(2, 'aB'), entry(3, 'a'), END]))).toEqual([
      's: aB',
      'written s 1,2,3',
    ]);
  });

  it('keeps both answers of a question', () => {
    expect(shown(run([entry(1, 'aB'), entry(2, 'aC'), END]))).toEqual([
      's: aB',
      'written s 1',
      's#2: aC',
      'written s#2 2',
    ]);
  });

  it('takes entries without messages as the beginning of all others', () => {
    expect(shown(run([entry(1, ''), entry(2, 'aB'), entry(3, ''), END]))).toEqual(['s: aB', 'written s ']);
    expect(shown(run([entry(1, ''), entry(2, ''), END]))).toEqual(['s: ', 'written s ']);
  });

  it('orders its conversations by the time of their first calls, whatever their order in the log', () => {
    const entries = [
      entry(1, 'xY', { timestamp: 9n }),
      entry(2, 'aBcD', { timestamp: 8n }),
      entry(3, 'aB', { timestamp: 1n }),
    ];
    const elements = run([...entries, END]);
    expect(shown(elements)).toEqual(['s: aBcD', 'written s 2,3', 's#2: xY', 'written s#2 1']);
    expect(elements[0]).toMatchObject({ startedAt: 1n, superseded: 1, truncated: 0 });
  });

  it('gives a hundred short conversations, which are packed meanwhile, and a long one', () => {
    const short = Array.from({ length: 100 }, (_, i) => `${String.fromCharCode(0x4e00 + i)}B`);
    const paths = [`${'x'.repeat(60)}B`, ...short];
    const later = [entry(201, `${paths[0]}cD`), entry(202, `${paths[1]}cD`)];
    const entries = paths.map((path, i) => entry(i + 1, path));
    const expected = paths.flatMap((path, i) => {
      const id = i === 0 ? 's' : `s#${i + 1}`;
      return i < later.length
        ? [`${id}: ${path}cD`, `written ${id} ${i + 1},${i + 201}`]
        : [`${id}: ${path}`, `written ${id} ${i + 1}`];
    });
    expect(shown(run([...entries, ...later, END]))).toEqual(expected);
  });

  it('gives each conversation the tools of its calls', () => {
    const [read, write] = ['read', 'write'].map((name) => toolOf({ name }, name));
    const entries = [
      entry(1, 'aB', { tools: [read as never] }),
      entry(2, 'aBcD', { tools: [write as never] }),
      entry(3, 'xY', { tools: [] }),
    ];
    const tools = run([...entries, END]).flatMap((one) => (one.kind === 'conversation' ? [one.tools] : []));
    expect(tools).toEqual([[read, write], []]);
  });

  it('has the places of all calls that a dialect has joined to one entry', () => {
    const log = createEntryLog();
    for (const line of [2, 3]) log.add(originOf(line));
    const joined = entry(3, 'aBcD', { lines: log.take(), isGathered: true });
    const elements = run([entry(1, 'xY'), joined, entry(4, 'aBcDeF'), END]);
    expect(shown(elements)).toEqual(['s: xY', 'written s 1', 's#2: aBcDeF', 'written s#2 2,3,4']);
  });

  it('ends the source with its last conversation', () => {
    const ends = run([entry(1, 'aB'), entry(2, 'aC'), { ...END, dialect: 'exchange' }]).filter(
      (one): one is SessionEnd => one.kind === 'session-end',
    );
    expect(ends.map(({ last }) => last)).toEqual([false, true]);
    expect(ends[1]).toMatchObject({ dialect: 'exchange', alone: true });
  });

  it('is rejected as a whole, and the next one is read', () => {
    const rejection: Rejection = {
      ...{ kind: 'rejection', scope: 'session', stage: 'x', reason: 'session-id-mismatch', detail: '' },
      origin: originOf(2),
    };
    const first = [entry(1, 'aB'), entry(2, 'aC'), rejection, END];
    expect(shown(run([...first, entry(3, 'aD'), END]))).toEqual([
      'rejection',
      'rejected s ',
      's: aD',
      'written s ',
    ]);
  });

  it('is rejected if its conversations hold too much, but not if it has only one', () => {
    const options = { select: 'leaves', maxConversation: 500 } as const;
    const [first, second] = run([entry(1, 'aB'), entry(2, 'aC'), entry(3, 'aD'), END], options);
    expect(first).toMatchObject({
      reason: 'conversation-too-long',
      stage: 'snapshot-select',
      scope: 'session',
    });
    expect(second).toMatchObject({ kind: 'session-end', fate: 'rejected' });
    expect(shown(run([entry(1, 'aB'), entry(2, 'aBcD'), entry(3, 'aBcDeF'), END], options))).toEqual([
      's: aBcDeF',
      'written s ',
    ]);
  });

  it('keeps only the conversations that are listed', () => {
    const options = { select: 'leaves', only: ['s#2'] } as const;
    expect(shown(run([entry(1, 'aB'), entry(2, 'aBcD'), entry(3, 'aE'), END], options))).toEqual([
      ...['fate', 'fate', 'empty s '],
      ...['s#2: aE', 'written s#2 3'],
    ]);
    expect(shown(run([entry(1, 'aB'), entry(2, 'aBcD'), END], options))).toEqual([
      'fate',
      'fate',
      'empty s ',
    ]);
  });

  it('that is a conversation already passes as with last', () => {
    const log = createEntryLog();
    log.add(originOf(1));
    const alone = entry(1, 'aB', { alone: true, lines: log.take(), isGathered: true });
    const elements = [alone, END, { ...alone, sessionId: 't' }, END];
    expect(run(elements)).toEqual(run(elements, { select: 'last' }));
  });

  it('loses no answer, and no conversation is the beginning of another one', () => {
    const paths = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'C', 'D'), maxLength: 6 }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(paths, (session) => {
        const elements = run([...session.map((path, i) => entry(i + 1, path)), END]);
        const written = elements.flatMap((one) =>
          one.kind === 'conversation' ? [wordsOf((one as Conversation).messages)] : [],
        );
        for (const path of session) {
          const once = path.replace(/([A-Z])\1$/, '$1'); // the answer is in the request too
          expect(written.some((one) => one.startsWith(once))).toBe(true);
        }
        for (const one of written) expect(written.filter((other) => other.startsWith(one))).toEqual([one]);
      }),
      { numRuns: 300 },
    );
  });
});
