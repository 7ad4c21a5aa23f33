/** The table of dialects that `check` prints, and `turnmill dialects`. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DialectTable } from '../../../src/cli/dialect-table.ts';
import { main } from '../../../src/cli/main.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { RecordingHost } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const examples = resolve(import.meta.dirname, '../../../examples/dialects');

async function run(...args: readonly string[]) {
  const host = new RecordingHost();
  const status = await main(args, host);
  return { status, stdout: host.stdout.toString(), stderr: host.stderr };
}

/** Cells of the table after the sentence. */
function tableOf(output: string): readonly (readonly string[])[] {
  const [, table = ''] = output.split('\n\n');
  return table.split('\n').map((line) => line.trim().split(/ {2,}/));
}

test('check shows a table of files, sessions, conversations, calls and skipped files by dialect', async () => {
  const logs = join(temporaryFolder(), 'logs');
  mkdirSync(logs, { recursive: true });
  for (const name of ['claude-code', 'codex'])
    for (const copy of ['1', '2'])
      copyFileSync(join(examples, `${name}.jsonl`), join(logs, `${name}-${copy}.jsonl`));
  const tools = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
  const calling = entry({ reply: { role: 'assistant', tool_calls: tools } });
  writeLog(logs, 'pairs.jsonl', [entry(), entry({ second: 5 }), '{']);
  writeLog(logs, 'plain.jsonl', [calling]);
  writeLog(logs, 'strange.jsonl', ['{"a":1}']);
  writeLog(logs, 'void.jsonl', []);
  writeFileSync(join(logs, 'notes.txt'), 'x');
  const { status, stdout } = await run('check', logs, '--workers', '1');
  expect(status).toBe(3);
  expect(tableOf(stdout)).toEqual([
    ['dialect', 'files', 'sessions', 'conversations', 'tool calls', 'not used'],
    ['claude-code', '2', '2', '2', '2', '4 client event, 2 interrupt mark'],
    ['codex', '2', '2', '2', '2', '8 client event'],
    ['exchange', '2', '2', '2', '1', '1 invalid json'],
    ['none', '2', '0', '0', '0', '1 kind of log not recognised (file), 1 empty (file)'],
  ]);
  const threads = await run('check', logs, '--workers', '3');
  expect(tableOf(threads.stdout)).toEqual(tableOf(stdout));
});

test('ids with a slash are sessions of their own, unless there is a session of the part before', async () => {
  const logs = join(temporaryFolder(), 'logs');
  mkdirSync(join(logs, 'misc'), { recursive: true });
  copyFileSync(join(examples, 'calls.jsonl'), join(logs, 'misc/calls.jsonl'));
  const { stdout } = await run('check', logs);
  expect(tableOf(stdout)[1]?.slice(0, 4)).toEqual(['calls', '1', '2', '2']);
});

test('build prints no such table', async () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const { stderr } = await run('build', log, '--dry-run');
  expect(stderr).toMatch(/^turnmill: 1 conversation from 1 log\./);
});

test('branches, compactions and sub-agents count as conversations of one session; a rejected file counts only as a file', () => {
  const table = new DialectTable();
  const session = (sessionId: string, folded: number | undefined, fate: 'written' | 'rejected' = 'written') =>
    table.see({
      ...{
        kind: 'session',
        sessionId,
        fate,
        folded,
        entries: 1,
        superseded: 0,
        truncated: 0,
        changes: [],
      },
      usage: { toolCalls: 2, definitions: [], clientTurns: 0, assistantTurns: 0, assistantTurnsWithTools: 0 },
    });
  const source = (dialect: string, rejection?: { reason: string; detail: string }) =>
    table.see({
      ...{
        kind: 'source',
        source: 0,
        status: rejection === undefined ? 'read' : 'rejected',
        rejection,
        dialect,
      },
      ...{ compression: 'none', readBytes: 0, lines: 0, fates: [], repairs: [] },
      framing: {
        bytes: 0,
        bomBytes: 0,
        lineBytes: 0,
        terminatorBytes: 0,
        lines: 0,
        crlf: 0,
        noFinalNewline: false,
      },
    });
  for (const id of ['S', 'S#2', 'S/agent', 'T']) session(id, 3);
  session('U', undefined, 'rejected');
  source('pi');
  session('V', 1);
  source('pi', { reason: 'corrupt-gzip', detail: '' });
  expect(tableOf(`\n\n${table.text()}`)[1]).toEqual(['pi', '2', '3', '4', '8', '1 corrupt gzip (file)']);
});

test('turnmill dialects lists each dialect and how it is recognised', async () => {
  const { status, stdout } = await run('dialects');
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2 * dialects.length);
  for (const [i, { name, summary }] of dialects.entries()) {
    expect(lines[2 * i]).toMatch(new RegExp(`^${name} +`));
    expect(lines[2 * i]).toContain(summary);
    expect(lines[2 * i + 1]).toMatch(/^ +known by: \S/);
  }
});
