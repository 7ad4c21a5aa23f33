/** `turnmill merge` as a user runs it: what it refuses, with which status, and what a merged dataset can do. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../../src/dataset/lock.ts';
import { build } from '../../../src/job/build.ts';
import { sessionLog } from '../../support/build-logs.ts';
import type { Ended } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import {
  buildSlices,
  expectRefused,
  manifestOf,
  mergeByCommand,
  place,
  sliced,
} from '../../support/sliced-logs.ts';

/** Rebuilds one slice of three. */
const rebuild = (logs: string, part: string, slice: string, ...more: string[]): Promise<Ended> =>
  turnmill(['build', logs, '--out', part, '--replace', '--slice', slice, '--workers', '1', ...more]);

describe('slices that are missing', () => {
  it('end with 75, name the slices, and leave OUT as it was', async () => {
    const { logs, parts, out, folder } = await sliced(6);
    await build({ inputs: [logs], out, workers: 1 });
    const before = hashesOf(out);
    const [, , third = '', , fifth = '', sixth = ''] = parts;
    for (const part of [third, fifth, sixth]) remove(part);
    const ended = await mergeByCommand(parts, out, '--replace');
    expect(ended.status).toBe(75);
    expect(JSON.parse(ended.stderr)).toMatchObject({
      code: 'missing-slices',
      subject: '3,5-6',
      msg: 'slices 3, 5-6 (of 1 to 6) are missing: build them, and merge again',
    });
    expect(hashesOf(out)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.includes('.staging-'))).toEqual([]);
    const given = parts.filter((part) => ![third, fifth, sixth].includes(part));
    expect((await mergeByCommand(given, out, '--replace')).status).toBe(75);
  });

  it('are named in the singular if there is one', async () => {
    const { parts, out } = await sliced(2);
    const { stderr } = await mergeByCommand(parts.slice(0, 1), out);
    expect(JSON.parse(stderr).msg).toBe('slice 2 (of 1 to 2) is missing: build it, and merge again');
  });

  it('are not looked for in a folder of datasets: it says to name these', async () => {
    const { folder } = await sliced(2);
    const out = join(temporaryFolder(), 'out');
    for (const end of [['--out', out], ['--missing']]) {
      const { status, stderr } = await turnmill(['merge', folder, ...end]);
      expect([status, stderr]).toEqual([
        66,
        expect.stringContaining(`name the datasets, such as ${join(folder, '*')}`),
      ]);
    }
  });

  it('are printed by --missing, also those that are not whole', async () => {
    const { parts } = await sliced(6);
    const missing = async () => {
      const { status, stdout } = await turnmill(['merge', '--missing', ...parts]);
      return [status, stdout.toString()];
    };
    expect(await missing()).toEqual([0, '']);
    remove(parts[1] as string);
    expect(await missing()).toEqual([75, '2\n']);
    const [shard] = manifestOf(parts[3] as string).shards;
    flip(join(parts[3] as string, shard.path), 10);
    expect(await missing()).toEqual([75, '2,4\n']);
    rmSync(join(parts[4] as string, 'ledger/sources.jsonl'));
    expect(await missing()).toEqual([75, '2,4-5\n']);
    for (const part of parts) remove(part);
    const { status, stderr } = await turnmill(['merge', '--missing', ...parts]);
    expect([status, stderr]).toEqual([75, expect.stringContaining('the number of slices is unknown')]);
  });

  it('cannot be told of a dataset without slices', async () => {
    const { logs, out } = place();
    await build({ inputs: [logs], out, workers: 1 });
    const { status, stderr } = await turnmill(['merge', '--missing', out]);
    expect([status, stderr]).toEqual([65, expect.stringContaining('was not built with --slice')]);
  });
});

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

describe('datasets that do not belong together', () => {
  it('other settings: the first difference is named', async () => {
    const { logs, parts, out } = await sliced();
    await rebuild(logs, parts[1] as string, '2/3', '--compress', 'gzip', '--shard-size', '1MiB');
    await expectRefused(mergeByCommand(parts, out), 65, 'compress is \\"gzip\\", not \\"none\\"', out);
    await rebuild(logs, parts[1] as string, '2/3', '--no-report');
    await expectRefused(mergeByCommand(parts, out), 65, 'report is false, not true', out);
    await rebuild(logs, parts[1] as string, '2/3', '--max-messages', '9');
    await expectRefused(mergeByCommand(parts, out), 65, 'maxMessages is 9, not unset', out);
    await expectRefused(mergeByCommand(parts.toReversed(), out), 65, 'maxMessages is 9, not unset', out);
    await expectRefused(
      mergeByCommand([parts[1] as string, ...parts], out),
      65,
      'maxMessages is unset, not 9',
      out,
    );
  });

  it('another version', async () => {
    const { parts, out } = await sliced();
    const path = join(parts[1] as string, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/"version": ".*"/, '"version": "0.0.1"'));
    await expectRefused(mergeByCommand(parts, out), 65, 'was built by turnmill 0.0.1', out);
  });

  it('another listing, another number of sources, another number of slices', async () => {
    const { logs, parts, out } = await sliced();
    const second = parts[1] as string;
    await rebuild(logs, second, '2/4');
    await expectRefused(mergeByCommand(parts, out), 65, 'is a slice of 4, but', out);
    appendFileSync(join(logs, 'f.jsonl'), sessionLog('f2'));
    await rebuild(logs, second, '2/3', '--session-by', 'file');
    await expectRefused(mergeByCommand(parts, out), 65, 'sessionBy', out);
    await rebuild(logs, second, '2/3');
    await expectRefused(mergeByCommand(parts, out), 65, 'is a slice of another listing', out);
    writeFileSync(join(logs, 'g.jsonl'), sessionLog('g'));
    await rebuild(logs, second, '2/3');
    await expectRefused(mergeByCommand(parts, out), 65, 'is a slice of 7 sources, but', out);
  });

  it('a slice twice: the same bytes do no harm, others are refused', async () => {
    const { logs, parts, out, path } = await sliced();
    const again = path('again');
    writeFileSync(join(logs, 'c.jsonl'), sessionLog('c', 'olleh')); // as long as before
    await rebuild(logs, again, '2/3');
    await expectRefused(mergeByCommand([...parts, again], out), 65, 'is slice 2, and so is', out);
    cpSync(parts[1] as string, path('copy'), { recursive: true, dereference: true });
    expect((await mergeByCommand([...parts, path('copy')], out)).status).toBe(0);
  });

  it('the same source in two datasets', async () => {
    const { logs, out, path } = place();
    await build({ inputs: [logs], out: path('a'), workers: 1 });
    await build({ inputs: [join(logs, 'c.jsonl')], out: path('b'), workers: 1 });
    const text = `c.jsonl is in ${path('a')} and in ${path('b')}`;
    await expectRefused(mergeByCommand([path('a'), path('b')], out), 65, text, out);
  });

  it('datasets with --limit or with marked answers', async () => {
    const { logs, out, path } = place();
    await build({ inputs: [logs], out: path('a'), workers: 1, limit: 2 });
    await expectRefused(mergeByCommand([path('a')], out), 65, 'was built with --limit', out);
    await build({ inputs: [logs], out: path('b'), workers: 1, copies: 'mark' });
    await expectRefused(mergeByCommand([path('b')], out), 65, 'was built with --copies mark', out);
  });
});

describe('a flipped bit', () => {
  it('in any file ends with 65, before anything is published', async () => {
    const { parts, out } = await sliced(3, { copies: 'drop' });
    const second = parts[1] as string;
    const files = readdirSync(second, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'run.json')
      .map((entry) => join(entry.parentPath, entry.name));
    let flipped = 0;
    for (const path of files) {
      const { length } = readFileSync(path);
      for (let at = Math.min(3, length); at < length; at += Math.max(1, Math.floor(length / 3))) {
        flip(path, at);
        const { status, stderr } = await mergeByCommand(parts, out);
        expect([path, at, status, existsSync(out)], stderr).toEqual([path, at, 65, false]);
        flip(path, at);
        flipped++;
      }
    }
    expect(flipped).toBeGreaterThan(20);
    expect((await mergeByCommand(parts, out)).status).toBe(0);
  });

  it('at bytes all over the manifest does so too', async () => {
    const { parts, out } = await sliced();
    const path = join(parts[1] as string, 'manifest.json');
    const { length } = readFileSync(path);
    for (let at = 0; at < length; at += LONG ? 7 : 23) {
      flip(path, at);
      const { status } = await mergeByCommand(parts, out);
      const changed = readFileSync(path, 'latin1').slice(at - 40, at + 20);
      expect([changed, status, existsSync(out)]).toEqual([changed, 65, false]);
      flip(path, at);
    }
  });

  it('in run.json costs at most the fingerprints', async () => {
    const { parts, out } = await sliced();
    writeFileSync(join(parts[1] as string, 'run.json'), '{');
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    expect(
      JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).proofs.filter((one: string) => one === ''),
    ).toHaveLength(2);
  });
});

describe('usage', () => {
  it('OUT is one of the datasets, inside one, or above one', async () => {
    const { parts, path } = await sliced();
    const [first = ''] = parts;
    const before = hashesOf(first);
    for (const [out, text] of [
      [first, 'is the input'],
      [join(first, 'data/out'), 'is inside the input'],
      [path('.'), 'is inside the output'],
    ] as const) {
      const { status, stderr } = await mergeByCommand(parts, out, '--replace');
      expect([status, stderr]).toEqual([64, expect.stringContaining(text)]);
    }
    expect(hashesOf(first)).toEqual(before);
  });

  it('needs --out, or --missing without it, and takes no options of the conversion', async () => {
    const { parts, out } = await sliced();
    const statuses = [
      await turnmill(['merge', ...parts]),
      await turnmill(['merge', '--missing', ...parts, '--out', out]),
      await turnmill(['merge', '--out', out]),
      await mergeByCommand(parts, '-'),
      await mergeByCommand(parts, out, '--format', 'chat'),
      await mergeByCommand(parts, out, '--compress', 'gzip'),
      await mergeByCommand(parts, out, '--limit', '3'),
    ].map(({ status }) => status);
    expect(statuses).toEqual(Array(7).fill(64));
    expect(existsSync(out)).toBe(false);
  });

  it('two merges to one OUT: the lock keeps the second out', async () => {
    const { parts, out } = await sliced();
    const release = await acquireLock(out);
    try {
      await expectRefused(mergeByCommand(parts, out), 75, 'locked', out);
    } finally {
      await release();
    }
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    const again = await mergeByCommand(parts, out);
    expect([again.status, again.stderr]).toEqual([
      73,
      expect.stringContaining('use --replace to replace it, or build with --update to update it'),
    ]);
    expect((await mergeByCommand(parts, out, '--replace')).status).toBe(0);
  });
});

describe('a merged dataset', () => {
  it('is what one build writes, and can be updated, verified, explained and merged again', async () => {
    const { logs, parts, out, path } = await sliced();
    const other = path('others');
    mkdirSync(other);
    for (const id of 'bdx') writeFileSync(join(other, `${id}.jsonl`), sessionLog(`${id}-other`));
    await build({ inputs: [logs], out: path('whole'), workers: 1 });
    await build({ inputs: [other], out: path('second'), workers: 1 });
    await build({ inputs: [logs, other], out: path('both'), workers: 1 });
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
    expect(manifestOf(out)).not.toHaveProperty('slice');
    const updated = await turnmill(['build', logs, '--update', out, '--workers', '1']);
    expect([updated.status, updated.stderr]).toEqual([0, expect.stringContaining('nothing changed')]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const where = ['explain', 'c.jsonl:1', '--root', logs, '--in'];
    const explained = await turnmill([...where, out]);
    expect(explained.stdout.toString()).toContain('data/');
    const [first = '', second = '', third = ''] = parts;
    const orders: readonly (readonly [name: string, datasets: readonly string[]])[] = [
      ['merged-twice', [out, path('second')]],
      ['at-once', [...parts, path('second')]],
      ['at-once-between', [third, path('second'), first, second]],
    ];
    for (const [name, datasets] of orders) {
      expect((await mergeByCommand(datasets, path(name))).status).toBe(0);
      expect(hashesOf(path(name))).toEqual(hashesOf(path('both')));
      expect((await turnmill(['verify', path(name)])).status).toBe(0);
    }
    const { inputs } = JSON.parse(readFileSync(join(path('at-once'), 'run.json'), 'utf8'));
    expect(inputs).toEqual([logs, other]);
    expect((await mergeByCommand([path('at-once')], path('alone'))).status).toBe(0);
    expect(hashesOf(path('alone'))).toEqual(hashesOf(path('both')));
  });

  it('is where the summary says to look for rejections, by the names of the sources', async () => {
    const { logs, out, path } = place();
    mkdirSync(join(logs, 'sub'));
    writeFileSync(join(logs, 'sub/x.jsonl'), `${sessionLog('x')}{\n`);
    const parts = await buildSlices([logs], path('.'), 2, { sessionBy: 'file' });
    const { status, stderr } = await turnmill(['merge', ...parts, '--out', out]);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^ +sub\/x\.jsonl:\d {2}/m);
    const [, words = ''] = /To see why: {2}turnmill (explain .*)$/m.exec(stderr) ?? [];
    expect(words).toMatch(/^explain sub\/x\.jsonl:\d --in /);
    const listed = await turnmill(['quarantine', 'list', out]);
    expect(listed.stdout.toString()).toContain(`to see why: turnmill ${words}`);
    const explained = await turnmill(words.split(' '));
    expect([explained.status, explained.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('sub/x.jsonl'),
    ]);
  });

  it('has session-in-parts for an id in two datasets, which is not an error', async () => {
    const { logs, out, path } = place();
    writeFileSync(join(logs, 'z.jsonl'), sessionLog('a', 'later'));
    const parts = await buildSlices([logs], path('.'), 2);
    await build({ inputs: [logs], out: path('whole'), workers: 1 });
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    expect(manifestOf(out).ledger.findings).toEqual({ 'session-in-parts': 1 });
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
  });

  it('leaves out what lies inside a record of another slice', async () => {
    const { folder, out, path } = place();
    const logs = path('copied');
    writeCopiedLogs(logs, 3, 6);
    const parts = await buildSlices([logs], folder, 4, { copies: 'drop' });
    await build({ inputs: [logs], out: path('whole'), workers: 1, copies: 'drop' });
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    const inSlices = parts.reduce((sum, part) => sum + (manifestOf(part).ledger.sessions.contained ?? 0), 0);
    expect(manifestOf(out).ledger.sessions.contained).toBeGreaterThan(inSlices);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  it('takes standard input as it was read', async () => {
    const { logs, out, path } = place();
    const text = `${sessionLog('s')}oops\n{"odd\n`;
    for (const [name, inputs] of [
      ['stdin', ['-']],
      ['both', [logs, '-']],
    ] as const)
      expect(
        (await turnmill(['build', ...inputs, '--out', path(name), '--session-by', 'file'], text)).status,
      ).toBe(3);
    await turnmill(['build', logs, '--out', path('files'), '--session-by', 'file']);
    expect((await mergeByCommand([path('files'), path('stdin')], out)).status).toBe(3);
    expect(hashesOf(out)).toEqual(hashesOf(path('both')));
  });

  it('refuses rejected bytes that fit only now, rather than to leave them out', async () => {
    const { logs, out, path } = place();
    const small = ['--quarantine-content', 'raw', '--quarantine-size', '30'];
    // the second slice keeps its long line, and then has no room for the short one, which fits after the first slice
    writeFileSync(join(logs, 'a.jsonl'), `${'x'.repeat(15)}\n`);
    writeFileSync(join(logs, 'e.jsonl'), `${'y'.repeat(25)}\n${'z'.repeat(10)}\n`);
    for (const index of [1, 2]) await rebuild(logs, path(`p${index}`), `${index}/2`, ...small);
    await expectRefused(
      mergeByCommand([path('p1'), path('p2')], out),
      65,
      'build again with a larger --quarantine-size',
      out,
    );
    const large = ['--quarantine-content', 'raw', '--quarantine-size', '15'];
    for (const index of [1, 2]) await rebuild(logs, path(`p${index}`), `${index}/2`, ...large);
    await turnmill(['build', logs, '--out', path('whole'), ...large]);
    expect((await mergeByCommand([path('p1'), path('p2')], out)).status).toBe(3);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
  });
});
