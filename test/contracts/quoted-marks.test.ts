/** A client's own log may quote the marks with which loggers of model calls cut texts: such a text was not cut. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';
import * as writers from '../transforms/dialects/agent-logs.ts';

const TURN: writers.Turn = { rounds: [{ calls: 1, reversed: false, thinks: false }], noise: false };
const CUT = 'It begins (litellm_truncated skipped 90 chars) and ends.';
const MASK = 'redacted-by-litellm';

/** Builds a log with these texts as its last result and its last answer. */
async function built(log: writers.AgentLog, result: string, answer: string) {
  const [before = '', last = ''] = log.tokens.slice(-2);
  const lines = log.lines.map((line) => line.replaceAll(before, result).replaceAll(last, answer));
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, lines.join('\n'));
  const { stdout, stderr } = await turnmill(['build', path, '--out', '-']);
  return { text: `${stdout}`, isReported: `${stderr}`.includes('body-placeholder') };
}

const CLIENTS: readonly (readonly [string, (turns: readonly writers.Turn[]) => writers.AgentLog])[] = [
  ['claude-code', writers.claudeLog],
  ['codex', writers.codexLog],
  ['openhands', writers.openHandsLog],
  ['pi', writers.piLog],
  ['sts', writers.stsLog],
  ['gemini-cli', writers.geminiLog],
  ['goose', writers.gooseLog],
  ['cline', writers.clineLog],
];

it.each(CLIENTS)('a quoted mark is kept: %s', async (_, write) => {
  const quoted = await built(write([TURN, TURN]), CUT, CUT);
  expect(quoted).toMatchObject({ isReported: false });
  expect(quoted.text.split(CUT)).toHaveLength(3);
  const masked = await built(write([TURN, TURN]), MASK, MASK);
  expect(masked).toMatchObject({ isReported: false });
  expect(masked.text.split(MASK)).toHaveLength(3);
});

it.each(CLIENTS)('what a scrubber of logs left is no answer: %s', async (_, write) => {
  const { text, isReported } = await built(write([TURN, TURN]), '[REDACTED]', '[REDACTED]');
  expect(isReported).toBe(true);
  expect(text.split('[REDACTED]')).toHaveLength(2); // the result stays
});

it('the same text in a log of calls is reported as cut', async () => {
  const call = (content: string): string => {
    const messages = [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content },
    ];
    const response = { choices: [{ message: { role: 'assistant', content: 'a' } }] };
    return JSON.stringify({ request: { model: 'm', messages }, response });
  };
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, call(CUT));
  const { stderr } = await turnmill(['build', path, '--out', '-']);
  expect(`${stderr}`).toContain('body-placeholder');
});
