/**
 * F133 to F137: time zone, language, environment, creation order of files, number of workers and spelling of paths change only run.json.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { buildHashes, type Way } from '../support/build-hashes.ts';
import { buildLogs, entryLine } from '../support/build-logs.ts';
import { COMMAND } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { createDice } from '../support/odd-logs/dice.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/logs');

function oddLogs(): string {
  const logs = join(temporaryFolder(), 'logs');
  writeOddLogs(logs, 7, { manySessions: 0.3, tally: new Map() });
  cpSync(EXAMPLES, join(logs, 'examples'), { recursive: true });
  return logs;
}

const ENVIRONMENTS: Readonly<Record<string, Way>> = {
  'UTC in C': { env: { TZ: 'UTC', LC_ALL: 'C' } },
  'Chatham in Turkish': { env: { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } },
  'Lord Howe in Swedish': { env: { TZ: 'Australia/Lord_Howe', LANG: 'sv_SE.UTF-8', LC_ALL: 'sv_SE.UTF-8' } },
  'unknown time zone and unknown language': { env: { TZ: 'No/Where', LC_ALL: 'xx_YY' } },
  'nothing but PATH': { bare: true },
  'missing HOME and TMPDIR': { bare: true, env: { HOME: '/nowhere', TMPDIR: '/nowhere' } },
  'umask 000': { before: ['bash', '-c', 'umask 000; exec "$@"', '-'] },
  'umask 077': { before: ['bash', '-c', 'umask 077; exec "$@"', '-'] },
  'another working folder': { cwd: '/usr' },
  'color and CI': { env: { FORCE_COLOR: '3', CI: 'true', COLUMNS: '20' } },
};

describe('F133 the environment', () => {
  faultTest('F133', `${Object.keys(ENVIRONMENTS).length} of them: the same bytes`, {}, () => {
    const logs = oddLogs();
    const first = buildHashes(logs, {});
    expect(Object.keys(first).length).toBeGreaterThan(8);
    for (const [name, way] of Object.entries(ENVIRONMENTS))
      expect([name, buildHashes(logs, way)]).toEqual([name, first]);
  });
});

/** Copies a tree, creating the files in another order so that the folders list them in another order. */
function shuffledCopy(logs: string, seed: number): string {
  const dice = createDice(seed, new Map());
  const root = join(temporaryFolder(), 'logs');
  const files = (
    readdirSync(logs, { recursive: true, withFileTypes: true }) as {
      isFile(): boolean;
      parentPath: string;
      name: string;
    }[]
  )
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(logs.length + 1));
  for (const name of files
    .map((file) => [dice.int(1 << 30), file] as const)
    .sort(([a], [b]) => a - b)
    .map(([, file]) => file)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), readFileSync(join(logs, name)));
  }
  return root;
}

describe('F134 the order of files and the number of workers', () => {
  faultTest('F134', '20 creation orders of the files', { long: true }, () => {
    const logs = oddLogs();
    const first = buildHashes(logs, {});
    for (let seed = 0; seed < 20; seed++)
      expect([seed, buildHashes(shuffledCopy(logs, seed), {})]).toEqual([seed, first]);
  });

  faultTest('F134', '1, 2, 4 and 8 workers, by file and by id', {}, () => {
    const logs = oddLogs();
    writePlainLogs(join(logs, 'bulk'), { sessions: 24, entries: 8, messageChars: 20_000, seed: 1 });
    for (const shared of [
      [],
      ['--session-by', 'id', '--compress', 'gzip', '--shard-size', '64KiB', '--format', 'chat-inline'],
    ]) {
      const first = buildHashes(logs, { args: [...shared, '--workers', '1'] });
      for (const workers of ['2', '4', '8'])
        expect([workers, buildHashes(logs, { args: [...shared, '--workers', workers] })]).toEqual([
          workers,
          first,
        ]);
      expect(buildHashes(shuffledCopy(logs, 99), { args: [...shared, '--workers', '3'] })).toEqual(first);
    }
  });
});

describe('F135 the order of names', () => {
  faultTest(
    'F135',
    'names sort by their bytes: U+FF61 before U+10000, Z before a, - before . before /',
    {},
    async () => {
      const names = [
        'a-b',
        'a.b',
        'a/b',
        'B',
        'Z',
        '_',
        'a',
        'é',
        'z',
        '\uff61',
        '\u{10000}',
        'e\u0301',
        'i',
        'I',
        'ı',
        '10',
        '9',
      ];
      const files = Object.fromEntries(names.map((name) => [`${name}.jsonl`, entryLine({ id: name })]));
      const { out } = await buildLogs({ files });
      const sessions = readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8').trimEnd().split('\n');
      const found = sessions.map((line) => (JSON.parse(line) as { source: string }).source);
      const byBytes = Object.keys(files).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(found).toEqual(byBytes);
      expect(found.indexOf('\uff61.jsonl')).toBeLessThan(found.indexOf('\u{10000}.jsonl'));
    },
  );
});

describe('F136, F137 repeated runs and other spellings of paths', () => {
  faultTest('F136', 'two runs on the records of a dataset give the same bytes', {}, () => {
    const folder = temporaryFolder();
    const args = ['build', EXAMPLES, '--out', join(folder, 'a')];
    spawnSync(process.execPath, [COMMAND, ...args]);
    const again = ['--format', 'chat', '--dialect', 'auto', '--allow-empty'];
    expect(buildHashes(join(folder, 'a/data'), { args: again })).toEqual(
      buildHashes(join(folder, 'a/data'), { args: again }),
    );
  });

  faultTest('F137', 'absolute, relative, ./, .. and trailing slashes give the same bytes', {}, () => {
    const first = buildHashes(EXAMPLES, {});
    const cwd = resolve(EXAMPLES, '..');
    for (const path of [
      'logs',
      './logs',
      'logs/',
      './/logs//',
      '../examples/logs',
      `${EXAMPLES}/2026-01-13/..`,
      'logs/.',
    ])
      expect([path, buildHashes(path, { cwd })]).toEqual([path, first]);
    expect(buildHashes('.', { cwd: EXAMPLES })).toEqual(first);
  });
});
