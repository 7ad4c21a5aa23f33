/** The indentation of documents must not get into arguments, because models would learn it. */
import { expect, it } from 'vitest';
import { dialects } from '../../../transforms/dialects/index.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

const INPUT = { path: 'diary.md', lines: [1, 2] };
const use = { type: 'tool_use', id: 'c', name: 'f', input: INPUT };
const assistant = (more: object) => ({ role: 'assistant', ...more });

/** Logs with one call each, as documents. */
const LOGS: readonly (readonly [dialect: string, ...objects: readonly object[]])[] = [
  [
    'gemini-cli',
    {
      ...{ sessionId: 's', projectHash: 'h', startTime: '2026-01-14T08:00:00Z' },
      messages: [{ id: '1', type: 'gemini', content: '', toolCalls: [{ id: 'c', name: 'f', args: INPUT }] }],
    },
  ],
  ['gemini-cli', { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: INPUT } }] }],
  ['runs', assistant({ content: '', tool_calls: [{ id: 'c', name: 'f', arguments: INPUT }] })],
  ['runs', assistant({ content: [use] })],
  ['claude-code', { type: 'assistant', message: assistant({ content: [use] }) }],
  [
    'opencode',
    {
      info: {},
      messages: [
        {
          info: { role: 'assistant' },
          parts: [{ type: 'tool', callID: 'c', tool: 'f', state: { status: 'running', input: INPUT } }],
        },
      ],
    },
  ],
  ['cline', assistant({ content: [use], ts: 1 })],
  [
    'goose',
    {
      working_dir: '/',
      conversation: [
        assistant({
          content: [
            {
              type: 'toolRequest',
              id: 'c',
              toolCall: { status: 'success', value: { name: 'f', arguments: INPUT } },
            },
          ],
        }),
      ],
    },
  ],
  ['openhands', { id: 1, source: 'agent', action: 'f', args: INPUT }],
];

it.each(LOGS)('%s: arguments are not indented', (name, ...objects) => {
  const reader = dialects.find((dialect) => dialect.name === name)?.create();
  const elements = objects.flatMap((object, i) => [
    ...(reader?.read(lineOf(JSON.stringify(object, null, 2), asBuffer, i + 1)) ?? []),
  ]);
  const entry = [...elements, ...(reader?.end?.() ?? [])].find(({ kind }) => kind === 'entry') as Entry;
  const { tool_calls } = JSON.parse(text((entry.reply ?? entry.messages.at(-1))?.bytes as Uint8Array));
  expect(tool_calls[0].function.arguments).toBe('{"path": "diary.md", "lines": [1, 2]}');
});
