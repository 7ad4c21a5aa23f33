/** Small logs for the command's tests: lines that differ from a good one in one respect. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface EntryShape {
  readonly second?: number;
  readonly id?: string;
  readonly messages?: readonly unknown[];
  readonly reply?: unknown;
  readonly tools?: unknown;
}

const USER = { role: 'user', content: 'What is the time?' };
const REPLY = { role: 'assistant', content: 'Noon.' };

/** `n` messages with alternating roles. */
export function talk(n: number): readonly unknown[] {
  return Array.from({ length: n }, (_, i) => (i % 2 === 0 ? USER : REPLY));
}

/** A line of the native dialect. */
export function entry({
  second = 0,
  id = 's',
  messages = talk(1),
  reply = REPLY,
  tools,
}: EntryShape = {}): string {
  const timestamp = new Date(Date.UTC(2026, 0, 13, 12, 0, second)).toISOString();
  const response = reply === null ? null : { choices: [{ index: 0, message: reply }] };
  return JSON.stringify({ timestamp, session_id: id, request: { messages, tools }, response });
}

/** A request of goose for a title. */
export function title(second: number): string {
  const messages = [
    { role: 'system', content: 'Reply with only a description in four words or less.' },
    { role: 'user', content: 'Here are the first few user messages: x' },
  ];
  return entry({ second, messages, reply: { role: 'assistant', content: 'Telling the time' } });
}

/** Writes a log and returns its path. */
export function writeLog(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}
