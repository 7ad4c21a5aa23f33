/**
 * Event logs through the built command: the records are the same plain or packed, with any number of workers, from files or standard input.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';
import { turnmillInPieces } from '../support/small-reads.ts';

const goldens = resolve(import.meta.dirname, '../goldens');
const AGENTS =
  /^(?:atif|batch|calls|cc|cline|codex|gemini|goose|http|inspect|opencode|openhands-(?:events|output|sdk)|pi|qwen|responses|runs|spans|sse|sts)(?:-|$)/;
const hasSettings = (name: string): boolean =>
  'settings' in JSON.parse(readFileSync(join(goldens, name, 'expected.json'), 'utf8'));
/** In the order of the directory walk: `a-b/` comes before `a/`. */
const names = readdirSync(goldens)
  .filter((name) => AGENTS.test(name) && !hasSettings(name))
  .sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
/** One single-file log of each dialect; the session id does not split any of them. */
const SINGLE = [
  'cc-rewind',
  'cline',
  'gemini-lines',
  'openhands-events',
  'openhands-output',
  'openhands-sdk',
  'opencode',
  'pi-tree',
  'qwen-code',
  'runs-tau',
  'spans-otel',
  'sts',
];
const FLAGS = ['--group-by', 'none', '--no-integrity'];

/** All golden event logs in one folder. */
function logs(): string {
  const folder = join(temporaryFolder(), 'logs');
  mkdirSync(folder);
  for (const name of names) cpSync(join(goldens, name, 'logs'), join(folder, name), { recursive: true });
  return folder;
}

const files = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:jsonl|json|sse|traj)$/.test(name),
  );

async function records(input: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await turnmill(['build', input, '--out', '-', ...FLAGS, ...args]);
  return stdout.toString();
}

const expected = (): string =>
  names
    .map((name) => readFileSync(join(goldens, name, 'records.jsonl'), 'utf8'))
    .join('')
    .replace(/,"metadata":\{.*\}\}$/gm, '}'); // only with --meta

it('one worker and three workers give the same records, plain and packed', async () => {
  const folder = logs();
  expect(await records(folder, '--workers', '1')).toBe(expected());
  expect(await records(folder, '--workers', '3')).toBe(expected());
  for (const name of files(folder)) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name))));
    rmSync(join(folder, name));
  }
  expect(await records(folder)).toBe(expected());
});

it.each(SINGLE)('%s gives the same records from standard input, in chunks of any size', async (name) => {
  const [file] = files(join(goldens, name, 'logs')) as [string];
  const log = readFileSync(join(goldens, name, 'logs', file));
  for (const size of [7, 4096]) {
    const { stdout } = await turnmillInPieces(['build', '-', '--out', '-', ...FLAGS], log, size);
    expect(stdout.toString()).toBe(readFileSync(join(goldens, name, 'records.jsonl'), 'utf8'));
  }
});

it('a folder of events is one session for any number of workers, and explain finds its lines', async () => {
  const folder = join(goldens, 'openhands-folder/logs');
  const records = readFileSync(join(goldens, 'openhands-folder/records.jsonl'), 'utf8');
  for (const args of [
    ['--workers', '1'],
    ['--workers', '3'],
    ['--session-by', 'folder'],
  ]) {
    const { stdout } = await turnmill(['build', folder, '--out', '-', ...FLAGS, ...args]);
    expect(stdout.toString()).toBe(records);
  }
  const { stdout } = await turnmill(['explain', `${join(folder, 'c2/events')}:11`]);
  expect(stdout.toString()).toContain('line 11, bytes 685 to 753: joined to a record');
});

it('an update picks up an event added to a folder', async () => {
  const [logs, out] = [join(temporaryFolder(), 'logs'), join(temporaryFolder(), 'out')];
  cpSync(join(goldens, 'openhands-folder/logs/c2'), logs, { recursive: true });
  expect((await turnmill(['build', logs, '--out', out])).status).toBe(0);
  const event = { id: 11, source: 'agent', action: 'message', args: { content: 'later' } };
  writeFileSync(join(logs, 'events/11.json'), JSON.stringify(event));
  expect((await turnmill(['build', logs, '--update', out])).status).toBe(0);
  expect(readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8')).toContain('later');
});

const piped = [
  ['responses-chain', 'log.jsonl'],
  ['sse-responses-events', 'events.jsonl'],
] as const;
const ways = [1, 7, 4096].flatMap((size) => piped.map(([name, file]) => [size, name, file] as const));

it.each(ways)(
  'calls from standard input in chunks of %i bytes give the same records: %s',
  async (size, name, file) => {
    const log = readFileSync(join(goldens, name, 'logs', file));
    const { stdout } = await turnmillInPieces(['build', '-', '--out', '-', ...FLAGS], log, size);
    expect(stdout.length).toBeGreaterThan(0);
    expect(readFileSync(join(goldens, name, 'records.jsonl'), 'utf8')).toContain(stdout.toString());
  },
);
