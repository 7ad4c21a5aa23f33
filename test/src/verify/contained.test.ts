/** Damage to a dataset without copies whose manifest fits the damage: only the second decision about its records finds it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { type Copy, copiesOf, problemsAfterReseal } from './small-dataset.ts';

const SESSIONS = 'ledger/sessions.jsonl';
const PATHS = 'ledger/paths.bin';
const HASH_BYTES = 16;

let root = '';
let copy: () => Copy;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'turnmill-verify-'));
  writeCopiedLogs(join(root, 'logs'), 3, 12);
  await build({ inputs: [join(root, 'logs')], out: join(root, 'out'), workers: 1, copies: 'drop' });
  copy = copiesOf(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const problemsAfter = (change: (copy: Copy) => void): Promise<string[]> =>
  problemsAfterReseal(copy(), change);

/** The paths of the sessions, from the file. */
function pathsIn(bytes: Buffer): Buffer[] {
  const paths: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at) * HASH_BYTES;
    paths.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return paths;
}

function bytesOf(paths: readonly Buffer[]): Buffer {
  return Buffer.concat(
    paths.flatMap((path) => {
      const head = Buffer.alloc(4);
      head.writeUInt32LE(path.length / HASH_BYTES);
      return [head, path];
    }),
  );
}

const changePaths = (change: (paths: Buffer[]) => readonly Buffer[]) => (one: Copy) =>
  one.write(PATHS, bytesOf(change(pathsIn(one.read(PATHS)))));
// biome-ignore lint/suspicious/noExplicitAny: a line that a test changes at will
const sessionsOf = (one: Copy): any[] => {
  const text = one.read(SESSIONS).toString().trimEnd();
  return text.split('\n').map((line) => JSON.parse(line));
};

test('an unchanged dataset has no problems, and some of its sessions are contained', async () => {
  expect(await problemsAfter(() => undefined)).toEqual([]);
  expect(sessionsOf(copy()).filter(({ fate }) => fate === 'contained').length).toBeGreaterThan(1);
});

test('a written session whose path begins that of another one is found', async () => {
  const sessions = sessionsOf(copy());
  const written = sessions.flatMap(({ fate }, i) => (fate === 'written' ? [i] : []));
  const [one, other] = [written[0] as number, written[1] as number];
  const problems = await problemsAfter(
    changePaths((paths) => paths.with(one, (paths[other] as Buffer).subarray(0, HASH_BYTES))),
  );
  expect(problems).toContain(
    `${SESSIONS}: line ${one + 1}: fate, by the paths: expected "contained", found "written"`,
  );
});

test('a contained session that no record contains is found', async () => {
  const at = sessionsOf(copy()).findIndex(({ fate }) => fate === 'contained');
  const problems = await problemsAfter(
    changePaths((paths) => paths.with(at, Buffer.from((paths[at] as Buffer).map((byte) => byte ^ 1)))),
  );
  expect(problems).toContain(
    `${SESSIONS}: line ${at + 1}: fate, by the paths: expected "written", found "contained"`,
  );
  expect(problems).toContain(
    `${SESSIONS}: line ${at + 1}: in: expected a record that contains it, found another one`,
  );
});

test('a place where there is another record, or none, is found', async () => {
  const sessions = sessionsOf(copy());
  const at = sessions.findIndex(({ fate }) => fate === 'contained');
  const other = sessions.find(
    ({ fate, shard, line }) =>
      fate === 'written' && (shard !== sessions[at].in.shard || line !== sessions[at].in.line),
  );
  const moved = (place: object) => (one: Copy) =>
    one.lines(SESSIONS, (lines) => lines.with(at, JSON.stringify({ ...sessions[at], in: place })));
  expect(await problemsAfter(moved({ shard: other.shard, line: other.line }))).toEqual([
    `${SESSIONS}: line ${at + 1}: in: expected a record that contains it, found another one`,
  ]);
  expect(await problemsAfter(moved({ shard: 'data/none.jsonl', line: 1 }))).toEqual([
    `${SESSIONS}: line ${at + 1}: in: expected the place of a record, found none there`,
  ]);
});

test.each([
  ['too few', (paths: Buffer[]) => paths.slice(1), 'paths, by the sessions'],
  ['too many', (paths: Buffer[]) => [...paths, Buffer.alloc(HASH_BYTES)], 'paths, by the sessions'],
])('%s paths are found', async (_, change, message) => {
  expect((await problemsAfter(changePaths(change))).join('\n')).toContain(`${PATHS}: ${message}`);
});

test('a path that is cut, and a count that is too large, are found', async () => {
  const cut = await problemsAfter((one) => one.write(PATHS, one.read(PATHS).subarray(0, -1)));
  expect(cut).toEqual([`${PATHS}: expected whole paths, found one that is cut`]);
  const large = await problemsAfter((one) => {
    const bytes = Buffer.from(one.read(PATHS));
    bytes.writeUInt32LE(0xffffffff);
    one.write(PATHS, bytes);
  });
  expect(large).toEqual([`${PATHS}: expected whole paths, found one that is cut`]);
});

test('a dataset without the option has neither paths nor contained sessions', async () => {
  const problems = await problemsAfter((one) =>
    one.manifest((manifest) => {
      delete manifest.settings.copies;
    }),
  );
  expect(problems.join('\n')).toContain('expected no ledger/paths.bin without --copies drop');
  expect(problems.join('\n')).toContain('fate: expected "written, empty or rejected", found "contained"');
});
