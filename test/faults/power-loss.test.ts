/**
 * F007: the real run over an in-memory disk that loses power after any call. Afterwards OUT is absent, the whole old dataset or the whole
 * new one, and a plain rerun gives the same bytes and leaves nothing beside it. Then the same disk fails at every single call, once or
 * permanently.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FileSystem } from '../../src/dataset/file-system.ts';
import { resolveDataset } from '../../src/dataset/recover.ts';
import type { Manifest } from '../../src/dataset/schema/manifest.ts';
import { TurnmillError } from '../../src/errors.ts';
import { build } from '../../src/job/build.ts';
import { MAX_TEXT_BYTES, readOwnFile } from '../../src/own-file.ts';
import { faultTest } from '../support/faults.ts';
import {
  createModelDisk,
  type DiskState,
  emptyDisk,
  type ModelDisk,
  systemError,
} from '../support/model-disk.ts';
import { randomFrom, writePlainLogs } from '../support/plain-logs.ts';

const disk = vi.hoisted(() => ({ now: {} as FileSystem }));
vi.mock('../../src/dataset/file-system.ts', () => ({
  fileSystem: new Proxy({}, { get: (_, name) => disk.now[name as keyof FileSystem] }),
}));

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const PARENT = `/model-${process.pid}`;
const OUT = `${PARENT}/out`;
const OLD = ['absent', 'empty', 'folder', 'link'] as const;
const SCENARIOS = OLD.flatMap((old) =>
  [false, true]
    .filter((replace) => replace || old === 'absent' || old === 'empty')
    .map((replace) => ({ old, replace })),
);

interface Scenario {
  readonly name: string;
  readonly replace: boolean;
  /** The disk before the run. */
  readonly start: DiskState;
  /** Number of calls that a run makes. */
  readonly calls: number;
}

let logs: { readonly old: string; readonly fresh: string };
let scenarios: readonly Scenario[];
let newDataset: string;

const run = (inputs: string, replace: boolean): Promise<unknown> =>
  build({ inputs: [inputs], out: OUT, replace, workers: 1 });

/** Mounts a disk that passes the number of each call to `onCall`. */
function mount(
  state: DiskState,
  random: () => number,
  onCall: (call: { n: number; name: string; path: string }, mounted: ModelDisk) => void = () => undefined,
): ModelDisk & { readonly calls: () => number } {
  let n = 0;
  const mounted = createModelDisk({
    state,
    random,
    onCall: (name, path) => onCall({ n: ++n, name, path }, mounted),
  });
  disk.now = mounted.fileSystem;
  return { ...mounted, calls: () => n };
}

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

const textOf = (path: string): string => readOwnFile(path, MAX_TEXT_BYTES, disk.now).toString();

/** The manifest hash of a whole dataset; throws if the dataset is not whole. */
function wholeDataset(folder: string): string {
  const text = textOf(join(folder, 'manifest.json'));
  const { shards, files } = JSON.parse(text) as Manifest;
  for (const file of [...shards, ...files]) {
    const found = textOf(join(folder, file.path));
    if (sha256(found) !== file.sha256) throw new Error(`${file.path} does not match the manifest`);
  }
  return sha256(text);
}

/** Returns what a reader sees: nothing, or a whole dataset. */
function visible(): string {
  const names = disk.now.readdirSync(PARENT, { withFileTypes: true }).map(({ name }) => name);
  if (names.includes('out') && disk.now.readdirSync(OUT, { withFileTypes: true }).length === 0)
    return 'absent';
  try {
    return wholeDataset(resolveDataset(OUT));
  } catch (error) {
    if (error instanceof TurnmillError && error.code === 'no-input') return 'absent';
    throw error;
  }
}

const leftovers = (): string[] =>
  disk.now
    .readdirSync(PARENT, { withFileTypes: true })
    .map(({ name }) => name)
    .filter((name) => /\.(?:staging|link|old)-/.test(name));

/** Repeats the run on a disk that works. */
async function rerun(state: DiskState, replace: boolean): Promise<void> {
  mount(state, () => 0.5);
  const there = visible();
  if (there !== newDataset || replace) await run(logs.fresh, replace);
  expect(visible()).toBe(newDataset);
  expect(leftovers()).toEqual([]);
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  logs = { old: join(folder, 'old'), fresh: join(folder, 'fresh') };
  writePlainLogs(logs.old, { sessions: 1, entries: 2, messageChars: 400, seed: 1 });
  writePlainLogs(logs.fresh, { sessions: 3, entries: 2, messageChars: 800, seed: 2 });
  const built: Scenario[] = [];
  for (const { old, replace } of SCENARIOS) {
    const start = emptyDisk();
    const mounted = mount(start, () => 0.5);
    disk.now.mkdirSync(PARENT, { mode: 0o777 });
    if (old === 'empty') disk.now.mkdirSync(OUT, { mode: 0o777 });
    if (old === 'folder' || old === 'link') await run(logs.old, old === 'link');
    mounted.sync();
    const whole = mount(structuredClone(start), () => 0.5);
    await run(logs.fresh, replace);
    const calls = whole.calls();
    newDataset = visible();
    built.push({ name: `${old}${replace ? ', --replace' : ''}`, replace, start, calls });
  }
  scenarios = built;
});

class PowerLoss extends Error {}

/** A run that loses power before one of its calls, or right after it ends, with part of its writes on the platter. */
async function cut({ replace, calls }: Scenario, state: DiskState, random: () => number): Promise<boolean> {
  const inOrder = random() < 0.5;
  const often = [0, 0.02, 0.2][Math.floor(random() * 3)] as number;
  const at = 1 + Math.floor(random() * calls * 1.05);
  const mounted = mount(state, random, ({ n }, it) => {
    if (n >= at) throw new PowerLoss();
    if (random() < often) it.writeBack(inOrder);
  });
  const lost = await run(logs.fresh, replace).then(
    () => false,
    () => true,
  );
  mounted.writeBack(inOrder);
  mounted.losePower();
  return lost;
}

/** Tries one seed: one or two power losses, then a rerun. */
async function lifeOf(seed: number): Promise<{ cuts: number; seen: string }> {
  const random = randomFrom(seed * 7919);
  for (let i = 0; i < 3; i++) random();
  const scenario = scenarios[Math.floor(random() * scenarios.length)] as Scenario;
  const state = structuredClone(scenario.start);
  mount(state, () => 0.5);
  const before = visible();
  let cuts = 0;
  let seen = before;
  for (let times = random() < 0.3 ? 2 : 1; times > 0 && seen === before; times--) {
    const lost = await cut(scenario, state, random);
    mount(state, () => 0.5);
    seen = visible();
    expect(lost ? [before, newDataset] : [newDataset]).toContain(seen);
    if (lost) cuts++;
  }
  await rerun(state, scenario.replace);
  return { cuts, seen: seen === before ? 'before' : 'new' };
}

async function lives(from: number, count: number): Promise<void> {
  let cuts = 0;
  const seen = new Set<string>();
  for (let seed = from; seed < from + count; seed++) {
    try {
      const life = await lifeOf(seed);
      cuts += life.cuts;
      seen.add(life.seen);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
  expect(cuts).toBeGreaterThan(count / 2);
  expect(seen).toEqual(new Set(['before', 'new']));
}

faultTest('F007', `power is lost after any call: 100 seeds from ${SEED}`, {}, () => lives(SEED, 100));
faultTest('F007', `power is lost after any call: 10,000 seeds from ${SEED}`, { long: true }, () =>
  lives(SEED, 10_000),
);

/** The errno of a failing call. */
const CODES: Readonly<Record<string, string>> = {
  create: 'ENOSPC',
  mkdir: 'ENOSPC',
  write: 'ENOSPC',
  open: 'EMFILE',
  fsync: 'EIO',
  close: 'EIO',
  chmod: 'EPERM',
  rename: 'EIO',
  symlink: 'EROFS',
  unlink: 'EIO',
  rmdir: 'EIO',
};

/** A run on a disk whose n-th call fails, and with `sticky` also every later call of the same name. */
async function failing({ name, replace, start }: Scenario, at: number, sticky: boolean): Promise<void> {
  const state = structuredClone(start);
  mount(state, () => 0.5);
  const before = visible();
  let struck: string | undefined;
  let failedSync: string | undefined;
  mount(
    state,
    () => 0.5,
    ({ n, name: call, path }) => {
      if (call === 'fsync' && path === failedSync)
        throw new Error(`${path} was synced again after it failed`);
      if (n !== at && !(sticky && call === struck)) return;
      struck = call;
      if (call === 'fsync' && path !== PARENT) failedSync = path;
      throw systemError(CODES[call] ?? call, call, path);
    },
  );
  const fault: unknown = await run(logs.fresh, replace).then(
    () => undefined,
    (error) => error,
  );
  const where = `${name}: ${struck} at ${at}${sticky ? ', sticky' : ''}: ${fault}`;
  expect(struck, where).toBeDefined();
  mount(state, () => 0.5);
  const seen = visible();
  if (fault === undefined) expect(seen, where).toBe(newDataset);
  else {
    expect(fault, where).toBeInstanceOf(TurnmillError);
    expect(['io', 'cannot-create', 'permission'], where).toContain((fault as TurnmillError).code);
    expect([before, newDataset], where).toContain(seen);
    if (!sticky) expect(leftovers(), where).toEqual([]);
  }
  await rerun(state, replace);
}

async function failures(every: number): Promise<void> {
  for (const [i, scenario] of scenarios.entries()) {
    for (let at = 1 + (i % every); at <= scenario.calls; at += every) {
      await failing(scenario, at, false);
      await failing(scenario, at, true);
    }
  }
}

faultTest('F020, F021, F023, F024', 'every 17th call of the disk fails, once or permanently', {}, () =>
  failures(17),
);
faultTest('F020, F021, F023, F024', 'every call of the disk fails, once or permanently', { long: true }, () =>
  failures(1),
);

test('the model sees every call: only these files of src/dataset/ import the calls of node:fs', () => {
  const folder = resolve(import.meta.dirname, '../../src/dataset');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const importing = files.filter((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .some(
        (line) =>
          /from 'node:fs/.test(line) &&
          !/^import (?:type |\{ (?:type \w+, )*constants(?:, type \w+)* \})/.test(line),
      ),
  );
  // the local copy of a dataset in an object store is a work file, which need not survive a crash
  const copies = ['store/local-copy.ts', 'store/object-dataset.ts'];
  expect(importing.sort()).toEqual(['file-system.ts', ...copies]);
});
