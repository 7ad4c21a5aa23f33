import { describe, expect, it } from 'vitest';
import opencode from '../../../transforms/dialects/opencode.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

const detects = (first: object): unknown =>
  opencode.detect(
    new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])),
  );

function elementsOf(document: object) {
  const reader = opencode.create();
  const read = [...reader.read(lineOf(JSON.stringify(document), asBuffer, 1))];
  return [...read, ...(reader.end?.() ?? [])];
}

const entriesOf = (document: object) =>
  elementsOf(document).filter((element): element is Entry => element.kind === 'entry');

function conversationsOf(...messages: readonly object[]): readonly (readonly unknown[])[] {
  return entriesOf({ info: { id: 's' }, messages }).map(({ messages: list, reply }) =>
    [...list, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes))),
  );
}

const user = (...parts: readonly object[]) => ({ info: { role: 'user' }, parts });
const answer = (...parts: readonly object[]) => ({ info: { role: 'assistant', modelID: 'm' }, parts });
const says = (content: string, more: object = {}) => ({ type: 'text', text: content, ...more });
const step = { type: 'step-start' };
const tool = (callID: string, state: object) => ({ type: 'tool', callID, tool: 'read', state });
const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });

describe('opencode', () => {
  it('detects a session with messages and an empty one', () => {
    expect(detects({ info: {}, messages: [user()] })).toBe(true);
    expect(detects({ info: { projectID: 'p' }, messages: [] })).toBe(true);
  });

  it.each([
    ['a run of mini-swe-agent', { info: {}, messages: [{ role: 'user', content: 'a' }] }],
    ['an empty run', { info: {}, messages: [] }],
    ['a message without parts', { info: {}, messages: [{ info: { role: 'user' } }] }],
    ['a conversation', { messages: [user()] }],
  ])('does not detect %s', (_what, first) => expect(detects(first)).toBe(false));

  it('rejects a part of an unknown type that names a call', () => {
    const pending = { status: 'pending', input: {}, raw: '{"path":"a' };
    const messages = [
      user(says('a')),
      answer(step, { type: 'odd', callID: 'c', tool: 'write', state: pending }),
    ];
    expect(elementsOf({ info: { id: 's' }, messages })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
  });

  it('reads what the user ran as a message of the user, not as a call of the model', () => {
    const note = says('The following tool was executed by the user', { synthetic: true });
    const ended = (input: object, more: object = {}) => ({
      status: 'completed',
      input,
      output: 'r',
      ...more,
    });
    const contentsOf = (...messages: readonly object[]) =>
      conversationsOf(...messages, user(says('b')), answer(step, says('c')))[0]?.map((one) => {
        const { role, content } = one as { role: string; content: unknown };
        return `${role} ${content}`;
      });
    const shell = [user(note), answer(tool('a', ended({ command: 'ls' })))];
    const rest = ['user b', 'assistant c'];
    const ran = 'user The following tool was executed by the user';
    expect(contentsOf(...shell)).toEqual([ran, 'user ls\nr', ...rest]);
    const task = user({ type: 'subtask', prompt: 'dig', command: 'find' });
    const called = answer(tool('a', ended({ prompt: 'dig', command: 'find' })));
    expect(contentsOf(task, called)).toEqual([ran, 'user dig\nr', ...rest]);
    const failed = answer(tool('a', { status: 'error', input: { command: 'ls' }, error: 'no' }));
    expect(contentsOf(user(note), failed)).toEqual([ran, 'user ls\nno', ...rest]);
    const [entry] = entriesOf({ info: { id: 's' }, messages: [...shell, answer(step, says('c'))] });
    expect(entry?.changes.get('bash-as-user')).toBe(1);
    // a call of the model has its step around it
    const own = answer(step, tool('a', ended({ command: 'ls' })));
    expect(contentsOf(user(note), own)).toEqual([ran, 'assistant undefined', 'tool r', ...rest]);
  });

  it('reports results that the client took out of the context later', () => {
    const state = { status: 'completed', input: {}, output: 'r', time: { start: 1, end: 2, compacted: 3 } };
    const messages = [user(says('a')), answer(step, tool('a', state)), answer(step, says('b'))];
    const [entry] = entriesOf({ info: { id: 's' }, messages });
    const notes = (entry?.messages ?? []).flatMap((message) => message.notes ?? []);
    expect(notes.map(({ rule }) => rule)).toContain('context-cut');
  });

  it('leaves out a step that failed and was requested again', () => {
    const end = { type: 'step-finish', reason: 'stop' };
    const spoken = (...parts: readonly object[]) =>
      conversationsOf(user(says('a')), answer(...parts)).map((list) =>
        list.map((one) => (one as { content: unknown }).content),
      );
    expect(spoken(step, says('half'), step, says('whole'), end)).toEqual([['a', 'whole']]);
    expect(spoken(step, says('half'), { type: 'new' }, says('rest'), end, step, says('b'), end)).toEqual([
      ['a', 'half', 'rest', 'b'],
    ]);
    expect(spoken(step, says('older'), step, says('version'))).toEqual([['a', 'older', 'version']]);
  });

  it('leaves out an answer that failed if the model answers again, which did not see it', () => {
    const failed = (name: string) => ({
      ...{ info: { role: 'assistant', error: { name } }, parts: [step, says('half')] },
    });
    const rolesOf = (name: string) =>
      conversationsOf(user(says('a')), failed(name), user(says('b')), answer(step, says('c')))[0]?.map(
        (one) => (one as { content: unknown }).content,
      );
    expect(rolesOf('APIError')).toEqual(['a', 'b', 'c']);
    expect(rolesOf('MessageAbortedError')).toEqual(['a', 'half', 'b', 'c']);
  });

  it('begins a step with a text that began after the results of all calls before it', () => {
    const run = (end: number) => ({ status: 'completed', input: {}, output: 'r', time: { start: 1, end } });
    const late = (start: number) => says('late', { time: { start, end: 90 } });
    const rolesOf = (...parts: readonly object[]) =>
      conversationsOf(user(says('a')), answer(...parts))[0]?.map((one) => (one as { role: string }).role);
    const after = ['user', 'assistant', 'tool', 'assistant'];
    expect(rolesOf(tool('a', run(5)), late(5))).toEqual(after);
    expect(rolesOf(tool('a', run(5)), late(4))).toEqual(['user', 'assistant', 'tool']);
    expect(rolesOf(tool('a', run(5)), tool('b', run(9)), late(7))).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
    expect(rolesOf(tool('a', run(5)), says('no time'))).toEqual(['user', 'assistant', 'tool']);
  });

  it('makes each step an answer, followed by the results of its calls', () => {
    const done = { status: 'completed', input: {}, output: 'In May.' };
    const failed = { status: 'error', input: {}, error: 'gone' };
    const parts = [step, says('I look.'), tool('a', done), tool('b', failed), step, says('In May.')];
    expect(conversationsOf(user(says('When?')), answer(...parts))).toEqual([
      [
        { role: 'user', content: 'When?' },
        { role: 'assistant', content: 'I look.', tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: 'In May.' },
        { role: 'tool', tool_call_id: 'b', content: 'gone' },
        { role: 'assistant', content: 'In May.' },
      ],
    ]);
  });

  it.each([
    ['a thought', { type: 'reasoning', text: '', metadata: { openai: { reasoningEncryptedContent: 'E' } } }],
    [
      'a thought with a signature',
      { type: 'reasoning', text: '', metadata: { anthropic: { signature: 'E' } } },
    ],
    [
      'a call',
      {
        ...tool('c', { status: 'completed', input: {}, output: 'r' }),
        metadata: { google: { thoughtSignature: 'E' } },
      },
    ],
    ['a text', says('', { metadata: { google: { thoughtSignature: 'E' } } })],
  ])('counts encrypted reasoning in %s', (_where, part) => {
    const [entry] = entriesOf({ info: { id: 's' }, messages: [user(says('a')), answer(part, says('b'))] });
    expect(entry?.changes.get('sealed-reasoning')).toBe(1);
  });

  it('keeps reasoning and leaves out parts that the model neither saw nor wrote', () => {
    const question = user(
      says('When?'),
      says('Hidden.', { ignored: true }),
      says('Seen.', { synthetic: true }),
    );
    const parts = [{ type: 'reasoning', text: 'Hm.' }, says(''), says('May.'), { type: 'patch', files: [] }];
    expect(conversationsOf(question, answer(...parts), answer(step))).toEqual([
      [
        { role: 'user', content: 'When?\nSeen.' },
        { role: 'assistant', content: 'May.', reasoning_content: 'Hm.' },
      ],
    ]);
  });

  it('keeps images and files whose text is not in the log', () => {
    const image = { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' };
    const pdf = { type: 'file', mime: 'application/pdf', url: 'data:a' };
    const plain = { type: 'file', mime: 'text/plain', url: 'file:///a' };
    const shown = { type: 'image_url', image_url: { url: image.url } };
    const state = { status: 'completed', input: {}, output: 'r', attachments: [image] };
    expect(conversationsOf(user(says('a'), image, pdf, plain), answer(tool('c', state)))).toEqual([
      [
        { role: 'user', content: [{ type: 'text', text: 'a' }, shown, pdf] },
        { role: 'assistant', tool_calls: [call('c')] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'r' }, shown] },
      ],
    ]);
  });

  it('has no result for an unfinished call', () => {
    const state = { status: 'running', input: {} };
    expect(conversationsOf(answer(tool('c', state)), user(says('Stop.')))).toEqual([
      [
        { role: 'assistant', tool_calls: [call('c')] },
        { role: 'user', content: 'Stop.' },
      ],
    ]);
  });

  it('has what an interrupted tool had printed, as the model received it', () => {
    const stopped = (metadata: object) => ({ status: 'error', input: {}, error: 'aborted', metadata });
    const resultOf = (metadata: object) =>
      conversationsOf(user(says('a')), answer(tool('c', stopped(metadata))))[0]?.[2];
    expect(resultOf({ interrupted: true, output: 'In M' })).toMatchObject({ content: 'In M' });
    expect(resultOf({ interrupted: true })).toMatchObject({ content: 'aborted' });
    expect(resultOf({ output: 'In M' })).toMatchObject({ content: 'aborted' });
  });

  it('says that the arguments of a pending call are cut', () => {
    const rulesOf = (status: string) =>
      entriesOf({ info: { id: 's' }, messages: [user(says('a')), answer(tool('c', { status, input: {} }))] })
        .flatMap(({ messages, reply }) => [...messages, ...(reply ? [reply] : [])])
        .flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
    expect(rulesOf('pending')).toContain('arguments-cut');
    expect(rulesOf('running')).not.toContain('arguments-cut');
  });

  it('ends the conversation at a compaction', () => {
    const messages = [
      user(says('a')),
      answer(says('b')),
      user({ type: 'compaction', auto: true }),
      answer(says('So far: b.')),
    ];
    expect(conversationsOf(...messages, user(says('c')), answer(says('d')))).toEqual([
      [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
      [
        { role: 'user', content: 'What did we do so far?' },
        { role: 'assistant', content: 'So far: b.' },
        { role: 'user', content: 'c' },
        { role: 'assistant', content: 'd' },
      ],
    ]);
    const more = [...messages, user(says('c'))];
    const idsOf = (list: readonly object[]) =>
      entriesOf({ info: { id: 's' }, messages: list }).map(({ sessionId }) => sessionId);
    expect(idsOf(more)).toEqual(['s', 's#2']);
    expect(idsOf(messages)).toEqual(['s']);
  });

  it('goes on after a compaction whose summary failed or was not begun', () => {
    const failed = { info: { role: 'assistant', error: { name: 'APIError' } }, parts: [says('So')] };
    const before = [user(says('a')), answer(says('b')), user({ type: 'compaction', auto: false })];
    const after = [user(says('c')), answer(says('d'))];
    const textsOf = (...list: readonly object[]) =>
      conversationsOf(...before, ...list, ...after).map((one) =>
        one.map((m) => (m as { content: string }).content),
      );
    expect(textsOf(failed)).toEqual([['a', 'b', 'What did we do so far?', 'c', 'd']]);
    expect(textsOf()).toEqual([['a', 'b', 'What did we do so far?', 'c', 'd']]);
  });

  it('puts the messages that a compaction kept after its summary, as context', () => {
    const named = (id: string, { info, parts }: ReturnType<typeof user>) => ({
      info: { id, ...info },
      parts,
    });
    const done = { status: 'completed', input: {}, output: 'r' };
    const messages = [
      ...[named('1', user(says('a'))), named('2', answer(says('b')))],
      ...[named('3', user(says('c'))), named('4', answer(step, tool('x', done), step, says('d')))],
      named('5', user({ type: 'compaction', auto: true, tail_start_id: '3' })),
      named('6', answer(says('So far: b.'))),
      ...[named('7', user(says('e'))), named('8', answer(says('f')))],
    ];
    const entries = entriesOf({ info: { id: 's' }, messages });
    const texts = conversationsOf(...messages).map((list) =>
      list.map((one) => (one as { content?: string }).content ?? 'CALL'),
    );
    expect(texts).toEqual([
      ['a', 'b', 'c', 'CALL', 'r', 'd'],
      ['What did we do so far?', 'So far: b.', 'c', 'CALL', 'r', 'd', 'e', 'f'],
    ]);
    const copied = entries.map(({ meta }) => meta?.get('copied'));
    expect(copied.map((count) => count && text(count))).toEqual([undefined, '6']);
  });

  it('yields an element for every document', () => {
    expect(elementsOf({ info: {}, messages: [] })).toHaveLength(1);
    expect(elementsOf({ info: {}, messages: 1 })).toMatchObject([{ reason: 'bad-messages' }]);
    expect(elementsOf({ info: {}, messages: [user(), { parts: [] }] })).toMatchObject([
      { reason: 'bad-messages', detail: expect.stringContaining('messages[1]') },
    ]);
  });

  it('counts the tokens and the cost of a message of several steps once', () => {
    const finish = (cost: number) => ({ type: 'step-finish', cost, tokens: { input: 1 } });
    const info = { role: 'assistant', modelID: 'm', cost: 3, tokens: { input: 2 } };
    const metaIn = (...parts: readonly object[]) => {
      const [entry] = entriesOf({ info: { id: 's' }, messages: [user(says('q')), { info, parts }] });
      return ['cost', 'usage'].map((name) => text(entry?.meta?.get(name as 'cost') as Uint8Array));
    };
    const steps = [step, says('a'), finish(1), step, says('b'), finish(2)];
    expect(metaIn(...steps)).toEqual(['3', '{"input":2}']);
    expect(metaIn(step, says('a'), step, says('b'))).toEqual(['3', '{"input":2}']);
  });

  it('reads the system text that older versions log with each answer', () => {
    const old = { info: { role: 'assistant', system: ['one', '', 'two'] }, parts: [step, says('a')] };
    expect(conversationsOf(user(says('q')), old, old)[0]?.slice(0, 3)).toEqual([
      { role: 'system', content: 'one' },
      { role: 'system', content: 'two' },
      { role: 'user', content: 'q' },
    ]);
  });

  it('reports an answer that was stopped or failed', () => {
    const rulesOf = (name: string) => {
      const failed = { info: { role: 'assistant', error: { name } }, parts: [step, says('a')] };
      const [entry] = entriesOf({ info: { id: 's' }, messages: [user(says('q')), failed] });
      return entry?.reply?.notes?.map(({ rule }) => rule);
    };
    expect(rulesOf('MessageAbortedError')).toEqual(['interrupted']);
    expect(rulesOf('APIError')).toEqual(['response-error']);
  });

  it('keeps a task of a sub-agent and a file of an answer', () => {
    const image = { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' };
    const task = user({ type: 'subtask', prompt: 'p', agent: 'x' });
    const [[asked, said] = []] = conversationsOf(task, answer(step, says('a'), image));
    expect(asked).toEqual({ role: 'user', content: 'The following tool was executed by the user' });
    expect(said).toMatchObject({ content: [{ text: 'a' }, { image_url: { url: image.url } }] });
  });
});

it('rejects a call in a message of the user, and a message whose info has its content', () => {
  const reasons = (...messages: readonly object[]) =>
    elementsOf({ info: { id: 's' }, messages }).flatMap((one) =>
      one.kind === 'rejection' ? [one.reason] : [],
    );
  const run = tool('a', { status: 'completed', input: {}, output: 'r' });
  expect(reasons(user(says('a')), answer(run))).toEqual([]);
  expect(reasons(user(says('a'), run), answer(says('b')))).toEqual(['bad-messages']);
  expect(reasons(user({ type: 'reasoning', text: 'a' }), answer(says('b')))).toEqual(['bad-messages']);
  const info = { role: 'assistant', modelID: 'm' };
  expect(reasons(user(says('a')), { info: { ...info, content: 'b' }, parts: [] })).toEqual(['bad-messages']);
  expect(reasons(user(says('a')), { info: { ...info, content: '', text: null }, parts: [] })).toEqual([]);
});

it('reports a step that ended before the answer was complete', () => {
  const rulesOf = (reason: string, more: object = {}) => {
    const parts = [says('b'), ...(reason === '' ? [] : [{ type: 'step-finish', reason }])];
    const info = { role: 'assistant', ...more };
    const [entry] = entriesOf({ info: { id: 's' }, messages: [user(says('a')), { info, parts }] });
    return entry?.reply?.notes?.map(({ rule }) => rule) ?? [];
  };
  expect(rulesOf('length')).toEqual(['reply-cut']);
  expect(rulesOf('content-filter')).toEqual(['reply-filtered']);
  expect(rulesOf('', { finish: 'length' })).toEqual(['reply-cut']);
  expect(rulesOf('stop')).toEqual([]);
});

it('reads the system text that a program sends with a message', () => {
  const sent = (content: string, system?: string) => ({
    info: { role: 'user', system },
    parts: [says(content)],
  });
  const rest = [answer(says('b')), sent('c', 'S'), answer(says('d')), sent('e', 'T'), answer(says('f'))];
  const contents = conversationsOf(sent('a', 'S'), ...rest)[0]?.map(
    (one) => (one as { content: string }).content,
  );
  expect(contents).toEqual(['S', 'a', 'b', 'c', 'd', 'T', 'e', 'f']);
});
