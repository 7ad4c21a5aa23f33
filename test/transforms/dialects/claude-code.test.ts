import { expect, it } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

/** The messages of each conversation. */
function conversationsOf(...objects: readonly object[]): readonly unknown[][] {
  const reader = claudeCode.create();
  const read = objects.flatMap((object, i) => [
    ...reader.read(lineOf(JSON.stringify(object), asBuffer, i + 1, i * 1000)),
  ]);
  const entries = [...read, ...(reader.end?.() ?? [])].filter(({ kind }) => kind === 'entry');
  return (entries as readonly Entry[]).map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes))),
  );
}

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
