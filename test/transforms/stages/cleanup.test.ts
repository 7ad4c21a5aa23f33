import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Entry, Message, StreamElement } from '../../../transforms/model/element.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { cleanup, listCleaner, ruleSets, rulesOf } from '../../../transforms/stages/cleanup.ts';
import { text } from '../bytes.ts';
import { assistant, entryOf, originOf, user } from '../checks/samples.ts';
import { IMAGE, messageOf, of, part, SPACES } from '../rules/rule-samples.ts';

const INFO = user('<info-msg>22:14</info-msg>');
const BOOT = of('system', 'You are a general-purpose AI agent called goose.');
const EMPTY = assistant(' ');
const TITLE = [
  of('system', 'Reply with only a description in four words or less'),
  user('Here are the first few user messages: x'),
];

const run = (names: readonly string[], ...entries: readonly StreamElement[]) => [
  ...apply(cleanup.create({ cleanup: names }), entries),
];
const clean = (messages: readonly Message[], names: readonly string[] = ['goose']): Entry =>
  run(names, entryOf(messages))[0] as Entry;
const contents = ({ messages }: Entry) => messages.map(({ bytes }) => JSON.parse(text(bytes)).content);

test('a list of messages is cleaned as in an entry, and is the same if nothing changes', () => {
  const all = [BOOT, user('a'), EMPTY, EMPTY, assistant('b'), INFO, EMPTY];
  const lists = fc.array(fc.constantFrom(...all), { maxLength: 8 });
  const names = fc.constantFrom(['auto'], ['goose-info'], ['empty-assistant', 'goose-bootstrap'], []);
  fc.assert(
    fc.property(lists, names, (messages, rules) => {
      const cleaned = listCleaner(rules)(messages, 0);
      const expected = clean(messages, rules).messages;
      expect(cleaned.map(({ bytes }) => text(bytes))).toEqual(expected.map(({ bytes }) => text(bytes)));
      expect(listCleaner(rules)(messages, messages.length)).toBe(messages);
    }),
  );
});

describe('what was found about a message that is dropped', () => {
  const note = (message: string) => ({ rule: 'no-system', severity: 'WARNING', message }) as const;
  const withNote = (message: Message, text: string): Message => ({ ...message, notes: [note(text)] });
  const notesOf = ({ messages, reply }: Entry) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ notes }) =>
      notes?.map(({ message }) => message),
    );
  const INFO_A = withNote(INFO, 'a');
  const without = (...messages: readonly Message[]): Entry =>
    run(['goose'], { ...entryOf(messages), reply: undefined })[0] as Entry;

  it('goes to the next message', () => {
    expect(notesOf(clean([INFO_A, withNote(INFO, 'b'), withNote(user('x'), 'c'), user('y')]))).toEqual([
      ['c', 'a', 'b'],
      undefined,
      undefined,
    ]);
    expect(notesOf(without(user('x'), withNote(EMPTY, 'a'), assistant('z')))).toEqual([undefined, ['a']]);
  });

  it('goes to the reply, or without one to the message before, if no message follows', () => {
    expect(notesOf(clean([user('x'), INFO_A]))).toEqual([undefined, ['a']]);
    expect(notesOf(without(user('x'), INFO_A))).toEqual([['a']]);
  });

  it('goes nowhere if nothing is left', () => {
    expect(notesOf(without(INFO_A))).toEqual([]);
  });
});

describe('rulesOf', () => {
  const names = (wanted: readonly string[]) => rulesOf(wanted).map(({ name }) => name);

  it('has a fixed order, whatever the order of the names', () => {
    const all = ['goose-info', 'goose-bootstrap', 'empty-assistant', 'goose-title'];
    expect(names(['goose'])).toEqual(all);
    expect(names(all.toReversed())).toEqual(all);
    expect(names(['goose-title', 'goose-info'])).toEqual(['goose-info', 'goose-title']);
  });

  it('has each rule once', () => {
    expect(names(['goose-info', 'goose', 'goose-info'])).toHaveLength(4);
    expect(names([])).toEqual([]);
  });

  it('throws for a name that is not a rule', () => {
    expect(() => rulesOf(['goose', 'duck'])).toThrow(new RangeError("unknown cleanup rule 'duck'"));
    expect(() => cleanup.create({ cleanup: ['constructor'] })).toThrow(RangeError);
  });

  it('sets contain only existing rules', () => {
    const all = rules.map(({ name }) => name);
    expect([...ruleSets.values()].flat().every((name) => all.includes(name))).toBe(true);
  });
});

describe('cleanup', () => {
  it('is on for goose by default', () => {
    expect(defaultsOf(cleanup.options)).toEqual({ cleanup: ['auto'] });
  });

  it('passes an entry that needs no cleanup unchanged', () => {
    const entry = entryOf([user('hi'), assistant('ho')]);
    expect(run(['goose'], entry)[0]).toBe(entry);
  });

  it('changes nothing without rules', () => {
    const entry = entryOf([INFO, BOOT, EMPTY, EMPTY]);
    expect(run([], entry)[0]).toBe(entry);
  });

  it('passes other elements on', () => {
    const end: StreamElement = { kind: 'session-end', origin: originOf(2), last: true };
    expect(run(['goose'], end)).toEqual([end]);
  });

  it('counts the changes of each rule', () => {
    const cleaned = clean([BOOT, INFO, user('a'), EMPTY, EMPTY, assistant('b'), INFO]);
    expect(contents(cleaned)).toEqual(['You are a general-purpose AI agent', 'a', 'b']);
    expect([...cleaned.changes]).toEqual([
      ['goose-bootstrap', 1],
      ['goose-info', 2],
      ['empty-assistant', 2],
    ]);
  });

  it('does not change its input or the reply', () => {
    const messages = [INFO, user('a')];
    const entry = entryOf(messages, 1, EMPTY);
    const cleaned = run(['goose'], entry)[0] as Entry;
    expect(entry.messages).toEqual([INFO, messages[1]]);
    expect(entry.changes.size).toBe(0);
    expect(cleaned.reply).toBe(EMPTY);
    expect(cleaned.messages[0]).toBe(messages[1]);
  });

  it('returns the same message for the same message', () => {
    const handlers = cleanup.create({ cleanup: ['goose'] });
    const [a, b] = apply(handlers, [entryOf([BOOT]), entryOf([BOOT, user('x')])]) as Iterable<Entry>;
    expect(a?.messages[0]).toBe(b?.messages[0]);
    expect([...(b?.changes ?? [])]).toEqual([['goose-bootstrap', 1]]);
  });

  it('runs only the named rules', () => {
    expect(contents(clean([INFO, BOOT, EMPTY, EMPTY], ['goose-bootstrap']))).toEqual([
      '<info-msg>22:14</info-msg>',
      'You are a general-purpose AI agent',
      ' ',
      ' ',
    ]);
  });
});

describe('an empty assistant message', () => {
  it('is dropped when info messages between it and the next one were dropped', () => {
    expect(contents(clean([EMPTY, INFO, assistant('a')]))).toEqual(['a']);
  });

  it('is dropped unless it is the last of a run', () => {
    expect(contents(clean([EMPTY, EMPTY, EMPTY]))).toEqual([' ']);
    expect(contents(clean([EMPTY, assistant('a'), EMPTY, user('b')]))).toEqual(['a', ' ', 'b']);
  });

  it('is kept at the end, because the reply is not in the list', () => {
    expect(contents(clean([user('a'), EMPTY]))).toEqual(['a', ' ']);
  });
});

describe('a title entry', () => {
  const titleEntry = (messages: readonly Message[]) => ({
    ...entryOf(messages, 7),
    reply: assistant('A title'),
  });

  it('is dropped with a fate that keeps its place, id and time', () => {
    expect(run(['goose'], titleEntry(TITLE))).toEqual([
      { kind: 'fate', fate: 'dropped:goose-title', origin: originOf(7), sessionId: 's', timestamp: 0n },
    ]);
  });

  it('is recognised by its cleaned messages', () => {
    expect(run(['goose'], titleEntry([INFO, ...TITLE]))[0]?.kind).toBe('fate');
    expect(run(['goose-title'], titleEntry([INFO, ...TITLE]))[0]?.kind).toBe('entry');
  });
});

const samples = [
  ...[INFO, BOOT, EMPTY, ...TITLE, assistant(''), assistant('a'), user('b'), user(SPACES), of('tool', '')],
  ...[of('developer', 'x'), assistant(null), assistant([IMAGE]), assistant([part('')]), user([part(' ')])],
  ...[messageOf({ role: 'assistant', content: '', tool_calls: [{}] }), user('<info-msg>'), user([IMAGE])],
];

test('a second cleanup changes nothing', () => {
  const names = fc.subarray(['goose-info', 'goose-bootstrap', 'empty-assistant']);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...samples), { maxLength: 12 }), names, (messages, wanted) => {
      const [once, ...none] = run(wanted, entryOf(messages)) as Entry[];
      expect(none).toEqual([]);
      expect(run(wanted, once as Entry)[0]).toBe(once);
    }),
    { numRuns: 1000 },
  );
});

test('cleanup applies the rules one after the other, and its counts add up', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...samples), { maxLength: 12 }), (messages) => {
      const cleaned = run(
        ['goose-info', 'goose-bootstrap', 'empty-assistant'],
        entryOf(messages),
      )[0] as Entry;
      const info = clean(messages, ['goose-info']);
      const boot = clean(info.messages, ['goose-bootstrap']);
      const last = clean(boot.messages, ['empty-assistant']);
      expect(contents(cleaned)).toEqual(contents(last));
      const dropped =
        (cleaned.changes.get('goose-info') ?? 0) + (cleaned.changes.get('empty-assistant') ?? 0);
      expect(cleaned.messages.length).toBe(messages.length - dropped);
    }),
    { numRuns: 500 },
  );
});
