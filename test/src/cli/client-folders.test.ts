/** The home folders of clients are inputs as they are. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../..');
const contentOf = (path: string): Buffer => readFileSync(join(root, path));

async function builtFrom(files: Readonly<Record<string, string | Buffer>>) {
  const folder = join(temporaryFolder(), 'home');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const out = join(dirname(folder), 'out');
  const { status } = await turnmill(['build', folder, '--out', out]);
  const linesIn = (name: string) =>
    readFileSync(join(out, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const { sums } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  return {
    status,
    sums,
    out,
    sources: linesIn('ledger/sources.jsonl'),
    sessions: linesIn('ledger/sessions.jsonl'),
  };
}

test('~/.claude/projects: reads sessions and sub-agents, skips indexes and stored results', async () => {
  const project = '-home-ada-garden';
  const main = contentOf('test/goldens/cc-sidechain-file/logs/S1.jsonl');
  const agent = contentOf('test/goldens/cc-sidechain-file/logs/S1/subagents/agent-ag7.jsonl');
  const { status, sources, sessions } = await builtFrom({
    [`${project}/S1.jsonl`]: main,
    [`${project}/S1/subagents/agent-ag7.jsonl`]: agent,
    [`${project}/S1/subagents/agent-ag7.meta.json`]: '{"agentType":"Explore"}',
    [`${project}/S1/tool-results/toolu_1.json`]: '{"a":1}',
    [`${project}/S1/tool-results/toolu_2.txt`]: 'long',
    [`${project}/sessions-index.json`]: '{"version":1,"entries":[]}',
    [`${project}/memory/MEMORY.md`]: '# notes',
    'other/S2.jsonl': contentOf('examples/dialects/claude-code.jsonl'),
  });
  expect(status).toBe(0);
  const read = sources.filter((source) => source.status === 'read').map(({ source }) => source);
  expect(read).toEqual([`${project}/S1.jsonl`, `${project}/S1/subagents/agent-ag7.jsonl`, 'other/S2.jsonl']);
  const excluded = sources.filter(({ reason }) => reason === 'excluded').map(({ source }) => source);
  expect(excluded).toHaveLength(5);
  expect(sessions.filter(({ fate }) => fate === 'written').map(({ id }) => id)).toContain('S1/ag7');
});

test('~/.codex/sessions: reads rollouts by date, packed ones too', async () => {
  const rollout = contentOf('examples/dialects/codex.jsonl');
  const { status, sources, sessions } = await builtFrom({
    '2026/02/03/rollout-2026-02-03T10-00-00-0199b7a2.jsonl': rollout,
    '2026/02/04/rollout-2026-02-04T10-00-00-0199b7a3.jsonl.gz': gzipSync(rollout),
  });
  expect(status).toBe(0);
  expect(sources.map((source) => source.status)).toEqual(['read', 'read']);
  expect(sessions.map(({ fate }) => fate)).toEqual(['written', 'written']);
});
