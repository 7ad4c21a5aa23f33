/**
 * A folder of transcripts with copies, built with and without `--copies`: an independent count of the answers in the logs and in the
 * records finds none that is lost, and at most one that is written twice. TURNMILL_LONG=1 takes the size of a real folder.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { MARK, transcripts } from '../../support/transcripts.ts';

const SIZE = LONG
  ? { files: 140, answers: 48, resultChars: 6100, seed: 1 }
  : { files: 28, answers: 16, resultChars: 40, seed: 1 };
/** docs/copies.md has the figures of the larger folder. */
const RESULT = LONG ? { records: 139, answers: 8842, once: 6778 } : { records: 29, answers: 532, once: 431 };

interface Message {
  readonly role?: string;
  readonly message?: { readonly role?: string };
}

/** How often each answer of the model is in these texts, one JSON object on a line; an answer in several messages counts once. */
function answersIn(
  texts: Iterable<string>,
  messagesOf: (line: string) => readonly Message[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const line of text.split('\n').slice(0, -1)) {
      const answers = messagesOf(line).filter(({ role, message }) => (role ?? message?.role) === 'assistant');
      for (const mark of new Set(JSON.stringify(answers).match(MARK)))
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
  return counts;
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, n) => sum + n, 0);
const repeated = (counts: ReadonlyMap<string, number>): number => sumOf(counts) - counts.size;

const filesIn = (folder: string): string[] =>
  readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
const inRecords = (out: string): Map<string, number> =>
  answersIn(filesIn(join(out, 'data')), (line) => (JSON.parse(line) as { messages: Message[] }).messages);

interface Folder {
  readonly logs: string;
  readonly path: (name: string) => string;
  /** Records of a build that keeps copies: each file has a main thread, and some a sub-agent. */
  readonly threads: number;
}

function written(): Folder {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  mkdirSync(path('logs'));
  let threads = 0;
  for (const { name, lines } of transcripts(SIZE)) {
    writeFileSync(join(path('logs'), name), `${lines.join('\n')}\n`);
    threads += lines.some((line) => line.includes('"isSidechain":true')) ? 2 : 1;
  }
  return { logs: path('logs'), path, threads };
}

test('no answer is lost, and with --copies drop at most one is written twice', async () => {
  const { logs, path, threads } = written();
  const logged = answersIn(filesIn(logs), (line) => [JSON.parse(line) as Message]);
  const settings = { inputs: [logs], workers: 1, report: false };
  const { sums: all } = await build({ ...settings, out: path('keep') });
  const { sums } = await build({ ...settings, out: path('drop'), copies: 'drop' });
  const [kept, once] = [inRecords(path('keep')), inRecords(path('drop'))];
  const lost = [...logged.keys()].filter((mark) => !kept.has(mark) || !once.has(mark));
  expect({ lost, twice: repeated(once), all: all.records }).toEqual({ lost: [], twice: 1, all: threads });
  expect(all.records - sums.records).toBe(sums.sessions.contained);
  expect({ records: sums.records, answers: sumOf(kept), once: sumOf(once) }).toEqual(RESULT);
});

test('with --copies mark each answer is trained once', async () => {
  const { logs, path } = written();
  await build({ inputs: [logs], workers: 1, report: false, out: path('mark'), copies: 'mark' });
  const logged = answersIn(filesIn(logs), (line) => [JSON.parse(line) as Message]);
  const trained = answersIn(filesIn(join(path('mark'), 'data')), (line) =>
    (JSON.parse(line) as { messages: (Message & { readonly weight?: number })[] }).messages.filter(
      ({ weight }) => weight !== 0,
    ),
  );
  expect([trained.size, repeated(trained)]).toEqual([logged.size, 0]);
});
