/** Which sources of a dataset are reused, when nothing is, and when the dataset is up to date. */
import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locate } from '../../../src/dataset/place.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import { build } from '../../../src/job/build.ts';
import { planReuse, type ReusePlan } from '../../../src/reuse/plan-reuse.ts';
import { planUpdate, type Update } from '../../../src/reuse/update.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { filesIn } from '../../support/changed-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writePlainLogs } from '../../support/plain-logs.ts';

interface Made {
  readonly logs: string;
  readonly out: string;
}

/** A dataset of six logs; the third has a rejected line. */
async function dataset(given: Partial<Settings> = {}): Promise<Made> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 6, entries: 2, messageChars: 40, seed: 1 });
  appendFileSync(filesIn(logs)[2] as string, 'oops\n');
  await build({ inputs: [logs], out, workers: 1, ...given });
  return { logs, out };
}

function plan({ logs, out }: Made, more: Partial<Settings> = {}): Promise<Update | string | undefined> {
  const settings = resolveSettings({ inputs: [logs], out, update: true, workers: 1, ...more });
  return planUpdate(out, settings, listSources([logs], settings.follow));
}

async function reused(made: Made, more: Partial<Settings> = {}): Promise<readonly number[]> {
  const found = (await plan(made, more)) as Update;
  return found.fingerprints.flatMap((one, index) => (one === undefined ? [] : [index]));
}

it('reuses everything while nothing has changed', async () => {
  const made = await dataset();
  expect(await plan(made)).toMatchObject({ nothingChanged: true, withoutContent: 6 });
  expect(await reused(made)).toEqual([0, 1, 2, 3, 4, 5]);
});

it('reads what changed, came or went by another name, and nothing else', async () => {
  const made = await dataset();
  const [first = '', second = '', , fourth = '', , sixth = ''] = filesIn(made.logs);
  appendFileSync(second, '\n');
  rmSync(fourth);
  writeFileSync(join(made.logs, '2026-01-13', 'job-000a.jsonl'), readFileSync(first));
  renameSync(sixth, sixth.replace('job-005', 'job-009'));
  // 000, 000a (new), 002 (changed), 004, 001 (gone is 3), 003, 009 (new name)
  const names = [...listSources([made.logs], 'none').sources].map(({ name }) => name.split('/').at(-1));
  const indices = await reused(made);
  expect(indices.map((index) => names[index])).toEqual(
    filesIn(made.logs)
      .map((path) => path.split('/').at(-1) as string)
      .filter((name) => !['job-000a.jsonl', 'job-009.jsonl', second.split('/').at(-1)].includes(name)),
  );
  expect(await plan(made)).toMatchObject({ nothingChanged: false });
});

it('with the bytes of rejected lines in the quarantine, a source that has some is read again', async () => {
  const made = await dataset({ quarantineContent: 'raw' });
  expect(await reused(made, { quarantineContent: 'raw' })).toEqual([0, 1, 3, 4, 5]);
  expect(await plan(made, { quarantineContent: 'raw' })).toMatchObject({ nothingChanged: true });
});

it('with --checksum, reuses only sources whose content it can compare', async () => {
  const without = await dataset();
  expect(await reused(without, { checksum: true })).toEqual([]);
  const made = await dataset({ checksum: true, update: true });
  const [first = ''] = filesIn(made.logs);
  writeFileSync(`${first}.copy`, readFileSync(first));
  renameSync(`${first}.copy`, first); // the same content in another file
  expect(await reused(made)).toEqual([1, 2, 3, 4, 5]);
  expect(await reused(made, { checksum: true })).toEqual([0, 1, 2, 3, 4, 5]);
});

it('a file that is skipped now is a change', async () => {
  const made = await dataset();
  const [first = ''] = filesIn(made.logs);
  symlinkSync(first, join(made.logs, 'link.jsonl'));
  expect(await plan(made)).toMatchObject({ nothingChanged: false });
  expect(await reused(made)).toHaveLength(6);
});

it.each([
  [
    'settings',
    (_made: Made): void => undefined,
    { groupBy: 'none' },
    'the dataset was built with other settings: groupBy',
  ],
  [
    'no fingerprints',
    ({ out }: Made): void => rmSync(join(out, 'run.json')),
    {},
    'the dataset has no fingerprints of its sources',
  ],
] as const)('%s: a sentence says why everything is read again', async (_what, change, given, why) => {
  const made = await dataset();
  change(made);
  expect(await plan(made, given)).toBe(why);
});

it('without a dataset there is nothing to reuse', async () => {
  const folder = temporaryFolder();
  expect(await plan({ logs: folder, out: join(folder, 'nothing') })).toBeUndefined();
});

async function planAll(
  { logs, out }: Made,
  more: Partial<Settings>,
): Promise<{ readonly plan: ReusePlan; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const settings = resolveSettings({ inputs: [logs], out, update: true, workers: 1, ...more });
  const listing = listSources([logs], settings.follow);
  const onNote = (note: string): number => notes.push(note);
  return { plan: await planReuse(locate(out), settings, listing, { onNote }), notes };
}

it('the dataset is up to date unless the run may fail because of what it holds, or gives it another mode', async () => {
  const made = await dataset();
  const { plan: same, notes } = await planAll(made, {});
  expect(same.upToDate?.tool.name).toBe('turnmill');
  expect(notes).toEqual([]);
  const changes: readonly Partial<Settings>[] = [{ onReject: 'fail' }, { maxQuarantine: 0 }, { mode: 0o600 }];
  for (const more of changes) expect((await planAll(made, more)).plan.upToDate).toBeUndefined();
  const open = (await planAll(made, { onReject: 'fail' })).plan.open((name) => name);
  expect(open.has(5)).toBe(true);
});

it('says what it does not reuse', async () => {
  const made = await dataset();
  const { notes: other } = await planAll(made, { groupBy: 'none' });
  expect(other).toEqual(['the dataset was built with other settings: groupBy: everything is read again']);
  const { notes, plan: found } = await planAll(made, { checksum: true, resume: true });
  expect(notes).toEqual([
    '6 of 6 sources have no SHA-256 yet: they are read again',
    'no run left a checkpoint here: this one starts from the beginning',
  ]);
  expect(found.resumed).toBeUndefined();
});
