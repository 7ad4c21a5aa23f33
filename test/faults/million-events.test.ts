/** Event logs of a million lines without a user message, through the built command. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const MILLION = 1_000_000;
const PER_WRITE = 10_000;

/** A log of a million lines. */
function millionOf(lineOf: (i: number) => object): string {
  const path = join(temporaryFolder(), 'log.jsonl');
  const file = openSync(path, 'w');
  for (let i = 0; i < MILLION; i += PER_WRITE) {
    const lines = Array.from({ length: PER_WRITE }, (_, k) => JSON.stringify(lineOf(i + k)));
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
  return path;
}

it('a million answers without a user: the session exceeds --max-conversation and is rejected, and every line is counted', async () => {
  const path = millionOf((i) => ({
    ...{ type: 'assistant', uuid: `u${i}`, parentUuid: i === 0 ? null : `u${i - 1}`, sessionId: 'S' },
    message: { role: 'assistant', id: `m${i}`, content: [{ type: 'text', text: 'x' }] },
  }));
  const { status, stderr } = await turnmill(['check', path, '--max-conversation', '64MiB', '--workers', '1']);
  expect(status).toBe(3);
  expect(stderr).toContain('1,000,000: 1,000,000 rejected:conversation-too-long');
});

it('a million client events are not a conversation', async () => {
  const path = millionOf(() => ({ type: 'event_msg', payload: { type: 'token_count', info: null } }));
  const { status, stderr } = await turnmill(['check', path, '--allow-empty', '--workers', '1']);
  expect(status).toBe(0);
  expect(stderr).toContain('1,000,000: 1,000,000 dropped:client-event');
  expect(stderr).toContain('0 records would be written');
});
