/**
 * `--redact` over runs that are stopped and resumed, updates and merges: the bytes of one run, and never names of two keys
 * in one dataset.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { PartialSettings } from '../../../src/settings/settings.ts';
import { sessionLog } from '../../support/build-logs.ts';
import { turnmillHere } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';
import { mergeAll } from '../../support/sliced-logs.ts';
import { checkpointIn, stagingIn, stopAfter, stopAndResume } from '../../support/stopped-run.ts';
import { mixed, planted } from '../../transforms/redaction/plant.ts';

afterEach(() => vi.unstubAllEnvs());

const TOKEN = `gh${'p'}_${mixed(36)}`;
const NAME = /<[A-Z_]+:[A-Z2-7]{10}>/g;

interface Place {
  readonly logs: string;
  path(name: string): string;
  /** Settings of a run with the key in this file. */
  settings(key?: string): PartialSettings;
  /** The same as options of the command. */
  options(key?: string): readonly string[];
}

/** A log for each planted value, where one value is in all logs; every fourth has a line that is not JSON. */
function place(): Place {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  const logs = path('logs');
  mkdirSync(logs);
  for (const [i, { value, before = '', after = '' }] of planted().entries()) {
    const name = `s${String(i).padStart(2, '0')}`;
    const text = `${before}${value.replaceAll('\\n', '\n')}${after} and ${TOKEN}`;
    const torn = i % 4 === 0 ? `{"session_id": "${name}", "key": "${TOKEN}" oh}\n` : '';
    writeFileSync(join(logs, `${name}.jsonl`), sessionLog(name, text) + torn);
  }
  for (const key of ['key', 'other']) writeFileSync(path(key), `the ${key} of the tests`, { mode: 0o600 });
  return {
    logs,
    path,
    settings: (key = 'key') => ({
      ...{ inputs: [logs], workers: 1, report: false, quarantineContent: 'raw' },
      ...{ redact: true, redactKeyFile: path(key) },
    }),
    options: (key = 'key') => ['--redact', '--redact-key-file', path(key), '--workers', '1'],
  };
}

/** The names in the records. Records of one dataset with one key have one name of the shared token. */
function namesOf(out: string): ReadonlySet<string> {
  const files = readdirSync(join(out, 'data'), { recursive: true, withFileTypes: true });
  const texts = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return new Set(
    texts.flatMap((file) => {
      const bytes = readFileSync(file);
      return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().match(NAME) ?? [];
    }),
  );
}

const tokenNames = (out: string): readonly string[] =>
  [...namesOf(out)].filter((name) => name.startsWith('<GITHUB_TOKEN:'));
/** The shared token, and those of each log of that kind. */
const TOKENS = 1 + planted().filter(({ rule }) => rule === 'github-token').length;

const SEEDS = Array.from({ length: LONG ? 50 : 1 }, (_, seed) => seed);
const VARIANTS: readonly Partial<PartialSettings>[] = [
  {},
  { format: ['chat', 'trl'], compress: 'gzip', shardSize: 3000 },
  { copies: 'drop' },
  { split: { train: 0.5, test: 0.5 }, quarantineContent: 'ref' },
];

describe.each(VARIANTS)('with %j', (more) => {
  test.each(SEEDS)(
    'a run that is stopped and resumed gives the bytes of a whole one: seed %i',
    async (seed) => {
      vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
      const { path, settings } = place();
      const shared = { ...settings(), ...more };
      let results = 0;
      await build({ ...shared, out: path('whole') }, { onResult: () => void results++ });
      await stopAndResume({ ...shared, out: path('out') }, randomFrom(seed), results);
      expect(hashesOf(path('out'))).toEqual(hashesOf(path('whole')));
      expect(stagingIn(dirname(path('out')))).toEqual([]);
      expect(tokenNames(path('out')).length).toBe(TOKENS);
    },
  );
});

describe('another key', () => {
  test('resumes nothing', async () => {
    vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
    const { logs, path, settings, options } = place();
    expect(await stopAfter({ ...settings(), out: path('out') }, 40)).toBe(false);
    const checkpoint = checkpointIn(path(''));
    expect(checkpoint).toBeDefined();
    const args = ['build', logs, '--out', path('out'), '--quarantine-content', 'raw', '--resume'];
    const { status, stderr } = await turnmillHere([...args, ...options('other')]);
    expect(status).toBe(65);
    expect(stderr).toContain('cannot resume: the run was started with other settings: redactKey');
    const unnamed = await turnmillHere([...args, '--workers', '1']);
    expect(unnamed.stderr).toContain('cannot resume: the run was started with other settings: redact');
    expect(checkpointIn(path(''))).toBe(checkpoint);
    const right = await turnmillHere([...args, ...options()]);
    expect(right.status).toBe(3);
    await build({ ...settings(), report: true, out: path('whole') });
    expect(hashesOf(path('out'))).toEqual(hashesOf(path('whole')));
  });

  test('or none makes an update read everything again, also where few logs are new', async () => {
    const { logs, path, settings } = place();
    await build({ ...settings(), out: path('out') });
    const before = namesOf(path('out'));
    writeFileSync(join(logs, 'new.jsonl'), sessionLog('new', `use ${TOKEN}`));
    const notes: string[] = [];
    const onNote = (note: string): undefined => void notes.push(note);
    await build({ ...settings('other'), out: path('out'), update: true }, { onNote });
    expect(notes.join('\n')).toContain(
      'the dataset was built with other settings: redactKey: everything is read again',
    );
    expect([...namesOf(path('out'))].filter((name) => before.has(name))).toEqual([]);
    expect(tokenNames(path('out')).length).toBe(TOKENS);
    await build({ ...settings('other'), out: path('fresh') });
    expect(hashesOf(path('out'))).toEqual(hashesOf(path('fresh')));
  });

  test('is refused by merge, and so is a dataset without redaction', async () => {
    const { logs, path, settings } = place();
    const half = planted().length >> 1;
    for (const [i, name] of readdirSync(logs).sort().entries()) {
      const folder = path(i < half ? 'a' : 'b');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), readFileSync(join(logs, name)));
    }
    const { redact: _redact, redactKeyFile: _file, ...plain } = settings();
    await build({ ...settings(), inputs: [path('a')], out: path('first') });
    await build({ ...settings(), inputs: [path('b')], out: path('second') });
    await build({ ...settings('other'), inputs: [path('b')], out: path('other-second') });
    await build({ ...plain, inputs: [path('b')], out: path('plain-second') });
    for (const [second, difference] of [
      ['other-second', 'was redacted with another key than'],
      ['plain-second', 'redact is unset, not true'],
    ] as const) {
      const merged = await turnmillHere(['merge', path('first'), path(second), '--out', path('mixed')]);
      expect(merged.status).toBe(65);
      expect(merged.stderr).toContain(difference);
    }
    await mergeAll([path('first'), path('second')], path('merged'));
    expect(tokenNames(path('merged')).length).toBe(TOKENS);
  });
});

test('an update takes redacted results from the dataset, with the key in a file or in the environment', async () => {
  const { logs, path, settings } = place();
  const names = readdirSync(logs).sort();
  const late = names.filter((_, i) => i % 3 === 0).map((name) => join(logs, name));
  const texts = late.map((file) => readFileSync(file));
  for (const file of late) rmSync(file);
  await build({ ...settings(), quarantineContent: 'ref', out: path('out') });
  for (const [i, file] of late.entries()) writeFileSync(file, texts[i] as Buffer);
  vi.stubEnv('TURNMILL_REDACT_KEY', 'the key of the tests');
  const { redactKeyFile: _file, ...fromEnvironment } = settings();
  const onlyPlaces = { quarantineContent: 'ref' } as const; // kept bytes are read again
  const { reusedSources } = await build({
    ...fromEnvironment,
    ...onlyPlaces,
    out: path('out'),
    update: true,
  });
  expect(reusedSources).toBe(names.length - late.length);
  await build({ ...settings(), ...onlyPlaces, out: path('fresh') });
  expect(hashesOf(path('out'))).toEqual(hashesOf(path('fresh')));
});
