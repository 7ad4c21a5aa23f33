/** Which files in the home folders of clients are logs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { listSources } from '../../../../src/input/sources/list.ts';
import { temporaryFolder } from '../../../support/folder.ts';

function listed(home: string, files: readonly string[], below = ''): readonly [string[], number] {
  const folder = join(temporaryFolder(), home);
  for (const file of files) {
    mkdirSync(dirname(join(folder, below, file)), { recursive: true });
    writeFileSync(join(folder, below, file), '{}');
  }
  const { sources, passedOver } = listSources([folder]);
  return [[...sources].map(({ name }) => name), passedOver.excluded ?? 0];
}

it('reads the projects of a Claude Code home and skips the rest', () => {
  const files = ['projects/p/s.jsonl', 'settings.json', 'history.jsonl', 'todos/a.json', 'x/y/z.json'];
  expect(listed('.claude', files)).toEqual([['projects/p/s.jsonl'], 4]);
  expect(listed('claude-config', files)).toEqual([['projects/p/s.jsonl'], 4]);
  expect(listed('me', files, '.claude')).toEqual([['.claude/projects/p/s.jsonl'], 4]);
});

it('skips a dataset among logs, and refuses it as an input', () => {
  const files = ['manifest.json', 'run.json', 'data/a.jsonl', 'ledger/sources.jsonl', 'quarantine/r.jsonl'];
  expect(listed('logs', [...files, '../a.jsonl'], 'built')).toEqual([['a.jsonl'], 5]);
  expect(() => listed('built', files)).toThrow(
    /built is a dataset, not a folder of logs; to read its records/,
  );
  expect(listed('logs', ['run.json', 'data/a.jsonl', 'ledger/b.jsonl'])[0]).toHaveLength(3);
});

it('skips the long bodies beside a log of Amazon Bedrock', () => {
  const files = ['08/r1.json.gz', '08/data/r1_output.json.gz', '08/data/r1_input.json', 'data/r2.json'];
  expect(listed('logs', files)).toEqual([['08/r1.json.gz', 'data/r2.json'], 2]);
});

it('reads the agents of a workflow of Claude Code, and not its journal and its outcome', () => {
  const run = 's/subagents/workflows/wf_1';
  const files = [`${run}/agent-a.jsonl`, `${run}/agent-a.meta.json`, `${run}/journal.jsonl`, 's.jsonl'];
  expect(listed('p', [...files, 's/workflows/wf_1.json', 's/workflows/scripts/x-wf_1.js'])).toEqual([
    ['s.jsonl', `${run}/agent-a.jsonl`],
    4,
  ]);
  expect(listed('logs', ['workflows/a.json', 'workflows/b/log.jsonl', 'journal.jsonl'])[0]).toHaveLength(3);
});

it('reads the sessions of a Codex home', () => {
  const files = [
    'sessions/2026/r.jsonl',
    'archived_sessions/q.jsonl',
    'history.jsonl',
    'auth.json',
    'log/a.log',
  ];
  expect(listed('.codex', files)).toEqual([['archived_sessions/q.jsonl', 'sessions/2026/r.jsonl'], 3]);
});

it('reads the chats of a Gemini home', () => {
  const files = ['tmp/h/chats/session-1.json', 'tmp/h/logs.json', 'settings.json', 'oauth_creds.json'];
  expect(listed('.gemini', files)).toEqual([['tmp/h/chats/session-1.json'], 3]);
});

it('reads the events of an OpenHands session, and not the copies beside them', () => {
  const files = ['events/0.json', 'events/1.json', 'event_cache/0-25.json', 'metadata.json'];
  expect(listed('s1', files)).toEqual([['events/0.json', 'events/1.json'], 2]);
  expect(listed('sessions', ['events/event-00000-a.json', 'base_state.json'], 's1')).toEqual([
    ['s1/events/event-00000-a.json'],
    1,
  ]);
  expect(listed('events', ['events/a.jsonl', 'b.jsonl'])[0]).toHaveLength(2);
});

it('reads all logs of any other folder, whatever its subfolders are called', () => {
  expect(listed('logs', ['projects/a.jsonl', 'todos.json', 'b.jsonl'])[0]).toHaveLength(3);
  expect(listed('.claude', ['todos.json', 'b.jsonl'])[0]).toHaveLength(2);
});

it('passes over settings, and what a user typed into a client', () => {
  expect(listed('p', ['settings.json', 'a/package.json', 'settings.jsonl', 'my-settings.json'])).toEqual([
    ['my-settings.json', 'settings.jsonl'],
    2,
  ]);
  const folder = temporaryFolder();
  const heads = {
    claude: '{"display":"Fix it, \\"now\\"","pastedContents":{},"timestamp":1,"project":"/p"}',
    codex: '{"session_id":"0199","ts":1768312030,"text":"Fix it"}',
    other: '{"messages":[{"role":"user","content":"Hi"}]}',
  };
  for (const [name, line] of Object.entries(heads)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'history.jsonl'), `${line}\n`);
  }
  expect([...listSources([folder]).sources].map(({ name }) => name)).toEqual(['other/history.jsonl']);
  expect(listSources([join(folder, 'codex/history.jsonl')]).sources).toHaveLength(1);
});
