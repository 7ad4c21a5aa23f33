/** Sources recorded by a worker thread and added by the main thread, against their results recorded one by one. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Listing, SourceRef } from '../../../src/input/sources/source.ts';
import { build } from '../../../src/job/build.ts';
import { ProfileCounter } from '../../../src/ledger/dataset-profile.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import type { Result } from '../../../src/ledger/result.ts';
import {
  decodeHandedOver,
  encodeHandedOver,
  type HandedOver,
  type RecordedSources,
} from '../../../src/record/recorded-sources.ts';
import { Recorder } from '../../../src/record/result-writer.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { recordSources } from '../../../src/workers/source-recorder.ts';
import { type UsageByGroup, usageCsv } from '../../../transforms/model/tool-usage.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sessionLines } from '../../support/plain-logs.ts';
import { begin, end, MemoryOutput, record, rejectedLine, session } from '../../support/results.ts';

const EXAMPLES = ['logs', 'dialects'].map((name) => resolve(import.meta.dirname, '../../../examples', name));
const all = (_index: number): boolean => true;

interface Run {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly results: readonly Result[];
}

/** Reads logs of all dialects: some are rejected, one session lies in two files, and one file copies another. */
async function runOf(given: Partial<Settings>): Promise<Run> {
  const folder = temporaryFolder();
  const lines = sessionLines('job-1', { entries: 3, messageChars: 50, seed: 1 });
  writeFileSync(join(folder, 'a.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'b.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'c.jsonl'), `${lines.join('\n')}\ntorn\n`);
  writeFileSync(join(folder, 'd.jsonl'), '');
  const settings = resolveSettings({ inputs: [...EXAMPLES, folder], out: '/out', ...given });
  const results: Result[] = [];
  let listing: Listing | undefined;
  const onResult = (result: Result, listed: Listing): void => {
    results.push(structuredClone(result));
    listing = listed;
  };
  await build({ ...settings, workers: 1, out: join(temporaryFolder(), 'out') }, { onResult });
  return { settings, listing: listing as Listing, results };
}

/** Records what workers hand over, and returns everything that a dataset would get. */
async function datasetOf({ settings, listing }: Run, handed: readonly HandedOver[]): Promise<object> {
  const destination = new MemoryOutput();
  const ledger = new Ledger(listing, settings.format, settings.copies === 'mark');
  const usage: UsageByGroup = new Map();
  const profile = new ProfileCounter(settings.groupBy);
  const recorder = new Recorder({ settings, listing, destination, ledger, usage, profile });
  for (const item of handed) await (item.kind === 'recorded' ? recorder.add(item) : recorder.accept(item));
  const { records, files, paths } = destination;
  const sums = { sums: ledger.sums(), problems: ledger.imbalances(), rejected: ledger.rejectionCounts() };
  return {
    records,
    files,
    paths,
    ...sums,
    usage: usageCsv(usage, settings.groupBy),
    profile: profile.take(),
  };
}

/** Does what a thread and the main thread do with each delivery. */
function handedOver({ settings, listing, results }: Run, cuts: readonly number[]): HandedOver[] {
  const handed: HandedOver[] = [];
  const sourceAt = (index: number): SourceRef => listing.sources.at(index) as SourceRef;
  for (let at = 0, n = 0; at < results.length; n++) {
    const delivery = results.slice(at, at + (cuts[n % cuts.length] as number));
    at += delivery.length;
    const recorded = recordSources(delivery, settings, sourceAt, all);
    handed.push(...decodeHandedOver([Buffer.concat(encodeHandedOver(recorded))]));
  }
  return handed;
}

describe.each<[string, Partial<Settings>]>([
  ['one format', {}],
  ['two formats and metadata', { format: ['trl', 'openai'], meta: ['model'] }],
  ['by scenario, without integrity checks', { groupBy: 'scenario', integrity: false }],
  ['answers', { copies: 'mark', format: ['openai'] }],
  ['paths', { copies: 'drop', format: ['trl', 'sharegpt'] }],
])('recorded sources give the dataset of their results: %s', (_name, given) => {
  it('wherever deliveries are cut', async () => {
    const run = await runOf(given);
    const wanted = await datasetOf(run, run.results);
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
    let recorded = 0;
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        const handed = handedOver(run, cuts);
        recorded += handed.filter(({ kind }) => kind === 'recorded').length;
        expect(await datasetOf(run, handed)).toEqual(wanted);
      }),
      { numRuns: 20 },
    );
    const whole = handedOver(run, [run.results.length]);
    expect(await datasetOf(run, whole)).toEqual(wanted);
    const kinds = new Set(whole.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(expect.arrayContaining(['recorded', 'rejected-line', 'source']));
    expect(recorded).toBeGreaterThan(100);
    const { paths } = wanted as { readonly paths: readonly object[] };
    expect(paths.length > 0).toBe(run.settings.copies !== undefined);
  });
});

describe('what a thread records', () => {
  const settings = resolveSettings({ inputs: ['/absent'], out: '/out' });
  const sourceAt = (index: number): SourceRef => ({ name: `${index}`, input: 0, path: '/a', sizeBytes: 1 });
  const at = { snapshot: { line: 1, offset: 0, length: 1 } };
  const plain = (source: number): Result[] => [
    begin(source),
    record('{}'),
    session(`s${source}`, at),
    end(source, [['snapshot', 1]]),
  ];
  const kindsOf = (results: readonly Result[], mayRecord = all): string[] =>
    recordSources(results, settings, sourceAt, mayRecord).map(({ kind }) => kind);

  it('is one item for sources that follow each other in the listing', () => {
    const results = [...plain(4), ...plain(5), ...plain(7)];
    const handed = recordSources(results, settings, sourceAt, all) as readonly RecordedSources[];
    expect(handed.map(({ first, notes }) => [first, notes.length])).toEqual([
      [4, 2],
      [7, 1],
    ]);
    expect(handed[0]?.records.toString()).toBe('{}{}');
  });

  const why = { reason: 'r', stage: 's', detail: 'd' };
  const log = { count: 1, packed: new Uint8Array(9) };
  it.each<[string, Result[]]>([
    ['a rejected line', [begin(0), rejectedLine(1), end(0, [['rejected:invalid-json', 1]])]],
    ['a rejected source', [begin(0), end(0, [], { status: 'rejected', rejection: why })]],
    ['a rejected session', [begin(0), session('s', { rejection: { ...why, line: 1, log } }), end(0)]],
    [
      'a record that a format refused',
      [begin(0), record('{}'), session('s', { recordRejections: [{ format: 'f', ...why }] }), end(0)],
    ],
    ['a session that may resume', [begin(0, { mayReopen: true }), ...plain(0).slice(1)]],
    ['a second reading', [begin(0, { again: true }), ...plain(0).slice(1)]],
    ['a source that was read twice', [begin(0), record('{}'), begin(0, { again: true }), end(0)]],
    ['a large record', [begin(0), record('x'.repeat(256 * 1024 + 1)), session('s', at), end(0)]],
    ['a source that ends in a later delivery', plain(0).slice(0, -1)],
    ['a source that began in an earlier delivery', plain(0).slice(1)],
  ])('is not %s', (_name, results) => {
    expect(kindsOf(results)).toEqual(results.map(({ kind }) => kind));
    expect(kindsOf([...plain(1), ...results, ...plain(2)])).toEqual([
      'recorded',
      ...results.map(({ kind }) => kind),
      'recorded',
    ]);
  });

  it('is not a source that must not be recorded', () => {
    const kinds = plain(1).map(({ kind }) => kind);
    expect(kindsOf([...plain(0), ...plain(1)], (index) => index !== 1)).toEqual(['recorded', ...kinds]);
  });

  it('has as many places as records', async () => {
    const [recorded] = recordSources(plain(0), settings, sourceAt, all) as readonly RecordedSources[];
    const run = {
      settings,
      results: [],
      listing: { sources: [sourceAt(0)], skipped: [], passedOver: {}, extensions: {} },
    };
    const odd = { ...(recorded as RecordedSources), series: [] };
    await expect(datasetOf(run, [odd])).rejects.toMatchObject({ code: 'unbalanced' });
  });
});
