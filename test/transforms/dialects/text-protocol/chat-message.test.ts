import { describe, expect, it, test } from 'vitest';
import {
  migrateMessage,
  readChatMessage,
} from '../../../../transforms/dialects/text-protocol/chat-message.ts';

const read = (message: object) => readChatMessage(Buffer.from(JSON.stringify(message)));
const CALL = { name: 'read', arguments: { path: 'file.md' } };

it('an old message becomes a message in the current form', () => {
  const old = {
    role: 'assistant',
    text: "I'll read that file for you.",
    rawText: '...',
    activityLine: 'reading: file.md',
    header: 'STATE: idle',
    headerExpanded: false,
    thinkExpanded: true,
    toolCalls: [{ name: 'read', args: { path: 'file.md' }, retrigger: true }],
  };
  expect(migrateMessage(old)).toEqual({
    role: 'assistant',
    content: "I'll read that file for you.",
    tool_calls: [CALL],
  });
});

test.each<readonly [what: string, old: Record<string, unknown>, stored: object]>([
  ['today', { role: 'user', content: 'a' }, { role: 'user', content: 'a' }],
  ['no text at all', { role: 'user' }, { role: 'user', content: '' }],
  ['null, and the older text', { role: 'user', content: null, text: 'a' }, { role: 'user', content: 'a' }],
  ['an empty text is one', { role: 'user', content: '', text: 'a' }, { role: 'user', content: '' }],
  [
    'both keys: the new one',
    { role: 'tool', content: 'a', tool_call_id: 'n', toolCallId: 'o' },
    { role: 'tool', content: 'a', tool_call_id: 'n' },
  ],
  [
    'a result',
    { role: 'tool', toolResult: { n: 1 }, toolCallId: '0-read' },
    { role: 'tool', content: '', tool_result: { n: 1 }, tool_call_id: '0-read' },
  ],
  [
    'a thought is not content',
    { role: 'assistant', content: 'a', think: ' t ' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'thoughts in the text',
    { role: 'assistant', content: 't</think>a' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'thoughts in the raw text only',
    { role: 'assistant', content: 'a', rawText: '<think>t</think>a' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'a call in the raw text only',
    { role: 'assistant', text: 'a', rawText: `a\n\`\`\`tool\n${JSON.stringify(CALL)}\n\`\`\`` },
    { role: 'assistant', content: 'a', tool_calls: [CALL] },
  ],
  [
    'a call in the text',
    { role: 'assistant', content: `a\n\n\n<tool_call>${JSON.stringify(CALL)}</tool_call>\n\nb` },
    { role: 'assistant', content: 'a\n\nb', tool_calls: [CALL] },
  ],
  [
    'calls that are listed count before those in the text',
    { role: 'assistant', content: '<tool_call>{"name":"x"}</tool_call>', tool_calls: [CALL] },
    { role: 'assistant', content: '', tool_calls: [CALL] },
  ],
  [
    'OpenAI calls, and others that are none',
    { role: 'assistant', content: '', tool_calls: [{ function: CALL }, 1, {}] },
    { role: 'assistant', content: '', tool_calls: [CALL] },
  ],
  [
    'a list of calls that is none',
    { role: 'assistant', content: '', tool_calls: {} },
    { role: 'assistant', content: '' },
  ],
  [
    'too many newlines',
    { role: 'assistant', content: 'x\n\n\n\ny' },
    { role: 'assistant', content: 'x\n\ny' },
  ],
  [
    'the words of a user stay',
    { role: 'user', content: ' STATE: x\n<think>a</think> <tool_call>{"name":"f"}</tool_call>' },
    { role: 'user', content: ' STATE: x\n<think>a</think> <tool_call>{"name":"f"}</tool_call>' },
  ],
])('%s', (_what, old, stored) => {
  expect(migrateMessage(old)).toEqual(stored);
});

it('a message without a role is refused', () => {
  for (const none of [{}, { role: 1 }, [], null])
    expect(() => migrateMessage(none as Record<string, unknown>)).toThrow(TypeError);
});

describe('changes to a text are counted', () => {
  const CUT = '<tool_call>{"name":"write","args":{"pa';
  const BLOCK = `<tool_call>${JSON.stringify(CALL)}</tool_call>`;
  test.each<readonly [what: string, message: object, changes: readonly string[]]>([
    ['nothing', { content: 'a' }, []],
    ['a block with a call', { content: BLOCK }, ['recovered-call']],
    ['a block that is not whole', { content: `a ${CUT}` }, ['stripped-block']],
    ['both', { content: `${CUT}\n${BLOCK}` }, ['recovered-call', 'stripped-block']],
    ['a block of a call that is listed', { content: BLOCK, tool_calls: [CALL] }, ['stripped-block']],
    ['a lone tag', { content: 'a\n<TOOL_CALL>' }, ['stripped-block']],
    ['two state lines', { content: 'State: idle\nSTATE: x\na' }, ['leaked-header', 'leaked-header']],
    ['a label in front of a state', { content: 'FINAL: STATE: idle\na' }, ['leaked-header', 'leaked-header']],
    [
      'a retrigger among arguments',
      { tool_calls: [{ name: 'f', arguments: { retrigger: 1, a: 1 } }] },
      ['dropped-retrigger'],
    ],
    [
      'a retrigger among arguments that are a string',
      { tool_calls: [{ function: { name: 'f', arguments: '{"retrigger":1,"a":1.0}' } }] },
      ['dropped-retrigger'],
    ],
    ['a block in the raw text only', { content: 'a', rawText: `a ${CUT}` }, []],
  ])('%s', (_what, message, changes) => {
    expect(read({ role: 'assistant', ...message })?.changes).toEqual(changes);
  });
});

it('a retrigger never reaches a record, and the other arguments keep their text', () => {
  const args = '{"n":1.0,"retrigger":{"message":"go"},"m":12345678901234567890}';
  for (const call of [
    `{"name":"f","arguments":${args},"retrigger":true}`,
    `{"function":{"name":"f","arguments":${JSON.stringify(args)}}}`,
  ]) {
    const message = readChatMessage(Buffer.from(`{"role":"assistant","tool_calls":[${call}]}`));
    const [first] = message?.calls ?? [];
    const kept = '{"n":1.0,"m":12345678901234567890}';
    expect([kept, JSON.stringify(kept)]).toContain(Buffer.from(first?.arguments as Uint8Array).toString());
  }
});

it('migrating a message twice is the same as once', () => {
  const contents = [
    'State: idle\n<think>t</think>Yes.\n```\ntool\n{"name":"read","args":{"path":"a"}}\n```',
    '<TOOL_CALL>read\n{"args":{"path":"a"}}</arg_value></TOOL_CALL>\n\n\n\nDone. <tool_call>',
    '<tool_<tool_call>{}</tool_call>call>{"name":"read","retrigger":{}}',
    'FINAL: FINAL: STATE: x\n</thi<tool_call></tool_call>nk>a',
    'Use the `<tool_call>` tag. State: California',
  ];
  for (const content of contents) {
    const once = migrateMessage({ role: 'assistant', content });
    expect(migrateMessage({ ...once })).toEqual(once);
  }
});

describe('leftovers of the protocol', () => {
  test.each([
    ['Use <tool_call> to call.', 'the text still contains a tag of a call'],
    ['a <tool_result tool_call_id="x">', 'the text still contains a tag of a call'],
    ['cut off at <tool_call', 'the text still contains a tag of a call'],
    ['```tool_call\n{"name":"f"}\n```', 'the text still contains a fence of a call'],
    ['{"tool":{"name":"f","retrigger":{}}}', 'the text still contains a retrigger'],
    ['Retrigger: go on', 'the text still contains a retrigger'],
    ['So:\nState: idle, then more', 'the text still contains a state'],
    ['needs_confirmation was set', 'the text still contains a confirmation'],
    ['{"name":"f","arguments":{"a":1}}', 'the text still contains a call without its tags'],
  ])('in %j: %s', (content, debris) => {
    expect(read({ role: 'assistant', content })?.debris).toEqual([debris]);
  });

  test.each([
    ['State: California'],
    ['The state machine is idle.'],
    ['Yes. STATE: idle'],
    ['**State:** idle, State: acting'],
    ['and NEEDS_CONFIRMATION: false'],
    ['<think>STATE: idle</think>a'],
    ['Use the right tool: a hammer.'],
    ['```toolbox\nhammer\n```'],
    ['{"name":"Ann","age":7}'],
    ['A trigger fires again.'],
    ['tool_call'],
  ])('are not in %j', (content) => {
    expect(read({ role: 'assistant', content })?.debris).toEqual([]);
  });

  it('are looked for only in assistant messages', () => {
    for (const role of ['user', 'system', 'tool'])
      expect(read({ role, content: '<tool_call> STATE: idle' })?.debris).toEqual([]);
  });

  test.each(['<tool_call', '```tool ', '``` ', 'state: ', 'retrigger', '"', '{', 'needs_confirmatio'])(
    'are looked for in a megabyte of %j',
    (piece) => {
      expect(read({ role: 'assistant', content: piece.repeat(2 ** 20 / piece.length) })).toBeDefined();
    },
  );
});
