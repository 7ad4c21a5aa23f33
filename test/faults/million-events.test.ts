/** Event logs of a million lines without a user message, and of 100,000 in each other dialect, through the built command. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const MILLION = 1_000_000;
const PER_WRITE = 10_000;

const MANY = 100_000;

/** A log of this many lines, after the first one if there is one. */
function logOf(lines: number, lineOf: (i: number) => object, first?: object): string {
  const path = join(temporaryFolder(), 'log.jsonl');
  const file = openSync(path, 'w');
  if (first !== undefined) writeSync(file, `${JSON.stringify(first)}\n`);
  for (let i = 0; i < lines; i += PER_WRITE) {
    const lines = Array.from({ length: PER_WRITE }, (_, k) => JSON.stringify(lineOf(i + k)));
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
  return path;
}

it('a million answers without a user: the session exceeds --max-conversation and is rejected, and every line is counted', async () => {
  const path = logOf(MILLION, (i) => ({
    ...{ type: 'assistant', uuid: `u${i}`, parentUuid: i === 0 ? null : `u${i - 1}`, sessionId: 'S' },
    message: { role: 'assistant', id: `m${i}`, content: [{ type: 'text', text: 'x' }] },
  }));
  const { status, stdout } = await turnmill(['check', path, '--max-conversation', '64MiB', '--workers', '1']);
  expect(status).toBe(3);
  expect(`${stdout}`).toContain('1,000,000: rejected: 1,000,000 conversation-too-long');
});

it('a million client events are not a conversation', async () => {
  const path = logOf(MILLION, () => ({ type: 'event_msg', payload: { type: 'token_count', info: null } }));
  const { status, stdout } = await turnmill(['check', path, '--allow-empty', '--workers', '1']);
  expect(status).toBe(0);
  expect(`${stdout}`).toContain('1,000,000: left out: 1,000,000 client-event');
  expect(`${stdout}`).toContain('0 records would be written');
});

const text = { type: 'text', text: 'x' };
const span = (trace: string, i: number, input: readonly object[]): object => ({
  ...{ traceId: trace, spanId: `${i}`, name: 'chat m', start_time: '2026-02-03T10:00:01Z' },
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': input,
    'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'x' }] }],
  },
});
const question = { role: 'user', parts: [{ type: 'text', content: 'q' }] };

const FOLDED = '100,000: 1 made a record, 99,999 joined to a record';
const AFTER_HEAD = '100,001: 1 made a record, 100,000 joined to a record';

/** Its first line if that is different, the other ones, and their fates. */
const ANSWERS: Readonly<Record<string, readonly [object | undefined, (i: number) => object, string]>> = {
  codex: [
    { type: 'session_meta', payload: { id: 'C' } },
    () => ({ type: 'response_item', payload: { type: 'message', role: 'assistant', content: [text] } }),
    AFTER_HEAD,
  ],
  'codex, results without calls': [
    { type: 'session_meta', payload: { id: 'C' } },
    (i) => ({
      type: 'response_item',
      payload: { type: 'function_call_output', call_id: `${i}`, output: 'r' },
    }),
    AFTER_HEAD,
  ],
  openhands: [
    undefined,
    (i) => ({
      ...{ kind: 'MessageEvent', id: `${i}`, source: 'agent' },
      llm_message: { role: 'assistant', content: [text] },
    }),
    FOLDED,
  ],
  'gemini-cli': [
    { sessionId: 'S', projectHash: 'h', startTime: '2026-02-03T10:00:00Z' },
    (i) => ({ id: `${i}`, type: 'gemini', content: 'x' }),
    AFTER_HEAD,
  ],
  pi: [
    { type: 'session', version: 3, id: 'S', cwd: '/' },
    (i) => ({
      ...{ type: 'message', id: `${i}`, parentId: i === 0 ? null : `${i - 1}` },
      message: { role: 'assistant', content: [text], stopReason: 'stop' },
    }),
    AFTER_HEAD,
  ],
  goose: [
    { working_dir: '/', description: 'd' },
    (i) => ({ role: 'assistant', created: i, content: [text] }),
    '100,001: 1 made a record, 99,999 joined to a record\n             left out: 1 client-event',
  ],
  cline: [undefined, (i) => ({ role: 'assistant', ts: 1_770_112_800_000 + i, content: 'x' }), FOLDED],
  sts: [
    { type: 'session', harness: 'h', id: 'S' },
    () => ({ type: 'message', message: { role: 'assistant', content: 'x' } }),
    AFTER_HEAD,
  ],
  spans: [undefined, (i) => span('T', i, []), '100,000: 1 made a record, 99,999 repeated later'],
  'spans, each call in a separate trace': [
    undefined,
    (i) => span(`T${i}`, i, [question]),
    '100,000: 1 made a record, 99,999 repeated later',
  ],
  'responses whose parents come later': [
    undefined,
    (i) => ({
      request: { model: 'm', input: 'q', previous_response_id: `${i + 1}` },
      response: { id: `${i}`, object: 'response', output: [] },
    }),
    '100,000: rejected: 100,000 earlier messages missing (context-missing)',
  ],
};

it.each(Object.entries(ANSWERS))(
  '100,000 lines of %s: every line is counted',
  async (_name, [first, lineOf, fates]) => {
    const path = logOf(MANY, lineOf, first);
    const { status, stdout } = await turnmill(['check', path, '--workers', '1', '--allow-empty']);
    expect([`${stdout}`, status]).toEqual([
      expect.stringContaining(fates),
      fates.includes('rejected') ? 3 : 0,
    ]);
  },
);
