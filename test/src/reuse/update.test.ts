/** Which sources of a dataset are reused, and when it is up to date. */
import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locate } from '../../../src/dataset/place.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import { build } from '../../../src/job/build.ts';
import { planReuse, type ReusePlan } from '../../../src/reuse/plan-reuse.ts';
import { planUpdate, type Rebuild, type Update } from '../../../src/reuse/update.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { filesIn } from '../../support/changed-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writePlainLogs } from '../../support/plain-logs.ts';

interface BuiltRun {
  readonly logs: string;
  readonly out: string;
}

/** Builds a dataset of six logs, the third with a rejected line. */
async function dataset(settings: Partial<Settings> = {}): Promise<BuiltRun> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 6, entries: 2, messageChars: 40, seed: 1 });
  appendFileSync(filesIn(logs)[2] as string, 'oops\n');
  await build({ inputs: [logs], out, workers: 1, ...settings });
  return { logs, out };
}

function plan({ logs, out }: BuiltRun, more: Partial<Settings> = {}): Promise<Update | Rebuild | undefined> {
  const settings = resolveSettings({ inputs: [logs], out, update: true, workers: 1, ...more });
  return planUpdate(out, settings, listSources([logs], settings.follow));
}

async function reused(run: BuiltRun, more: Partial<Settings> = {}): Promise<readonly number[]> {
  const found = (await plan(run, more)) as Update;
  return found.fingerprints.flatMap((one, index) => (one === undefined ? [] : [index]));
}

it('reuses everything while nothing has changed', async () => {
  const run = await dataset();
  expect(await plan(run)).toMatchObject({ nothingChanged: true, withoutContent: 6 });
  expect(await reused(run)).toEqual([0, 1, 2, 3, 4, 5]);
});

it('reads only sources that changed, were added or were renamed', async () => {
  const run = await dataset();
  const [first = '', second = '', , fourth = '', , sixth = ''] = filesIn(run.logs);
  appendFileSync(second, '\n');
  rmSync(fourth);
  writeFileSync(join(run.logs, '2026-01-13', 'job-000a.jsonl'), readFileSync(first));
  renameSync(sixth, sixth.replace('job-005', 'job-009'));
  // 000, 000a (new), 002 (changed), 004, 001 (3 was removed), 003, 009 (renamed)
  const names = [...listSources([run.logs], 'none').sources].map(({ name }) => name.split('/').at(-1));
  const indices = await reused(run);
  expect(indices.map((index) => names[index])).toEqual(
    filesIn(run.logs)
      .map((path) => path.split('/').at(-1) as string)
      .filter((name) => !['job-000a.jsonl', 'job-009.jsonl', second.split('/').at(-1)].includes(name)),
  );
  expect(await plan(run)).toMatchObject({ nothingChanged: false });
});

it('reads a source with rejected lines again when the quarantine keeps their bytes', async () => {
  const run = await dataset({ quarantineContent: 'raw' });
  expect(await reused(run, { quarantineContent: 'raw' })).toEqual([0, 1, 3, 4, 5]);
  expect(await plan(run, { quarantineContent: 'raw' })).toMatchObject({ nothingChanged: true });
});

it('reuses only sources whose content it can compare with --checksum', async () => {
  const without = await dataset();
  expect(await reused(without, { checksum: true })).toEqual([]);
  const run = await dataset({ checksum: true, update: true });
  const [first = ''] = filesIn(run.logs);
  writeFileSync(`${first}.copy`, readFileSync(first));
  renameSync(`${first}.copy`, first); // another file with the same content
  expect(await reused(run)).toEqual([1, 2, 3, 4, 5]);
  expect(await reused(run, { checksum: true })).toEqual([0, 1, 2, 3, 4, 5]);
});

it('counts a newly skipped file as a change', async () => {
  const run = await dataset();
  const [first = ''] = filesIn(run.logs);
  symlinkSync(first, join(run.logs, 'link.jsonl'));
  expect(await plan(run)).toMatchObject({ nothingChanged: false });
  expect(await reused(run)).toHaveLength(6);
});

it.each([
  [
    'settings',
    (_run: BuiltRun): void => undefined,
    { groupBy: 'none' },
    'the dataset was built with other settings: groupBy',
  ],
  [
    'no fingerprints',
    ({ out }: BuiltRun): void => rmSync(join(out, 'run.json')),
    {},
    'the dataset has no fingerprints of its sources',
  ],
] as const)('explains why everything is read again: %s', async (_what, change, settings, why) => {
  const run = await dataset();
  change(run);
  expect(await plan(run, settings)).toMatchObject({ why });
});

it('reuses nothing without a dataset', async () => {
  const folder = temporaryFolder();
  expect(await plan({ logs: folder, out: join(folder, 'nothing') })).toBeUndefined();
});

async function planAll(
  { logs, out }: BuiltRun,
  more: Partial<Settings>,
): Promise<{ readonly plan: ReusePlan; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const settings = resolveSettings({ inputs: [logs], out, update: true, workers: 1, ...more });
  const listing = listSources([logs], settings.follow);
  const onNote = (note: string): number => notes.push(note);
  return { plan: await planReuse(locate(out), settings, listing, { onNote }), notes };
}

it('is up to date unless the run may fail because of its content or changes its mode', async () => {
  const run = await dataset();
  const { plan: same, notes } = await planAll(run, {});
  expect(same.upToDate).toMatchObject({
    manifest: { tool: { name: 'turnmill' } },
    rejected: { rejections: 1 },
  });
  expect(notes).toEqual([]);
  const changes: readonly Partial<Settings>[] = [{ onReject: 'fail' }, { maxQuarantine: 0 }, { mode: 0o600 }];
  for (const more of changes) expect((await planAll(run, more)).plan.upToDate).toBeUndefined();
  expect((await planAll(run, { maxQuarantine: 1 })).plan.upToDate).toBeDefined();
  expect((await planAll(run, { maxQuarantine: '50%' })).plan.upToDate).toBeDefined();
  expect((await planAll(run, { maxQuarantine: '0.1%' })).plan.upToDate).toBeUndefined();
  const open = (await planAll(run, { onReject: 'fail' })).plan.open((name) => name);
  expect(open.has(5)).toBe(true);
});

it('notes what it does not reuse', async () => {
  const run = await dataset();
  const { notes: other } = await planAll(run, { groupBy: 'none' });
  expect(other).toEqual(['the dataset was built with other settings: groupBy: everything is read again']);
  const { notes, plan: found } = await planAll(run, { checksum: true, resume: true });
  expect(notes).toEqual([
    '6 of 6 sources have no SHA-256 yet: they are read again',
    'no run left a checkpoint here: this one starts from the beginning',
  ]);
  expect(found.resumed).toBeUndefined();
});
