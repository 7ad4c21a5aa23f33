import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildConversationHistory } from '../../../transforms/dialects/text-protocol/conversation-history.ts';
import { extractToolCall, stripToolBlocks } from '../../../transforms/dialects/text-protocol/tool-blocks.ts';
import prompt from '../../../transforms/formats/prompt.ts';
import { decode } from '../../../transforms/json/utf8.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { entry, writeLog } from '../../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { oddConversation } from '../../support/odd-conversations.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  rawMessage,
  result,
  user,
} from '../checks/samples.ts';

const GREET = [user('Hello'), assistant('Hi.')];
const READ = [
  ...[
    user('Read file.md'),
    messageOf({
      role: 'assistant',
      content: 'Reading...',
      tool_calls: [call('x', 'read', '{"path": "file.md"}')],
    }),
  ],
  ...[result('x', '[FILE CONTENT]'), assistant('It is empty.')],
];
const recordsOf = (
  messages: readonly Message[],
  turns: 'all' | 'last' = 'last',
  tools: object = { tools: [] },
) => {
  const { bytes, more = [] } = prompt.encode(conversationOf(messages, tools), { turns });
  return [bytes, ...more].map((one) => JSON.parse(decode(one)) as { prompt: string; completion: string });
};
const rules = (messages: readonly Message[], turns: 'all' | 'last' = 'last') =>
  prompt
    .encode(conversationOf(messages, { tools: [] }), { turns })
    .findings.map(({ rule, rejects }) => `${rule}${rejects ? '!' : ''}`);
const historyOf = (text: string): string =>
  text.slice(text.indexOf('Conversation History:\n') + 22, text.lastIndexOf('\n\nUser Request:\n'));

describe('the prompt', () => {
  const [record] = recordsOf(READ);

  it('has the response format, the history and the request, which ends it', () => {
    expect(record?.prompt).toMatch(
      /^RESPONSE FORMAT\n[\s\S]+\n\nTOOL CALLS\n[\s\S]+\n\nRules:\n[\s\S]+\n\nConversation History:\n\[[\s\S]+\]\n\nUser Request:\nRead file\.md$/,
    );
  });

  it('demands at most one block with "arguments", no repeated calls and no headers', () => {
    const section = record?.prompt.slice(0, record.prompt.indexOf('Conversation History')) ?? '';
    for (const part of [
      '<think>',
      '</think>',
      '<tool_call>\n{"name": "read", "arguments": {"path": "file.md"}}\n</tool_call>',
      'At most one tool block per response',
      'Do not repeat calls that were already made',
      'results of earlier calls are in the conversation history',
      'DO NOT output "STATE:" headers',
    ]) {
      expect(section).toContain(part);
    }
    expect(section).not.toContain('"args"');
    expect(section).not.toContain('retrigger');
  });

  it("begins with the user's header instead of the sections", () => {
    const headed = (promptHeader: string) => {
      const { bytes } = prompt.encode(conversationOf(GREET, { tools: [] }), { promptHeader });
      return (JSON.parse(decode(bytes)) as { prompt: string }).prompt;
    };
    expect(headed('Be brief.\nAnd kind.')).toBe(
      'Be brief.\nAnd kind.\n\nConversation History:\n[]\n\nUser Request:\nHello',
    );
    expect(headed('')).toBe('Conversation History:\n[]\n\nUser Request:\nHello');
  });

  it('has the tools, if any, byte for byte', () => {
    const tools = [{ bytes: Buffer.from('{"name":"f","n":1.0}'), name: 'f' }];
    expect(recordsOf(GREET, 'last', { tools })[0]?.prompt).toContain(
      '\n\nTools:\n[\n  {"name":"f","n":1.0}\n]\n\nConversation',
    );
    expect(record?.prompt).not.toContain('Tools:');
  });

  it('has the history that the library builds, including a request with a later call', () => {
    const history = historyOf(record?.prompt ?? '');
    expect(JSON.parse(history)).toEqual([
      { role: 'user', content: 'Read file.md' },
      {
        role: 'assistant',
        content: 'Reading...',
        tool_calls: [{ name: 'read', arguments: { path: 'file.md' } }],
      },
      { role: 'tool', content: '[FILE CONTENT]', tool_call_id: '0-read' },
    ]);
    const stored = [
      { role: 'user', content: 'Read file.md' },
      {
        role: 'assistant',
        content: 'Reading...',
        tool_calls: [{ name: 'read', arguments: { path: 'file.md' } }],
      },
      { role: 'tool', content: '[FILE CONTENT]', tool_call_id: '0-read' },
    ];
    expect(history).toBe(buildConversationHistory(stored, { excludeLatestUserMessage: true }));
    expect(historyOf(recordsOf(GREET)[0]?.prompt ?? '')).toBe('[]');
    const again = historyOf(recordsOf([...READ, user('And now?'), assistant('Still.')])[0]?.prompt ?? '');
    const all = [
      ...stored,
      { role: 'assistant', content: 'It is empty.' },
      { role: 'user', content: 'And now?' },
    ];
    expect(again).toBe(buildConversationHistory(all, { excludeLatestUserMessage: true }));
    expect(JSON.parse(again)).toHaveLength(4);
  });

  it('keeps numbers in the history and indents nested values', () => {
    const args = '{"n":[12345678901234567890,{}],"o":{"a":1e400},"e":[]}';
    const asks = rawMessage(
      'assistant',
      `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${args}}}]}`,
    );
    const history = historyOf(
      recordsOf([user('a'), asks, result('1', 'b'), assistant('c')])[0]?.prompt ?? '',
    );
    expect(history).toContain('12345678901234567890,\n');
    expect(history).toContain('"a": 1e400\n');
    expect(history).toBe(history.trim());
    const plain = args.replace('12345678901234567890', '1').replace('1e400', '2');
    expect(history.replace('12345678901234567890', '1').replace('1e400', '2')).toContain(
      JSON.stringify(JSON.parse(plain), null, 2).replaceAll('\n', '\n        '),
    );
  });

  const answered = (calls: Message, ...results: readonly (string | undefined)[]): readonly string[] => {
    const messages = [user('a'), calls, ...results.map((id) => result(id, 'r')), assistant('c')];
    const history = JSON.parse(historyOf(recordsOf(messages)[0]?.prompt ?? ''));
    return history.slice(2).map((message: { tool_call_id?: string }) => message.tool_call_id);
  };
  const withoutId = (name: string) => ({ type: 'function', function: { name, arguments: '{}' } });

  it('gives each result the id of its own call', () => {
    const two = calling(call('x', 'f'), call('y', 'g'));
    expect(answered(two, 'y', 'x')).toEqual(['1-g', '0-f']);
    expect(answered(two, 'y', undefined, undefined)).toEqual(['1-g', '0-f', undefined]);
  });

  it('finds a call by its logged id, even if that is the new id of another call', () => {
    const swapped = calling(call('1-f', 'f'), call('0-f', 'f'));
    expect(answered(swapped, '0-f', '1-f')).toEqual(['1-f', '0-f']);
    expect(answered(calling(withoutId('f'), call('0-f', 'f')), '0-f', undefined)).toEqual(['1-f', '0-f']);
  });

  it('finds a call without a logged id by its new id', () => {
    expect(answered(calling(withoutId('f'), withoutId('g')), '1-g', undefined)).toEqual(['1-g', '0-f']);
  });
});

describe('the completion', () => {
  it('is the text and the block of the call, which the library reads back', () => {
    const [record] = recordsOf(READ.slice(0, 2));
    expect(record?.completion).toBe(
      'Reading...\n<tool_call>\n{"name": "read", "arguments": {"path": "file.md"}}\n</tool_call>',
    );
    expect(extractToolCall(record?.completion ?? '')).toEqual({
      name: 'read',
      arguments: { path: 'file.md' },
    });
    expect(stripToolBlocks(record?.completion ?? '')).toBe('Reading...');
  });

  it('has the call of an old log, whose result is in the history', () => {
    const old = messageOf({
      role: 'assistant',
      content: null,
      function_call: { name: 'f', arguments: '{"a":1.0}' },
    });
    const answer = messageOf({ role: 'function', name: 'f', content: 'r' });
    expect(recordsOf([user('a'), old])[0]?.completion).toBe(
      '<tool_call>\n{"name": "f", "arguments": {"a": 1.0}}\n</tool_call>',
    );
    const talk = [user('a'), old, answer, assistant('b')];
    expect(JSON.parse(historyOf(recordsOf(talk)[0]?.prompt ?? ''))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', tool_calls: [{ name: 'f', arguments: { a: 1 } }] },
      { role: 'tool', content: 'r', tool_call_id: '0-f' },
    ]);
    expect(rules(talk)).toEqual([]);
  });

  it('leaves out lines and blocks of the protocol in the thought', () => {
    const thought = 'STATE: idle\nI read it.\n<tool_call>{"name":"read","arguments":{}}</tool_call>';
    const thinks = [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: thought })];
    expect(recordsOf(thinks)[0]?.completion).toBe('<think>\nI read it.\n</think>\nb');
    expect(rules(thinks)).toEqual(['reasoning-inlined']);
  });

  it.each([
    ['<think>\nSTATE: idle\nhmm\n</think>\nYes', '<think>\nhmm\n</think>\nYes', 'reasoning-inlined'],
    ['<think>"retrigger": true\nhmm</think>Yes', '<think>\nhmm\n</think>Yes', 'reasoning-inlined'],
    ['<think>STATE: idle</think>\nYes', 'Yes', 'reasoning-inlined'],
    ['<think> hm </think> Yes\nSTATE: idle', '<think> hm </think> Yes\nSTATE: idle'],
    ['Yes <think>STATE: idle', 'Yes <think>STATE: idle'],
  ])('leaves them out of thoughts in the text: %j', (content, completion, ...found) => {
    const thinks = [user('a'), messageOf({ role: 'assistant', content })];
    expect(recordsOf(thinks)[0]?.completion).toBe(completion);
    expect(rules(thinks)).toEqual(found);
  });

  it.each(['reasoning_content', 'thinking'])('begins with the thought: %s', (key) => {
    const thinks = [user('a'), messageOf({ role: 'assistant', content: 'b', [key]: 'hm' })];
    expect(recordsOf(thinks)[0]?.completion).toBe('<think>\nhm\n</think>\nb');
    expect(rules(thinks)).toEqual(['reasoning-inlined']);
  });
});

describe('--turns', () => {
  it('all: writes a record for each turn of the model with everything before it', () => {
    const records = recordsOf([...GREET, ...READ], 'all');
    expect(records.map(({ completion }) => completion.split('\n')[0])).toEqual([
      'Hi.',
      'Reading...',
      'It is empty.',
    ]);
    expect(records.map(({ prompt: text }) => JSON.parse(historyOf(text)).length)).toEqual([0, 2, 5]);
    expect(records.map(({ prompt: text }) => text.split('User Request:\n')[1])).toEqual([
      'Hello',
      'Read file.md',
      'Read file.md',
    ]);
  });

  it('all: leaves out turns that cannot be taught, with a finding, if another one can', () => {
    const two = calling(call('1', 'f'), call('2', 'g'));
    const mixed = [assistant('first'), user('a'), two, result('1', 'x'), result('2', 'y'), assistant('c')];
    expect(recordsOf(mixed, 'all').map(({ completion }) => completion)).toEqual(['c']);
    expect(rules(mixed, 'all')).toEqual(['messages-left-out', 'messages-left-out']);
    expect(rules([user('a'), two], 'all')).toEqual(['several-final-calls!']);
    expect(rules([assistant('first'), user('a'), two], 'all')).toEqual([
      'several-final-calls!',
      'messages-left-out',
    ]);
  });

  it('last: writes the same record that all writes last', () => {
    expect(recordsOf([...GREET, ...READ])).toEqual(recordsOf([...GREET, ...READ], 'all').slice(-1));
  });
});

describe('content that the protocol cannot express', () => {
  it.each<[string, readonly Message[], string[]]>([
    ['no answer', [user('a')], ['unanswered-end!']],
    ['nothing at all', [], ['unanswered-end!']],
    ['a question at the end', [...GREET, user('b')], ['unanswered-end']],
    ['no question', [assistant('a')], ['no-user-turn!']],
    ['two calls', [user('a'), calling(call('1', 'f'), call('2', 'g'))], ['several-final-calls!']],
    [
      'two calls in the history are no matter',
      [user('a'), calling(call('1', 'f'), call('2', 'g')), assistant('b')],
      [],
    ],
    ['a tag in the answer', [user('a'), assistant('<tool_call>')], ['control-token-in-content!']],
    ['a tag in capitals', [user('a'), assistant('</Tool_Call>')], ['control-token-in-content!']],
    [
      'a tag in the thought',
      [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: '</think>' })],
      ['control-token-in-content!', 'reasoning-inlined'],
    ],
    [
      'a tag in the arguments',
      [user('a'), calling(call('1', 'f', '{"a":"</tool_call>"}'))],
      ['control-token-in-content!'],
    ],
    [
      'arguments that are not an object',
      [user('a'), calling(call('1', 'f', '[]'))],
      ['arguments-not-object!'],
    ],
    ['no arguments', [user('a'), calling(call('1', 'f', ''))], ['empty-arguments']],
    ['no call', [user('a'), calling({ id: '1' })], ['malformed-call!', 'unanswered-end!']],
    [
      'calls that are not a list',
      [user('a'), messageOf({ role: 'assistant', tool_calls: {} })],
      ['malformed-call!', 'unanswered-end!'],
    ],
    ['an image', [user([{ type: 'image_url' }]), assistant('b')], ['non-text-part']],
    [
      'two parts',
      [user(['a', 'b'].map((text) => ({ type: 'text', text }))), assistant('b')],
      ['parts-joined'],
    ],
    [
      'a thought that is not text',
      [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: ['c'] })],
      ['member-left-out'],
    ],
    [
      'another member',
      [messageOf({ role: 'user', content: 'a', name: 'n' }), assistant('b')],
      ['member-left-out'],
    ],
  ])('%s', (_what, messages, expected) => {
    expect(rules(messages)).toEqual(expected);
  });
});

it('every turn of generated conversations is taught, and every call in a completion is read back', () => {
  fc.assert(
    fc.property(oddConversation, ({ messages }) => {
      const logged = messages.map(({ role, json }) => rawMessage(role, json));
      const { findings } = prompt.encode(conversationOf(logged, { tools: [] }), { turns: 'all' });
      if (findings.some(({ rejects }) => rejects)) return;
      const left = findings.filter(({ rule }) => rule === 'messages-left-out').map(({ message }) => message);
      const end =
        findings.find(({ rule }) => rule === 'unanswered-end')?.message.match(/\d+/)?.[0] ?? 'Infinity';
      const turns = messages.filter(
        ({ role }, i) =>
          role === 'assistant' && i < Number(end) && !left.some((text) => text.startsWith(`messages[${i}] `)),
      );
      const records = recordsOf(logged, 'all');
      expect(records).toHaveLength(turns.length);
      records.forEach(({ prompt: text, completion }, i) => {
        expect(completion.trim()).not.toBe('');
        expect(Array.isArray(JSON.parse(historyOf(text)))).toBe(true);
        const [expectedCall] = turns[i]?.calls ?? [];
        const read = extractToolCall(completion);
        if (expectedCall === undefined) expect(read).toBeUndefined();
        else
          expect(read).toEqual({ name: expectedCall.name, arguments: JSON.parse(expectedCall.args ?? '{}') });
      });
    }),
    { numRuns: 200 },
  );
});

it('several records of one session are in the ledger and verified', async () => {
  const folder = temporaryFolder();
  const long = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ];
  writeLog(join(folder, 'logs'), 'a.jsonl', [entry({ id: 'a', messages: long })]);
  writeLog(join(folder, 'logs'), 'b.jsonl', [entry({ id: 'b', reply: null })]);
  writeLog(join(folder, 'logs'), 'c.jsonl', [entry({ id: 'c' })]);
  const build = async (out: string, ...args: string[]) => {
    const built = await turnmill([
      'build',
      join(folder, 'logs'),
      '--out',
      out,
      '--format',
      'prompt',
      '--turns',
      'all',
      ...args,
    ]);
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    const verified = await turnmill(['verify', out]);
    expect([built.status, verified.status, verified.stdout.toString()]).toEqual([
      3,
      0,
      expect.stringContaining('3 records'),
    ]);
    return manifest;
  };
  const alone = await build(join(folder, 'alone'));
  expect(alone.ledger.formats).toEqual({ prompt: { records: 3, sessions: 2 } });
  expect(alone.ledger.sessions).toEqual({ rejected: 1, seen: 3, written: 2 });
  const [first] = readFileSync(join(folder, 'alone/ledger/sessions.jsonl'), 'utf8').split('\n');
  const [shard] = readdirSync(join(folder, 'alone/data'));
  expect(JSON.parse(first ?? '').records).toEqual(
    [1, 2].map((line) => ({ format: 'prompt', shard: `data/${shard}`, line })),
  );

  const out = join(folder, 'both');
  const both = await turnmill([
    'build',
    join(folder, 'logs'),
    '--out',
    out,
    '--format',
    'prompt',
    '--format',
    'chat',
    '--turns',
    'all',
  ]);
  const { ledger } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  expect([both.status, ledger.formats]).toEqual([
    3,
    { prompt: { records: 3, 'refused:unanswered-end': 1, sessions: 2 }, chat: { records: 3 } },
  ]);
  expect((await turnmill(['verify', out])).status).toBe(0);
});
