/** Files with several top-level arrays, such as one list of messages per line: each array is a separate log. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function recordsOf(name: string, text: string): Promise<readonly string[]> {
  const root = temporaryFolder();
  const out = join(root, 'out');
  writeFileSync(join(root, name), text);
  await turnmill(['build', join(root, name), '--out', out, '--group-by', 'none']);
  expect((await turnmill(['verify', out])).status).toBe(0);
  const lines = readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) =>
    JSON.parse(line)
      .messages.map(({ content }: { readonly content: unknown }) => content)
      .join(' '),
  );
}

const messages = (n: number, more: object = {}) => [
  { role: 'user', content: `q${n}`, ...more },
  { role: 'assistant', content: `a${n}`, ...more },
];
const contents = (n: number) => [
  { role: 'user', parts: [{ text: `q${n}` }] },
  { role: 'model', parts: [{ text: `a${n}` }] },
];
const lines = (...lists: readonly object[]) => lists.map((list) => `${JSON.stringify(list)}\n`).join('');

it.each([
  ['bare messages', messages],
  ['messages of Cline', (n: number) => messages(n, { ts: 1_768_384_801_000 + n })],
  ['contents of Gemini', contents],
])('each list of %s is a conversation', async (_what, list) => {
  expect(await recordsOf('a.jsonl', lines(list(1), list(2), [], list(3)))).toEqual([
    'q1 a1',
    'q2 a2',
    'q3 a3',
  ]);
  expect(await recordsOf('a.json', JSON.stringify(list(1), null, 2) + JSON.stringify(list(2)))).toEqual([
    'q1 a1',
    'q2 a2',
  ]);
});

it('lists of calls may belong to one session', async () => {
  const call = (input: object[], output: string) => ({ type: 'GENERATION', traceId: 't', input, output });
  const [question, answer] = messages(1) as [object, object];
  const first = call([question], 'a1');
  const second = call([question, answer, { role: 'user', content: 'q2' }], 'a2');
  expect(await recordsOf('a.jsonl', lines([first], [second]))).toEqual(['q1 a1 q2 a2']);
});
