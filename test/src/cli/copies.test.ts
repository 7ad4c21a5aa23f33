/** `--copies drop` and `mark` as a user runs them: options, summary, threads, kills, `explain`, and damage. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/index.ts';
import { ended, start } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { catchAtWork, reached } from '../../support/moments.ts';
import { sessionLines } from '../../support/plain-logs.ts';
import { stagingIn } from '../../support/stopped-run.ts';

const DROP = ['--copies', 'drop'];

interface Place {
  readonly folder: string;
  readonly logs: string;
  path(name: string): string;
}

function placeWith(files: Readonly<Record<string, string | Uint8Array>>): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(logs, name), bytes);
  return { folder, logs, path: (name) => join(folder, name) };
}

/** The first entries of a session of five. */
const first = (entries: number, id = 'one'): string =>
  sessionLines(id, { entries: 5, messageChars: 80, seed: 1 })
    .slice(0, entries)
    .map((line) => `${line}\n`)
    .join('');

const fates = (out: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .map(({ source, fate, in: place }) => [
        source,
        place === undefined ? fate : `in ${place.shard}:${place.line}`,
      ]),
  );

async function built(files: Readonly<Record<string, string | Uint8Array>>, args: readonly string[] = []) {
  const place = placeWith(files);
  const out = place.path('out');
  const copies = args.includes('--copies') ? [] : DROP;
  const run = await turnmill(['build', place.logs, '--out', out, '--workers', '1', ...copies, ...args]);
  const verified = await turnmill(['verify', out]);
  return { ...place, ...run, out, verified: verified.status };
}

describe('the option', () => {
  test.each([
    ['an unknown value', ['--out', 'x', '--copies', 'some'], "--copies: 'some'"],
    ['standard output', ['--out', '-', ...DROP], 'needs an output folder'],
    ['a dry run', ['--out', 'x', '--dry-run', ...DROP], 'needs an output folder'],
    ['no output', DROP, ''],
    ['marks on standard output', ['--out', '-', '--copies', 'mark'], '--copies mark needs an output folder'],
    [
      'a format that cannot say it',
      ['--out', 'x', '--copies', 'mark', '--format', 'trl', '--format', 'prompt', '--format', 'sts'],
      '--copies mark: --format prompt, sts cannot say which answers are context; use atif, axolotl, chat, openai, trl',
    ],
  ])('%s is a usage error', async (_, args, message) => {
    const { logs } = placeWith({ 'a.jsonl': first(1) });
    const { status, stderr } = await turnmill(['build', logs, ...args]);
    expect({ status, stderr }).toEqual({ status: 64, stderr: expect.stringContaining(message) });
  });

  test('keep is the default, and writes the same bytes', async () => {
    const { folder, logs, path } = placeWith({ 'a.jsonl': first(2), 'b.jsonl': first(5) });
    await turnmill(['build', logs, '--out', path('default')]);
    await turnmill(['build', logs, '--out', path('keep'), '--copies', 'keep']);
    expect(hashesOf(path('keep'))).toEqual(hashesOf(path('default')));
    expect(readFileSync(join(folder, 'keep/manifest.json'), 'utf8')).not.toContain('copies');
    expect(existsSync(path('keep/ledger/paths.bin'))).toBe(false);
  });
});

test('the summary counts further branches', async () => {
  const { folder, path } = placeWith({});
  writeCopiedLogs(join(folder, 'copied'), 3, 12);
  const { stderr } = await turnmill(['build', path('copied'), '--out', path('out'), ...DROP]);
  expect(stderr).toContain(
    'sessions   23 written, 8 inside another record (contained); 8 of them further branches\n',
  );
});

describe('what is contained', () => {
  test('a beginning, and a later equal record; the summary counts them', async () => {
    const files = {
      'a.jsonl': first(2),
      'b.jsonl': first(5),
      'c.jsonl': first(5),
      'd.jsonl': first(5, 'two'),
    };
    const { status, stderr, out, verified } = await built(files);
    expect({ status, verified }).toEqual({ status: 0, verified: 0 });
    const inside = 'in data/2026-01-13-00000.jsonl:1';
    expect(fates(out)).toEqual({
      'a.jsonl': inside,
      'b.jsonl': 'written',
      'c.jsonl': inside,
      'd.jsonl': inside,
    });
    expect(stderr).toContain('1 written, 3 inside another record (contained)');
    expect(stderr).toContain('left out: 12 inside another record (contained)');
    const { sessions, formats } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).ledger;
    expect(sessions).toEqual({ contained: 3, seen: 4, written: 1 });
    expect(formats).toEqual({ chat: { contained: 3, records: 1 } });
    const sources = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(sources[0] as string).fates).toEqual({ 'dropped:contained': 2 });
  });

  test('nothing: the dataset has the paths, and the records of keep', async () => {
    const { path, logs, out, verified } = await built({ 'a.jsonl': first(2) });
    expect(verified).toBe(0);
    await turnmill(['build', logs, '--out', path('keep')]);
    expect(hashesOf(out)).toMatchObject({
      'data/2026-01-13-00000.jsonl': hashesOf(path('keep'))['data/2026-01-13-00000.jsonl'],
      'ledger/paths.bin': expect.any(String),
    });
    expect(statSync(join(out, 'ledger/paths.bin')).size).toBe(4 + 5 * 16);
  });

  test('not a record that differs in one byte of a message', async () => {
    const changed = (text: string): string => text.replaceAll('You help.', 'You help!');
    const { out } = await built({ 'a.jsonl': changed(first(2)), 'b.jsonl': first(5) });
    expect(fates(out)).toEqual({ 'a.jsonl': 'written', 'b.jsonl': 'written' });
  });

  test('not by a source that is rejected at its end', async () => {
    const packed = gzipSync(first(5));
    packed[packed.length - 5] = (packed.at(-5) as number) ^ 1; // its checksum
    const { status, out, verified } = await built({ 'a.jsonl': first(2), 'b.jsonl.gz': packed });
    expect({ status, verified }).toEqual({ status: 3, verified: 0 });
    expect(fates(out)).toEqual({ 'a.jsonl': 'written' });
  });

  test('not by a record that one of the formats refused', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '[1]' } };
    const last = JSON.parse(first(3).trimEnd().split('\n').at(-1) as string);
    last.response.choices[0].message = { role: 'assistant', content: null, tool_calls: [call] };
    const bad = `${first(2)}${JSON.stringify(last)}\n`;
    const files = { 'a.jsonl': first(2), 'b.jsonl': bad, 'c.jsonl': first(1) };
    const { status, out, verified } = await built(files, ['--format', 'chat', '--format', 'trl']);
    expect({ status, verified }).toEqual({ status: 3, verified: 0 });
    expect(fates(out)).toEqual({
      'a.jsonl': 'written',
      'b.jsonl': 'written',
      'c.jsonl': 'in data/chat/2026-01-13-00000.jsonl:1',
    });
    const { formats } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).ledger;
    expect(formats).toMatchObject({ chat: { contained: 1, records: 2 }, trl: { contained: 1, records: 1 } });
  });
});

describe('marks', () => {
  /** A session that continues the first two entries of `one` in another way. */
  function forked(): string {
    const line = JSON.parse(first(3).trimEnd().split('\n').at(-1) as string);
    line.response.choices[0].message = { role: 'assistant', content: 'another answer' };
    return `${first(2)}${JSON.stringify(line)}\n`;
  }

  test('the answers that an earlier record has are not trained again; the summary and explain say so', async () => {
    const files = { 'a.jsonl': first(2), 'b.jsonl': first(5), 'c.jsonl': forked() };
    const { status, stderr, out, logs, verified } = await built(files, ['--copies', 'mark']);
    expect({ status, verified }).toEqual({ status: 0, verified: 0 });
    const { formats } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).ledger;
    expect(formats).toEqual({ chat: { answers: 8, contained: 1, context: 2, records: 2, trained: 6 } });
    expect(stderr).toContain('8 in records, 2 context, 6 trained');
    const [, line = ''] = readFileSync(join(out, 'data/2026-01-13-00000.jsonl'), 'utf8').split('\n');
    const { messages } = JSON.parse(line) as { messages: { role: string; weight?: number }[] };
    const weights = messages.filter(({ role }) => role === 'assistant').map(({ weight }) => weight);
    expect(weights).toEqual([0, 0, undefined]);
    const sessions = readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8').trimEnd().split('\n');
    expect(sessions.map((text) => JSON.parse(text).context)).toEqual([undefined, undefined, 6]);
    const { stdout } = await turnmill(['explain', `${logs}/c.jsonl:3`, '--root', logs, '--in', out]);
    expect(stdout.toString()).toContain('context    the first 6 messages are in an earlier record too');
  });

  test('an update reads a source with context again, and marks nothing when the earlier record has gone', async () => {
    const files = {
      'a.jsonl': first(5),
      'b.jsonl': forked(),
      'c.jsonl': first(1, 'two').replaceAll('You help', 'x'),
    };
    const { path, logs, out } = await built(files, ['--copies', 'mark', '--format', 'trl']);
    const shared = ['--allow-shrink', '--copies', 'mark', '--format', 'trl', '--workers', '1'];
    rmSync(join(logs, 'a.jsonl'));
    const { stderr } = await turnmill(['build', logs, '--out', out, '--update', ...shared]);
    expect(stderr).toContain('2 read; 1 of them reused');
    await turnmill(['build', logs, '--out', path('full'), ...shared]);
    expect(hashesOf(out)).toEqual(hashesOf(path('full')));
    expect(readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8')).not.toContain('"context"');
  });
});

test('worker threads give the same bytes', async () => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writeCopiedLogs(logs, 5, 60);
  for (const workers of [1, 2, 4])
    await build({ inputs: [logs], out: join(folder, `${workers}`), workers, copies: 'drop', report: false });
  expect(hashesOf(join(folder, '2'))).toEqual(hashesOf(join(folder, '1')));
  expect(hashesOf(join(folder, '4'))).toEqual(hashesOf(join(folder, '1')));
});

test('explain follows a contained line to the record that contains it', async () => {
  const { logs, out } = await built({ 'a.jsonl': first(2), 'b.jsonl': first(5) });
  const { stdout } = await turnmill(['explain', `${logs}/a.jsonl:2`, '--root', logs, '--in', out]);
  expect(stdout.toString()).toContain('left out: inside another record (contained)');
  expect(stdout.toString()).toContain('data/2026-01-13-00000.jsonl:1 (session one of b.jsonl)');
  const json = await turnmill(['explain', `${logs}/a.jsonl:1`, '--root', logs, '--in', out, '--json']);
  expect(JSON.parse(json.stdout.toString())).toMatchObject({
    fate: 'dropped:contained',
    sessionFate: 'contained',
    records: [],
    in: { shard: 'data/2026-01-13-00000.jsonl', line: 1, session: 'one', source: 'b.jsonl' },
  });
  const kept = await turnmill(['explain', `${logs}/b.jsonl:5`, '--root', logs, '--in', out, '--json']);
  expect(JSON.parse(kept.stdout.toString())).toMatchObject({ fate: 'snapshot', records: [{ line: 1 }] });
});

describe('an update', () => {
  test('reads a source again when the record that contained its session has gone', async () => {
    const files = {
      'a.jsonl': first(2),
      'b.jsonl': first(5),
      'c.jsonl': sessionLines('x', { entries: 1, messageChars: 80, seed: 9 }).join(''),
    };
    const { logs, out } = await built(files);
    const update = ['build', logs, '--out', out, '--update', '--allow-shrink', '--workers', '1', ...DROP];
    writeFileSync(join(logs, 'd.jsonl'), first(1));
    expect((await turnmill(update)).stderr).toContain('4 read; 3 of them reused');
    rmSync(join(logs, 'b.jsonl'));
    const { stderr } = await turnmill(update);
    expect(stderr).toContain('3 read; 1 of them reused');
    expect(fates(out)).toEqual({
      'a.jsonl': 'written',
      'c.jsonl': 'written',
      'd.jsonl': 'in data/2026-01-13-00000.jsonl:1',
    });
    expect((await turnmill(['verify', out])).status).toBe(0);
    expect((await turnmill(update)).stderr).toContain('nothing changed');
  });

  test.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['changed', (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)))],
  ])('refuses paths that are %s, and so does verify', async (_, damage) => {
    const { logs, out } = await built({ 'a.jsonl': first(2), 'b.jsonl': first(5) });
    const file = join(out, 'ledger/paths.bin');
    writeFileSync(file, damage(readFileSync(file)));
    const before = hashesOf(out);
    expect((await turnmill(['verify', out])).status).toBe(65);
    writeFileSync(join(logs, 'c.jsonl'), first(1));
    expect((await turnmill(['build', logs, '--out', out, '--update', ...DROP])).status).toBe(65);
    expect(hashesOf(out)).toEqual(before);
  });
});

const MARK = ['--copies', 'mark', '--format', 'trl', '--format', 'atif'];

const WRITTEN_TWICE: [copies: string, options: string[]][] = [['', DROP]];
if (LONG) WRITTEN_TWICE.push([', with marks', MARK]);

describe.each(WRITTEN_TWICE)('killed while it writes the second time%s', (_copies, options) => {
  /** Starts a build and kills it once a second staging folder has files; undefined if it ended before. */
  async function struck(times: number): Promise<{ folder: string; logs: string; out: string } | undefined> {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    writeCopiedLogs(logs, 3, 200 * times);
    const child = start(['build', logs, '--out', out, '--workers', '1', ...options]);
    const end = ended(child);
    await reached(child, () => existsSync(folder) && stagingIn(folder).length > 1);
    child.kill('SIGKILL');
    const { signal } = await end;
    return signal === 'SIGKILL' && stagingIn(folder).length > 1 ? { folder, logs, out } : undefined;
  }

  test.each([
    ['a new run', [], /^(?!.*are done)/s],
    ['a resumed run', ['--resume'], /200 of 200|\d+ of \d+ sources are done/],
  ])('%s gives the same bytes, and leaves nothing behind', async (_, more, said) => {
    const { folder, logs, out } = await catchAtWork(struck);
    expect(existsSync(out)).toBe(false);
    const { status, stderr } = await turnmill(['build', logs, '--out', out, ...options, ...more]);
    expect(status).toBe(0);
    expect(stderr).toMatch(said);
    await turnmill(['build', logs, '--out', join(folder, 'straight'), ...options]);
    expect(hashesOf(out)).toEqual(hashesOf(join(folder, 'straight')));
    expect(readdirSync(folder).filter((name) => /\.(?:staging|link|old)-/.test(name))).toEqual([]);
  });

  test('the old dataset stays', async () => {
    const old = await built({ 'a.jsonl': first(1) });
    const { folder, logs } = await catchAtWork(struck);
    const out = join(folder, 'replaced');
    cpSync(old.out, out, { recursive: true });
    const before = hashesOf(out);
    const child = start(['build', logs, '--out', out, '--replace', '--workers', '1', ...options]);
    const end = ended(child);
    const count = stagingIn(folder).length;
    await reached(child, () => stagingIn(folder).length > count + 1);
    child.kill('SIGTERM');
    const { status } = await end;
    if (status !== 0) expect(hashesOf(out)).toEqual(before);
    expect(stagingIn(folder).filter((name) => name.startsWith('.replaced')).length).toBeLessThanOrEqual(1);
  });
});
