/**
 * A folder of logs, or a log, that is swapped for a link after it was listed: the opened file must be the listed one, so that nothing
 * outside the input is read.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type * as library from '../../src/index.ts';
import { readAgain } from '../../src/input/second-reading.ts';
import { listSources } from '../../src/input/sources/list.ts';
import { fingerprintIfUnchanged } from '../../src/input/unchanged.ts';
import { build } from '../../src/job/build.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const SECRET = 'the-secret-outside';

interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

/** A large log, which is read first, and a small one in a folder; another log of the same name lies outside. */
function place(name = 'b.jsonl', pack: (text: string) => string | Buffer = (text) => text): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(join(logs, 'sub'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  const large = entry({ id: 'large', messages: [{ role: 'user', content: 'x'.repeat(500_000) }] });
  writeFileSync(join(logs, 'a.jsonl'), `${large}\n`);
  writeFileSync(join(logs, 'sub', name), pack(entry({ id: 'listed' })));
  writeFileSync(join(folder, 'outside', name), pack(entry({ id: SECRET })));
  return { folder, logs, out: join(folder, 'out') };
}

/** Replaces a folder with a link to the outside folder, and checks that the log's path now leads there. */
function swap({ folder }: Place, path: string, name: string): void {
  renameSync(path, join(folder, 'moved'));
  symlinkSync(join(folder, 'outside'), path);
  const [now, outside] = [join(path, name), join(folder, 'outside', name)].map((one) => statSync(one).ino);
  expect([lstatSync(path).isSymbolicLink(), now]).toEqual([true, outside]);
}

/** Builds, and calls `fire` when the first source has begun. */
async function building(
  run: typeof build,
  settings: Partial<Settings> & Pick<Settings, 'inputs' | 'out'>,
  fire: () => void,
): Promise<void> {
  let fired = false;
  const onResult = (): void => {
    if (!fired) fire();
    fired = true;
  };
  await run({ workers: 1, ...settings }, { onResult });
  expect(fired).toBe(true);
}

function textsIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('');
}

async function expectRefused({ out }: Place, sources: object): Promise<void> {
  expect(textsIn(out)).not.toContain(SECRET);
  expect(JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'))).toMatchObject({ sources });
  const record = JSON.parse(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8'));
  expect(record).toMatchObject({ scope: 'source', reason: 'vanished' });
  expect((await turnmill(['verify', out])).status).toBe(0);
}

for (const [name, pack] of [
  ['b.jsonl', (text: string) => text],
  ['b.jsonl.gz', gzipSync],
] as const) {
  faultTest('F206', `${name}: its folder is swapped for a link to another one`, {}, async () => {
    const at = place(name, pack);
    const { logs, out } = at;
    await building(build, { inputs: [logs], out }, () => swap(at, join(logs, 'sub'), name));
    await expectRefused(at, { read: 1, rejected: 1 });
  });
}

faultTest('F206', 'a log at the top of the input is swapped for a link', {}, async () => {
  const at = place();
  const path = join(at.logs, 'c.jsonl');
  writeFileSync(path, entry({ id: 'listed' }));
  await building(build, { inputs: [at.logs], out: at.out }, () => {
    renameSync(path, join(at.folder, 'moved'));
    symlinkSync(join(at.folder, 'outside/b.jsonl'), path);
    expect(readFileSync(path, 'utf8')).toContain(SECRET);
  });
  await expectRefused(at, { read: 2, rejected: 1 });
});

faultTest('F206', "with --follow, a folder on the path of a link's target is swapped", {}, async () => {
  const at = place();
  mkdirSync(join(at.logs, 'ends'));
  writeFileSync(join(at.logs, 'ends/b.jsonl'), entry({ id: 'end' }));
  symlinkSync('ends/b.jsonl', join(at.logs, 'link.jsonl'));
  const { logs, out } = at;
  await building(build, { inputs: [logs], out, follow: 'inside' }, () =>
    swap(at, join(logs, 'ends'), 'b.jsonl'),
  );
  expect(textsIn(out)).not.toContain(SECRET);
  expect(textsIn(join(out, 'quarantine'))).toContain('"reason":"vanished"');
  const followed = await turnmill(['build', logs, '--out', `${out}-2`, '--follow-outside']);
  expect([followed.status, textsIn(`${out}-2`)]).toEqual([0, expect.stringContaining(SECRET)]);
});

faultTest('F206', 'in a worker thread', {}, async () => {
  const at = place();
  const { logs, out } = at;
  const text = `${entry({ messages: [{ role: 'user', content: 'x'.repeat(250_000) }] })}\n`;
  // The main thread reads the first one; the second one is larger than a thread sends before it waits.
  for (const name of ['a.jsonl', 'b.jsonl'])
    writeFileSync(
      join(logs, name),
      Array.from({ length: 60 }, (_, i) => text.replace('"s"', `"s${i}"`)).join(''),
    );
  const built: typeof library = await import(pathToFileURL(join(COMMAND, '../index.js')).href);
  await building(built.build, { inputs: [logs], out, workers: 2, sessionBy: 'run' }, () =>
    swap(at, join(logs, 'sub'), 'b.jsonl'),
  );
  await expectRefused(at, { read: 2, rejected: 1 });
});

faultTest('F206', 'a second read, and the check whether it is unchanged', {}, async () => {
  const at = place();
  const ref = [...listSources([at.logs]).sources].find(({ name }) => name === 'sub/b.jsonl');
  if (ref === undefined) throw new Error('it is not listed');
  const before = await readAgain(ref, undefined);
  expect(await before?.take(0, 10, 10)).toBeDefined();
  await before?.close();
  swap(at, join(at.logs, 'sub'), 'b.jsonl');
  expect(await readAgain(ref, undefined)).toBeUndefined();
  const { ino, size, mtimeNs, ctimeNs } = statSync(join(at.folder, 'outside/b.jsonl'), { bigint: true });
  expect(fingerprintIfUnchanged(ref, `${ino}:${size}:${mtimeNs}:${ctimeNs}`)).toBeUndefined();
});

faultTest(
  'F206',
  'quarantine replay copies nothing from outside the logs, except on request',
  {},
  async () => {
    const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
    const at = place('b.jsonl', utf16);
    const { folder, logs, out } = at;
    expect((await turnmill(['build', logs, '--out', out])).status).toBe(3);
    swap(at, join(logs, 'sub'), 'b.jsonl');
    const into = join(folder, 'again');
    const replay = ['quarantine', 'replay', out, '--logs', logs, '--into'];
    const refused = await turnmill([...replay, into]);
    expect([refused.status, existsSync(into)]).toEqual([3, false]);
    expect(refused.stdout.toString()).toContain('a symbolic link in its path leads out of the logs');
    const allowed = await turnmill([...replay, into, '--follow-outside']);
    expect([allowed.status, readFileSync(join(into, 'sub/b.jsonl'), 'utf16le')]).toEqual([
      0,
      expect.stringContaining(SECRET),
    ]);
  },
);
