/** A small dataset with every kind of line, and copies of it that a test may damage. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { type VerifyResult, verifyDataset } from '../../../src/verify/verify-dataset.ts';

type BuildOptions = Omit<Parameters<typeof build>[0], 'inputs' | 'out'>;
// biome-ignore lint/suspicious/noExplicitAny: a manifest that a test changes at will
type Manifest = any;

export interface Copy {
  readonly path: string;
  read(file: string): Buffer;
  write(file: string, bytes: string | Uint8Array): void;
  /** Changes the lines of a file, compressed or not. */
  lines(file: string, change: (lines: string[]) => string[]): void;
  manifest(change: (manifest: Manifest) => unknown): void;
  /** Updates the sizes and hashes in the manifest. */
  reseal(): void;
  verify(): Promise<VerifyResult>;
}

/** Builds the dataset once for the tests of a file; `copy` returns a fresh copy. */
export function smallDataset(options: BuildOptions = {}): { readonly root: string; copy(): Copy } {
  let root = '';
  let copy: () => Copy;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'turnmill-verify-'));
    writeLogs(join(root, 'logs'));
    await build({ workers: 1, ...options, inputs: [join(root, 'logs')], out: join(root, 'out') });
    copy = copiesOf(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return {
    get root() {
      return root;
    },
    copy: () => copy(),
  };
}

/** Returns a function that copies the dataset `out` in a folder. */
export function copiesOf(root: string): () => Copy {
  let copies = 0;
  return () => {
    copies += 1;
    const path = join(root, `copy-${copies}`);
    cpSync(join(root, 'out'), path, { recursive: true });
    return copyAt(path);
  };
}

function copyAt(path: string): Copy {
  const read = (file: string): Buffer => readFileSync(join(path, file));
  const write = (file: string, bytes: string | Uint8Array): void => writeFileSync(join(path, file), bytes);
  function manifest(change: (manifest: Manifest) => unknown): void {
    const value: Manifest = JSON.parse(read('manifest.json').toString());
    change(value);
    write('manifest.json', `${JSON.stringify(value, null, 2)}\n`);
  }
  return {
    path,
    read,
    write,
    manifest,
    lines(file, change) {
      const packed = file.endsWith('.gz');
      const text = (packed ? gunzipSync(read(file)) : read(file)).toString();
      const changed = change(text.split('\n').slice(0, -1)).map((line) => `${line}\n`);
      write(file, packed ? gzipSync(changed.join('')) : changed.join(''));
    },
    reseal() {
      manifest((value) => {
        for (const file of [...value.shards, ...value.files]) {
          const bytes = read(file.path);
          file.bytes = bytes.length;
          file.sha256 = createHash('sha256').update(bytes).digest('hex');
        }
      });
    },
    verify: () => verifyDataset(path),
  };
}

/** Logs of two days: records, superseded and truncated entries, rejections of every scope, skipped sources. */
function writeLogs(root: string): void {
  const put = (name: string, lines: readonly string[]): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), lines.map((line) => `${line}\n`).join(''));
  };
  put('2026-01-13/a-plan.jsonl', [entry('a', 1, 1), 'garbage', entry('a', 2, 3), entry('a', 3, 2), '']);
  put('2026-01-13/b-plan.jsonl', [entry('b', 1, 1, 2)]);
  put('2026-01-13/c-plan.jsonl', [entry('c', 2, 1), entry('c', 1, 2)]);
  put('2026-01-14/d-plan.jsonl', [entry('d', 1, 1), entry('d', 2, 2, 1)]);
  put('2026-01-14/e-plan.jsonl', ['[]']);
  put('2026-01-14/f-plan.jsonl', []);
  const packed = gzipSync(`${entry('g', 1, 1)}\n`);
  writeFileSync(join(root, '2026-01-14/g-cut.jsonl.gz'), packed.subarray(0, -3));
  mkdirSync(join(root, 'notes'));
  symlinkSync('../2026-01-13/a-plan.jsonl', join(root, 'notes/link.jsonl'));
}

function entry(id: string, minute: number, turns: number, tools = 0): string {
  const messages = Array.from({ length: turns }, (_, i) => ({ role: 'user', content: `${id} asks ${i}` }));
  const definitions = Array.from({ length: tools }, (_, i) => ({
    type: 'function',
    function: { name: `${id}${i}` },
  }));
  return JSON.stringify({
    timestamp: `2026-01-13T00:0${minute}:00Z`,
    session_id: id,
    request: { messages, tools: definitions },
    response: { choices: [{ message: { role: 'assistant', content: 'yes' } }] },
  });
}

/** Problems that verify finds in a copy after a change, when the manifest fits the changed files. */
export async function problemsAfterReseal(copy: Copy, change: (copy: Copy) => void): Promise<string[]> {
  change(copy);
  copy.reseal();
  return (await copy.verify()).problems.map(({ file, message }) => `${file}: ${message}`);
}

/** A change of lines that replaces a text, which must occur. */
export const replaced = (from: string | RegExp, to: string) => (lines: string[]) => {
  expect(lines.join('\n')).toMatch(from);
  return lines.join('\n').replace(from, to).split('\n');
};
