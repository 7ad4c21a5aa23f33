/** The results read from a dataset's files are those of the run that wrote it. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../../src/dataset/manifest.ts';
import { readFingerprints } from '../../../src/dataset/run-facts.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import type { Listing } from '../../../src/input/sources/source.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { openPreviousDataset, type PreviousRun } from '../../../src/reuse/previous-run.ts';
import { takeEach } from '../../../src/reuse/reuse.ts';
import { ReusedSources } from '../../../src/reuse/reused-sources.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeOddLogs } from '../../support/odd-logs/write-odd-logs.ts';
import { sessionLines } from '../../support/plain-logs.ts';
import { resultsOf } from '../../support/results.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');

const isRejected = (result: Result): boolean =>
  result.kind === 'rejected-line' ||
  (result.kind === 'session' && (result.rejection ?? result.recordRejections) !== undefined);

/** Results by the file that they are written to, in the order of its lines. */
const FILES: Readonly<Record<string, (result: Result) => boolean>> = {
  sources: ({ kind }) => kind === 'source-begin' || kind === 'source',
  sessions: ({ kind }) => kind === 'record' || kind === 'session',
  quarantine: isRejected,
  findings: ({ kind }) => kind === 'finding',
};

/** A result without undefined members and without those that no file of a dataset holds. */
function comparable(result: Result): object {
  const plain = JSON.parse(JSON.stringify(result, bytesAsText)) as Record<string, unknown>;
  const {
    provisional: _p,
    mayReopen: _m,
    again: _a,
    entryLog: _l,
    shape: _s,
    refusals: _r,
    dialect: _d,
    contents: _c,
    size: _z,
    fingerprint,
    ...rest
  } = plain;
  return rest.kind === 'source' ? { ...rest, hasFingerprint: fingerprint !== undefined } : rest;
}

const bytesAsText = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? `bytes ${Buffer.from(value).toString('latin1')}` : value;

/** Reads the results of every source from the dataset. */
async function reread(run: PreviousRun, listing: Listing, format: string): Promise<Result[]> {
  const fingerprints = readFingerprints(run.root) as readonly string[];
  expect(fingerprints).toHaveLength(listing.sources.length);
  const work = temporaryFolder();
  const options = { format, hasPaths: false, pathFor: (name: string) => join(work, name) };
  const reused = new ReusedSources({ run, fingerprints }, listing, options);
  const found: Result[] = [];
  await takeEach(reused.before(listing.sources.length), (result) => void found.push(structuredClone(result)));
  return found;
}

async function expectSame(options: Partial<Settings> & Pick<Settings, 'inputs'>): Promise<readonly Result[]> {
  const out = join(temporaryFolder(), 'out');
  const { results, settings } = await resultsOf({ ...options, out });
  const listing = listSources(settings.inputs, settings.follow);
  const run = await openPreviousDataset(out, readManifest(out));
  const found = await reread(run, listing, settings.format[0] as string);
  for (const [file, isIn] of Object.entries(FILES)) {
    const [expected, actual] = [results, found].map((all) => all.filter(isIn).map(comparable));
    expect(actual, file).toEqual(expected);
  }
  return results;
}

describe('the results in a dataset', () => {
  it.each([
    {},
    { format: ['chat', 'trl', 'functiongemma-teaching'] },
    { quarantineContent: 'raw', compress: 'gzip', groupBy: 'scenario' },
    { format: ['samples'], formatOptions: { as: 'toml' }, shardSize: 3000 },
  ] as const)('are those of the run over the examples with %j', async (options) => {
    const results = await expectSame({ inputs: [EXAMPLES], ...options } as Partial<Settings> &
      Pick<Settings, 'inputs'>);
    const kinds = new Set(results.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      ...['finding', 'record', 'rejected-line', 'session', 'source', 'source-begin'],
    ]);
  });

  it('are those of the run over compressed sources, several inputs and a line of many objects', async () => {
    const folder = temporaryFolder();
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    for (const input of [a, b]) mkdirSync(input);
    const lines = (id: string): string =>
      `${sessionLines(id, { entries: 3, messageChars: 40, seed: 1 }).join('\r\n')}\r\n`;
    writeFileSync(join(a, 'x.jsonl'), `\ufeff${lines('one')}${'{}'.repeat(150)}`);
    writeFileSync(
      join(b, 'x.jsonl.gz'),
      Buffer.concat([gzipSync(lines('two')), gzipSync('torn'), Buffer.alloc(9)]),
    );
    writeFileSync(join(b, 'y.jsonl'), '');
    const results = await expectSame({ inputs: [a, b] });
    expect(results).toContainEqual(expect.objectContaining({ kind: 'rejected-line', member: 2 }));
    expect(results.some((one) => one.kind === 'rejected-line' && one.rest !== undefined)).toBe(true);
  });

  for (const seed of [1, 2, 3])
    it(`are those of the run over odd logs, seed ${seed}`, async () => {
      const logs = join(temporaryFolder(), 'logs');
      writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
      await expectSame({ inputs: [logs] });
    });
});

/** A dataset of the examples in which a file was changed and the manifest fits the change. */
async function forged(file: string, change: (text: string) => string): Promise<() => Promise<Result[]>> {
  const out = join(temporaryFolder(), 'out');
  const { settings } = await resultsOf({ inputs: [EXAMPLES], out });
  const path = join(out, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  const bytes = readFileSync(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const manifest = readManifest(out);
  const files = manifest.files.map((one) =>
    one.path === file ? { ...one, bytes: bytes.length, sha256 } : one,
  );
  const run = await openPreviousDataset(out, { ...manifest, files });
  return () => reread(run, listSources(settings.inputs, settings.follow), 'chat');
}

describe('refuses contradicting files:', () => {
  it.each([
    ['ledger/sessions.jsonl', /"fate":"written"/, '"fate":"sold"', /has a session with the fate "sold"/],
    ['ledger/sessions.jsonl', /"line":1,/, '"line":99,', /has no record 99/],
    ['ledger/sessions.jsonl', /"shard":"data/, '"shard":"date', /is in the ledger, but is not a shard/],
    ['ledger/sources.jsonl', /"size":\d+,/, '', /does not have all lines and members/],
    ['ledger/sources.jsonl', /"fates":\{/, '"dates":{', /does not belong there: line 1$/],
    ['ledger/sources.jsonl', /^.*\n/, 'oops\n', /does not belong there: line 1$/],
    ['quarantine/rejected.jsonl', /"byte_start":\d+,/, '', /does not have all lines and members/],
    ['quarantine/rejected.jsonl', /^.*"scope":"session".*\n/m, '', /does not have all lines and members/],
  ])('%s with %s as %j', async (file, from, to, message) => {
    const read = await forged(file, (text) => {
      expect(text).toMatch(from);
      return text.replace(from, to);
    });
    await expect(read()).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-dataset', message: expect.stringMatching(message) }),
    );
  });
});
