import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type {
  Conversation,
  Entry,
  Fate,
  Message,
  Rejection,
  SessionEnd,
  StreamElement,
  ToolDefinition,
} from '../../../transforms/model/element.ts';
import { createEntryLog } from '../../../transforms/model/entry-log.ts';
import { supersedes } from '../../../transforms/model/supersedes.ts';
import { apply } from '../../../transforms/stage.ts';
import { snapshotSelect } from '../../../transforms/stages/snapshot-select.ts';
import { text } from '../bytes.ts';
import { assistant, entryOf, messageOf, originOf, toolOf, user } from '../checks/samples.ts';

const MESSAGES = Array.from({ length: 5 }, (_, i) => user(`m${i}`));
const TOOLS = ['a', 'b', 'c', undefined].map((name) => toolOf({ name: name ?? null }, name));
const END: SessionEnd = { kind: 'session-end', origin: originOf(99), last: true };
const BLANK: Fate = { kind: 'fate', fate: 'blank', origin: originOf(50) };
const TITLE: Fate = { ...BLANK, fate: 'dropped:goose-title', sessionId: 's', timestamp: -9n };

const entry = (line: number, count: number, tools: readonly ToolDefinition[] = []): Entry => ({
  ...entryOf(MESSAGES.slice(0, count), line),
  reply: assistant(`reply ${line}`),
  timestamp: BigInt(line),
  tools,
});
const rejection = (scope: Rejection['scope']): Rejection => ({
  ...{ kind: 'rejection', stage: 'x', reason: 'invalid-json', detail: '' },
  ...{ scope, origin: originOf(3) },
});
const run = (...elements: readonly StreamElement[]) => [...apply(snapshotSelect.create({}), elements)];
const conversation = (...elements: readonly StreamElement[]) =>
  run(...elements).find((element) => element.kind === 'conversation') as Conversation;
const fate = (...elements: readonly StreamElement[]) => (run(...elements, END).at(-1) as SessionEnd).fate;

const oracleTools = (entries: readonly Entry[]) => {
  const seen = new Set<ToolDefinition>();
  return entries.flatMap(({ tools }) =>
    tools.filter((tool) => tool.name === undefined || (!seen.has(tool) && seen.add(tool))),
  );
};

test('one pass chooses the same as two passes', () => {
  const session = fc.array(fc.tuple(fc.nat(4), fc.array(fc.constantFrom(...TOOLS), { maxLength: 4 })), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(session, session, (...sessions) => {
      const handlers = snapshotSelect.create({});
      for (const counts of sessions) {
        const entries = counts.map(([count, tools], i) => entry(i + 1, count, tools));
        const [selected, ...rest] = apply(handlers, [...entries, END]) as Iterable<Conversation>;
        const most = Math.max(...entries.map(({ messages }) => messages.length));
        const at = entries.findLastIndex(({ messages }) => messages.length === most);
        const snapshot = entries[at] as Entry;
        const tools = oracleTools(entries.slice(0, at + 1));
        const seen = entries.slice(0, at + 1).reduce((sum, { tools }) => sum + tools.length, 0);
        expect(rest.map(({ kind }) => kind as string)).toEqual(['session-end']);
        expect(selected).toMatchObject({
          kind: 'conversation',
          sessionId: 's',
          origin: snapshot.origin,
          startedAt: 1n,
          superseded: at,
          truncated: entries.length - 1 - at,
          toolCounts: { seen, kept: tools.length, duplicateSame: seen - tools.length, duplicateConflict: 0 },
        });
        expect(selected?.messages).toEqual([...snapshot.messages, snapshot.reply]);
        expect(selected?.tools).toEqual(tools);
      }
    }),
    { numRuns: 500 },
  );
});

test('of equal entries the later is chosen, and never a shorter one', () => {
  expect(supersedes(entry(1, 0), undefined)).toBe(true);
  expect(supersedes(entry(2, 2), entry(1, 2))).toBe(true);
  expect(supersedes(entry(2, 3), entry(1, 2))).toBe(true);
  expect(supersedes(entry(2, 1), entry(1, 2))).toBe(false);
});

test('an entry counts as often as the calls that were joined to it', () => {
  const joined = (line: number, count: number, calls: number): Entry => {
    const log = createEntryLog();
    for (let i = 0; i < calls; i++) log.add(originOf(line + i));
    return { ...entry(line, count), lines: log.take(), isGathered: true };
  };
  const sums = (...entries: readonly Entry[]) => {
    const { superseded, truncated, folded } = conversation(...entries, END);
    return [superseded, truncated, folded];
  };
  expect(sums(entry(1, 1), joined(2, 3, 5))).toEqual([5, 0, undefined]);
  expect(sums(joined(1, 2, 4), joined(6, 1, 3), entry(10, 3))).toEqual([7, 0, undefined]);
  expect(sums(entry(1, 3), joined(2, 2, 6))).toEqual([0, 6, undefined]);
});

describe('the conversation', () => {
  it('has the message objects of the snapshot and its reply at the end', () => {
    const snapshot = entry(1, 2);
    const { messages } = conversation(snapshot, END);
    expect(messages.every((message, i) => message === [...snapshot.messages, snapshot.reply][i])).toBe(true);
  });

  it('ends with the last message when there is no reply', () => {
    expect(conversation({ ...entry(1, 2), reply: undefined }, END).messages).toHaveLength(2);
  });

  it('is canonical, including the reply, and each change is counted by rule', () => {
    const messages: readonly Message[] = [
      messageOf({ role: 'developer', content: 'x', name: null }),
      user('y'),
    ];
    const reply = messageOf({ role: 'assistant', content: null, tool_calls: [] });
    const changes = new Map([
      ['goose-info', 2],
      ['null-fields', 1],
    ]);
    const selected = conversation({ ...entry(1, 0), messages, reply, changes }, END);
    expect(selected.messages.map(({ bytes }) => text(bytes))).toEqual([
      '{"role":"system","content":"x"}',
      '{"role":"user","content":"y"}',
      '{"role":"assistant","tool_calls":[]}',
    ]);
    expect([...selected.changes]).toEqual([
      ['goose-info', 2],
      ['null-fields', 3],
      ['developer-role', 1],
    ]);
    expect([...changes]).toEqual([
      ['goose-info', 2],
      ['null-fields', 1],
    ]);
  });

  it('counts only changes of the snapshot', () => {
    const changed = { ...entry(1, 2), changes: new Map([['goose-info', 1]]) };
    expect(conversation(changed, entry(2, 2), END).changes.size).toBe(0);
  });

  it('begins with the first valid entry, even a dropped one', () => {
    expect(conversation(TITLE, entry(4, 1), END).startedAt).toBe(-9n);
    expect(conversation(BLANK, entry(4, 1), TITLE, END).startedAt).toBe(4n);
  });

  it('of an entry without messages consists of its reply', () => {
    expect(conversation(entry(1, 0), END).messages).toHaveLength(1);
  });
});

describe('the fate', () => {
  it('is written, with the conversation before the end', () => {
    expect(run(entry(1, 1), END).map(({ kind }) => kind)).toEqual(['conversation', 'session-end']);
    expect(fate(entry(1, 1))).toBe('written');
  });

  it('is rejected after a rejection of the session, without a conversation', () => {
    expect(run(entry(1, 1), rejection('session'), END).map(({ kind }) => kind)).toEqual([
      'rejection',
      'session-end',
    ]);
    expect(fate(entry(1, 1), rejection('session'))).toBe('rejected');
    expect(fate(rejection('session'), entry(1, 1))).toBe('rejected');
    expect(conversation(rejection('session'), entry(1, 1), END)).toBeUndefined();
  });

  it('is written despite rejected lines', () => {
    expect(fate(rejection('line'), entry(1, 1), rejection('line'))).toBe('written');
  });

  it('is empty when no entry is left', () => {
    expect(fate(rejection('line'))).toBe('empty');
    expect(fate(TITLE)).toBe('empty');
    expect(fate(BLANK, TITLE, BLANK)).toBe('empty');
  });

  it('is none without a session', () => {
    expect(fate()).toBe('none');
    expect(fate(BLANK, BLANK)).toBe('none');
  });

  it('belongs to one session', () => {
    const ends = run(entry(1, 1), rejection('session'), END, rejection('line'), END, END, entry(1, 1), END);
    const fates = ends.filter((element): element is SessionEnd => element.kind === 'session-end');
    expect(fates.map((end) => end.fate)).toEqual(['rejected', 'empty', 'none', 'written']);
  });
});
