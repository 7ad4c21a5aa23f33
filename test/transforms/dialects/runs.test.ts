import { describe, expect, it } from 'vitest';
import runs from '../../../transforms/dialects/runs.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const detects = (first: object): unknown =>
  runs.detect(new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])));

function elementsOf(...objects: readonly object[]) {
  return readLog(
    runs.create(),
    objects.map((object) => JSON.stringify(object)),
  );
}

function messagesOf(...objects: readonly object[]): readonly unknown[] {
  const [entry] = elementsOf(...objects) as readonly Entry[];
  const { messages, reply } = entry as Entry;
  return [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes)));
}

const user = { role: 'user', content: 'a' };

describe('runs', () => {
  it.each([
    ['SWE-agent', { trajectory: [], history: [], info: {} }],
    ['a demonstration of SWE-agent', { history: [user] }],
    ['tau-bench', { task_id: 1, reward: 0, traj: [] }],
    ['mini-swe-agent', { info: {}, messages: [], trajectory_format: 'mini-swe-agent-1.1' }],
    ['attempts of SWE-agent', { attempts: [{ history: [user] }] }],
    ['a published trajectory', { instance_id: 'i', trajectory: [user] }],
    ['a published trajectory of texts', { trajectory: [{ role: 'system', system_prompt: 's', text: null }] }],
    ['one simulation of tau2', { task_id: '1', messages: [user], termination_reason: 'user_stop' }],
    ['a bare message', user],
    ['a bare message with a type', { ...user, type: 'message' }],
  ])('detects %s', (_what, first) => expect(detects(first)).toBe(true));

  it.each([
    ['a message with a time of its own', { ...user, ts: 1 }],
    ['an answer of an API', { role: 'assistant', type: 'message', content: [] }],
    ['a conversation', { messages: [user] }],
    ['a checkpoint of Gemini CLI', { history: [{ role: 'user', parts: [] }] }],
    ['an OpenHands run', { instance_id: 'i', history: [] }],
    ['a role that no API has', { role: 'manager', content: 'a' }],
    ['a trajectory without information', { trajectory: [], history: [] }],
    ['a trajectory of events', { trajectory: [{ action: 'message', source: 'user', args: {} }] }],
    ['a conversation of a task', { task_id: '1', messages: [user] }],
    ['an answer with a type', { role: 'assistant', content: [], type: 'message' }],
  ])('does not detect %s', (_what, first) => expect(detects(first)).toBe(false));

  it('rejects a run whose history is empty beside steps', () => {
    const steps = [{ action: 'ls', observation: 'x', response: 'b' }];
    expect(elementsOf({ history: [], trajectory: steps, info: {} })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
    expect(elementsOf({ history: [], trajectory: [], info: {} })).not.toContainEqual(
      expect.objectContaining({ kind: 'rejection' }),
    );
  });

  it('rejects a run with the messages of another list too', () => {
    const rulesOf = (run: object) =>
      (elementsOf(run) as readonly Entry[]).flatMap(({ messages, reply }) =>
        [...messages, ...(reply ? [reply] : [])].flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)),
      );
    const said = [user, { role: 'assistant', content: 'b' }];
    const steps = [{ action: 'ls', observation: 'x' }];
    expect(rulesOf({ history: said, trajectory: steps, info: {} })).not.toContain('unread-text');
    const last = (response: string) => [...steps, { action: 'submit', response }];
    expect(rulesOf({ history: said, trajectory: last(' b\n'), info: {} })).not.toContain('unread-text');
    expect(rulesOf({ history: said, trajectory: last('I submit.'), info: {} })).toContain('unread-text');
    expect(rulesOf({ history: said, messages: said })).not.toContain('unread-text');
    for (const name of ['messages', 'trajectory', 'traj'])
      expect(rulesOf({ history: said, [name]: [user] })).toContain('unread-text');
    expect(rulesOf({ task_id: 1, reward: 1, traj: said, messages: [user] })).toContain('unread-text');
  });

  it('loses nothing beside a text under another name', () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const read = messagesOf({ trajectory: [user, { role: 'ai', text: 'b', tool_calls }] });
    expect(read[1]).toEqual({ role: 'assistant', content: 'b', tool_calls });
    expect(
      elementsOf({ trajectory: [{ role: 'system', text: 's', system_prompt: 't' }, user] }),
    ).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('reads blocks of the Messages API: calls, thoughts and results', () => {
    const replyBlocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c', name: 'f', input: { n: 1 } },
    ];
    const results = [
      { type: 'tool_result', tool_use_id: 'c', content: 'r' },
      { type: 'text', text: 'Well?' },
    ];
    const objects = [user, { role: 'assistant', content: replyBlocks }, { role: 'user', content: results }];
    expect(messagesOf(...objects)).toEqual([
      user,
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('counts a call once that LangChain has in the content and beside it', () => {
    const block = { type: 'tool_use', id: 'c', name: 'f', input: {} };
    const beside = { name: 'f', args: { n: 1 }, id: 'c', type: 'tool_call' };
    const objects = [user, { role: 'assistant', content: [block], tool_calls: [beside] }];
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"n":1}' } };
    expect(messagesOf(...objects)).toEqual([user, { role: 'assistant', tool_calls: [call] }]);
  });

  it('reads the messages of the AI SDK', () => {
    const value = [
      { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'error-text', value: 'r' } },
      { type: 'tool-result', toolCallId: 'd', toolName: 'f', output: { type: 'json', value: [1] } },
    ];
    const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'f', input: {} });
    const thought = { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } };
    const objects = [
      user,
      { role: 'assistant', content: [thought, { type: 'text', text: 'I look.' }, call('c'), call('d')] },
      { role: 'tool', content: value },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    ];
    const read = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
    expect(messagesOf(...objects)).toEqual([
      user,
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [read('c'), read('d')],
      },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'tool', tool_call_id: 'd', content: '[1]' },
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('drops the markers of Kimi CLI and reads its thoughts', () => {
    const thought = [
      { type: 'think', think: 'Hm.' },
      { type: 'text', text: 'b' },
    ];
    const marks = [
      { role: '_checkpoint', id: 0 },
      { role: '_usage', token_count: 7 },
    ];
    const objects = [marks[0] as object, user, { role: 'assistant', content: thought }, marks[1] as object];
    expect(messagesOf(...objects.slice(1, 3))).toEqual([
      user,
      { role: 'assistant', content: 'b', reasoning_content: 'Hm.' },
    ]);
    expect(elementsOf(...objects).filter(({ kind }) => kind === 'fate')).toHaveLength(2);
  });

  it('reads the system prompt of Kimi CLI', () => {
    const objects = [
      { role: '_system_prompt', content: 'Be kind.' },
      user,
      { role: 'assistant', content: 'b' },
    ];
    expect(messagesOf(...objects)).toEqual([
      { role: 'system', content: 'Be kind.' },
      user,
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('rejects other special roles, whose words may be anything', () => {
    const [note] = elementsOf(user, { role: '_note', content: 'c' }).filter(
      ({ kind }) => kind === 'rejection',
    );
    expect(note).toMatchObject({ reason: 'unknown-speaker' });
  });

  it('reads the old form of calls and arguments that are objects', () => {
    const old = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    const result = { role: 'function', name: 'f', content: 'r' };
    const flat = { role: 'assistant', tool_calls: [{ id: 'x', name: 'g', arguments: { n: 1 } }] };
    expect(messagesOf(user, old, result, flat)).toEqual([
      user,
      { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', content: 'r', name: 'f' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'g', arguments: '{"n":1}' } }],
      },
    ]);
  });

  it.each(['', null])('reads a result that is empty: %j', (content) => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const called = { role: 'assistant', content: null, tool_calls: calls };
    const result = { role: 'tool', tool_call_id: 'c1', content };
    expect(messagesOf(user, called, result, { role: 'assistant', content: 'b' })).toEqual([
      ...[user, { role: 'assistant', tool_calls: calls }],
      { role: 'tool', tool_call_id: 'c1', content: '' },
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('keeps images, refusals and separate texts', () => {
    const image = { type: 'image_url', image_url: { url: 'data:x' } };
    const seen = { role: 'user', content: [{ type: 'text', text: 'b' }, image] };
    expect(messagesOf(seen, { role: 'assistant', content: null, refusal: 'No.' })).toEqual([
      seen,
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]);
  });

  it.each([
    { content: 'b', thinking: 'Hm.' },
    { content: 'b', tool_plan: 'Hm.' },
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'b' },
      ],
    },
    {
      content: [
        { type: 'think', think: 'Hm.' },
        { type: 'text', text: 'b' },
      ],
    },
  ])('reads reasoning in %j', (members) => {
    expect(messagesOf(user, { role: 'assistant', ...members })).toEqual([
      user,
      { role: 'assistant', content: 'b', reasoning_content: 'Hm.' },
    ]);
  });

  it('leaves out reasoning without text', () => {
    const blocks = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'thinking', thinking: '', signature: 's' },
    ];
    const [entry] = elementsOf(user, {
      role: 'assistant',
      content: 'b',
      thinking_blocks: blocks,
    }) as readonly Entry[];
    expect([...(entry?.changes ?? [])]).toEqual([['sealed-reasoning', 1]]);
  });

  it('reads a result of the Responses API whose output is a list', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const output = [
      { type: 'input_text', text: 'Seen.' },
      { type: 'input_image', image_url: url },
    ];
    const [, , result] = messagesOf(
      ...[user, { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }],
      { type: 'function_call_output', call_id: 'c1', output },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
    );
    const parts = [
      { type: 'text', text: 'Seen.' },
      { type: 'image_url', image_url: { url } },
    ];
    expect(result).toEqual({ role: 'tool', tool_call_id: 'c1', content: parts });
  });

  it('reads the items of a session of the Responses API: those up to a result are one message', () => {
    const items = [
      user,
      { type: 'reasoning', id: 'r', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{"n": 1.0}' },
      { type: 'function_call_output', call_id: 'c1', output: '1' },
      { type: 'function_call_output', call_id: 'c2', output: '2' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Both.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
    ];
    const call = (id: string, name: string, args: string) => ({
      ...{ id, type: 'function', function: { name, arguments: args } },
    });
    expect(messagesOf(...items)).toEqual([
      user,
      { role: 'assistant', tool_calls: [call('c1', 'f', '{}'), call('c2', 'g', '{"n": 1.0}')] },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
      { role: 'tool', tool_call_id: 'c2', content: '2' },
      { role: 'assistant', content: 'Both.' },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  it.each([
    [
      'a run whose message has no role',
      { task_id: 1, reward: 0, traj: [user, { content: 'a' }] },
      'bad-messages',
    ],
    ['a run without messages', { task_id: 1, reward: 0, traj: 7 }, 'bad-messages'],
    ['a message whose content is a number', { role: 'user', content: 7 }, 'bad-event'],
    ['an item of a type that is not known', { type: 'mystery' }, 'bad-event'],
    ['a message of two speakers', { role: 'assistant', sender: 'human', content: 'a' }, 'unknown-speaker'],
    [
      'a run with a message of two speakers',
      { task_id: 1, reward: 0, traj: [user, { role: 'assistant', author: 'user', content: 'a' }] },
      'unknown-speaker',
    ],
  ])('rejects %s', (_what, object, reason) => {
    expect(elementsOf(object)).toMatchObject([{ kind: 'rejection', reason }]);
  });

  it('names the runs of a file by task and trial', () => {
    const run = (task_id: number | string, trial: number) => ({ task_id, trial, reward: 1, traj: [user] });
    const ids = elementsOf(run(1, 0), run(1, 1), run('x', 0)).map((one) => (one as Entry).sessionId);
    expect(ids.map((id) => id.split('/').slice(1).join('/'))).toEqual(['1/0', '1/1', 'x/0']);
  });

  it('has the reward, the cost and the end of a run as meta', () => {
    const tau = { task_id: 3, reward: 1, traj: [user] };
    const mini = {
      info: { exit_status: 'Submitted', model_stats: { instance_cost: 0.5 } },
      messages: [user],
      trajectory_format: 'mini-swe-agent-1',
      instance_id: 'i',
    };
    const metas = elementsOf(tau, mini).map((one) =>
      Object.fromEntries([...((one as Entry).meta ?? [])].map(([name, json]) => [name, text(json)])),
    );
    expect(metas).toEqual([
      { source_id: '"3"', reward: '1' },
      { source_id: '"i"', cost: '0.5', finish: '"Submitted"' },
    ]);
  });

  it('reads each attempt of a run once, also the one that the object repeats', () => {
    const attempt = (text: string, instance_cost: number) => ({
      ...{ trajectory: [], history: [user, { role: 'assistant', content: text }] },
      info: { exit_status: 'submitted', model_stats: { instance_cost } },
    });
    const [a, b] = [attempt('one', 1), attempt('two', 2)];
    const read = (object: object) =>
      (elementsOf(object) as readonly Entry[]).filter(({ kind }) => kind === 'entry');
    const texts = (entries: readonly Entry[]) =>
      entries.map(({ reply }) => JSON.parse(text(reply?.bytes as Uint8Array)).content);
    expect(texts(read({ attempts: [a, b], ...b }))).toEqual(['one', 'two']);
    expect(texts(read({ attempts: [a, b] }))).toEqual(['one', 'two']);
    expect(texts(read({ attempts: [a], ...b }))).toEqual(['two', 'one']);
    expect(read({ attempts: [a, b] }).map(({ sessionId }) => sessionId.split('/').at(-1))).toEqual([
      '0',
      '1',
    ]);
    expect(elementsOf({ attempts: [a, { history: [{ content: 'a' }] }] })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
    expect(elementsOf({ attempts: [] })).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('separates the messages of several agents', () => {
    const by = (agent: string, role: string, content: string) => ({ role, content, agent });
    const history = [
      ...[by('main', 'user', 'a'), by('sub', 'user', 'b'), by('sub', 'assistant', 'c')],
      by('main', 'assistant', 'd'),
    ];
    const info = { model_stats: { instance_cost: 1 } };
    const entries = elementsOf({ trajectory: [], history, info }).filter(({ kind }) => kind === 'entry');
    const said = (entries as readonly Entry[]).map(({ messages, reply }) =>
      [...messages, reply].map((one) => JSON.parse(text(one?.bytes as Uint8Array)).content).join(),
    );
    expect(said).toEqual(['a,d', 'b,c']);
    const [main, sub] = entries as readonly Entry[];
    expect(sub?.sessionId).toBe(`${main?.sessionId}/sub`);
    expect([...(sub?.meta?.keys() ?? [])]).toEqual(['parent']);
    const mixed = [{ role: 'user', content: 'a' }, by('sub', 'assistant', 'b')];
    expect(elementsOf({ trajectory: [], history: mixed, info })).toHaveLength(1);
  });

  it('counts a demonstration and the system text before it as copied', () => {
    const demo = { role: 'user', content: 'd', is_demo: true };
    const [entry] = elementsOf({
      ...{ trajectory: [], info: {}, replay_config: '{"agent":{"model":{"name":"m"}}}' },
      history: [{ role: 'system', content: 's' }, demo, user],
    }) as readonly Entry[];
    expect(text(entry?.meta?.get('copied') as Uint8Array)).toBe('2');
    expect(text(entry?.meta?.get('model') as Uint8Array)).toBe('"m"');
  });

  it('reads published trajectories with their tools, and texts under other names', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"n": 1.0}' } };
    const rows = [
      {
        ...{ trajectory_id: 't', instance_id: 'i', resolved: 1, exit_status: 'submit' },
        trajectory: [
          user,
          { role: 'assistant', content: 'b', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', name: 'f', content: 'r' },
        ],
        tools: [{ type: 'function', function: { name: 'f' } }],
      },
      {
        ...{ instance_id: 'i', model_name: 'm', target: true },
        trajectory: [
          { role: 'system', system_prompt: 's', text: null, mask: true },
          { role: 'ai', system_prompt: null, text: 'a', mask: false },
        ],
      },
    ];
    expect(messagesOf(rows[0] as object)[2]).toEqual({
      ...{ role: 'tool', tool_call_id: 'c', content: 'r', name: 'f' },
    });
    expect(messagesOf(rows[1] as object)).toEqual([
      { role: 'system', content: 's' },
      { role: 'assistant', content: 'a' },
    ]);
    const [first, second] = elementsOf(...rows) as readonly Entry[];
    expect(first?.tools.map(({ bytes }) => text(bytes))).toEqual(['{"name":"f"}']);
    expect(first?.sessionId).toMatch(/\/t$/);
    const meta = (entry: Entry | undefined) =>
      Object.fromEntries([...(entry?.meta ?? [])].map(([name, json]) => [name, text(json)]));
    expect(meta(first)).toEqual({ source_id: '"t"', reward: '1', finish: '"submit"' });
    expect(meta(second)).toEqual({ source_id: '"i"', model: '"m"', reward: 'true' });
  });

  it('leaves out what the user of a simulation says beside its own calls, and reports failed results', () => {
    const call = (id: string, requestor: string) => ({ id, name: 'f', arguments: {}, requestor });
    const simulation = {
      ...{ id: 's', task_id: '1', reward_info: { reward: 1 }, termination_reason: 'user_stop' },
      messages: [
        { role: 'assistant', content: 'a', usage: { prompt_tokens: 2 }, raw_data: { model: 'm' } },
        { role: 'user', content: 'I try.', tool_calls: [call('u', 'user')] },
        { role: 'tool', id: 'u', content: 'x', requestor: 'user' },
        { role: 'user', content: 'b' },
        { role: 'assistant', tool_calls: [call('c', 'assistant')], usage: { prompt_tokens: 3 } },
        { role: 'tool', id: 'c', content: 'no', requestor: 'assistant', error: true },
      ],
    };
    const [entry] = elementsOf(simulation) as readonly Entry[];
    expect(entry?.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'tool']);
    expect([...(entry?.changes ?? [])]).toEqual([['not-by-model', 2]]);
    expect(entry?.messages.at(-1)?.notes ?? entry?.messages.at(-2)?.notes).toMatchObject([
      { rule: 'result-is-error' },
    ]);
    expect(text(entry?.meta?.get('usage') as Uint8Array)).toBe('{"prompt_tokens":5}');
    expect(text(entry?.meta?.get('model') as Uint8Array)).toBe('"m"');
  });

  it('leaves out the submission with which an early mini-swe-agent ends a run', () => {
    const run = (submission: string) => ({
      ...{ info: { submission }, trajectory_format: 'mini-swe-agent-1' },
      messages: [user, { role: 'assistant', content: 'b' }, { role: 'user', content: 'diff' }],
    });
    expect(messagesOf(run('diff'))).toHaveLength(2);
    expect(messagesOf(run('other'))).toHaveLength(3);
  });

  it('separates rows of several sessions, and reads a row once', () => {
    const row = (session_id: string, id: number, role: string, content: string) => ({
      ...{ id, session_id, role, content, timestamp: 1768384801.5 },
    });
    const rows = [
      ...[{ role: 'session_meta', tools: [] }, row('h', 1, 'user', 'a'), row('k', 2, 'user', 'q')],
      ...[row('h', 3, 'assistant', 'b'), row('k', 4, 'assistant', 'r'), row('h', 3, 'assistant', 'b')],
      row('k', 4, 'assistant', 's'),
    ];
    const elements = elementsOf(...rows);
    const entries = elements.filter((one): one is Entry => one.kind === 'entry');
    const textsOf = ({ messages, reply }: Entry) =>
      [...messages, ...(reply ? [reply] : [])].map(({ bytes }) => JSON.parse(text(bytes)).content);
    expect(entries.map((entry) => [entry.sessionId, textsOf(entry)])).toEqual([
      ['a.jsonl', ['a', 'b']],
      ['a.jsonl/k', ['q', 'r']],
    ]);
    expect(elements).toContainEqual(expect.objectContaining({ fate: 'dropped:copied-line' }));
    expect(elements.filter(({ kind }) => kind === 'rejection')).toMatchObject([{ reason: 'bad-event' }]);
  });

  it.each([0, false])(
    'leaves out rows that the user took back or a compaction replaced (active: %s)',
    (active) => {
      const row = (id: number, role: string, content: string, more: object = {}) => ({
        ...{ id, session_id: 'h', role, content, timestamp: 1768384801.5 },
        ...more,
      });
      const elements = elementsOf(
        ...[row(1, 'user', 'a', { active: 1 }), row(2, 'assistant', 'lost', { active })],
        row(3, 'assistant', 'b', { active: 1 }),
      );
      expect(elements).toContainEqual(expect.objectContaining({ fate: 'dropped:abandoned-branch' }));
      const [entry] = elements.filter((one): one is Entry => one.kind === 'entry');
      expect(entry?.messages.map(({ bytes }) => JSON.parse(text(bytes)).content)).toEqual(['a']);
      expect(JSON.parse(text(entry?.reply?.bytes as Uint8Array)).content).toBe('b');
    },
  );

  it('begins at the time of the first message that has one', () => {
    const answer = { role: 'assistant', content: 'b', extra: { timestamp: 1768384801.5 } };
    const run = { info: {}, messages: [user, answer], trajectory_format: 'mini-swe-agent-1.1' };
    expect(elementsOf(run)).toMatchObject([{ timestamp: 1_768_384_801_500_000_000n }]);
  });

  it('reads the simulations of a document that is one line', () => {
    const simulation = (text: string) => ({
      task_id: text,
      messages: [{ role: 'assistant', content: text }],
    });
    const info = { environment_info: { tool_defs: { f: { name: 'f', doc: 'd' } } } };
    const document = { info, tasks: [], simulations: [simulation('a'), simulation('b')] };
    const entries = (elementsOf(document) as readonly Entry[]).filter(({ kind }) => kind === 'entry');
    expect(entries.map(({ reply }) => JSON.parse(text(reply?.bytes as Uint8Array)).content)).toEqual([
      'a',
      'b',
    ]);
    expect(entries.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['f'], ['f']]);
    expect(elementsOf({ ...document, simulations: [] })).toMatchObject([{ fate: 'dropped:client-event' }]);
    expect(elementsOf({ ...document, simulations: [simulation('a'), { ticks: [] }] })).toMatchObject([
      { reason: 'bad-messages', detail: expect.stringMatching(/^simulations\[1\] has no list of messages/) },
    ]);
  });
});

it('reports a thought of SWE-agent with words that its content lacks', () => {
  const rulesOf = (content: unknown, thought: unknown, more: object = {}) =>
    elementsOf({
      history: [
        { role: 'system', content: 's' },
        user,
        { role: 'assistant', content, thought, action: 'ls', ...more },
      ],
    }).flatMap((one) =>
      one.kind === 'entry'
        ? [...one.messages, one.reply].flatMap((message) => message?.notes?.map(({ rule }) => rule) ?? [])
        : [],
    );
  expect(rulesOf('I look.\n```\nls\n```\nThen I go.', 'I look.\n\nThen I go.')).toEqual([]);
  expect(rulesOf('{"thought": "I \\"look\\".\\nThen.", "command": "ls"}', 'I "look".\nThen.')).toEqual([]);
  expect(rulesOf('', 'I think.', { reasoning_content: 'I think.' })).toEqual([]);
  for (const none of ['', null, undefined]) expect(rulesOf('I look.', none)).toEqual([]);
  expect(rulesOf('I look.', 'I think.')).toEqual(['unread-text']);
});
