/** `explain` of logs, sessions, records, and places as other outputs print them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, talk, title, writeLog } from './small-logs.ts';

interface Setting {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

/** A folder with a record, a rejected session, one without a record, and files that are not logs. */
async function mixed(...options: readonly string[]): Promise<Setting> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writeLog(logs, 'x/talk.jsonl', [
    entry({ id: 'talk-1' }),
    entry({ id: 'talk-1', second: 1, messages: talk(3) }),
  ]);
  writeLog(logs, 'x/late.jsonl', [entry({ id: 'late-1', second: 9 }), entry({ id: 'late-1', second: 1 })]);
  writeLog(logs, 'titles.jsonl', [title(1)]);
  for (const name of ['settings.json', 'notes.txt', 'x/settings.json'])
    writeFileSync(join(logs, name), '{"model": "m"}\n');
  const { status, stderr } = await turnmill(['build', logs, '--out', out, '--group-by', 'none', ...options]);
  expect(status, stderr).toBe(3);
  return { folder, logs, out };
}

async function explained(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await turnmill(['explain', ...words]);
  return `${status}\n${stdout}${stderr}`;
}

test('the id of a session, its beginning and the place of its record lead to the line of the record', async () => {
  const { out } = await mixed();
  const shard = 'data/conversations-00000.jsonl:1';
  for (const words of [
    ['talk-1', '--in', out],
    ['talk', '--in', out],
    [shard, '--in', out],
    [`${out}/${shard}`],
  ]) {
    const text = await explained(...words);
    expect(text, words.join(' ')).toMatch(/^0\nx\/talk\.jsonl, line 2, bytes \d+ to \d+: made a record\n/);
    expect(text).toContain(`record     ${out}/${shard}\n`);
  }
  expect(await explained('x/talk.jsonl, line 1', '--in', out)).toContain('line 1, bytes 0 to');
});

test('a rejected session is explained by its first line, and one without a record by its log', async () => {
  const { out, logs } = await mixed();
  const rejected = await explained('late-1', '--in', out);
  expect(rejected).toContain('x/late.jsonl, line 1, bytes 0 to');
  expect(rejected).toContain('to do      Read calls in any order with --select leaves.');
  const empty = await explained('titles.jsonl', '--in', out);
  expect(empty).toMatch(
    /^0\ntitles\.jsonl: read as exchange\n {2}to do {6}Nothing, if its lines are not conversations/,
  );
  expect(empty).toContain('lines      1: 1 left out: goose-title\n');
  expect(empty).toMatch(/sessions {3}\S+: empty\n/);
  expect(await explained(join(logs, 'titles.jsonl:1'))).toContain(
    'Keep what a cleanup rule dropped with --no-cleanup.',
  );
});

test('a log that is named without a line is read, and its sessions are listed with their lines', async () => {
  const { logs } = await mixed();
  const log = join(logs, 'x/late.jsonl');
  const text = await explained(log);
  expect(text).toContain(`${log}: read as exchange\n`);
  expect(text).toContain('lines      2: 2 rejected: time out of order (timestamp-not-increasing)\n');
  expect(text).toContain(
    `late-1: rejected: time out of order (timestamp-not-increasing) (turnmill explain ${log}:2)`,
  );
  const { stdout } = await turnmill(['explain', log, '--json']);
  expect(JSON.parse(stdout.toString())).toEqual({
    ...{ source: log, status: 'read', dialect: 'exchange', lines: 2 },
    fates: { 'rejected:timestamp-not-increasing': 2 },
    sessions: [{ id: 'late-1', fate: 'rejected:timestamp-not-increasing', line: 2 }],
    sessionCount: 1,
  });
});

test('a log whose lines are all rejected names the first of them, and an empty one and a folder say what they are', async () => {
  const { logs, out } = await mixed();
  writeFileSync(join(logs, 'app.log'), '\n12:00 started\n12:01 ended\n');
  writeFileSync(join(logs, 'none.jsonl'), '');
  expect((await turnmill(['build', logs, '--out', out, '--replace'])).status).toBe(3);
  for (const words of [[join(logs, 'app.log')], ['app.log', '--in', out]]) {
    const text = await explained(...words);
    expect(text).toMatch(/ {2}to do {6}.* If the file is not a log, leave it out with --exclude GLOB\.\n/);
    expect(text).toMatch(
      / {2}rejected {3}first line 2: invalid-json: .* at byte \d+ .*\(turnmill explain \S*app\.log:2/,
    );
  }
  const none = join(logs, 'none.jsonl');
  const [isEmpty, why] = [': empty\n', '  why        it has no line\n'];
  expect(await explained('none.jsonl', '--in', out)).toBe(`0\nnone.jsonl${isEmpty}${why}`);
  expect(await explained(none)).toBe(`0\n${none}${isEmpty}${why}`);
  const line = `${join(logs, 'app.log')}, line 2, `;
  for (const words of [[], ['--in', out]])
    expect(await explained(`${join(logs, 'app.log')}:2`, ...words)).toContain(`0\n${line}`);
  expect(await explained(logs)).toContain(
    `${logs} is a folder: name one of its files, or see all with turnmill check ${logs}`,
  );
});

test('a log that a dataset does not list is said to have no record in it', async () => {
  const { logs, out } = await mixed();
  const late = writeLog(logs, 'late.jsonl', [entry()]);
  const text = await explained(late, '--in', out);
  expect(text).toContain(`0\n${late}: read as exchange\n`);
  expect(text).toContain(
    `  record     none in ${out}, which does not list this log: its build did not read it (`,
  );
  expect(await explained(late)).not.toContain('record  ');
});

test('a file that is skipped is explained as skipped, with the reason, not as one that is not recognised', async () => {
  const { logs, out } = await mixed('--exclude', 'titles*');
  const settings = join(logs, 'settings.json');
  const why = 'why        clients and projects keep settings, indexes or long results under this name';
  for (const words of [
    [settings],
    [`${settings}:1`],
    ['settings.json', '--in', out],
    [`${settings}:1`, '--in', out],
  ]) {
    const text = await explained(...words);
    expect(text, words.join(' ')).toMatch(/^0\n\S*settings\.json: skipped: not a log \(excluded\)\n/);
    expect(text).toContain(`${why}\n`);
    expect(text).toContain(`turnmill build ${settings} --out OUT\n`);
  }
  for (const words of [[], ['--in', out]]) {
    const text = await explained(join(logs, 'notes.txt'), ...words);
    expect(text).toContain('its name does not end like that of a log');
  }
  const left = await explained('titles.jsonl', '--in', out);
  expect(left).toContain('titles.jsonl: skipped: left out by --exclude (excluded-by-option)\n');
  expect(left).toContain('why        --exclude names the file\n');
});

test('a file in a folder of a client beside its logs is explained by that', async () => {
  const home = join(temporaryFolder(), '.claude');
  for (const name of ['projects/p', 'todos']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'todos/a.json'), '[]\n');
  expect(await explained(join(home, 'todos/a.json'))).toContain(
    `why        it lies in ${home}, where the client keeps its logs in projects/ only\n`,
  );
});

test('a word that names several things lists them, and one that names nothing says what it may be', async () => {
  const { logs, out } = await mixed();
  writeLog(logs, 'y.jsonl', [entry({ id: 'talk-2' })]);
  await turnmill(['build', logs, '--out', out, '--replace']);
  expect(await explained('talk', '--in', out)).toContain(
    "64\nturnmill: 'talk' begins the ids of 2 sessions: name one of x/talk.jsonl:2, y.jsonl:1\n",
  );
  expect(await explained('x/settings.json', '--in', out)).toContain('0\nx/settings.json: skipped');
  const nothing = await explained('nobody', '--in', out);
  expect(nothing).toContain("64\nturnmill: 'nobody' is not a file or FILE:LINE");
  expect(nothing).toContain(`nor a session, a source or a record of ${out}`);
  expect(await explained('nobody')).toContain(
    'or with --in OUT a session, a source or a record of that dataset',
  );
});

test('a session whose log is gone is told from the ledger', async () => {
  const { logs, out } = await mixed();
  rmSync(logs, { recursive: true });
  const text = await explained('talk-1', '--in', out);
  expect(text).toContain('x/talk.jsonl: read as exchange\n');
  expect(text).toContain('sessions   talk-1: written');
});
