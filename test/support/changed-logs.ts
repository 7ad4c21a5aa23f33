/** Changes to a tree of logs between two runs: files appear, vanish, grow, and are rewritten, packed, touched and renamed. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sessionLines } from './plain-logs.ts';

/** Paths of the plain files below a folder, in a fixed order. */
export function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const lineOf = (seed: number): string =>
  `${sessionLines(`more-${seed}`, { entries: 1, messageChars: 80, seed }).join('\n')}\n`;

type Change = (path: string, root: string, seed: number) => void;

export const CHANGES: Readonly<Record<string, Change>> = {
  grown: (path, _root, seed) => appendFileSync(path, lineOf(seed)),
  shrunk: (path) => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size >> 1)),
  gone: (path) => rmSync(path),
  touched: (path) => utimesSync(path, 1_700_000_000, 1_700_000_000),
  'a byte changed, size and time kept': (path) => {
    const { atime, mtime } = statSync(path);
    const bytes = readFileSync(path);
    const at = bytes.indexOf('e');
    if (at >= 0) bytes[at] = 0x45;
    writeFileSync(path, bytes);
    utimesSync(path, atime, mtime);
  },
  replaced: (path, _root, seed) => {
    writeFileSync(`${path}.tmp`, lineOf(seed));
    renameSync(`${path}.tmp`, path);
  },
  renamed: (path, root, seed) => {
    mkdirSync(join(root, '2026-01-15'), { recursive: true });
    renameSync(path, join(root, '2026-01-15', `moved-${seed}.jsonl`));
  },
  packed: (path) => {
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
    rmSync(path);
  },
  'bad line': (path) => appendFileSync(path, '{"timestamp":\n'),
  added: (path, _root, seed) => writeFileSync(join(dirname(path), `new-${seed}.jsonl`), lineOf(seed)),
};

/** Applies some changes and returns their names. */
export function changeLogs(root: string, random: () => number): string[] {
  const names = Object.keys(CHANGES);
  const count = 1 + Math.floor(random() * 4);
  return Array.from({ length: count }, () => {
    const name = names[Math.floor(random() * names.length)] as string;
    const files = filesIn(root).filter((path) => !path.endsWith('calm-session-1.jsonl'));
    const path = files[Math.floor(random() * files.length)];
    if (path !== undefined) CHANGES[name]?.(path, root, Math.floor(random() * 1e6));
    return name;
  });
}
