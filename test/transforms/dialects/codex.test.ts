import { describe, expect, it } from 'vitest';
import codex from '../../../transforms/dialects/codex.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const item = (payload: object) => ({ type: 'response_item', payload });
const event = (payload: object) => ({ type: 'event_msg', payload });
const say = (role: string, words: string) => {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return item({ type: 'message', role, content: [{ type, text: words }] });
};
const call = (call_id: string, more: object = {}) =>
  item({ type: 'function_call', name: 'read', call_id, arguments: '{"a":1}', ...more });
const result = (call_id: string, output: unknown) => item({ type: 'function_call_output', call_id, output });
const head = { type: 'session_meta', payload: { id: 's' } };

function elementsOf(...objects: readonly object[]) {
  const lines =
    objects[0] !== undefined && 'type' in objects[0] && objects[0].type === head.type ? [] : [head];
  return readLog(
    codex.create(),
    [...lines, ...objects].map((object) => JSON.stringify(object)),
  );
}

const entriesOf = (...objects: readonly object[]): readonly Entry[] =>
  elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];

/** The messages of an entry, as in the log. */
function messagesOf(entry: Entry | undefined) {
  const { messages = [], reply } = entry ?? {};
  return [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes)));
}

const saidIn = (...objects: readonly object[]): readonly string[][] =>
  entriesOf(...objects).map((entry) => messagesOf(entry).map(({ role, content }) => `${role} ${content}`));

const fatesOf = (...objects: readonly object[]) =>
  elementsOf(...objects).flatMap((element) => (element.kind === 'fate' ? element.fate : []));

const rulesOf = (entry: Entry | undefined) =>
  [...(entry?.messages ?? []), ...(entry?.reply ? [entry.reply] : [])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );

describe('turns that were taken back', () => {
  const turn = (n: number) => [say('user', `q${n}`), say('assistant', `a${n}`)];
  const back = (num_turns: unknown) => event({ type: 'thread_rolled_back', num_turns });

  it('become a separate conversation', () => {
    expect(saidIn(...turn(1), ...turn(2), ...turn(3), back(2), ...turn(4))).toEqual([
      ['user q1', 'assistant a1', 'user q4', 'assistant a4'],
      ['user q1', 'assistant a1', 'user q2', 'assistant a2', 'user q3', 'assistant a3'],
    ]);
  });

  it('go with what the client inserted in front of them', () => {
    const context = say('user', '<environment_context>x</environment_context>');
    const start = [context, ...turn(1), say('developer', 'd'), context];
    expect(saidIn(...start, ...turn(2), back(1), ...turn(3))[0]).toEqual([
      'user <environment_context>x</environment_context>',
      ...['user q1', 'assistant a1', 'user q3', 'assistant a3'],
    ]);
  });

  it('may begin with a text that only begins like one of the client', () => {
    const typed = [say('user', '<skill> is a tag in my file?'), say('assistant', 'a2')];
    expect(saidIn(...turn(1), ...typed, back(1), ...turn(3))[0]).toEqual([
      ...['user q1', 'assistant a1', 'user q3', 'assistant a3'],
    ]);
  });

  it('do not go further back than the first turn', () => {
    const lines = [say('developer', 'd'), ...turn(1), back(9), ...turn(2)];
    expect(saidIn(...lines)[0]).toEqual(['developer d', 'user q2', 'assistant a2']);
  });

  it('are written once if nothing comes after them', () => {
    expect(saidIn(...turn(1), ...turn(2), back(1))).toEqual([
      ['user q1', 'assistant a1', 'user q2', 'assistant a2'],
    ]);
  });

  it.each([0, -1, 'x', undefined, null])('are none for the number %j', (number) => {
    const lines = [...turn(1), back(number), ...turn(2)];
    expect(saidIn(...lines)).toEqual([['user q1', 'assistant a1', 'user q2', 'assistant a2']]);
    expect(fatesOf(...lines)).toEqual(['dropped:client-event']);
  });

  it('are none before the first turn', () => {
    expect(saidIn(say('developer', 'd'), back(1), ...turn(1))).toEqual([
      ['developer d', 'user q1', 'assistant a1'],
    ]);
  });

  it('do not change the tokens of the answer before them', () => {
    const count = (n: number) =>
      event({ type: 'token_count', info: { last_token_usage: { input_tokens: n } } });
    const [entry] = entriesOf(...turn(1), count(7), ...turn(2), count(9), back(1), count(100), ...turn(3));
    expect(text(entry?.meta?.get('usage') as Uint8Array)).toBe('{"input_tokens":7}');
  });
});

it('begins another answer after new token counts, if the results of the calls before are lost', () => {
  const count = (n: number) =>
    event({ type: 'token_count', info: { last_token_usage: { input_tokens: n } } });
  const rolesOf = (...lines: readonly object[]) =>
    messagesOf(entriesOf(say('user', 'q'), ...lines)[0]).map(({ role, tool_calls = [] }) =>
      [role, ...tool_calls.map(({ id }: { id: string }) => id)].join(' '),
    );
  const [first, second] = [call('c1'), call('c2')];
  expect(rolesOf(first, count(1), second, count(2), say('assistant', 'a'))).toEqual([
    ...['user', 'assistant c1', 'assistant c2', 'assistant'],
  ]);
  // the limits of rates are counted with the numbers of the answer before
  expect(rolesOf(count(1), first, count(1), second, count(2), result('c1', 'r'), result('c2', 'r'))).toEqual([
    ...['user', 'assistant c1 c2', 'tool', 'tool'],
  ]);
  expect(rolesOf(say('assistant', 'a'), count(1), first)).toEqual(['user', 'assistant c1']);
});

describe('a compaction whose context cannot be read', () => {
  const compact = (payload: object) => ({ type: 'compacted', payload });
  const turn = (n: number) => [say('user', `q${n}`), say('assistant', `a${n}`)];

  it.each([
    ['is an object', { message: '', replacement_history: { items: [] } }],
    ['is a text', { replacement_history: 'the summary' }],
    ['has another name', { summary_text: 'the summary' }],
  ])('rejects the conversation after it if that %s', (_what, payload) => {
    const [before, after] = entriesOf(...turn(1), compact(payload), ...turn(2));
    expect(rulesOf(before)).not.toContain('unread-text');
    expect(rulesOf(after)).toContain('unread-text');
  });

  it('adds no message for an empty summary', () => {
    expect(saidIn(...turn(1), compact({ message: '' }), ...turn(2))[1]).toEqual(['user q2', 'assistant a2']);
  });
});

it('reads an answer once whose event has other white space around it', () => {
  const said = event({ type: 'agent_message', message: ' a. \n' });
  for (const lines of [
    [say('assistant', 'a.'), said],
    [said, say('assistant', 'a.')],
  ])
    expect(saidIn(say('user', 'q'), ...lines)).toEqual([['user q', 'assistant a.']]);
});

it('reads a line once that a log has twice in a row with its time', () => {
  const at = (second: number, line: object) => ({ timestamp: `2026-02-03T10:00:0${second}.000Z`, ...line });
  const lines = [at(1, say('user', 'q')), at(2, say('assistant', 'a'))];
  const twice = lines.flatMap((line) => [line, line]);
  expect(saidIn(...twice)).toEqual([['user q', 'assistant a']]);
  expect(fatesOf(...twice)).toEqual(['dropped:copied-line', 'dropped:copied-line']);
  expect(saidIn(...lines, at(3, say('assistant', 'a')))).toEqual([['user q', 'assistant a\na']]);
  const typed = at(1, event({ type: 'user_message', message: 'q' }));
  expect(saidIn(...lines.slice(0, 1), typed, typed, ...lines.slice(1))).toEqual([['user q', 'assistant a']]);
  expect(saidIn(...lines, event({ type: 'token_count' }), ...lines)[0]).toHaveLength(4);
  const turns = [1, 2, 3].flatMap((n) => [say('user', `q${n}`), say('assistant', `a${n}`)]);
  const back = at(4, event({ type: 'thread_rolled_back', num_turns: 1 }));
  expect(saidIn(...turns, back, back, say('user', 'q'), say('assistant', 'a'))).toContainEqual([
    ...['user q1', 'assistant a1', 'user q', 'assistant a'],
  ]);
});

describe('a rollout that a log has twice', () => {
  const turn = (n: number) => [say('user', `q${n}`), say('assistant', `a${n}`)];
  const began = (id: string, more: object = {}) => ({ ...head, payload: { id, ...more } });
  const once = [began('s'), ...turn(1), ...turn(2)];

  it('is read once, also if one of the two is an earlier state', () => {
    const said = [['user q1', 'assistant a1', 'user q2', 'assistant a2']];
    const short = once.slice(0, 3);
    for (const copies of [
      [...once, ...once],
      [...once, ...once, ...once],
      [...short, ...once],
      [...once, ...short],
    ])
      expect(saidIn(...copies)).toEqual(said);
    expect(fatesOf(...once, ...once)).toEqual(Array(once.length).fill('dropped:copied-line'));
  });

  it('is read once if it is a fork, or follows another session', () => {
    const fork = [began('f', { forked_from_id: 's' }), ...once, ...turn(3)];
    expect(saidIn(...fork, ...fork)).toEqual(saidIn(...fork));
    const other = [began('o'), ...turn(4)];
    expect(saidIn(...once, ...other, ...other)).toEqual(saidIn(...once, ...other));
  });

  it('is not what says the same again, after another header of the session or without one', () => {
    const again = began('s', { memory_mode: 'on' });
    expect(saidIn(...once, again, ...turn(1))[0]).toHaveLength(6);
    expect(saidIn(...once, ...turn(1))[0]).toHaveLength(6);
    expect(saidIn(...once, began('s'), ...turn(3))[0]).toHaveLength(6);
  });
});

it('reads an item once that a log has twice in a row under its id', () => {
  const said = (id: string, words: string) => item({ ...say('assistant', words).payload, id });
  const typed = event({ type: 'user_message', message: 'q' });
  const twice = [said('m1', 'a'), typed, said('m1', 'a')];
  expect(saidIn(say('user', 'q'), ...twice)).toEqual([['user q', 'assistant a']]);
  expect(fatesOf(say('user', 'q'), ...twice)).toContain('dropped:copied-line');
  expect(messagesOf(entriesOf(call('1'), call('1'), result('1', 'r'))[0])[0].tool_calls).toHaveLength(1);
  expect(saidIn(say('user', 'q'), said('m1', 'a'), said('m2', 'a'))).toEqual([['user q', 'assistant a\na']]);
  expect(saidIn(say('user', 'go'), say('user', 'go'))).toEqual([['user go', 'user go']]);
});

it('keeps the whole of a result that has more than an output and its metadata', () => {
  const wrapped = { output: 'r', metadata: { exit_code: 1 } };
  const contentOf = (output: object) =>
    messagesOf(entriesOf(call('1'), result('1', JSON.stringify(output)))[0])[1].content;
  expect(contentOf(wrapped)).toBe('r');
  expect(contentOf({ ...wrapped, stderr: 'e' })).toBe(JSON.stringify({ ...wrapped, stderr: 'e' }));
});

describe('what other agents say', () => {
  const agent = (content: readonly object[]) =>
    item({ type: 'agent_message', author: '/root/a', recipient: '/root', content });
  const spoken = { type: 'input_text', text: 'report' };
  const sealed = { type: 'encrypted_content', encrypted_content: 'x' };
  const asked = say('user', 'q');

  it('is a message of the user, between two answers', () => {
    const lines = [asked, say('assistant', 'a'), agent([spoken]), say('assistant', 'b')];
    expect(saidIn(...lines)).toEqual([['user q', 'assistant a', 'user report', 'assistant b']]);
  });

  it('is left out where it is sealed', () => {
    const [entry] = entriesOf(asked, agent([spoken, sealed]), agent([sealed]), say('assistant', 'b'));
    expect(messagesOf(entry).map(({ content }) => content)).toEqual(['q', 'report', 'b']);
    expect(rulesOf(entry).filter((rule) => rule === 'sealed-context')).toHaveLength(2);
  });

  it('is read from a line of its own', () => {
    const payload = { author: '/root/a', recipient: '/root', content: 'report', trigger_turn: true };
    const metadata = { type: 'inter_agent_communication_metadata', payload: { trigger_turn: true } };
    const lines = [asked, { type: 'inter_agent_communication', payload }, metadata, say('assistant', 'b')];
    expect(saidIn(...lines)).toEqual([['user q', 'user report', 'assistant b']]);
    expect(rulesOf(entriesOf(...lines)[0])).not.toContain('unknown-event');
    const bad = elementsOf({ type: 'inter_agent_communication', payload: {} });
    expect(bad.map(({ kind }) => kind)).toContain('rejection');
    const empty = { type: 'inter_agent_communication', payload: { content: '', encrypted_content: 'x' } };
    expect(rulesOf(entriesOf(asked, empty)[0])).toContain('sealed-context');
  });

  it('is not an answer where it is logged as one', () => {
    const heard = { author: '/root/a', recipient: '/root', other_recipients: [], content: 'report' };
    const words = JSON.stringify({ ...heard, trigger_turn: false });
    const [entry] = entriesOf(asked, say('assistant', words), say('assistant', 'b'));
    expect(messagesOf(entry).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
    expect(messagesOf(entry)[1].content).toBe(words);
    expect(entry?.changes.get('observation-as-user')).toBe(1);
    for (const own of ['{"author":1}', JSON.stringify(heard), '{"author":', `{"author":${'['.repeat(9)}`])
      expect(messagesOf(entriesOf(asked, say('assistant', own))[0])[1].role).toBe('assistant');
  });
});

describe('calls', () => {
  const search = { type: 'tool_search_call', status: 'completed', arguments: { query: 'x' } };
  const found = { type: 'tool_search_output', status: 'completed', tools: [{ name: 't' }] };

  it('include searches for tools, with what they found', () => {
    const lines = [item({ ...search, call_id: 'c', id: 'i' }), item({ ...found, call_id: 'c' })];
    expect(messagesOf(entriesOf(say('user', 'q'), ...lines)[0]).slice(1)).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'tool_search', arguments: '{"query":"x"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: '[{"name":"t"}]' },
    ]);
  });

  it('do not include searches of the server, whose results answer no other call', () => {
    for (const place of [{ call_id: null }, { call_id: 'tsc_1', execution: 'server' }]) {
      const server = [item({ ...search, ...place }), item({ ...found, ...place })];
      const [entry] = entriesOf(say('user', 'q'), call('c'), ...server, result('c', 'r'));
      const [, answer, reply] = messagesOf(entry);
      expect(answer.content.map(({ type }: { type: string }) => type)).toEqual([search.type, found.type]);
      expect(reply.content).toBe('r');
    }
  });

  it('have the namespace of a tool in front of its name', () => {
    const names = ['mcp__files__', 'mcp__files', undefined, 'read'].map((namespace, i) =>
      call(`${i}`, { namespace }),
    );
    const custom = item({ type: 'custom_tool_call', name: '_run', namespace: 'x', call_id: '4', input: 'i' });
    const [answer] = messagesOf(entriesOf(...names, custom)[0]);
    expect(answer.tool_calls.map((one: { function: { name: string } }) => one.function.name)).toEqual([
      ...['mcp__files__read', 'mcp__files__read', 'read', 'read', 'x__run'],
    ]);
  });

  it('say which arguments are encrypted for another agent', () => {
    const sealed = call('1', { encrypted_function_args: ['message'], arguments: '{"message":"gAAA"}' });
    expect(rulesOf(entriesOf(say('user', 'q'), sealed, result('1', 'r'))[0])).toContain('sealed-context');
    const plain = call('1', { encrypted_function_args: [] });
    expect(rulesOf(entriesOf(say('user', 'q'), plain, result('1', 'r'))[0])).not.toContain('sealed-context');
  });

  it('of other built-in tools keep all arguments', () => {
    const calls = [
      { type: 'shell_call', call_id: '1', id: 'i', status: 'completed', action: { commands: ['ls'] } },
      { type: 'computer_call', call_id: '2', actions: [{ type: 'wait' }], pending_safety_checks: [] },
    ].map(item);
    const shot = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' };
    const screen = item({ type: 'computer_call_output', call_id: '2', output: shot });
    const [answer, image] = messagesOf(entriesOf(...calls, screen)[0]);
    expect(answer.tool_calls.map((one: { function: object }) => one.function)).toEqual([
      { name: 'shell', arguments: '{"commands":["ls"]}' },
      { name: 'computer', arguments: '{"actions":[{"type":"wait"}],"pending_safety_checks":[]}' },
    ]);
    expect(image.content).toEqual([{ type: 'image_url', image_url: { url: shot.image_url } }]);
  });

  it.each([
    ['with its result among its arguments', { call_id: 'x', params: { at: 'the hedge' }, returned: 'green' }],
    ['without words', { id: 'x', params: {} }],
  ])('of an unknown type are rejected %s', (_what, members) => {
    const strange = item({ type: 'remote_call', ...members });
    expect(elementsOf(say('user', 'q'), strange, say('assistant', 'a'))).toContainEqual(
      expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }),
    );
  });

  it('of the client may not have words beside their arguments', () => {
    const own = { type: 'shell_call', call_id: '1', action: { commands: ['ls'] }, returned: 'two files' };
    const [entry] = entriesOf(say('user', 'q'), item(own), say('assistant', 'a'));
    expect(rulesOf(entry)).toContain('unread-text');
  });

  it('have results with images', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'high' };
    const parts = [{ type: 'input_text', text: 'seen' }, image, { type: 'encrypted_content', x: 1 }];
    const [, first] = messagesOf(entriesOf(call('1'), result('1', parts))[0]);
    expect(first.content).toEqual([
      { type: 'text', text: 'seen' },
      { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } },
    ]);
  });

  it('have results of the shell as JSON text, and none that are other objects', () => {
    const shell = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
    const [, answer] = messagesOf(entriesOf(call('1'), result('1', shell))[0]);
    expect(answer.content).toBe(JSON.stringify(shell));
    for (const output of [{ ok: true }, [{ ok: true }], 4, { content: { ok: true } }])
      expect(elementsOf(call('1'), result('1', output))).toContainEqual(
        expect.objectContaining({ kind: 'rejection', reason: 'unknown-content' }),
      );
  });

  it('are not continued after a result that answers none of them, unless its call comes next', () => {
    const asked = [say('user', 'q'), say('assistant', 'a'), call('c1')];
    const said = (...more: readonly object[]) => saidIn(...asked, ...more, say('assistant', 'b'))[0];
    expect(said(result('c9', 'r'))).toEqual(['user q', 'assistant a', 'tool r', 'assistant b']);
    expect(said(result('c2', 's'), call('c2'), result('c1', 'r'))).toEqual([
      ...['user q', 'assistant a', 'tool r', 'tool s', 'assistant b'],
    ]);
  });

  it('have empty arguments if these are null', () => {
    const called = item({ type: 'function_call', call_id: 'c', name: 'f', arguments: null });
    const { reply } = elementsOf(say('user', 'q'), called).at(-1) as Entry;
    const [call] = JSON.parse(text(reply?.bytes as Uint8Array)).tool_calls;
    expect(call.function).toEqual({ name: 'f', arguments: '{}' });
  });

  it('are rejected without arguments, an input that is a text, or an action', () => {
    const rejected = (payload: object) =>
      elementsOf(say('user', 'q'), item({ call_id: 'c', ...payload })).flatMap((one) =>
        one.kind === 'rejection' ? one.reason : [],
      );
    expect(rejected({ type: 'function_call', name: 'f' })).toEqual(['unknown-content']);
    expect(rejected({ type: 'custom_tool_call', name: 'f', input: null })).toEqual(['bad-event']);
    expect(rejected({ type: 'local_shell_call', action: null })).toEqual(['unknown-content']);
    expect(rejected({ type: 'local_shell_call', action: { type: 'exec' }, operation: null })).toEqual([]);
    expect(rejected({ type: 'computer_call', action: null, actions: [{ type: 'wait' }] })).toEqual([]);
  });
});

describe('tools', () => {
  const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
  const namesOf = (entry: Entry | undefined) => entry?.tools.map(({ name }) => name);

  it('may come in the middle of a conversation, and in namespaces', () => {
    const more = { type: 'additional_tools', role: 'developer' };
    const space = { type: 'namespace', name: 'mcp__x', tools: [tool('a'), { ...tool('b'), defer: true }] };
    const lines = [
      { ...more, tools: [tool('one'), space] },
      { ...more, tools: [tool('one'), tool('two')] },
    ];
    const [entry] = entriesOf(say('user', 'q'), ...lines.map(item), say('assistant', 'a'));
    expect(namesOf(entry)).toEqual(['mcp__x__a', 'mcp__x__b', 'one', 'two']);
    expect(JSON.parse(text(entry?.tools[1]?.bytes as Uint8Array))).toEqual({
      ...tool('mcp__x__b'),
      defer: true,
    });
    expect(messagesOf(entry)).toHaveLength(2);
  });

  it('of the client may name their namespace', () => {
    const dynamic_tools = [{ namespace: 'app', name: 'go', inputSchema: { type: 'object' } }];
    const own = { type: 'session_meta', payload: { id: 's', dynamic_tools } };
    const [entry] = entriesOf(own, say('user', 'q'), say('assistant', 'a'));
    expect(namesOf(entry)).toEqual(['app__go']);
  });
});

it('prefers the reasoning to its summary, and says so', () => {
  const thought = {
    ...{ type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] },
    content: [{ type: 'reasoning_text', text: 't' }],
  };
  const [entry] = entriesOf(say('user', 'q'), item(thought), say('assistant', 'a'));
  expect(messagesOf(entry).at(-1)).toEqual({ role: 'assistant', content: 'a', reasoning_content: 't' });
  expect(rulesOf(entry)).toContain('reasoning-summary');
});

describe('a compaction', () => {
  const history = [
    say('user', 'q').payload,
    say('assistant', 'kept').payload,
    { type: 'context_compaction', encrypted_content: 'x' },
    { type: 'ghost_snapshot' },
    say('user', '<turn_aborted>\nx\n</turn_aborted>').payload,
  ];
  const compacted = { type: 'compacted', payload: { message: '', replacement_history: history } };

  it('begins with context that is not learned again', () => {
    const [, entry] = entriesOf(say('user', 'q'), say('assistant', 'a'), compacted, say('assistant', 'b'));
    expect(messagesOf(entry).map(({ content }) => content)).toEqual(['q', 'kept', 'b']);
    expect(text(entry?.meta?.get('copied') as Uint8Array)).toBe('2');
    const rules = rulesOf(entry);
    expect(rules).toContain('sealed-context');
    expect(rules).toContain('interrupted');
    expect(rules).not.toContain('unknown-event');
  });
});

it('reads states of the client without a finding', () => {
  const lines = [{ type: 'world_state', payload: { full: true } }, item({ type: 'ghost_snapshot' })];
  const [entry] = entriesOf(say('user', 'q'), ...lines, say('assistant', 'a'));
  expect(rulesOf(entry)).not.toContain('unknown-event');
});

it('says that a session without its beginning continues another one', () => {
  const history_base = { thread_id: 'before', end_ordinal_exclusive: 7 };
  const [entry] = entriesOf({ type: 'session_meta', payload: { id: 's', history_base } }, say('user', 'a'));
  expect(rulesOf(entry)).toContain('unread-text');
  expect(text(entry?.meta?.get('parent') ?? new Uint8Array())).toBe('"before"');
  expect(rulesOf(entriesOf(head, say('user', 'a'))[0])).not.toContain('unread-text');
});

it.each([
  [{ id: 'x', timestamp: 't', instructions: null }, true],
  [{ id: 'x', timestamp: 't', git: {} }, true],
  [{ id: 'x', timestamp: 't' }, false],
  [{ id: 'x', timestamp: 't', git: 'main' }, false],
  [{ id: 'x', timestamp: 't', git: {}, source: 'agent' }, false],
])('knows an old rollout by its header: %j', (header, isKnown) => {
  const first = Object.entries(header).map(([key, value]) => [key, asBuffer(JSON.stringify(value))] as const);
  expect(codex.detect(new Map(first))).toBe(isKnown);
});

describe('items of unknown types with content', () => {
  const odd = { type: 'odd_item', name: 'f', arguments: '{}' };
  const reasonsOf = (...objects: readonly object[]) =>
    elementsOf(...objects).flatMap((one) => (one.kind === 'rejection' ? one.reason : []));

  it.each<[string, object]>([
    ['as a line', item(odd)],
    ['in a history that replaces another', { type: 'compacted', payload: { replacement_history: [odd] } }],
    ['in a document', { session: { id: 's' }, items: [odd] }],
    ['as a line of another type', { type: 'odd_line', payload: odd }],
    ['as an event', event({ type: 'odd_event', text: 'a' })],
  ])('are rejected %s', (_where, line) => {
    expect(reasonsOf(say('user', 'q'), say('assistant', 'a'), line)).toEqual(['bad-event']);
  });
});

describe('headers', () => {
  const header = (id: string, more: object = {}) => ({ type: 'session_meta', payload: { id, ...more } });
  const turn = (n: number) => [say('user', `q${n}`), say('assistant', `a${n}`)];
  const sessionsOf = (...objects: readonly object[]) =>
    entriesOf(...objects).map((entry) => [entry.sessionId, messagesOf(entry).map(({ content }) => content)]);

  it('with another id begin a session after the first message', () => {
    expect(sessionsOf(header('A'), ...turn(1), header('B'), ...turn(2))).toEqual([
      ['A', ['q1', 'a1']],
      ['B', ['q2', 'a2']],
    ]);
    const said = event({ type: 'user_message', message: 'q1' });
    const answered = event({ type: 'agent_message', message: 'a1' });
    expect(sessionsOf(header('A'), said, answered, header('B'), ...turn(2))).toEqual([
      ['A', ['q1', 'a1']],
      ['B', ['q2', 'a2']],
    ]);
  });

  it('of a fork of a fork do not', () => {
    const own = header('C', { forked_from_id: 'B' });
    const copied = [header('B', { forked_from_id: 'A' }), header('A'), ...turn(1), header('A'), ...turn(2)];
    const [entry, ...others] = entriesOf(own, ...copied, ...turn(3));
    expect([entry?.sessionId, others]).toEqual(['C', []]);
    expect(messagesOf(entry)).toHaveLength(6);
    expect(rulesOf(entry)).toContain('copied-history');
    expect(rulesOf(entry)).not.toContain('two-session-ids');
  });

  it('before the first message do not', () => {
    const [entry, ...others] = entriesOf(header('B'), header('A'), ...turn(1), header('A'), ...turn(2));
    expect([entry?.sessionId, others]).toEqual(['B', []]);
    expect(rulesOf(entry)).toContain('two-session-ids');
  });
});
