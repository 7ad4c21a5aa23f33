/**
 * Parts that one process writes become the dataset in another one without the logs, in another folder, with another clock and
 * language. The bytes of a part are pinned too, so that any machine and any later version can read it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { modesOf } from '../../../src/dataset/modes.ts';
import { DiskStore } from '../../../src/dataset/store/disk-store.ts';
import type { Listing } from '../../../src/input/sources/source.ts';
import { build } from '../../../src/job/build.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import { decodePart, encodePart, PART_HEADER_BYTES, readPartHeader } from '../../../src/ledger/part.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { DatasetOutput } from '../../../src/record/output.ts';
import { Recorder } from '../../../src/record/result-writer.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { writePlainLogs } from '../../support/plain-logs.ts';
import { begin, record, rejectedLine } from '../../support/results.ts';

const DIST = join(resolve(import.meta.dirname, '../../..'), 'dist/src');

/** Length of the text, and length of the fields: little-endian. */
const LENGTHS = 'fa0000000400000000000000';

/** Runs the tasks of `logs` and writes their parts and the listing into the current folder. */
const WRITER = `
  import { appendFileSync, writeFileSync } from 'node:fs';
  const load = (name) => import(${JSON.stringify(DIST)} + '/' + name);
  const { runWorkers } = await load('workers/pool.js');
  const { listSources } = await load('input/sources/list.js');
  const { encodePart } = await load('ledger/part.js');
  const { resolveSettings } = await load('settings/settings.js');
  const settings = resolveSettings({ inputs: ['logs'], out: 'out', workers: 2 });
  const listing = listSources(settings.inputs, settings.follow);
  const numbers = (_key, value) => (typeof value === 'bigint' ? Number(value) : value);
  writeFileSync('listing.json', JSON.stringify({ ...listing, sources: [...listing.sources] }, numbers));
  let parts = 0;
  for await (const { results } of runWorkers(listing.sources, settings, { needsResults: true })) {
    for (let at = 0; at < results.length; at += 7, parts++)
      for (const piece of encodePart(results.slice(at, at + 7))) appendFileSync('parts', piece);
  }
  console.log(parts);`;

/** Reads the results in a file of parts. */
function* resultsIn(bytes: Buffer): Generator<Result> {
  for (let at = 0; at < bytes.length; ) {
    const { text, fields } = readPartHeader(bytes.subarray(at));
    const next = at + PART_HEADER_BYTES + text + fields;
    yield* decodePart([bytes.subarray(at, next)]);
    at = next;
  }
}

it('parts of another process make the same dataset without its logs', async () => {
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  const logs = join(there, 'logs');
  writePlainLogs(logs, { sessions: 30, entries: 4, messageChars: 2000, seed: 1 });
  mkdirSync(join(logs, 'odd'));
  writeFileSync(join(logs, 'odd', 'torn.jsonl'), '{"a": 1}\nnot JSON \ud800\n\n');
  const straight = join(here, 'straight');
  await build({ inputs: [logs], out: straight, workers: 1 });

  const writer = spawnSync(process.execPath, ['--input-type=module', '-e', WRITER], {
    cwd: there,
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'C' },
    encoding: 'utf8',
  });
  expect(writer.stderr).toBe('');
  expect(Number(writer.stdout)).toBeGreaterThan(10);
  const parts = readFileSync(join(there, 'parts'));
  const listing = JSON.parse(readFileSync(join(there, 'listing.json'), 'utf8')) as Listing;
  renameSync(logs, join(there, 'gone'));

  const out = join(here, 'out');
  const settings = resolveSettings({ inputs: [logs], out });
  const store = new DiskStore(out);
  await store.prepare({ inputs: [], replace: false });
  const dataset = store.open(undefined, modesOf({}));
  const destination = new DatasetOutput({ writer: dataset, settings, listing });
  const ledger = new Ledger(listing, settings.format);
  const recorder = new Recorder({ settings, listing, destination, ledger, usage: new Map() });
  for (const result of resultsIn(parts)) await recorder.accept(result);
  expect(ledger.imbalances()).toEqual([]);
  const { manifest } = await destination.commit(
    {
      ...{ tool: { name: 'turnmill', version: '0' }, settings: {}, settings_sha256: '' },
      ...{ totals: { records: 0, lines: 0, sessions: 0 }, ledger: ledger.sums() },
    },
    {},
  );
  const wanted = hashesOf(straight);
  const found = hashesOf(out);
  const paths = [...manifest.shards, ...manifest.files].map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['ledger/sessions.jsonl', 'quarantine/rejected.jsonl']));
  for (const path of paths) expect(found[path], path).toBe(wanted[path]);
  expect(paths.filter((path) => path.startsWith('data/'))).toEqual(
    Object.keys(wanted).filter((path) => path.startsWith('data/')),
  );
});

it('a part has these bytes on every machine', () => {
  const results = [begin(1), record('{}'), rejectedLine(3, { raw: Uint8Array.of(255, 0) })];
  const text =
    '[{"kind":"source-begin","source":1,"provisional":true},' +
    '{"kind":"record","group":"g","format":"chat","bytes":2},' +
    '{"kind":"rejected-line","reason":"invalid-json","stage":"parse","detail":"not JSON",' +
    '"line":3,"offset":30,"length":5,"sha256":"ab","raw":2}]';
  const header = Buffer.concat([Buffer.from('TMP3'), Buffer.from(LENGTHS, 'hex')]);
  const pinned = Buffer.concat([header, Buffer.from(`${text}{}\xff\0`, 'latin1')]);
  expect(Buffer.concat(encodePart(results)).toString('latin1')).toBe(pinned.toString('latin1'));
  expect(decodePart([pinned])).toEqual([
    results[0],
    { ...results[1], bytes: Buffer.from('{}') },
    { ...results[2], raw: Buffer.from([255, 0]) },
  ]);
});
