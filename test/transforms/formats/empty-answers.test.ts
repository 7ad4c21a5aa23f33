/** A message without text, thought and call does not count as an answer, so that no empty completion is taught. */
import { describe, expect, test } from 'vitest';
import functiongemma from '../../../transforms/formats/functiongemma.ts';
import prompt from '../../../transforms/formats/prompt.ts';
import { decode } from '../../../transforms/json/utf8.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { assistant, call, calling, conversationOf, messageOf, user } from '../checks/samples.ts';

const EMPTY: readonly (readonly [string, Message])[] = [
  ['null', assistant(null)],
  ['an empty text', assistant('')],
  ['blanks', assistant(' \n\u2003')],
  ['no parts', assistant([])],
  ['blank parts', assistant([{ type: 'text', text: ' ' }])],
  ['speech without a transcript', messageOf({ role: 'assistant', content: null, audio: { id: 'a' } })],
];
const TALK = [user('a'), assistant('b'), user('c')];
const shown = (findings: readonly { severity: string; rule: string; rejects?: true }[]) =>
  findings
    .map(({ severity, rule, rejects }) => `${severity} ${rule}${rejects ? '!' : ''}`)
    .filter((one) => !one.includes('member-left-out'));
const LEFT_OUT = ['WARNING unanswered-end'];
const NO_ANSWER = ['ERROR unanswered-end!'];

describe.each(EMPTY)('an answer of %s', (_what, empty) => {
  test('is not the completion of functiongemma, which is the previous answer', () => {
    const record = functiongemma.encode(conversationOf([...TALK, empty]), { promptCompletion: true });
    expect(JSON.parse(decode(record.bytes)).completion).toBe('b<end_of_turn>\n');
    expect(shown(record.findings)).toEqual(LEFT_OUT);
    const alone = functiongemma.encode(conversationOf([user('a'), empty]), { promptCompletion: true });
    expect(shown(alone.findings)).toEqual(NO_ANSWER);
  });

  test('is not a turn at the end of a functiongemma text', () => {
    const record = functiongemma.encode(conversationOf([...TALK, empty], { tools: [] }));
    const talk = functiongemma.encode(conversationOf(TALK, { tools: [] }));
    expect(decode(record.bytes)).toBe(decode(talk.bytes));
    expect(shown(record.findings)).toEqual(LEFT_OUT);
    expect(shown(functiongemma.encode(conversationOf([empty])).findings)).toEqual(NO_ANSWER);
  });

  test('is not a completion of prompt, with the last turn or all', () => {
    const last = prompt.encode(conversationOf([...TALK, empty]));
    expect(JSON.parse(decode(last.bytes)).completion).toBe('b');
    expect(shown(last.findings)).toEqual(LEFT_OUT);
    expect(shown(prompt.encode(conversationOf([user('a'), empty])).findings)).toEqual(NO_ANSWER);

    const all = prompt.encode(conversationOf([user('x'), empty, ...TALK]), { turns: 'all' });
    expect([all.bytes, ...(all.more ?? [])].map((bytes) => JSON.parse(decode(bytes)).completion)).toEqual([
      'b',
    ]);
    expect(shown(all.findings)).toEqual([...LEFT_OUT, 'WARNING messages-left-out']);
  });
});

test('a call counts as an answer', () => {
  const messages = [...TALK, calling(call('1', 'f'))];
  const record = functiongemma.encode(conversationOf(messages), { promptCompletion: true });
  expect(JSON.parse(decode(record.bytes)).completion).toMatch(/^<start_function_call>call:f/);
  expect(record.findings).toEqual([]);
});
