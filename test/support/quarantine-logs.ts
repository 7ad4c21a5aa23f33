/** Logs with rejections, and the quarantine records of their build. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { entry } from '../src/cli/small-logs.ts';
import type { Ended } from './command.ts';
import { turnmillHere as turnmill } from './command-here.ts';
import { temporaryFolder } from './folder.ts';

export const lines = (...all: string[]): string => `${all.join('\n')}\n`;
export const late = (id: string): string[] => [entry({ id, second: 2 }), entry({ id, second: 1 })];

type Files = Readonly<Record<string, string | Buffer>>;

export function write(root: string, files: Files): string {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  return root;
}

export interface Kept {
  readonly scope: string;
  readonly source: { readonly uri: string };
  readonly member?: number;
  readonly byte_start: number;
  readonly byte_end: number;
  readonly raw_sha256: string | null;
  readonly raw_b64?: string;
}

export const recordsOf = (out: string): Kept[] =>
  readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface Built extends Ended {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

export async function build(files: Files, ...args: string[]): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [write(join(folder, 'logs'), files), join(folder, 'out')];
  return { ...(await turnmill(['build', logs, '--out', out, ...args])), folder, logs, out };
}

export const ALL: Files = {
  '2026-01-13/late.jsonl': lines(...late('a'), '{'),
  '2026-01-13/packed.jsonl.gz': Buffer.concat([
    gzipSync(lines(entry({ id: 'b' }), '[')),
    gzipSync(lines(...late('c'), ...late('b').reverse())),
  ]),
  '2026-01-14/document.json': `[${late('d').join(',\n')}, {"session_id": 1}]`,
  '2026-01-14/joined.jsonl': `${late('e').join('')}\r\n`,
  '2026-01-14/good.jsonl': lines(entry({ id: 'g' })),
};
