/**
 * Small logs and the records expected from them, both written by hand: test/goldens/NAME. Each shows one thing, so that a reader can check
 * the records against the log by eye.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/index.ts';
import { joinFolders } from '../../src/input/sources/folder-sessions.ts';
import { listSources } from '../../src/input/sources/list.ts';
import { explainLine } from '../../src/job/explain.ts';
import { resolveSettings } from '../../src/settings/settings.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = resolve(import.meta.dirname, '../goldens');
/** Bytes of the files in logs/ together; a longer golden shows several things and is split. */
const MAX_LOG_BYTES = 3000;

interface Expected {
  readonly status?: number;
  readonly fates: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
  readonly rewrites: Readonly<Record<string, number>>;
  /** Options of the run. */
  readonly settings?: object;
  /** Expected with `--select last`: which of the records remain, and the fates. */
  readonly last?: { readonly records: readonly number[]; readonly fates: Readonly<Record<string, number>> };
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Members whose elements are read one by one, after the head of the document. */
const INSIDE = dialects.flatMap(({ inside }) => inside ?? []);

/** Number of lines in a log, or of elements in a document. */
function lineCount(path: string): number {
  if (path.endsWith('.eval')) return 0; // an archive, rejected before its first line
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.sse')) return text.replace(/\n$/, '').split('\n').length;
  if (!/\.(?:json|traj|har)$/.test(path)) return linesOf(text).length;
  const document: unknown = JSON.parse(text);
  if (Array.isArray(document)) return document.length;
  const lists = INSIDE.map((member) => (document as Record<string, unknown>)[member]);
  const list = lists.find((one) => Array.isArray(one)) as readonly unknown[] | undefined;
  return 1 + (list?.length ?? 0);
}

/** Number of lines in a folder that is one source: a document is one line, and a line feed separates two files. */
function linesOfFolder(input: string, parts: readonly { readonly name: string }[]): number {
  const texts = parts.map(({ name }) =>
    name.endsWith('.json') ? '{}' : readFileSync(join(input, name), 'utf8'),
  );
  return texts.join('\n').replace(/\n$/, '').split('\n').length;
}

async function built(name: string, more: object) {
  const out = join(temporaryFolder(), 'out');
  mkdirSync(join(out, '..'), { recursive: true });
  await build({ inputs: [join(folder, name, 'logs')], out, groupBy: 'none', workers: 1, ...more });
  const shard = join(out, 'data/conversations-00000.jsonl');
  const records = existsSync(shard) ? linesOf(readFileSync(shard, 'utf8')) : [];
  expect(await verifyDataset(out)).toMatchObject({ problems: [] });
  const { fates, findings, rewrites } = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  return { records, fates, findings, rewrites };
}

describe.each(readdirSync(folder))('%s', (name) => {
  const records = linesOf(readFileSync(join(folder, name, 'records.jsonl'), 'utf8'));
  const expected = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as Expected;
  const { fates, findings, rewrites, last, settings = {} } = expected;

  it('is short', () => {
    const paths = readdirSync(join(folder, name, 'logs'), { recursive: true, encoding: 'utf8' });
    const files = paths
      .map((path) => statSync(join(folder, name, 'logs', path)))
      .filter((file) => file.isFile());
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(MAX_LOG_BYTES);
  });

  it('yields its records', async () => {
    expect(await built(name, settings)).toEqual({ records, fates, findings, rewrites });
  });

  it('explains each line as the ledger counts it', async () => {
    const counted: Record<string, number> = {};
    const input = join(folder, name, 'logs');
    const resolved = resolveSettings({ inputs: [input], ...settings });
    const { sessionBy } = resolved;
    for (const ref of joinFolders(listSources([input], 'none'), [input], sessionBy).sources) {
      const count =
        ref.parts === undefined ? lineCount(join(input, ref.name)) : linesOfFolder(input, ref.parts);
      for (let line = 1; line <= count; line++) {
        for (const { fate } of await explainLine({ ref, line, settings: resolved }))
          counted[fate] = (counted[fate] ?? 0) + 1;
      }
    }
    expect(counted).toEqual(fates);
  });

  if (last === undefined) return;

  it('yields fewer records with --select last', async () => {
    const { records: few, fates: some } = await built(name, { ...settings, select: 'last' });
    expect(few).toEqual(last.records.map((i) => records[i]));
    expect(some).toEqual(last.fates);
  });
});
