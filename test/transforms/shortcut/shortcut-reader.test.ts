import { beforeEach, describe, expect, it } from 'vitest';
import { checks } from '../../../transforms/checks/index.ts';
import { ERRORS } from '../../../transforms/dialects/shared/failed-answer.ts';
import { PARAMETERS, TOOLS } from '../../../transforms/dialects/shared/logged-bodies.ts';
import { SYSTEM_NAMES } from '../../../transforms/dialects/shared/said-texts.ts';
import { shapeOfRecord } from '../../../transforms/formats/record-shape.ts';
import { createScanMemory, type ScanMemory } from '../../../transforms/json/wasm-scanner.ts';
import type { Line } from '../../../transforms/model/element.ts';
import { pathBytes } from '../../../transforms/model/path-hashes.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { KNOWN_CHECKS, knowsEntries, ShortcutReader } from '../../../transforms/shortcut/shortcut-reader.ts';
import type { ShortcutSession } from '../../../transforms/shortcut/shortcut-session.ts';
import { entryLine, REPLY, TOOL, USER } from '../../support/build-logs.ts';

const OPTIONS = {
  maxDepth: 512,
  maxElements: 100_000,
  maxMessages: undefined,
  strictTime: false,
  dialect: 'auto',
};
const OTHER_TOOL = {
  type: 'function',
  function: { name: 'other', parameters: { type: 'object', properties: {} } },
};
type Members = { readonly choices?: readonly unknown[]; readonly error?: unknown };
const memory = createScanMemory() as ScanMemory;
let reader: ShortcutReader;

beforeEach(() => {
  reader = new ShortcutReader(memory, OPTIONS);
});

/** Copies bytes to where the shortcut can read them. */
function inMemory(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const slab = memory.slab(Math.max(bytes.length, 1024 * 1024)).subarray(0, bytes.length);
  slab.set(bytes);
  return slab;
}

function sessionOf(...lines: string[]): ShortcutSession | undefined {
  reader.begin();
  return reader.addAll(inMemory(lines.join('\n'))) === 0 ? undefined : finished();
}

/** Ends the session of the reader. */
const finished = (): ShortcutSession | undefined =>
  reader.finish() === 0 ? undefined : reader.conversation('a.jsonl', 0);

const record = (session: ShortcutSession | undefined): unknown =>
  session && JSON.parse(Buffer.from(session.record()).toString());

describe('a session that took the shortcut', () => {
  it('has the record, the place and the counts of its snapshot', () => {
    const first = entryLine({ at: 1 });
    const second = entryLine({ at: 2, messages: [USER, REPLY, USER] });
    const session = sessionOf(first, second, entryLine({ at: 3, messages: [] }));
    expect(record(session)).toEqual({ messages: [USER, REPLY, USER, REPLY], tools: [TOOL.function] });
    expect(session?.facts).toMatchObject({ entries: 3, superseded: 1, truncated: 1, sessionId: 's' });
    expect(session?.facts.origin).toEqual({
      source: 'a.jsonl',
      line: 2,
      offset: first.length + 1,
      length: second.length,
    });
    expect(session?.places().count).toBe(3);
    expect(session?.isCertain).toBe(true);
    expect(session?.findings().map(({ rule }) => rule)).toEqual(['truncated']);
  });

  it('may have entries of the same time, unless times are strict', () => {
    const lines = [entryLine({ at: 1 }), entryLine({ at: 1, messages: [USER, REPLY, USER] })];
    expect(sessionOf(...lines)?.facts.entries).toBe(2);
    reader = new ShortcutReader(memory, { ...OPTIONS, strictTime: true });
    expect(sessionOf(...lines)).toBeUndefined();
    expect(sessionOf(...lines.slice(1), entryLine({ at: 2 }))?.facts.entries).toBe(2);
  });

  it('reports where an entry diverges from the previous one', () => {
    const session = sessionOf(
      entryLine({ at: 1 }),
      entryLine({ at: 2, messages: [{ ...REPLY, content: 'other' }] }),
    );
    expect(session?.facts.findings.map(({ rule, message }) => [rule, message])).toEqual([
      ['role-sequence', 'messages[0] is Ac, the entry before it (line 1) has U in messages[0]'],
      [
        'not-a-prefix',
        'differs from line 2 at messages[0]: the entry is not the beginning of the conversation that is written',
      ],
    ]);
  });

  it('has its own definitions, whatever session was read before', () => {
    expect(record(sessionOf(entryLine({ tools: [OTHER_TOOL] })))).toMatchObject({
      tools: [OTHER_TOOL.function],
    });
    reader = new ShortcutReader(memory, OPTIONS);
    expect(record(sessionOf(entryLine({ tools: [OTHER_TOOL] })))).toMatchObject({
      tools: [OTHER_TOOL.function],
    });
    expect(record(sessionOf(entryLine({})))).toMatchObject({ tools: [TOOL.function] });
    expect(record(sessionOf(entryLine({})))).toMatchObject({ tools: [TOOL.function] });
  });

  it('leaves out info messages and null members and makes developer messages system messages', () => {
    const developer = { role: 'developer', content: 'help' };
    const info = { role: 'user', content: ' <info-msg>now</info-msg>\n' };
    const session = sessionOf(entryLine({ messages: [developer, { ...USER, name: null }, info] }));
    expect(record(session)).toMatchObject({ messages: [{ role: 'system', content: 'help' }, USER, REPLY] });
    expect(session?.facts.changes).toEqual(
      new Map([
        ['developer-role', 1],
        ['goose-info', 1],
        ['null-fields', 1],
      ]),
    );
  });

  it('is left to the checks when one of them may report something', () => {
    const call = (id: string): object => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{"a":1}' },
    });
    const asks = { role: 'assistant', content: null, tool_calls: [call('1')] };
    const answers = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'done' });
    expect(sessionOf(entryLine({ messages: [USER, asks, answers('1')] }))?.isCertain).toBe(true);
    expect(sessionOf(entryLine({ messages: [USER, asks, answers('2')] }))?.isCertain).toBe(false);
    expect(sessionOf(entryLine({ messages: [USER, asks] }))?.isCertain).toBe(false);
    const again = { ...asks, tool_calls: [call('2')] };
    expect(
      sessionOf(entryLine({ messages: [USER, asks, answers('1'), again, answers('2')] }))?.isCertain,
    ).toBe(false);
  });

  describe('with a content that is not understood, is left to the stages or the checks', () => {
    const words = [{ type: 'text', content: 'hello' }];
    const calls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const asks = { role: 'assistant', content: null, tool_calls: calls };
    const answers = { role: 'tool', tool_call_id: '1', content: 'done' };
    const isTaken = (...messages: object[]): boolean =>
      sessionOf(entryLine({ messages: [USER, ...messages] }))?.isCertain === true;

    it.each([
      ...['system', 'developer', 'user', 'assistant', 'function'].map((role) => ({ role, content: words })),
      ...['system', 'developer', 'user', 'assistant', 'function'].map((role) => ({
        role,
        content: { a: 1 },
      })),
      ...['system', 'developer', 'user', 'assistant'].map((role) => ({ role, content: '', text: 'hello' })),
      ...['system', 'developer', 'user', 'assistant'].map((role) => ({ role, text: 'hello' })),
      { role: 'user', content: [], text: 'hello' },
    ])('%j', (message) => {
      expect(isTaken(message)).toBe(false);
    });

    it('beside calls or in a result', () => {
      expect(isTaken({ ...asks, text: 'hello' }, answers)).toBe(false);
      expect(isTaken(asks, { ...answers, content: words })).toBe(false);
      expect(isTaken(asks, { ...answers, content: '', result: 'hello' })).toBe(false);
    });

    it('but not a content that is', () => {
      expect(isTaken({ ...USER, content: [{ type: 'text', text: 'hello' }] })).toBe(true);
      expect(isTaken({ role: 'developer', content: 'hello', text: 'more' })).toBe(true);
      expect(isTaken({ ...asks, content: '', refusal: null, annotations: [] }, answers)).toBe(true);
    });
  });

  it('reports that it does not end in an answer', () => {
    const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const asks = { role: 'assistant', content: null, tool_calls: [call] };
    const answered = [USER, asks, { role: 'tool', tool_call_id: '1', content: 'done' }];
    const findingsOf = (entry: object): unknown => {
      const session = sessionOf(entryLine(entry));
      return [session?.isCertain, session?.findings().map(({ message }) => message)];
    };
    expect(findingsOf({ messages: answered })).toEqual([true, []]);
    const noAnswer = (i: number): string => `messages[${i}], the last one, is not an answer of the model`;
    expect(findingsOf({ messages: answered, reply: null })).toEqual([true, [noAnswer(2)]]);
    expect(findingsOf({ messages: [USER], reply: null })).toEqual([false, []]); // the stages report no-answer too
    const named = { choices: [{ message: null, finish_reason: 'stop', index: 0, reply: { content: 'a' } }] };
    expect(findingsOf({ messages: answered, response: named })).toEqual([undefined, undefined]); // so do they here
    const openCall = 'messages[1], the last turn of the model, has a call without a result';
    expect(findingsOf({ messages: [USER], reply: asks })).toEqual([true, [openCall]]);
  });

  describe.each<[name: string, choice: object, others: Members, rules: readonly string[]]>([
    ['length', { finish_reason: 'length' }, {}, ['reply-cut']],
    ['content_filter', { finish_reason: 'content_filter' }, {}, ['reply-filtered']],
    ['error', { finish_reason: 'error' }, { error: null }, ['response-error']],
    ['an error beside the choices', { finish_reason: 'stop' }, { error: {} }, ['response-error']],
    ['two choices', {}, { choices: [1] }, ['other-choices']],
    [
      'all of them',
      { finish_reason: 'length' },
      { error: '', choices: [1, 2] },
      ['reply-cut', 'response-error', 'other-choices'],
    ],
    ['nothing', { finish_reason: 'stop' }, { error: null }, []],
  ])('reports an answer with %s', (_name, choice, { choices = [], ...others }, rules) => {
    const response = { choices: [{ message: REPLY, ...choice }, ...choices], ...others };

    it('of the snapshot', () => {
      const session = sessionOf(entryLine({ at: 1 }), entryLine({ at: 2, messages: [USER, USER], response }));
      expect(session?.isCertain).toBe(true);
      expect(session?.findings().map(({ rule }) => rule)).toEqual(rules);
      for (const { message } of session?.findings() ?? []) expect(message).toMatch(/^messages\[2\]: /);
      const notes = session?.conversation().messages.map((one) => (one.notes ?? []).map(({ rule }) => rule));
      expect(notes).toEqual([[], [], rules]);
    });

    it('of an entry before it, if it repeats the answer', () => {
      const later = (answer: object): ShortcutSession | undefined =>
        sessionOf(entryLine({ at: 1, response }), entryLine({ at: 2, messages: [USER, answer, USER] }));
      const session = later(REPLY);
      expect(session?.findings().map(({ rule }) => rule)).toEqual(rules);
      for (const { message } of session?.findings() ?? []) expect(message).toMatch(/^messages\[1\]: /);
      const notes = session?.conversation().messages.map((one) => (one.notes ?? []).map(({ rule }) => rule));
      expect(notes).toEqual([[], rules, [], []]);
      expect(
        later({ ...REPLY, content: 'other' })
          ?.findings()
          .map(({ rule }) => rule),
      ).toEqual([]);
    });
  });

  it.each(['abort', 'MAX_TOKENS', 'end_turn', 1])(
    'leaves an answer with the reason %j to the stages',
    (finish) => {
      const response = { choices: [{ message: REPLY, finish_reason: finish }] };
      expect(sessionOf(entryLine({ response }))).toBeUndefined();
    },
  );

  it('describes the shape of its record', () => {
    const call = (id: string, name: string): object => ({
      id,
      function: { name, arguments: `{"a":"${'x'.repeat(Number(id))}"}` },
    });
    const asks = { role: 'assistant', tool_calls: [call('1', 'é'), call('2', 'f'), call('3', 'f')] };
    const results = ['1', '2', '3'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
    const session = sessionOf(
      entryLine({ messages: [{ role: 'developer', content: 'help' }, USER, asks, ...results] }),
    );
    expect(session?.isCertain).toBe(true);
    expect(session?.shape()).toEqual({
      roles: { system: 1, user: 1, assistant: 2, tool: 3 },
      calls: { é: 1, f: 2 },
    });
    expect(session?.shape()).toEqual(shapeOfRecord((session as ShortcutSession).record(), 'chat'));
  });

  it('keeps its conversation when its arena is compacted', () => {
    const turns = Array.from({ length: 300 }, (_, i) => ({
      role: 'user',
      content: `${i} ${'x'.repeat(20_000)}`,
    }));
    reader.begin();
    let last: object[] = [];
    for (let i = 0; i < turns.length; i += 10) {
      last = turns.slice(i, i + 10);
      const bytes = inMemory(entryLine({ at: i + 1, messages: last }));
      const origin = { source: 'a.jsonl', line: i + 1, offset: i * 1e10, length: bytes.length };
      expect(reader.add({ kind: 'line', origin, bytes })).toBe(true);
    }
    const session = finished();
    expect(record(session)).toMatchObject({ messages: [...last, REPLY] });
    expect(session?.facts.origin.offset).toBe(290e10);
  });
});

describe('the path of a conversation', () => {
  const call = (id: string, args: string): object => ({
    ...{ role: 'assistant', content: null },
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: args } }],
  });
  const result = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });
  const asked = (content: unknown): object => ({ role: 'user', content });

  it.each<[name: string, messages: readonly object[], isRead: boolean]>([
    [
      'texts',
      [{ role: 'developer', content: 'Be brief \u00e9 "/" \ud83d\ude00\n' }, USER, REPLY, USER],
      true,
    ],
    [
      'calls',
      [USER, call('a', '{"b":1,"a":"\\u00e9"}'), result('a', 'x'), call('a', '{}'), result('a', 'y')],
      true,
    ],
    ['reasoning and null members', [USER, { ...REPLY, reasoning_content: 'hm', name: null }, USER], true],
    [
      'long texts, whose keys do not fit at once',
      Array.from({ length: 3 }, (_, i) => asked(`${i} `.repeat(3e5))),
      true,
    ],
    ['a text that is too long', [asked('x'.repeat(2 ** 20 + 1))], false],
    ['a number that has to be compared exactly', [USER, call('a', '{"a":1.0}'), result('a', 'x')], false],
    ['a content that is a list', [asked([{ type: 'text', text: 'a' }])], false],
    ['too many messages', Array.from({ length: 4096 }, (_, i) => asked(`${i}`)), false],
  ])('is that of the messages, with %s', (_name, messages, isRead) => {
    const session = sessionOf(entryLine({ messages }));
    const path = session?.facts.source.path();
    if (isRead) expect(path).toEqual(pathBytes(session?.conversation().messages ?? []));
    else expect(path).toBeUndefined();
  });
});

describe('a session of several conversations', () => {
  const asked = (text: string, at: number, members: object = {}): string =>
    entryLine({ at, messages: [{ role: 'user', content: text }], ...members });
  const begun = asked('a', 1);
  const another = asked('b', 2);
  const continued = entryLine({ at: 3, messages: [{ role: 'user', content: 'a' }, REPLY, USER] });

  /** The ids, the lines of the snapshots, and the entries of all conversations. */
  function conversations(
    ...lines: string[]
  ): readonly (readonly [id: string, line: number, entries: number])[] {
    reader.begin();
    if (reader.addAll(inMemory(lines.join('\n'))) === 0) return [];
    return Array.from({ length: reader.finish() }, (_, i) => {
      const { facts } = reader.conversation('a.jsonl', i);
      return [facts.sessionId, facts.origin.line, facts.entries];
    });
  }

  beforeEach(() => {
    reader = new ShortcutReader(memory, { ...OPTIONS, select: 'leaves' });
  });

  it('has one for each path, in the order of their first entries', () => {
    expect(conversations(begun, another, continued)).toEqual([
      ['s', 3, 2],
      ['s#2', 2, 1],
    ]);
    expect(record(reader.conversation('a.jsonl', 1))).toMatchObject({ messages: [{ content: 'b' }, REPLY] });
    expect(reader.conversation('a.jsonl', 0).places().count).toBe(2);
    expect(reader.conversation('a.jsonl', 0).facts).toMatchObject({ superseded: 1, truncated: 0 });
  });

  it('counts an entry that comes again, and takes the later one of the same messages', () => {
    expect(conversations(begun, another, continued, asked('a', 4), asked('b', 5))).toEqual([
      ['s', 3, 3],
      ['s#2', 5, 2],
    ]);
  });

  it('is the session itself if there is only one', () => {
    expect(conversations(begun, continued)).toEqual([['s', 2, 2]]);
    expect(reader.conversation('a.jsonl', 0).isLeaf).toBe(false);
  });

  it.each([
    ['whose entries have other tools', [begun, another, continued.replace('"tools":[', '"tools":[],"t":[')]],
    [
      'whose entries have other models',
      [begun, another, continued.replace('"response":{', '"response":{"model":"m",')],
    ],
    [
      'with an answer that was cut',
      [begun, another.replace('"message"', '"finish_reason":"length","message"')],
    ],
    ['with reasoning', [begun, another.replace('"content":"hi"', '"reasoning_content":"hm","content":"hi"')]],
    [
      'with an entry that begins several',
      [begun, asked('a', 2, { reply: { ...REPLY, content: 'no' } }), asked('a', 3, { reply: null })],
    ],
    ['with a tool without a name', [asked('a', 1, { tools: [{}] }), asked('b', 2, { tools: [{}] })]],
  ])('is left to the stages %s', (_what, lines) => {
    expect(conversations(...lines)).toEqual([]);
  });
});

describe('sessions of one source', () => {
  const lineOf = (text: string, line = 1): Line => {
    const bytes = inMemory(text);
    return {
      kind: 'line',
      origin: { source: 'a.jsonl', line, offset: line * 10, length: bytes.length },
      bytes,
    };
  };
  const add = (parts: Parameters<typeof entryLine>[0], line?: number): string =>
    reader.addPacked(lineOf(entryLine(parts), line));

  beforeEach(() => reader.begin());

  it('end where the id changes, and the line waits until the previous session is finished', () => {
    const other = entryLine({ id: 't', at: 1, messages: [USER, REPLY, USER] });
    expect([add({ at: 8 }), add({ at: 9 }, 2)]).toEqual(['taken', 'taken']);
    expect(reader.addPacked(lineOf(other, 3))).toBe('waits');
    const first = finished();
    expect(first?.facts).toMatchObject({ sessionId: 's', entries: 2, superseded: 1, origin: { line: 2 } });
    expect(record(first)).toEqual({ messages: [USER, REPLY], tools: [TOOL.function] });
    expect(reader.turn(lineOf(other, 3))).toBe(true);
    expect(reader.sessionId).toBe('t');
    const second = finished();
    expect(second?.facts).toMatchObject({ sessionId: 't', entries: 1, superseded: 0, origin: { line: 3 } });
    expect(record(second)).toEqual({ messages: [USER, REPLY, USER, REPLY], tools: [TOOL.function] });
  });

  it('keep their own definitions in a source of many sessions', () => {
    for (let i = 0; i < 200; i++) {
      const tools = [{ type: 'function', function: { name: `f${i}` } }];
      const text = entryLine({ id: `s${i}`, tools });
      if (reader.addPacked(lineOf(text)) === 'waits') {
        expect(finished()?.usage().definitions).toEqual([`f${i - 1}`]);
        expect(reader.turn(lineOf(text))).toBe(true);
      }
    }
    expect(finished()?.usage().definitions).toEqual(['f199']);
  });

  it('are kept, with the waiting line, when the arena is compacted', () => {
    for (let i = 0; i < 60; i++) {
      const messages = [{ role: 'user', content: `${i} ${'x'.repeat(100_000)}` }];
      const text = entryLine({ id: `s${i}`, messages });
      if (reader.addPacked(lineOf(text)) !== 'waits') continue;
      const content = `${i - 1} ${'x'.repeat(100_000)}`;
      expect(record(finished())).toMatchObject({ messages: [{ content }, REPLY] });
      expect(reader.turn(lineOf(text))).toBe(true);
    }
  });

  it.each([
    ['an id with an escape', entryLine({ id: 't' }).replace('"t"', '"\\u0074"')],
    ['a number for an id', entryLine({ id: 7 })],
    ['an empty id', entryLine({ id: '' })],
    ['a long id', entryLine({ id: 'i'.repeat(5000) })],
    ['no id', entryLine({}).replace('"session_id":"s",', '')],
    ['damage', entryLine({ id: 't' }).slice(1)],
  ])('are odd with %s', (_name, text) => {
    expect(add({})).toBe('taken');
    expect(reader.addPacked(lineOf(text))).toBe('odd');
  });
});

describe('refuses odd lines', () => {
  const good = entryLine({ at: 1 });
  it.each([
    ['no JSON', good.slice(0, -1)],
    ['a blank line', `${good}\n\n${good}`],
    ['a second session', `${good}\n${entryLine({ at: 2, id: 'other' })}`],
    ['a time that goes back', `${entryLine({ at: 2 })}\n${good}`],
    ['two objects', `${good}${entryLine({ at: 2 })}`],
    ['a carriage return', `${good}\r\n`],
    ['an unknown role', entryLine({ messages: [{ role: 'narrator', content: 'once' }] })],
    ['a key that comes twice', good.replace('"request"', '"request":{},"request"')],
    ['a key with an escape', good.replace('"request"', '"r\\u0065quest"')],
    ['no messages', good.replace('"messages"', '"mess"')],
    ['a reply that says nothing', entryLine({ reply: { role: 'assistant', content: '' } })],
    ['an escape in the reason', good.replace('{"message"', '{"finish_reason":"l\\u0065ngth","message"')],
    ['an error without a reply', entryLine({ response: { choices: [], error: {} } })],
    ['a cut answer without a message', entryLine({ response: { choices: [{ finish_reason: 'length' }] } })],
    ['another dialect', '{"messages":[{"role":"user","content":"a"}]}'],
  ])('%s', (_name, text) => {
    expect(text).not.toBe(good);
    expect(sessionOf(text)).toBeUndefined();
  });

  it('but not the regular line', () => expect(sessionOf(good)).toBeDefined());
});

it('and knows the checks of entries, and the rules of the default cleanup', () => {
  expect(knowsEntries, `${[...checks, ...rules].map(({ name }) => name)}`).toBe(true);
});

it('and knows only checks that there are', () => {
  const names = new Set(checks.map(({ name }) => name));
  expect([...KNOWN_CHECKS].filter((name) => !names.has(name))).toEqual([]);
});

it('leaves messages and answers in a second place to the stages', () => {
  const places: readonly [object, string][] = [
    ...['messages', 'input', 'prompt', 'contents', 'choices', 'output', 'content', 'completion'].map(
      (key): [object, string] => [{ [key]: [USER] }, 'line'],
    ),
    [{ input: 'x' }, 'request'],
    [{ output_text: 'x' }, 'response'],
    [{ text: {} }, 'response'],
  ];
  const lineWith = (more: object, where: string): string => {
    const line = JSON.parse(entryLine({ at: 1 }));
    Object.assign(where === 'line' ? line : line[where], more);
    return JSON.stringify(line);
  };
  for (const [more, where] of places) {
    expect(sessionOf(lineWith(more, where))).toBeUndefined();
    const empty = Object.fromEntries(Object.keys(more).map((key) => [key, null]));
    expect(sessionOf(lineWith(empty, where))?.facts.entries).toBe(1);
  }
  expect(sessionOf(lineWith({ outputs: [USER], model: 'text' }, 'line'))?.facts.entries).toBe(1);
});

it('leaves an answer beside an error to the stages', () => {
  const line = JSON.parse(entryLine({ at: 1 }));
  for (const key of ERRORS) {
    expect(sessionOf(JSON.stringify({ ...line, [key]: 'x' })), key).toBeUndefined();
    expect(sessionOf(JSON.stringify({ ...line, [key]: null }))?.facts.entries).toBe(1);
  }
});

it('leaves an answer of another speaker, and a system text or tools in a second place, to the stages', () => {
  expect(sessionOf(entryLine({ at: 1, reply: { role: 'user', content: 'a' } }))).toBeUndefined();
  const line = JSON.parse(entryLine({ at: 1 }));
  for (const key of SYSTEM_NAMES)
    expect(
      sessionOf(JSON.stringify({ ...line, request: { ...line.request, [key]: 'x' } })),
      key,
    ).toBeUndefined();
  expect(sessionOf(JSON.stringify({ ...line, tools: [{ name: 'f' }] }))).toBeUndefined();
  for (const key of [...PARAMETERS, ...TOOLS.filter((name) => name !== 'tools')])
    expect(
      sessionOf(JSON.stringify({ ...line, request: { ...line.request, [key]: [{}] } })),
      key,
    ).toBeUndefined();
});
