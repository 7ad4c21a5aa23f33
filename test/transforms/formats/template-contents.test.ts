import { describe, expect, it, test } from 'vitest';
import axolotl from '../../../transforms/formats/axolotl.ts';
import openai from '../../../transforms/formats/openai.ts';
import trl from '../../../transforms/formats/trl.ts';
import { buildLogs, entryLine } from '../../support/build-logs.ts';
import { callJson, conversation, findingsOf, recordOf } from './encoded.ts';

const part = (text: string): string => `{"type":"text","text":"${text}"}`;
const cited = (text: string): string => `{"type":"text","text":"${text}","citations":[{"cited_text":"x"}]}`;
const user = (content: string): string => `{"role":"user","content":${content}}`;
const FORMATS = [trl, axolotl, openai];

describe.each(FORMATS.map((format) => [format.name, format] as const))('contents in %s', (_name, format) => {
  const contentOf = (content: string): string | undefined =>
    /"user","content":(.*)\}\],"tools":/s.exec(recordOf(format, [user(content)]))?.[1];

  test.each([
    ['one text part', `[${part('a')}]`, '"a"'],
    ['text parts', `[${part('README.md')},${part('diary.md')}]`, '"README.md\\ndiary.md"'],
    ['a string among the parts', `["a", ${part('b')}]`, '"a\\nb"'],
    ['escapes, whose bytes stay', `[${part('\\u00e9\\"')},${part('\\ud83d')}]`, '"\\u00e9\\"\\n\\ud83d"'],
    ['a part with other members', '[{"cache_control":{},"text":"a","type":"text"}]', '"a"'],
    ['no part', '[]', '""'],
    [
      'a sentence that is divided at its citations',
      `[${part('a')},${part('It is ')},${cited('green')},${part(' now.')},${part('b')}]`,
      '"a\\nIt is green now.\\nb"',
    ],
    [
      'a text without citations',
      '[{"type":"text","text":"a","citations":[]},{"type":"text","text":"b","citations":null}]',
      '"a\\nb"',
    ],
  ])('become one text: %s', (_what, content, expected) => {
    expect(contentOf(content)).toBe(expected);
  });

  test.each([
    ['an image', `[${part('a')},{"type":"image_url","image_url":{"url":"data:"}}]`],
    ['a text that is a number', '[{"type":"text","text":7}]'],
    ['a part without a text', '[{"type":"text"}]'],
    ['null among the parts', `[${part('a')},null]`],
  ])('stay a list with %s', (_what, content) => {
    expect(contentOf(content)).toBe(content);
  });

  it('are reported once for a record, if they have several parts', () => {
    const asked = user(`[${part('a')},${part('b')}]`);
    const answered = `{"role":"assistant","content":[${part('c')}]}`;
    expect(findingsOf(format, [asked, answered])).toEqual(['WARNING parts-joined']);
    expect(findingsOf(format, [user(`[${part('a')}]`), answered])).toEqual([]);
    const [found] = format.encode(conversation([asked, asked])).findings;
    expect(found?.message).toBe('messages[0] and 1 more has a content of several parts: written as one text');
  });
});

describe('a message without a content', () => {
  const calls = `"tool_calls":[${callJson('"{}"')}]`;

  test.each([
    ['an answer of calls alone', `{"role":"assistant",${calls}}`, ''],
    ['an answer of calls and null', `{"role":"assistant","content":null,${calls}}`, ''],
    ['an empty answer', '{"role":"assistant","content":null}', ''],
    ['a question', '{"role":"user"}', ''],
    ['a result', '{"role":"tool","tool_call_id":"a","content":null}', ''],
    ['a refusal', '{"role":"assistant","content":null,"refusal":"I can\\u2019t."}', 'I can\\u2019t.'],
    ['a refusal that is null', '{"role":"assistant","refusal":null}', ''],
  ])('has a text in trl and axolotl: %s', (_what, message, content) => {
    for (const format of [trl, axolotl])
      expect(recordOf(format, [message])).toContain(`"content":"${content}"`);
  });

  test.each([
    ['openai', openai, `{"role":"assistant",${calls}}`],
    ['trl, if it has a text', trl, '{"role":"assistant","content":"a","refusal":"b"}'],
    ['trl, if it has parts', trl, '{"role":"user","content":[{"type":"image_url"}]}'],
  ])('is unchanged in %s', (_what, format, message) => {
    expect(recordOf(format, [message])).not.toMatch(/"content":"[b"]/);
  });
});

test.each([
  [trl, '{"role":"assistant","content":""}'],
  [axolotl, '{"role":"assistant","content":""}'],
  [openai, '{"role":"assistant"}'],
])('an empty list of calls is left out in $name', (format, withoutContent) => {
  const answer = '{"role":"assistant","content":"a","tool_calls":[ ]}';
  expect(recordOf(format, [answer])).toContain('[{"role":"assistant","content":"a"}]');
  expect(recordOf(format, ['{"role":"assistant","tool_calls":[]}'])).toContain(`[${withoutContent}]`);
});

test('a built dataset counts the contents of several parts and reads back', async () => {
  const asked = { role: 'user', content: ['README.md', 'diary.md'].map((text) => ({ type: 'text', text })) };
  const files = { 'a.jsonl': `${entryLine({ messages: [asked] })}\n` };
  const { status, records, findings } = await buildLogs({ files }, ['--format', 'trl']);
  expect(status).toBe(0);
  expect(findings.map(({ rule }) => rule)).toContain('parts-joined');
  expect(records.map((record) => JSON.parse(record).messages[0].content)).toEqual(['README.md\ndiary.md']);
  const refused = await buildLogs({ files }, ['--format', 'trl', '--on-finding', 'parts-joined=reject']);
  expect([refused.status, refused.quarantine.map(({ reason }) => reason)]).toEqual([3, ['parts-joined']]);
});
