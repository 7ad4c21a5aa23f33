import { describe, expect, it, test } from 'vitest';
import axolotl from '../../../transforms/formats/axolotl.ts';
import { oldCallsAsNew } from '../../../transforms/formats/old-calls.ts';
import openai from '../../../transforms/formats/openai.ts';
import trl from '../../../transforms/formats/trl.ts';
import { buildLogs, entryLine } from '../../support/build-logs.ts';
import { conversation, findingsOf, recordOf } from './encoded.ts';

const OLD = '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\\"n\\":1.0}"}}';
const RESULT = '{"role":"function","name":"f","content":"r"}';

describe('a call of the old form', () => {
  it('is one of tool_calls, and its result that of a tool, in trl and axolotl', () => {
    const call = '"tool_calls":[{"type":"function","function":{"name":"f","arguments":';
    const result = '{"role":"tool","name":"f","content":"r"}';
    expect(recordOf(trl, [OLD, RESULT])).toContain(
      `{"role":"assistant","content":"",${call}{"n":1.0}}}]},${result}`,
    );
    expect(recordOf(axolotl, [OLD, RESULT])).toContain(
      `{"role":"assistant","content":"",${call}"{\\"n\\":1.0}"}}]},${result}`,
    );
    expect(recordOf(openai, [OLD, RESULT])).toContain(`[${OLD},${RESULT}]`);
  });

  it('takes the place of an empty list of calls', () => {
    const both = '{"role":"assistant","tool_calls":[],"content":"a","function_call":{"name":"f"}}';
    expect(recordOf(trl, [both])).toContain(
      '[{"role":"assistant","content":"a","tool_calls":[{"type":"function","function":{"name":"f","arguments":{}}}]}]',
    );
    expect(findingsOf(trl, [both])).toEqual(['WARNING empty-arguments']);
  });

  it('rejects the record if its arguments are not an object', () => {
    const odd = '{"role":"assistant","function_call":{"name":"f","arguments":"[1]"}}';
    expect(findingsOf(trl, [odd])).toEqual(['ERROR arguments-not-object!']);
  });

  test.each([
    ['a call without a name', '{"role":"assistant","function_call":{"arguments":"{}"}}'],
    ['null', '{"role":"assistant","content":"a","function_call":null}'],
    ['one beside other calls', '{"role":"assistant","tool_calls":[{}],"function_call":{"name":"f"}}'],
    ['one of the user', '{"role":"user","function_call":{"name":"f"}}'],
  ])('stays as it is if it is %s', (_what, message) => {
    const { messages } = conversation([message]);
    expect(oldCallsAsNew(messages)[0]).toBe(messages[0]);
  });
});

test('a built dataset has the calls of an old log', async () => {
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
    { role: 'function', name: 'f', content: 'r' },
  ];
  const files = { 'a.jsonl': `${entryLine({ messages })}\n` };
  const { status, records } = await buildLogs({ files }, ['--format', 'trl']);
  expect(status).toBe(0);
  expect(JSON.parse(records[0] as string).messages.slice(1, 3)).toEqual([
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
    },
    { role: 'tool', name: 'f', content: 'r' },
  ]);
});
