import { describe, expect, it } from 'vitest';
import geminiCli from '../../../../transforms/dialects/gemini-cli.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { asBuffer, text } from '../../bytes.ts';
import { lineOf } from '../../log-lines.ts';

const detects = (first: object): unknown =>
  geminiCli.detect(
    new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])),
  );

function elementsOf(objects: readonly object[]) {
  const reader = geminiCli.create();
  const read = objects.flatMap((object, i) => [
    ...reader.read(lineOf(JSON.stringify(object), asBuffer, i + 1)),
  ]);
  return [...read, ...(reader.end?.() ?? [])];
}

/** Conversations with messages as `role: text` and calls as `role> name id`. */
function conversationsOf(...objects: readonly object[]): readonly (readonly string[])[] {
  const entries = elementsOf(objects).filter((element): element is Entry => element.kind === 'entry');
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].flatMap(({ bytes }) => {
      const { role, content, reasoning_content, tool_calls = [], tool_call_id } = JSON.parse(text(bytes));
      const calls = tool_calls.map(
        (call: { id: string; function: { name: string; arguments: string } }) =>
          `${role}> ${call.function.name} ${call.id} ${call.function.arguments}`,
      );
      const thought = reasoning_content === undefined ? [] : [`${role} thinks: ${reasoning_content}`];
      const answers = tool_call_id === undefined ? role : `${role} ${tool_call_id}`;
      return [...thought, ...(content === undefined ? [] : [`${answers}: ${content}`]), ...calls];
    }),
  );
}

const user = (...parts: readonly object[]) => ({ role: 'user', parts });
const model = (...parts: readonly object[]) => ({ role: 'model', parts });
const says = (content: string) => ({ text: content });
const calls = (name: string, id?: string) => ({ functionCall: { ...(id && { id }), name, args: { n: 1 } } });
const answers = (name: string, output: string, id?: string) => ({
  functionResponse: { ...(id && { id }), name, response: { output } },
});
const line = (
  uuid: string,
  parentUuid: string | null,
  type: string,
  message?: object,
  more: object = {},
) => ({
  uuid,
  parentUuid,
  sessionId: 's',
  timestamp: '2026-01-14T08:00:00Z',
  type,
  ...(message && { message }),
  ...more,
});

describe('a checkpoint of Gemini CLI', () => {
  const contents = [
    user(says('When?')),
    model(calls('read'), calls('list')),
    user(answers('list', 'diary'), answers('read', 'In May.')),
    model(says('In May.')),
  ];
  const expected = [
    'user: When?',
    ...['assistant> read call_1 {"n":1}', 'assistant> list call_2 {"n":1}'],
    ...['tool call_1: In May.', 'tool call_2: diary'],
    'assistant: In May.',
  ];

  it('is detected by a role and parts', () => {
    expect([contents[0], { history: contents }].map((first) => detects(first as object))).toEqual([
      true,
      true,
    ]);
    expect(detects({ role: 'manager', parts: [] })).toBe(false);
    expect(detects({ role: 'user', parts: 'a' })).toBe(false);
    expect(detects({ history: [{ role: 'user', content: 'a' }] })).toBe(false);
  });

  it('is one conversation, in which results without an id answer by name', () => {
    expect(conversationsOf(...contents)).toEqual([expected]);
    expect(conversationsOf({ history: contents, authType: 'x' })).toEqual([expected]);
  });

  it('rejects messages without parts', () => {
    expect(elementsOf([{ role: 'user', parts: 1 }])).toMatchObject([{ reason: 'bad-event' }]);
  });
});

describe('a recording of Qwen Code', () => {
  it('is read apart from another one in its log, also if their lines alternate', () => {
    const session = (sessionId: string) => [
      line(`${sessionId}1`, null, 'user', user(says(`a ${sessionId}`)), { sessionId }),
      line(`${sessionId}2`, `${sessionId}1`, 'assistant', model(says(`b ${sessionId}`)), { sessionId }),
      line(`${sessionId}3`, `${sessionId}2`, 'user', user(says('c')), { sessionId }),
      line(`${sessionId}4`, `${sessionId}3`, 'assistant', model(says(`d ${sessionId}`)), { sessionId }),
    ];
    const [one, other] = [session('s'), session('t')];
    const said = (id: string) => [`user: a ${id}`, `assistant: b ${id}`, 'user: c', `assistant: d ${id}`];
    const both = [said('s'), said('t')];
    expect(conversationsOf(...one, ...other)).toEqual(both);
    expect(conversationsOf(...one.flatMap((first, i) => [first, other[i] as object]))).toEqual(both);
    const entries = elementsOf([...one, ...other]).filter(({ kind }) => kind === 'entry');
    expect(entries).toMatchObject([{ sessionId: 's' }, { sessionId: 't' }]);
  });

  it('says that the parent of a typed text is not before it', () => {
    const rulesOf = (parent: string | null) =>
      elementsOf([
        line('1', null, 'user', user(says('a'))),
        line('2', '1', 'assistant', model(says('b'))),
        line('3', parent, 'user', user(says('c'))),
      ]).flatMap((one) =>
        one.kind === 'entry' ? one.messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)) : [],
      );
    expect(rulesOf('2')).not.toContain('parent-missing');
    expect(rulesOf('9')).toContain('parent-missing');
  });

  it('counts the history after a compression as context', () => {
    const compressedHistory = [user(says('sum')), model(says('Got it.')), user(says('a')), model(says('b'))];
    const entries = elementsOf([
      line('1', null, 'user', user(says('a'))),
      line('2', '1', 'assistant', model(says('b'))),
      line('3', '2', 'system', undefined, {
        subtype: 'chat_compression',
        systemPayload: { compressedHistory },
      }),
      line('4', '3', 'user', user(says('c'))),
    ]).flatMap((one) => (one.kind === 'entry' ? [one] : []));
    expect(entries.map(({ meta }) => text(meta?.get('copied') ?? new Uint8Array()))).toEqual(['', '4']);
  });

  describe('of which the user took back', () => {
    const contentsOf = (...lines: readonly object[]) =>
      elementsOf(lines).flatMap((one) => {
        if (one.kind !== 'entry') return [];
        const all = [...one.messages, ...(one.reply === undefined ? [] : [one.reply])];
        const isCut = all.some(({ notes = [] }) => notes.some(({ rule }) => rule === 'parent-missing'));
        const contents = all.map(({ bytes }) => JSON.parse(text(bytes)).content ?? 'a call');
        return [isCut ? ['parent-missing', ...contents] : contents];
      });
    const turn = (id: string, parent: string | null) => [
      line(id, parent, 'user', user(says(id))),
      line(`${id}a`, id, 'assistant', model(says(`${id}a`))),
    ];
    const settings = line('0', null, 'system', undefined, { subtype: 'session_model', systemPayload: {} });
    const compressed = line('c', '2a', 'system', undefined, {
      subtype: 'chat_compression',
      systemPayload: {
        compressedHistory: [user(says('sum')), model(calls('read', 'x')), user(answers('read', 'y', 'x'))],
      },
    });

    it('the first message, which comes after a line about the client', () => {
      expect(contentsOf(settings, ...turn('1', '0'), ...turn('2', '0'))).toEqual([
        ['1', '1a'],
        ['2', '2a'],
      ]);
    });

    it('all messages since one before a compression', () => {
      const before = [settings, ...turn('1', '0'), ...turn('2', '1a')];
      const whole = ['1', '1a', '2', '2a'];
      const left = [whole, ['sum', 'a call', 'y', '3', '3a']];
      const since = [...before, compressed, ...turn('3', 'c')];
      expect(contentsOf(...since, ...turn('4', '1a'))).toEqual([...left, ['parent-missing', '4', '4a']]);
      expect(contentsOf(...since, ...turn('4', '0'))).toEqual([...left, ['4', '4a']]);
      expect(contentsOf(...before, compressed, ...turn('4', '0'))).toEqual([whole, ['4', '4a']]);
    });
  });

  it('rejects a compression whose history has another form', () => {
    const lines = [line('1', null, 'user', user(says('a'))), line('2', '1', 'assistant', model(says('b')))];
    const compressed = (systemPayload: object) =>
      elementsOf([
        ...lines,
        line('3', '2', 'system', undefined, { subtype: 'chat_compression', systemPayload }),
      ]);
    for (const history of [[{ role: 'user', text: 'So far: b.' }], { summary: 'So far: b.' }, 'So far: b.'])
      expect(compressed({ compressedHistory: history })).toContainEqual(
        expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }),
      );
    expect(compressed({ info: { tokens: 4 } })).toContainEqual(
      expect.objectContaining({ fate: 'dropped:client-event' }),
    );
  });

  const begin = [
    line('1', null, 'user', user(says('When?'))),
    line('2', '1', 'system', undefined, { subtype: 'ui_telemetry', systemPayload: {} }),
    line('3', '2', 'assistant', model({ text: 'Hm.', thought: true }, says('I look.'), calls('read', 'c'))),
    line('4', '3', 'tool_result', user(answers('read', 'In May.', 'c')), { toolCallResult: { callId: 'c' } }),
    line('5', '4', 'assistant', model(says('In May.'))),
  ];
  const expected = [
    'user: When?',
    ...['assistant thinks: Hm.', 'assistant: I look.', 'assistant> read c {"n":1}'],
    'tool c: In May.',
    'assistant: In May.',
  ];

  it('is detected by its first line', () => {
    expect(detects(begin[0] as object)).toBe(true);
    expect(detects(line('1', null, 'user', { role: 'user', content: 'a' }))).toBe(false);
  });

  it('is folded', () => expect(conversationsOf(...begin)).toEqual([expected]));

  it('can go back to an earlier message', () => {
    const [again, answer] = [
      line('6', '2', 'user', user(says('Where?'))),
      line('7', '6', 'assistant', model(says('Here.'))),
    ];
    expect(conversationsOf(...begin, again, answer)).toEqual([
      expected,
      ['user: When?', 'user: Where?', 'assistant: Here.'],
    ]);
  });

  it('can go back to a message of an abandoned branch', () => {
    const branch = [
      line('6', '2', 'user', user(says('Where?'))),
      line('7', '6', 'assistant', model(says('Here.'))),
      line('8', '7', 'user', user(says('Who?'))),
      line('9', '8', 'assistant', model(says('You.'))),
    ];
    const first = [
      line('10', '5', 'user', user(says('So?'))),
      line('11', '10', 'assistant', model(says('Yes.'))),
    ];
    expect(conversationsOf(...begin, ...branch, ...first)).toEqual([
      ['user: When?', 'user: Where?', 'assistant: Here.', 'user: Who?', 'assistant: You.'],
      [...expected, 'user: So?', 'assistant: Yes.'],
    ]);
  });

  it('goes back to the beginning with a line whose parent is null', () => {
    const again = [
      line('6', null, 'system', undefined, { subtype: 'rewind', systemPayload: { truncatedCount: 2 } }),
      line('7', '6', 'user', user(says('Where?'))),
      line('8', '7', 'assistant', model(says('Here.'))),
    ];
    expect(conversationsOf(...begin, ...again)).toEqual([expected, ['user: Where?', 'assistant: Here.']]);
    const flat = [
      line('1', null, 'user', user(says('When?'))),
      line('2', null, 'assistant', model(says('In May.'))),
      line('3', null, 'user', user(says('Where?'))),
      line('4', null, 'assistant', model(says('Here.'))),
    ];
    expect(conversationsOf(...flat)).toEqual([
      ['user: When?', 'assistant: In May.', 'user: Where?', 'assistant: Here.'],
    ]);
  });

  it('begins with a line of the client', () => {
    const source = line('0', null, 'system', undefined, {
      subtype: 'session_source',
      systemPayload: { sourceType: 'web' },
    });
    const [first, ...rest] = begin.map((one) => (one.uuid === '1' ? { ...one, parentUuid: '0' } : one));
    const read = elementsOf([source, first as object, ...rest]);
    expect(read.flatMap((one) => (one.kind === 'entry' ? one.messages : []))).not.toContainEqual(
      expect.objectContaining({ notes: [expect.objectContaining({ rule: 'parent-missing' })] }),
    );
    expect(conversationsOf(source, first as object, ...rest)).toEqual([expected]);
  });

  it('begins with a compressed history, if the lines before it are lost', () => {
    const left = [user(says('So far: May.')), model(says('Got it.'))];
    const compression = line('6', '5', 'system', undefined, {
      subtype: 'chat_compression',
      systemPayload: { compressedHistory: left },
    });
    const more = [
      line('7', '6', 'user', user(says('And?'))),
      line('8', '7', 'assistant', model(says('June.'))),
    ];
    expect(conversationsOf(compression, ...more)).toEqual([
      ['user: So far: May.', 'assistant: Got it.', 'user: And?', 'assistant: June.'],
    ]);
  });

  it('rejects a line of the client of an unknown kind that has words, and drops one that has none', () => {
    const unknown = (systemPayload: object) =>
      elementsOf([...begin, line('6', '5', 'system', undefined, { subtype: 'recall', systemPayload })]);
    expect(unknown({ reminder: 'They like bulbs.' })).toContainEqual(
      expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }),
    );
    expect(unknown({ count: 4 })).toContainEqual(expect.objectContaining({ fate: 'dropped:client-event' }));
  });

  it('keeps the turns of two clients apart that resumed one session at the same time', () => {
    const both = [
      line('6', '5', 'user', user(says('Where?'))),
      line('7', '5', 'user', user(says('Who?'))),
      line('8', '6', 'assistant', model(says('Here.'))),
      line('9', '7', 'assistant', model(says('You.'))),
    ];
    expect(conversationsOf(...begin, ...both)).toEqual([
      [...expected, 'user: Where?', 'assistant: Here.'],
      [...expected, 'user: Who?', 'assistant: You.'],
    ]);
  });

  it('continues with the messages that a compression has kept', () => {
    const left = [user(says('So far: May.')), model(says('Got it.'))];
    const compression = line('6', '5', 'system', undefined, {
      subtype: 'chat_compression',
      systemPayload: { info: {}, compressedHistory: left },
    });
    const more = [
      line('7', '6', 'user', user(says('And?'))),
      line('8', '7', 'assistant', model(says('June.'))),
    ];
    expect(conversationsOf(...begin, compression, ...more)).toEqual([
      expected,
      ['user: So far: May.', 'assistant: Got it.', 'user: And?', 'assistant: June.'],
    ]);
  });

  it('drops copied lines and rejects messages without parts', () => {
    const bad = line('9', '5', 'user', { role: 'user', content: 'a' });
    const fates = elementsOf([...begin, begin[0] as object, bad]).filter(({ kind }) => kind !== 'entry');
    expect(JSON.stringify(fates)).toContain('copied-line');
    expect(JSON.stringify(fates)).toContain('bad-event');
  });

  it.each([
    ['user', model(says('a'))],
    ['tool_result', model(says('a'))],
    ['assistant', user(says('a'))],
  ])('rejects a line of the type %s with the role of another speaker', (type, message) => {
    const rejected = { reason: 'bad-event', detail: expect.stringContaining('different speakers') };
    for (const added of [line('9', '5', type, message), line('5', '4', type, message)])
      expect(elementsOf([...begin, added])).toContainEqual(expect.objectContaining(rejected));
  });
});
