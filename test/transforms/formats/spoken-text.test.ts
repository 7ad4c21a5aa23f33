import { describe, expect, it, test } from 'vitest';
import atif from '../../../transforms/formats/atif.ts';
import axolotl from '../../../transforms/formats/axolotl.ts';
import chat from '../../../transforms/formats/chat.ts';
import chatInline from '../../../transforms/formats/chat-inline.ts';
import functiongemma from '../../../transforms/formats/functiongemma.ts';
import functiongemmaTeaching from '../../../transforms/formats/functiongemma-teaching.ts';
import openai from '../../../transforms/formats/openai.ts';
import prompt from '../../../transforms/formats/prompt.ts';
import samples from '../../../transforms/formats/samples.ts';
import sharegpt from '../../../transforms/formats/sharegpt.ts';
import { spokenAsText } from '../../../transforms/formats/spoken-text.ts';
import sts from '../../../transforms/formats/sts.ts';
import trl from '../../../transforms/formats/trl.ts';
import { buildLogs, entryLine } from '../../support/build-logs.ts';
import { text } from '../bytes.ts';
import { callJson, conversation, findingsOf, recordOf } from './encoded.ts';

const USER = '{"role":"user","content":"hi"}';
const REFUSAL = '{"role":"assistant","content":null,"refusal":"I can\\u2019t."}';

const written = (message: string): string | undefined =>
  spokenAsText(conversation([message]).messages).map(({ bytes }) => text(bytes))[0];

describe('an answer without a text', () => {
  test.each([
    ['a refusal', REFUSAL, '{"role":"assistant","content":"I can\\u2019t."}'],
    [
      'a refusal and no content',
      '{"role":"assistant","refusal":"no"}',
      '{"role":"assistant","content":"no"}',
    ],
    [
      'a refusal and a blank content',
      '{"role":"assistant","content":" \\n","refusal":"no"}',
      '{"role":"assistant","content":"no"}',
    ],
    [
      'a refusal and no part',
      '{"role":"assistant","content":[],"refusal":"no"}',
      '{"role":"assistant","content":"no"}',
    ],
    [
      'a refusal as a part',
      '{"role":"assistant","content":[{"type":"text","text":"a"},{"refusal":"no","type":"refusal"}]}',
      '{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"no"}]}',
    ],
    [
      'speech',
      '{"role":"assistant","content":null,"audio":{"id":"a","transcript":"yes"}}',
      '{"role":"assistant","content":"yes","audio":{"id":"a","transcript":"yes"}}',
    ],
  ])('has that of %s', (_what, message, expected) => {
    expect(written(message)).toBe(expected);
  });

  test.each([
    ['an answer with a text', '{"role":"assistant","content":"a","refusal":"no"}'],
    ['a refusal that is null or blank', '{"role":"assistant","content":null,"refusal":" "}'],
    ['a refusal that is not a text', '{"role":"assistant","content":[{"type":"refusal","refusal":7}]}'],
    ['speech without a transcript', '{"role":"assistant","content":null,"audio":{"id":"a"}}'],
    ['a message of the user', '{"role":"user","content":null,"refusal":"no"}'],
  ])('leaves %s as it is', (_what, message) => {
    const { messages } = conversation([message]);
    expect(spokenAsText(messages)[0]).toBe(messages[0]);
  });
});

describe('a refusal', () => {
  test.each([
    [trl, '{"role":"assistant","content":"I can\\u2019t."}'],
    [axolotl, '{"role":"assistant","content":"I can\\u2019t."}'],
    [chatInline, '{"role":"assistant","content":"I can\\u2019t."}'],
    [samples, '{"role":"assistant","content":"I can\\u2019t."}'],
    [sharegpt, '{"from":"gpt","value":"I can’t."}'],
    [functiongemma, '<start_of_turn>model\\nI can’t.<end_of_turn>'],
    [prompt, '"completion":"I can’t."'],
    [atif, '"source":"agent","message":"I can\\u2019t."'],
    [sts, '"role":"assistant","content":"I can\\u2019t."'],
  ])('is the text of its answer in $name', (format, expected) => {
    expect(recordOf(format, [USER, REFUSAL])).toContain(expected);
    expect(findingsOf(format, [USER, REFUSAL])).toEqual([]);
  });

  it('is the reasoning of a call in functiongemma-teaching', () => {
    const answer = `{"role":"assistant","refusal":"no","tool_calls":[${callJson('"{}"')}]}`;
    expect(recordOf(functiongemmaTeaching, [USER, answer])).toContain('/* no */');
  });

  test.each([chat, openai])('stays a refusal in $name', (format) => {
    expect(recordOf(format, [USER, REFUSAL])).toContain(REFUSAL);
  });

  it('in a part is joined with the text before it', () => {
    const parts = '[{"type":"text","text":"Sorry."},{"type":"refusal","refusal":"No."}]';
    const answer = `{"role":"assistant","content":${parts}}`;
    expect(recordOf(trl, [USER, answer])).toContain('"content":"Sorry.\\nNo."');
    expect(findingsOf(trl, [USER, answer])).toEqual(['WARNING parts-joined']);
    expect(recordOf(openai, [USER, answer])).toContain(`"content":${parts}`);
  });
});

test('a built dataset teaches a refusal that is the only answer', async () => {
  const files = {
    'a.jsonl': `${entryLine({ reply: { role: 'assistant', content: null, refusal: 'I cannot.' } })}\n`,
  };
  const { status, records } = await buildLogs({ files }, ['--format', 'sharegpt']);
  expect(status).toBe(0);
  expect(JSON.parse(records[0] as string).conversations.at(-1)).toEqual({ from: 'gpt', value: 'I cannot.' });
});
