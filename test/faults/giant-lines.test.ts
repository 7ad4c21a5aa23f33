/**
 * F050: giant lines. The record is right, and peak memory of the whole process is a small base plus three times the longest line (slab,
 * messages, record). A line beyond --max-line is rejected, takes no more memory than --max-line whatever its length, and the lines after it
 * are read.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_FAULTS } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Measured, runMeasured } from '../support/peak.ts';

const MB = 1024 * 1024;
const BASE_MB = 128;
const LIMIT_MB = 256; // the default of --max-line

interface Built extends Measured {
  readonly out: string;
}

function writeLog(chunks: Iterable<string | Uint8Array>): string {
  const logs = join(temporaryFolder(), 'logs');
  mkdirSync(logs);
  const fd = openSync(join(logs, 's.jsonl'), 'w');
  for (const chunk of chunks) writeSync(fd, chunk as string);
  closeSync(fd);
  return logs;
}

async function build(logs: string, ...args: readonly string[]): Promise<Built> {
  const out = join(logs, '../out');
  const all = ['build', logs, '--out', out, '--group-by', 'none', '--workers', '1', ...args];
  const run = await runMeasured(all);
  return { ...run, out };
}

type Messages = readonly { readonly role: string; readonly content: string }[];

const entry = (minute: number, messages: Messages): string =>
  `${JSON.stringify({
    timestamp: new Date(Date.UTC(2026, 0, 13, 8, minute)).toISOString(),
    session_id: 's',
    request: { messages },
    response: { choices: [{ message: { role: 'assistant', content: 'done' } }] },
  })}\n`;

/** `count` messages of about `bytes` in total. */
function messagesOf(bytes: number, count: number): Messages {
  const text = 'Größe: all work and no play. '.repeat(Math.ceil(bytes / count / 31));
  return Array.from({ length: count }, (_, i) => ({ role: 'user', content: `${i} ${text}` }));
}

function recordsOf(out: string): { messages: Messages }[] {
  const lines = readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const reply = { role: 'assistant', content: 'done' };

describe('giant lines', () => {
  it.each(ALL_FAULTS ? [1, 64] : [64])('an entry of 64 MB, %i messages', async (count) => {
    const messages = messagesOf(64 * MB, count);
    const line = entry(1, messages);
    const { status, stderr, out, peakMb } = await build(writeLog([line]));
    expect(status, stderr).toBe(0);
    const [record, ...others] = recordsOf(out);
    expect(others).toEqual([]);
    expect(record?.messages.length).toBe(count + 1);
    expect([...messages, reply].every((message, i) => message.content === record?.messages[i]?.content)).toBe(
      true,
    );
    expect(peakMb).toBeLessThan(BASE_MB + (3 * Buffer.byteLength(line)) / MB);
  });

  it('entries that grow to 5 MB', async () => {
    const messages = messagesOf(5 * MB, 50);
    const lines = messages.map((_, i) => entry(i, messages.slice(0, i + 1)));
    const { status, stderr, out, peakMb } = await build(writeLog(lines));
    expect(status, stderr).toBe(0);
    expect(recordsOf(out)).toMatchObject([{ messages: [...messages, reply] }]);
    expect(peakMb).toBeLessThan(BASE_MB + 3 * 5);
  });

  function* withLineOf(sizeMb: number): Generator<string | Uint8Array> {
    yield entry(0, messagesOf(1000, 1));
    yield '{"a":"';
    for (let n = 0; n < sizeMb; n++) yield Buffer.alloc(MB, 'x');
    yield '"}\n';
    yield entry(1, messagesOf(2000, 3));
  }

  it.each([
    [LIMIT_MB, []],
    [48, ['--max-line', '48MiB']],
  ])('a line of 300 MB with a limit of %i MB: line-too-long', async (limitMb, args) => {
    const { status, stderr, out, peakMb } = await build(writeLog(withLineOf(300)), ...args);
    expect(status, stderr).toBe(3);
    expect(recordsOf(out)).toMatchObject([{ messages: [...messagesOf(2000, 3), reply] }]);
    const rejected = readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8').trimEnd();
    expect(JSON.parse(rejected)).toMatchObject({ reason: 'line-too-long', line: 2 });
    expect(peakMb).toBeLessThan(BASE_MB + limitMb);
  });
});
