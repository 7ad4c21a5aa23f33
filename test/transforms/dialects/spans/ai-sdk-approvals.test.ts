/** Calls of the AI SDK that need the approval of the user: what the client asks and hears is not for the model. */
import { expect, test } from 'vitest';
import { entriesOf, messagesOf, read } from '../span-samples.ts';

const json = JSON.stringify;
const asked = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' };
const call = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} };
const reply = { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'too risky' };
const result = (output: object) => ({ type: 'tool-result', toolCallId: 'c', toolName: 'f', output });
const tool = (...content: readonly object[]) => ({ role: 'tool', content });

/** The messages of a call with these results. */
function spanWith(...results: readonly object[]) {
  const prompt = [{ role: 'user', content: 'q' }, { role: 'assistant', content: [call, asked] }, ...results];
  const attributes = {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.prompt.messages': json(prompt),
    'ai.response.text': 'b',
  };
  return entriesOf(read([json({ traceId: 't', spanId: 's', attributes })])).map((entry) => messagesOf(entry));
}

const ofCall = {
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
};
const answered = (content: unknown) => [
  [
    { role: 'user', content: 'q' },
    ofCall,
    { role: 'tool', tool_call_id: 'c', content },
    { role: 'assistant', content: 'b' },
  ],
];

test('a denied call has the reason as its result', () => {
  const denied = result({ type: 'execution-denied', reason: 'too risky' });
  expect(spanWith(tool(denied))).toEqual(answered('too risky'));
  expect(spanWith(tool(reply, denied))).toEqual(answered('too risky'));
});

test('a denied call without a reason has the JSON that was logged', () => {
  expect(spanWith(tool(result({ type: 'execution-denied' })))).toEqual(
    answered(json({ type: 'execution-denied' })),
  );
});

test('a message that is only an approval is none', () => {
  const done = result({ type: 'text', value: 'done' });
  expect(spanWith(tool({ ...reply, approved: true }), tool(done))).toEqual(answered('done'));
});

test('images in a result are those of chat completions, and files stay', () => {
  const image = { data: 'iVBOR', mediaType: 'image/png' };
  const file = { type: 'file-data', data: 'JVBE', mediaType: 'application/pdf' };
  const shown = (url: string) => ({ type: 'image_url', image_url: { url } });
  const said = { type: 'text', text: 'x' };
  const value = [
    said,
    { type: 'media', ...image },
    { type: 'image-data', ...image },
    { type: 'image-url', url: 'https://a/b.png' },
    file,
  ];
  const url = 'data:image/png;base64,iVBOR';
  const content = [said, shown(url), shown(url), shown('https://a/b.png'), file];
  expect(spanWith(tool(result({ type: 'content', value })))).toEqual(answered(content));
});

test('a file in a result is reported', () => {
  const prompt = [
    ...[
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [call] },
    ],
    tool(result({ type: 'content', value: [{ type: 'file-id', fileId: 'f' }] })),
  ];
  const attributes = { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.prompt.messages': json(prompt) };
  const [entry] = entriesOf(read([json({ traceId: 't', spanId: 's', attributes })]));
  expect(entry?.messages.at(-1)?.notes?.map(({ rule }) => rule)).toEqual(['block-kept']);
});
