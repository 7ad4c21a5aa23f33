/** `explain --in`: reads a log with the settings of the dataset. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, talk, writeLog } from './small-logs.ts';

const CALL = { id: 'c', type: 'function', function: { name: 'look', arguments: '[1]' } };
const LIST_ARGUMENTS = entry({ reply: { role: 'assistant', content: null, tool_calls: [CALL] } });
const TWO_IDS = [entry(), entry({ second: 1, id: 't' })];
const FORKS = [entry({ second: 5, messages: talk(3) }), entry({ second: 1 })];

/** Builds a log and returns a function that explains one of its lines in the dataset. */
async function built(lines: readonly string[], ...options: readonly string[]) {
  const folder = temporaryFolder();
  const log = writeLog(folder, 'logs/a.jsonl', lines);
  const out = join(folder, 'out');
  const { status, stderr } = await turnmill(['build', join(folder, 'logs'), '--out', out, ...options]);
  expect([0, 3], stderr).toContain(status);
  const explain = async (line: number, ...more: readonly string[]): Promise<string> => {
    const run = await turnmill(['explain', `a.jsonl:${line}`, '--in', out, ...more]);
    return `${run.status}\n${run.stdout}${run.stderr}`;
  };
  return { folder, log, out, explain };
}

test('a session that the format of the dataset refused is rejected', async () => {
  const { explain } = await built([LIST_ARGUMENTS], '--format', 'trl');
  expect(await explain(1)).toContain('line 1, bytes 0 to');
  expect(await explain(1)).toContain('rejected: arguments-not-object');
  const other = await explain(1, '--format', 'chat');
  expect(other).toContain('made a record');
  expect(other).toMatch(/none in that dataset, which lists this session as rejected: .*arguments-not-object/);
});

test('an option of the format and a decision about a finding are those of the dataset, if the format is', async () => {
  const log = [entry({ messages: [{ role: 'user', content: '<tool_call>x' }] })];
  const reject = ['--on-finding', 'control-token-in-content=reject'];
  const { explain } = await built(log, '--format', 'chat-inline', ...reject);
  expect(await explain(1)).toContain('rejected: control-token-in-content');
  expect(await explain(1, '--on-finding', 'control-token-in-content=keep')).toContain('made a record');
  expect(await explain(1, '--format', 'chat')).toContain('made a record');
  const sealed = await built(log, '--format', 'trl', '--arrow-safe', '--meta', 'source_id');
  expect(await sealed.explain(1)).toContain('data/2026-01-13-00000.jsonl:1');
});

test('several sessions in a log are as the dataset has them', async () => {
  const { explain } = await built(TWO_IDS, '--session-by', 'id');
  expect(await explain(2)).toMatch(/made a record.*session {4}t, written.*data\/2026-01-13-00000\.jsonl:2/s);
  expect(await explain(2, '--session-by', 'file')).toContain('(session-id-mismatch)');
});

test('every conversation of a session has its record with --select leaves', async () => {
  const { explain } = await built(FORKS, '--select', 'leaves');
  expect(await explain(1)).toMatch(/made a record.*data\/2026-01-13-00000\.jsonl:\d/s);
  const usual = await built(FORKS);
  expect(await usual.explain(1)).toContain('(timestamp-not-increasing)');
});

test('a record that lies inside another one names it, with the settings of the dataset', async () => {
  const { folder, out, explain } = await built(TWO_IDS, '--session-by', 'id');
  const logs = join(folder, 'logs');
  writeLog(logs, 'b.jsonl', [entry({ second: 9, id: 'u', messages: talk(3) })]);
  const options = ['--session-by', 'id', '--copies', 'drop', '--replace'];
  expect((await turnmill(['build', logs, '--out', out, ...options])).status).toBe(0);
  const text = await explain(2);
  expect(text).toContain('left out: inside another record (contained)');
  expect(text).toContain('data/2026-01-13-00000.jsonl:1 (session u of b.jsonl)');
});

test('what a manifest keeps only the SHA-256 of has to be passed again', async () => {
  const folder = temporaryFolder();
  const [system, only] = [join(folder, 'system.txt'), join(folder, 'ids.txt')] as const;
  writeFileSync(system, 'Be brief.');
  writeFileSync(only, 't\n');
  const files = ['--system-text', system, '--only', only];
  const { explain, out } = await built(TWO_IDS, '--session-by', 'id', ...files);
  const missing = 'keeps only the SHA-256 of what its build read for';
  expect(await explain(2)).toContain(`${out} ${missing} --only, --system-text: add the option`);
  expect(await explain(2, '--only', only)).toContain(`${missing} --system-text: `);
  expect(await explain(2, ...files)).toContain('data/2026-01-13-00000.jsonl:1');
});

test('plug-ins of the dataset have to be passed again', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'keep.mjs');
  writeFileSync(
    file,
    "export default { name: 'keep', after: 'cleanup', summary: 'Changes nothing', create: () => ({ entry: (one) => [one] }) };\n",
  );
  const { explain, out } = await built([entry()], '--plugin', file);
  const refused = await explain(1);
  expect(refused).toContain(
    `${out} was built with plug-ins (stage:keep:after:cleanup): add --plugin FILE for each of their files`,
  );
  expect(refused).toMatch(/^64\n/);
  expect(await explain(1, '--plugin', file)).toContain('made a record');
});

test('a session that the build did not read is not said to be in the dataset', async () => {
  const { explain } = await built(TWO_IDS, '--session-by', 'id', '--limit', '1');
  expect(await explain(2)).toContain('none in that dataset, which does not list this session: its build did');
});

test('a dataset without its manifest, or with a damaged one, does not leave the defaults', async () => {
  const { explain, out } = await built([entry()]);
  rmSync(join(out, 'manifest.json'));
  expect(await explain(1)).toMatch(/^66\n/);
  writeFileSync(join(out, 'manifest.json'), '{}');
  expect(await explain(1)).toMatch(/^65\n/);
});

test('a damaged line of the ledger is named, and is no fault of the system', async () => {
  const { out } = await built([entry()]);
  const path = join(out, 'ledger/sources.jsonl');
  writeFileSync(path, `${readFileSync(path, 'utf8')}{}\n`);
  const { status, stderr } = await turnmill(['explain', 'other', '--in', out]);
  expect([status, stderr]).toEqual([65, expect.stringContaining(`${path} has a line that is not one of`)]);
});

test('relative inputs are looked for in the folder that the run was started in', async () => {
  const { folder, out, explain } = await built([entry()]);
  const facts = join(out, 'run.json');
  const run = JSON.parse(readFileSync(facts, 'utf8'));
  expect(run.folder).toBe(process.cwd());
  writeFileSync(facts, JSON.stringify({ ...run, inputs: ['logs'], folder }));
  expect(await explain(1)).toMatch(/^0\na\.jsonl, line 1, bytes 0 to .*made a record/);

  renameSync(join(folder, 'logs'), join(folder, 'moved'));
  expect(await explain(1)).toContain(
    '"msg":"a.jsonl not found, also not in logs: name the folder of the logs with --root DIR"',
  );
  expect(await explain(1, '--root', join(folder, 'moved'))).toContain('made a record');
});

test('a log that is named by its path is the source of that name, not another one with the same end', async () => {
  const folder = temporaryFolder();
  const [logs, more, out] = ['logs', 'more', 'out'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const copied = [entry()];
  const log = writeLog(logs, 'a.jsonl', [...copied, entry({ second: 1, messages: talk(3) })]);
  const copy = writeLog(logs, '2026-01-10/a.jsonl', copied);
  const [line] = [JSON.stringify({ messages: talk(2) })];
  const other = writeLog(more, 'a.jsonl', [line]);
  const deep = writeLog(logs, 'x/b.jsonl', [line]);
  const { status } = await turnmill(['build', logs, more, '--out', out, '--copies', 'drop']);
  expect(status).toBe(0);
  const explain = async (file: string): Promise<Record<string, unknown>> => {
    const { stdout } = await turnmill(['explain', `${file}:1`, '--in', out, '--json']);
    return JSON.parse(stdout.toString());
  };
  const [at] = [{ shard: 'data/2026-01-13-00000.jsonl', line: 1 }];
  expect(await explain(log)).toMatchObject({ source: 'a.jsonl', fate: 'superseded', records: [at] });
  expect(await explain(copy)).toMatchObject({
    source: '2026-01-10/a.jsonl',
    fate: 'dropped:contained',
    group: '2026-01-10',
    records: [],
    in: { ...at, source: 'a.jsonl' },
  });
  expect(await explain(deep)).toMatchObject({ session: 'x/b.jsonl:1', sessionFate: 'contained' });
  expect(await explain(other)).toMatchObject({ session: 'a.jsonl:1', sessionFate: 'contained' });
});

test('two runs of entries with one id are told apart', async () => {
  const log = [entry(), entry({ second: 1, id: 't' }), entry({ second: 2, messages: talk(3) })];
  const { explain } = await built(log, '--session-by', 'run', '--select', 'leaves');
  expect(await explain(1)).toMatch(/record {5}\S*:1\n/);
  expect(await explain(3)).toMatch(/record {5}\S*:3\n/);
});

test('logs of the same name in two inputs are told apart', async () => {
  const folder = temporaryFolder();
  const roots = ['one', 'two'].map((name) => join(folder, name));
  const lines = (answer: string): string =>
    JSON.stringify({ messages: [...talk(1), { role: 'assistant', content: answer }] });
  const files = roots.map((root, i) => writeLog(root, 'a.jsonl', [lines(`Answer ${i}.`)]));
  const out = join(folder, 'out');
  expect((await turnmill(['build', ...roots, '--out', out])).status).toBe(0);
  const places = files.map(async (file) => {
    const { stdout } = await turnmill(['explain', `${file}:1`, '--in', out, '--json']);
    return JSON.parse(stdout.toString()).records;
  });
  const at = (line: number) => [{ shard: 'data/conversations-00000.jsonl', line }];
  expect(await Promise.all(places)).toEqual([at(1), at(2)]);
});
