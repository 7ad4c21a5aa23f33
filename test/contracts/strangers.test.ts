/**
 * Files that no dialect reads, in the golden folder `strangers`, with a real zip archive and a real SQLite database: each
 * is rejected once when it is named, and says what to do. In a folder, those without the name of a log are passed over.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const logs = resolve(import.meta.dirname, '../goldens/strangers/logs');

const HINTS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  'a-look-alike.jsonl': ['unknown-dialect', 'the keys type, id'],
  'b-pairs.jsonl': ['preference-pairs', 'pairs of a chosen and a rejected answer'],
  'c-package.jsonl': ['unknown-dialect', 'the keys name, version, dependencies'],
  'e-ui_messages.json': ['known-but-unread', 'api_conversation_history.json'],
  'f-garden.eval': ['known-but-unread', 'convert it to JSON with `inspect log dump FILE`'],
  'g-sessions.db': ['known-but-unread', 'export the sessions with that program'],
};
const READ = 'd-good.jsonl';

interface SourceLine {
  readonly source: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
}

async function sourcesOf(input: string): Promise<readonly SourceLine[]> {
  const out = join(temporaryFolder(), 'out');
  expect((await turnmill(['build', input, '--out', out])).status).toBe(3);
  const lines = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as SourceLine);
}

it('has a hint for every file', () => {
  expect(readdirSync(logs).sort()).toEqual([...Object.keys(HINTS), READ].sort());
});

it.each(Object.entries(HINTS))(
  '%s by its name is rejected once, with its hint',
  async (name, [reason, hint]) => {
    const rejected = { source: name, status: 'rejected', reason, detail: expect.stringContaining(hint) };
    expect(await sourcesOf(join(logs, name))).toMatchObject([rejected]);
  },
);

it('are in the ledger once each when their folder is the input', async () => {
  const statuses = (await sourcesOf(logs)).map(({ source, status, reason }) => [source, status, reason]);
  const passedOver = ['g-sessions.db'];
  const rejected = Object.entries(HINTS).filter(([name]) => !passedOver.includes(name));
  expect(statuses.sort()).toEqual(
    [
      ...rejected.map(([name, [reason]]) => [name, 'rejected', reason]),
      [READ, 'read', undefined],
      ...passedOver.map((name) => [name, 'skipped', 'excluded']),
    ].sort(),
  );
});

const user = { role: 'user', content: 'Hi.' };
const good = { role: 'assistant', content: 'Ho.' };
const bad = { role: 'assistant', content: 'No.' };

it.each([
  [{ messages: [user], chosen: good, rejected: bad }, 'a chosen and a rejected answer'],
  [{ prompt: [user], chosen: [good], rejected: [bad] }, 'a chosen and a rejected answer'],
  [{ chosen: [user, good], rejected: [user, bad] }, 'a chosen and a rejected answer'],
  [
    { input: { messages: [user] }, preferred_output: [good], non_preferred_output: [bad] },
    'a chosen and a rejected answer',
  ],
  [{ prompt: [user], completion: [good], label: true }, 'labelled as good or bad'],
  [{ winner: 'a', conversation_a: [user, good], conversation_b: [user, bad] }, 'that were compared'],
])('%j is about preferences', async (object, hint) => {
  const path = join(temporaryFolder(), 'pairs.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(object)}\n`);
  const detail = expect.stringContaining(hint);
  expect(await sourcesOf(path)).toMatchObject([{ status: 'rejected', reason: 'preference-pairs', detail }]);
});
