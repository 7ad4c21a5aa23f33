/** Builds from logs of one object per line: records in short form, fates and findings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { turnmillHere as turnmill } from './command-here.ts';
import { temporaryFolder } from './folder.ts';

export interface BuiltEvents {
  readonly status: number | null;
  /** Roles and texts of each record; ids for calls, and the answered id for results. */
  readonly records: readonly (readonly string[])[];
  /** Arguments of all calls. */
  readonly args: readonly string[];
  readonly fates: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
}

interface WrittenMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

function shown({ role, content, tool_calls: calls = [], tool_call_id: answers }: WrittenMessage): string {
  const called = calls.map(({ id }) => ` call ${id}`).join('');
  const shortText = typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(' ');
  return `${role}${answers === undefined ? '' : ` ${answers}`}${shortText === '' ? '' : `: ${shortText}`}${called}`;
}

async function buildFile(path: string, args: readonly string[] = []): Promise<BuiltEvents> {
  const out = join(dirname(path), 'out');
  const { status } = await turnmill(['build', path, '--out', out, '--group-by', 'none', ...args]);
  const summary = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  const text =
    summary.fates.snapshot === undefined
      ? ''
      : readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8');
  const written = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).messages as readonly WrittenMessage[]);
  const records = written.map((messages) => messages.map(shown));
  const calls = written.flat().flatMap(({ tool_calls: called = [] }) => called);
  const given = calls.map((call) => call.function.arguments);
  expect((await turnmill(['verify', out])).status).toBe(0);
  return { status, records, args: given, fates: summary.fates, findings: summary.findings };
}

/** Builds a dataset of a log with these bytes, whatever they are. */
export async function buildLog(
  bytes: string | Uint8Array,
  args: readonly string[] = [],
): Promise<BuiltEvents> {
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, bytes);
  return buildFile(path, args);
}

/** Builds a dataset of these lines and checks that each has exactly one fate. */
export async function buildEvents(
  lines: readonly object[],
  args: readonly string[] = [],
): Promise<BuiltEvents> {
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const built = await buildFile(path, args);
  expect(Object.values(built.fates).reduce((sum, n) => sum + n, 0)).toBe(lines.length);
  return built;
}
