import { describe, expect, it } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import type { Entry, Message } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

function entriesOf(...objects: readonly object[]): readonly Entry[] {
  const reader = claudeCode.create();
  const read = objects.flatMap((object, i) => [
    ...reader.read(lineOf(JSON.stringify(object), asBuffer, i + 1, i * 1000)),
  ]);
  return [...read, ...(reader.end?.() ?? [])].filter((element): element is Entry => element.kind === 'entry');
}

const messagesOf = ({ messages, reply }: Entry): readonly Message[] => [
  ...messages,
  ...(reply === undefined ? [] : [reply]),
];

/** The messages of each conversation. */
const conversationsOf = (...objects: readonly object[]): readonly unknown[][] =>
  entriesOf(...objects).map((entry) => messagesOf(entry).map(({ bytes }) => JSON.parse(text(bytes))));

/** A line of the stream of Qwen Code, which names each message after its line. */
const piece = (uuid: string, ...content: readonly object[]) => ({
  ...{ type: 'assistant', uuid, session_id: 's', parent_tool_use_id: null },
  message: { id: uuid, type: 'message', role: 'assistant', content, stop_reason: null },
});
const result = (uuid: string, id: string) => ({
  ...{ type: 'user', uuid, session_id: 's', parent_tool_use_id: null },
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] },
});

it('joins the lines of one answer of Qwen Code, up to the next result', () => {
  const lines = [
    piece('1', { type: 'thinking', thinking: 't', signature: '' }),
    piece('2', { type: 'text', text: 'a' }),
    piece('3', { type: 'tool_use', id: 'c', name: 'f', input: {} }),
    result('4', 'c'),
    piece('5', { type: 'text', text: 'b' }),
  ];
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  expect(conversationsOf(...lines)).toEqual([
    [
      { role: 'assistant', content: 'a', reasoning_content: 't', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'assistant', content: 'b' },
    ],
  ]);
});

describe('a line whose parent comes after it', () => {
  const line = (uuid: string, parentUuid: string | null, role: string, content: unknown = uuid) => ({
    ...{ type: role, uuid, parentUuid, sessionId: 's' },
    message:
      role === 'user' ? { role, content } : { id: uuid, role, content: [{ type: 'text', text: uuid }] },
  });
  const whyMissing = (...objects: readonly object[]) => {
    const reader = claudeCode.create();
    const lines = objects.map((object, i) => lineOf(JSON.stringify(object), asBuffer, i + 1, i * 1000));
    const read = [...lines.flatMap((one) => [...reader.read(one)]), ...(reader.end?.() ?? [])];
    return (read.filter(({ kind }) => kind === 'entry') as readonly Entry[]).flatMap(({ messages }) =>
      messages.flatMap(({ notes = [] }) => notes.filter(({ rule }) => rule === 'parent-missing')),
    );
  };
  const [q1, a1, q2, a2] = [
    line('q1', null, 'user'),
    line('a1', 'q1', 'assistant'),
    line('q2', 'a1', 'user'),
    line('a2', 'q2', 'assistant'),
  ];

  it('is reported, because the order of the log is not that of the conversation', () => {
    expect(whyMissing(q1, a1, q2, a2)).toEqual([]);
    expect(whyMissing(q1, q2, a1, a2)).toMatchObject([{ message: expect.stringContaining('after it') }]);
    expect(whyMissing(a1, q1, q2, a2)).toMatchObject([{ message: expect.stringContaining('after it') }]);
  });

  it('is not if it is a result, which is moved to its call, or if the parent says nothing', () => {
    const call = {
      ...{ type: 'assistant', uuid: 'c1', parentUuid: 'q1', sessionId: 's' },
      message: {
        id: 'c1',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }],
      },
    };
    const early = line('r1', 'c1', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'r' }]);
    expect(whyMissing(q1, early, call, line('a2', 'r1', 'assistant'))).toEqual([]);
    const progress = { type: 'progress', uuid: 'p', parentUuid: 'q1', sessionId: 's' };
    expect(whyMissing(q1, line('a1', 'p', 'assistant'), progress)).toEqual([]);
  });

  it('does not begin another conversation, if it is a line of the client that the next prompt names', () => {
    const duration = {
      type: 'system',
      subtype: 'turn_duration',
      uuid: 'd',
      parentUuid: 'a1',
      sessionId: 's',
    };
    expect(conversationsOf(q1, duration, a1, line('q2', 'd', 'user'), a2)).toEqual(
      conversationsOf(q1, a1, q2, a2),
    );
  });
});

it('reads queued prompts and notifications, which the model received, but no lines for the shell', () => {
  const queued = (uuid: string, more: object) => ({
    ...{ type: 'attachment', uuid, parentUuid: null, sessionId: 's' },
    attachment: { type: 'queued_command', ...more },
  });
  const notification = '<task-notification>done</task-notification>';
  expect(
    conversationsOf(
      queued('1', { prompt: 'a' }),
      queued('2', { prompt: notification }),
      queued('3', { prompt: 'b', commandMode: 'bash' }),
      queued('4', { prompt: notification, commandMode: 'task-notification' }),
      queued('5', { prompt: 'c', commandMode: 'prompt' }),
    ),
  ).toEqual([
    [
      { role: 'user', content: 'a' },
      { role: 'user', content: notification },
      { role: 'user', content: notification },
      { role: 'user', content: 'c' },
    ],
  ]);
});

it('takes answers of two turns apart, even if a server gives them one id', () => {
  const message = (text: string) => ({ id: 'm', role: 'assistant', content: [{ type: 'text', text }] });
  const lines = ['a', 'b'].flatMap((text) => [
    { type: 'user', uuid: `u${text}`, sessionId: 's', message: { role: 'user', content: text } },
    { type: 'assistant', uuid: `m${text}`, sessionId: 's', message: message(text) },
  ]);
  expect(conversationsOf(...lines)).toEqual([
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'b' },
    ],
  ]);
});

it('keeps a block in a user message that belongs into an answer, and reports it', () => {
  const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
  const content = [{ type: 'text', text: 'a' }, use, { type: 'document', source: {} }];
  const line = { type: 'user', uuid: '1', sessionId: 's', message: { role: 'user', content } };
  expect(conversationsOf(line)).toEqual([[{ role: 'user', content }]]);
  const reader = claudeCode.create();
  const read = [...reader.read(lineOf(JSON.stringify(line), asBuffer, 1)), ...(reader.end?.() ?? [])];
  const entry = read.find(({ kind }) => kind === 'entry') as Entry;
  const kept = entry.messages[0]?.notes?.filter(({ rule }) => rule === 'block-kept');
  expect(kept).toHaveLength(2);
});

it('keeps a text beside a command or an interruption', () => {
  const texts = (uuid: string, ...all: readonly string[]) => {
    const content = all.map((text) => ({ type: 'text', text }));
    return { type: 'user', uuid, sessionId: 's', message: { role: 'user', content } };
  };
  const [command, mark] = ['<command-name>/x</command-name>', '[Request interrupted by user]'];
  expect(
    conversationsOf(texts('1', command, 'a'), texts('2', mark, 'b'), texts('3', command, command)),
  ).toEqual([
    [
      { role: 'user', content: `${command}\na` },
      { role: 'user', content: `${mark}\nb` },
    ],
  ]);
});

it('knows the lines of the stream that say nothing', () => {
  const lines = [
    { type: 'control_request', request_id: '1', request: { subtype: 'can_use_tool' } },
    ...['rate_limit_event', 'tool_progress', 'tool_use_summary'].map((type) => ({
      ...{ type, uuid: type, session_id: 's' },
    })),
    result('4', 'c'),
  ];
  const reader = claudeCode.create();
  const read = lines.flatMap((object, i) => [
    ...reader.read(lineOf(JSON.stringify(object), asBuffer, i + 1)),
  ]);
  const entry = [...read, ...(reader.end?.() ?? [])].find(({ kind }) => kind === 'entry') as Entry;
  expect(entry.messages[0]?.notes?.map(({ rule }) => rule)).not.toContain('unknown-event');
});

it('reports an answer of which the client says that it is cut', () => {
  const asked = { type: 'user', uuid: '1', sessionId: 's', message: { role: 'user', content: 'q' } };
  const said = { type: 'assistant', uuid: '2', sessionId: 's' };
  const content = [{ type: 'text', text: 'half of' }];
  const half = { ...said, message: { id: 'm', role: 'assistant', content, stop_reason: 'end_turn' } };
  const failed = (words: string) => ({
    ...{ ...said, uuid: '3', isApiErrorMessage: true },
    message: { id: 'n', model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: words }] },
  });
  const rulesOf = (...lines: readonly object[]) =>
    entriesOf(...lines).flatMap((entry) =>
      messagesOf(entry).flatMap(({ notes = [] }) => notes.map((n) => n.rule)),
    );
  const cut = failed('API Error: Connection closed mid-response. The response above may be incomplete.');
  expect(rulesOf(asked, half, cut)).toContain('stream-cut');
  expect(rulesOf(asked, half, failed('API Error: 500'))).not.toContain('stream-cut');
  expect(rulesOf(asked, cut)).not.toContain('stream-cut');
});

describe('a line whose uuid has occurred', () => {
  const gives = (uuid: string, id: string, content: string, ...texts: readonly string[]) => ({
    ...{ type: 'user', uuid, session_id: 's', parent_tool_use_id: null },
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content },
        ...texts.map((one) => ({ type: 'text', text: one })),
      ],
    },
  });
  const call = (id: string) => piece(`call-${id}`, { type: 'tool_use', id, name: 'f', input: {} });
  const readAll = (...lines: readonly object[]) => {
    const reader = claudeCode.create();
    const read = lines.flatMap((line, i) => [...reader.read(lineOf(JSON.stringify(line), asBuffer, i + 1))]);
    const elements = [...read, ...(reader.end?.() ?? [])];
    const { messages, reply } = elements.find(({ kind }) => kind === 'entry') as Entry;
    const all = [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) =>
      JSON.parse(text(bytes)),
    );
    return { elements, contents: all.flatMap(({ content }) => content ?? []) };
  };
  const both = [call('a'), call('b')];

  it('is rejected if it has the result of another call', () => {
    const { elements, contents } = readAll(...both, gives('r', 'a', '1'), gives('r', 'b', '2'));
    expect(elements).toContainEqual(expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }));
    expect(contents).toEqual(['1']);
  });

  it.each([
    ['is dropped', gives('r', 'a', '1', 'words'), ['1', 'words'], 'copied-line'],
    ['replaces both', gives('r', 'a', '2', 'others'), ['2', 'others'], undefined],
    ['is rejected if the call is another', gives('r', 'c', '2', 'others'), ['1', 'words'], 'bad-event'],
  ])('and that has a text beside a result %s', (_, again, expected, why) => {
    const { elements, contents } = readAll(call('a'), gives('r', 'a', '1', 'words'), again);
    expect(contents).toEqual(expected);
    if (why !== undefined)
      expect(JSON.stringify(elements.map((one) => ({ ...one, json: 0 })))).toContain(why);
  });
});

describe('the messages that a compaction keeps', () => {
  const line = (type: string, uuid: string, parentUuid: string | null, more: object) => ({
    ...{ type, uuid, parentUuid, sessionId: 's' },
    ...more,
  });
  const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
    line('user', uuid, parent, { message: { role: 'user', content }, ...more });
  const answer = (uuid: string, parent: string, ...content: readonly object[]) =>
    line('assistant', uuid, parent, { message: { id: `m-${uuid}`, role: 'assistant', content } });
  const says = (uuid: string, parent: string) => answer(uuid, parent, { type: 'text', text: uuid });
  const calls = (uuid: string, parent: string) =>
    answer(uuid, parent, { type: 'tool_use', id: 'c', name: 'f', input: {} });
  const gives = (uuid: string, parent: string) =>
    user(uuid, parent, [{ type: 'tool_result', tool_use_id: 'c', content: uuid }]);
  const boundary = (uuid: string, compactMetadata: object) =>
    line('system', uuid, null, { subtype: 'compact_boundary', compactMetadata });
  const summary = (uuid: string, parent: string) => user(uuid, parent, uuid, { isCompactSummary: true });
  const attachment = (uuid: string, parent: string) =>
    line('attachment', uuid, parent, { attachment: { type: 'file' } });
  const segment = (headUuid: string, anchorUuid: string, tailUuid: string) => ({
    preservedSegment: { headUuid, anchorUuid, tailUuid },
  });
  const list = (anchorUuid: string, ...uuids: readonly unknown[]) => ({
    preservedMessages: { anchorUuid, uuids },
  });
  /** The texts of each conversation; a call is `CALL`. */
  const textsOf = (...lines: readonly object[]) =>
    conversationsOf(...lines).map((messages) =>
      (messages as readonly { readonly content?: string }[]).map(({ content = 'CALL' }) => content),
    );
  const before = [
    user('u1', null, 'u1'),
    says('a1', 'u1'),
    user('u2', 'a1', 'u2'),
    calls('a2', 'u2'),
    gives('r', 'a2'),
    says('a3', 'r'),
  ];
  const all = ['u1', 'a1', 'u2', 'CALL', 'r', 'a3'];
  const goesOn = (parent: string) => [user('u3', parent, 'u3'), says('a4', 'u3')];

  it.each(['snip_boundary', 'microcompact_boundary'])(
    'a %s is a finding, and leaves the conversation whole',
    (subtype) => {
      const lines = [...before, line('system', 's', 'a3', { subtype }), ...goesOn('s')];
      expect(textsOf(...lines)).toEqual([[...all, 'u3', 'a4']]);
      const [entry] = entriesOf(...lines);
      expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toContain('context-cut');
      const [whole] = entriesOf(...before, ...goesOn('a3'));
      expect(whole?.messages[0]?.notes?.map(({ rule }) => rule)).not.toContain('context-cut');
    },
  );

  it.each([
    ['a segment', segment('u2', 'S', 'a3'), ['S', 'u2', 'CALL', 'r', 'a3']],
    ['a list', list('S', 'u2', 'a2', 'r', 'a3'), ['S', 'u2', 'CALL', 'r', 'a3']],
    ['a list before a segment', { ...list('S', 'a3'), ...segment('u2', 'S', 'a3') }, ['S', 'a3']],
    ['a list out of order, with a line twice', list('S', 'a3', 'u2', 'a3'), ['S', 'u2', 'a3']],
    ['a result, with its call', list('S', 'r'), ['S', 'CALL', 'r']],
    ['messages after the boundary', segment('u1', 'B', 'a1'), ['u1', 'a1', 'S']],
    ['an anchor that never comes', segment('a3', 'none', 'a3'), ['S', 'a3']],
    ['an anchor before the boundary', segment('a3', 'u1', 'a3'), ['S', 'a3']],
    [
      'the names of the stream',
      { preserved_segment: { head_uuid: 'a3', anchor_uuid: 'S', tail_uuid: 'a3' } },
      ['S', 'a3'],
    ],
    ['a head that does not exist', segment('none', 'S', 'a3'), ['S']],
    ['a tail that does not exist', segment('u2', 'S', 'none'), ['S']],
    ['a tail before the head', segment('a3', 'S', 'u1'), ['S']],
    ['the boundary itself', segment('B', 'B', 'B'), ['S']],
    ['the summary itself', segment('S', 'S', 'S'), ['S']],
    ['a list with missing lines', list('S', 'none', 'a3'), ['S', 'a3']],
    ['a list of other things', list('S', 1, null, {}, ['a3']), ['S']],
    ['no object', { preservedSegment: 'u2', preservedMessages: [] }, ['S']],
  ])('reads %s', (_name, metadata, kept) => {
    const lines = [...before, boundary('B', metadata), summary('S', 'B'), ...goesOn('a3')];
    expect(textsOf(...lines)).toEqual([all, [...kept, 'u3', 'a4']]);
  });

  it('leaves out lines that say nothing at both ends', () => {
    const lines = [user('u1', null, 'u1'), attachment('x1', 'u1'), says('a1', 'x1'), attachment('x2', 'a1')];
    const kept = segment('x1', 'S', 'x2');
    expect(
      textsOf(...lines, boundary('B', kept), summary('S', 'B'), attachment('x3', 'S'), ...goesOn('x3')),
    ).toEqual([
      ['u1', 'a1'],
      ['S', 'a1', 'u3', 'a4'],
    ]);
    expect(
      textsOf(...lines, boundary('B', list('S', 'x1', 'x2')), summary('S', 'B'), ...goesOn('S')),
    ).toEqual([
      ['u1', 'a1'],
      ['S', 'u3', 'a4'],
    ]);
  });

  it('gives a call that was kept without a result its result', () => {
    const lines = [...before.slice(0, 4), boundary('B', segment('u2', 'S', 'a2')), summary('S', 'B')];
    expect(textsOf(...lines, gives('r', 'a2'), says('a3', 'r'))).toEqual([
      ['u1', 'a1', 'u2', 'CALL'],
      ['S', 'u2', 'CALL', 'r', 'a3'],
    ]);
  });

  it('keeps a message over several compactions, and goes back to it', () => {
    const first = [...before, boundary('B', segment('u2', 'S', 'a3')), summary('S', 'B'), ...goesOn('a3')];
    const second = [
      boundary('C', segment('a3', 'T', 'a4')),
      summary('T', 'C'),
      ...[user('u4', 'a4', 'u4'), says('a5', 'u4')],
    ];
    const back = [user('u5', 'a3', 'u5'), says('a6', 'u5')];
    expect(textsOf(...first, ...second, ...back)).toEqual([
      all,
      ['S', 'u2', 'CALL', 'r', 'a3', 'u3', 'a4'],
      ['T', 'a3', 'u5', 'a6'],
      ['T', 'a3', 'u3', 'a4', 'u4', 'a5'],
    ]);
  });

  it('counts them and the summary as copied', () => {
    const reader = claudeCode.create();
    const lines = [...before, boundary('B', segment('u2', 'S', 'a3')), summary('S', 'B'), ...goesOn('a3')];
    const read = lines.flatMap((object, i) => [
      ...reader.read(lineOf(JSON.stringify(object), asBuffer, i + 1, i * 1000)),
    ]);
    const entries = [...read, ...(reader.end?.() ?? [])].filter(({ kind }) => kind === 'entry');
    const copied = (entries as readonly Entry[]).map(({ meta }) => meta?.get('copied'));
    expect(copied.map((count) => count && text(count))).toEqual([undefined, '5']);
  });

  it('keeps all up to the end if the last line follows one that was logged again', () => {
    const first = [...before, boundary('B', {}), summary('S', 'B'), ...goesOn('S')];
    const again = [before[0] as object, attachment('x', 'u1')];
    const second = [boundary('C', segment('a4', 'T', 'x')), summary('T', 'C'), user('u4', 'T', 'u4')];
    expect(textsOf(...first, ...again, ...second)).toEqual([all, ['S', 'u3', 'a4'], ['T', 'a4', 'u4']]);
  });

  it('forgets a segment that spans an earlier compaction', () => {
    const first = [...before, boundary('B', segment('u2', 'S', 'a3')), summary('S', 'B'), ...goesOn('a3')];
    const second = [
      boundary('C', segment('u1', 'T', 'a4')),
      summary('T', 'C'),
      ...[user('u4', 'a4', 'u4'), says('a5', 'u4')],
    ];
    expect(textsOf(...first, ...second).at(-1)).toEqual(['T', 'u4', 'a5']);
  });

  it('writes none of them, nor the summary, if nothing follows', () => {
    expect(textsOf(...before, boundary('B', segment('u2', 'S', 'a3')), summary('S', 'B'))).toEqual([all]);
  });

  it('writes none of them twice when the lines are repeated or the boundary is', () => {
    const kept = segment('u2', 'S', 'a3');
    const expected = [all, ['S', 'u2', 'CALL', 'r', 'a3', 'u3', 'a4']];
    const begin = [...before, boundary('B', kept)];
    expect(textsOf(...begin, summary('S', 'B'), ...before.slice(2), ...goesOn('a3'))).toEqual(expected);
    expect(textsOf(...begin, boundary('B', kept), summary('S', 'B'), ...goesOn('a3'))).toEqual(expected);
    expect(textsOf(...begin, boundary('C', kept), summary('S', 'C'), ...goesOn('a3'))).toEqual(expected);
    expect(textsOf(...begin, boundary('C', {}), summary('S', 'C'), ...goesOn('a3'))).toEqual([
      all,
      ['S', 'u3', 'a4'],
    ]);
  });
});

it('rejects a line about the client that carries a message', () => {
  const message = { role: 'system', content: 'You look after a garden.' };
  const object = { type: 'system', uuid: '1', sessionId: 's', timestamp: '2026-01-14T08:00:00Z', message };
  const [element] = claudeCode.create().read(lineOf(JSON.stringify(object), asBuffer, 1, 0));
  expect(element).toMatchObject({ kind: 'rejection', reason: 'bad-event' });
});

it.each([
  ['user', 'assistant'],
  ['assistant', 'user'],
])('rejects a line of the type %s whose message is of the role %s', (type, role) => {
  const message = { role, content: [{ type: 'text', text: 'Only the red one.' }] };
  const object = { type, uuid: '1', sessionId: 's', timestamp: '2026-01-14T08:00:00Z', message };
  const [element] = claudeCode.create().read(lineOf(JSON.stringify(object), asBuffer, 1, 0));
  expect(element).toMatchObject({
    reason: 'bad-event',
    detail: 'type and message.role name different speakers',
  });
});

describe('a line with something of another speaker, or beside its message', () => {
  const reasonOf = (line: object) => {
    const reader = claudeCode.create();
    const all = [...reader.read(lineOf(JSON.stringify(line), asBuffer, 1)), ...(reader.end?.() ?? [])];
    return all.flatMap((one) => (one.kind === 'rejection' ? [one.reason] : []));
  };
  const line = (content: unknown, more: object = {}) => ({
    ...{ type: 'assistant', uuid: 'a', parentUuid: null, sessionId: 's', ...more },
    message: { id: 'm', role: 'assistant', content },
  });
  const said = [{ type: 'text', text: 'a b' }];

  it('is rejected if the model has the result of a tool', () => {
    expect(reasonOf(line([...said, { type: 'tool_result', tool_use_id: 'c', content: 'r' }]))).toEqual([
      'unknown-content',
    ]);
    expect(
      reasonOf(line([...said, { type: 'web_search_tool_result', tool_use_id: 'c', content: [] }])),
    ).toEqual([]);
  });

  it('is rejected if a text beside the message says something else', () => {
    expect(reasonOf(line(said, { content: 'a  b', text: '' }))).toEqual([]);
    expect(reasonOf(line(said, { content: 'other words' }))).toEqual(['bad-event']);
    expect(reasonOf(line(said, { text: 'other words' }))).toEqual(['bad-event']);
  });
});

const said = (
  uuid: string,
  parentUuid: string | null,
  role: string,
  content: unknown,
  more: object = {},
) => ({
  ...{ type: role, uuid, parentUuid, sessionId: 's' },
  message: { role, ...(role === 'assistant' && { id: `m-${uuid}` }), content, ...more },
});
const calls = (id: string) => [{ type: 'tool_use', id, name: 'f', input: {} }];
const gives = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];

it('keeps the turns of two clients apart that resumed one session at the same time', () => {
  const lines = [
    ...[said('q', null, 'user', 'q'), said('a', 'q', 'assistant', 'a')],
    ...[said('q1', 'a', 'user', 'q1'), said('c1', 'q1', 'assistant', calls('c1'))],
    ...[said('q2', 'a', 'user', 'q2'), said('c2', 'q2', 'assistant', calls('c2'))],
    ...[said('r1', 'c1', 'user', gives('c1', 'r1')), said('r2', 'c2', 'user', gives('c2', 'r2'))],
    ...[said('a1', 'r1', 'assistant', 'a1'), said('a2', 'r2', 'assistant', 'a2')],
  ];
  const contents = entriesOf(...lines).map((entry) =>
    messagesOf(entry).map(({ bytes }) => JSON.parse(text(bytes)).content ?? 'call'),
  );
  expect(contents).toEqual([
    ['q', 'a', 'q2', 'call', 'r2', 'a2'],
    ['q', 'a', 'q1', 'call', 'r1', 'a1'],
  ]);
});

it.each(['retractedMessageUuids', 'retracted_message_uuids'])(
  'leaves out what the client took back (%s)',
  (name) => {
    const fallback = (parentUuid: string, uuids: readonly string[]) => ({
      ...{ type: 'system', subtype: 'model_refusal_fallback', uuid: 'f', parentUuid, sessionId: 's' },
      ...{ content: 'Switched to another model.', [name]: uuids },
    });
    const question = said('q', null, 'user', 'q');
    const answered = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'b' },
    ];
    for (const parent of ['a', 'q']) {
      const lines = [question, said('a', 'q', 'assistant', 'a', { stop_reason: 'refusal' })];
      const answer = said('b', 'f', 'assistant', 'b');
      expect(conversationsOf(...lines, fallback(parent, ['a']), answer)).toEqual([answered]);
    }
    const called = [question, said('c', 'q', 'assistant', calls('c')), fallback('c', ['c', 'unknown'])];
    expect(conversationsOf(...called, said('b', 'q', 'assistant', 'b'))).toEqual([answered]);
  },
);

it('gives a call the text that the model received in place of a long result', () => {
  const replace = (toolUseId: string, more: object = {}) => ({
    ...{ type: 'content-replacement', sessionId: 's', ...more },
    replacements: [{ kind: 'tool-result', toolUseId, replacement: 'short' }],
  });
  const lines = [
    ...[said('q', null, 'user', 'q'), said('c', 'q', 'assistant', calls('c'))],
    said('r', 'c', 'user', gives('c', 'long')),
  ];
  const resultOf = (...more: readonly object[]) =>
    conversationsOf(...lines, ...more, said('a', 'r', 'assistant', 'a'))[0]?.[2];
  expect(resultOf(replace('c'))).toEqual({ role: 'tool', tool_call_id: 'c', content: 'short' });
  expect(resultOf(replace('other'), replace('c', { agentId: 'x' }))).toMatchObject({ content: 'long' });
});

it.each([
  ['max_tokens', ['reply-cut']],
  ['model_context_window_exceeded', ['reply-cut']],
  ['refusal', ['reply-filtered']],
  ['end_turn', []],
])('reports an answer that ended with %s', (stop_reason, rules) => {
  const [entry] = entriesOf(said('q', null, 'user', 'q'), said('a', 'q', 'assistant', 'a', { stop_reason }));
  expect(entry?.reply?.notes?.map(({ rule }) => rule) ?? []).toEqual(rules);
});

it('says that a log has no question', () => {
  const rulesOf = (...lines: readonly object[]) =>
    entriesOf(...lines).flatMap(({ messages, reply }) => [...messages, reply].map((one) => one?.notes ?? []));
  const has = (...lines: readonly object[]) =>
    rulesOf(...lines).some((notes) => notes.some(({ rule }) => rule === 'no-question'));
  expect(has(said('a', null, 'assistant', 'a'))).toBe(true);
  expect(has(said('q', null, 'user', 'q'), said('a', 'q', 'assistant', 'a'))).toBe(false);
});

it('reports a line whose parent is in a conversation that a compaction has ended', () => {
  const rulesOf = (parent: string) => {
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'b',
      parentUuid: null,
      sessionId: 's',
    };
    const summary = { ...said('s', 'b', 'user', 'summary'), isCompactSummary: true };
    const begin = [said('q', null, 'user', 'q'), said('a', 'q', 'assistant', 'a'), boundary, summary];
    const [, entry] = entriesOf(
      ...begin,
      said('q2', 's', 'user', 'q2'),
      said('a2', parent, 'assistant', 'a2'),
    );
    return entry?.messages[0]?.notes?.map(({ rule }) => rule);
  };
  expect(rulesOf('q2')).toEqual(['no-system']);
  expect(rulesOf('a')).toEqual(['parent-missing', 'no-system']);
});

describe('two calls with one id in one answer', () => {
  const called = (uuid: string, input: unknown, name = 'f') => ({
    ...{ type: 'assistant', uuid, parentUuid: null, sessionId: 's' },
    message: { id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 't', name, input }] },
  });
  const answered = (uuid: string, content: string) => ({
    ...{ type: 'user', uuid, parentUuid: null, sessionId: 's' },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] },
  });
  interface Said {
    readonly tool_calls?: readonly { readonly function: object }[];
    readonly content?: unknown;
  }
  /** The calls and the contents, in order. */
  const readCalls = (...lines: readonly object[]): readonly unknown[] =>
    (conversationsOf(...lines).flat() as readonly Said[]).flatMap(({ tool_calls = [], content }) => [
      ...tool_calls.map((call) => Object.values(call.function).join(' ')),
      ...(content === undefined ? [] : [content]),
    ]);

  it('are both kept if they say different things, each with its result', () => {
    const results = [answered('r1', 'one'), answered('r2', 'two')];
    expect(readCalls(called('a', { n: 1 }), called('b', { n: 2 }), ...results)).toEqual([
      ...['f {"n":1}', 'f {"n":2}', 'one', 'two'],
    ]);
    expect(readCalls(called('a', { n: 1 }), called('b', { n: 1 }, 'g'))).toEqual(['f {"n":1}', 'g {"n":1}']);
  });

  it.each([
    ['has the same arguments', { n: 1, m: 2 }, { m: 2, n: 1 }],
    ['had no arguments', {}, { m: 2, n: 1 }],
    ['had a part of its arguments', '{"m"', { m: 2, n: 1 }],
  ])('are one call if the first one %s', (_what, first, then) => {
    expect(readCalls(called('a', first), called('b', then))).toEqual(['f {"m":2,"n":1}']);
  });
});
