/** Damage to a dataset with marks whose manifest fits the damage: only the second count of context finds it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { type Copy, copiesOf, problemsAfterReseal } from './small-dataset.ts';

const SESSIONS = 'ledger/sessions.jsonl';

describe.each([
  ['chat', '"weight":0', false],
  ['openai', '"weight":0', false],
  ['axolotl', '"train":false', false],
  ['atif', '"is_copied_context":true', true],
])('%s', (format, mark, isExact) => {
  let root = '';
  let copy: () => Copy;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'turnmill-verify-'));
    writeCopiedLogs(join(root, 'logs'), 3, 12);
    const shared = { inputs: [join(root, 'logs')], workers: 1, groupBy: 'none' as const };
    await build({ ...shared, out: join(root, 'out'), format, copies: 'mark' });
    copy = copiesOf(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const DATA = 'data/conversations-00000.jsonl';
  const problemsAfter = (change: (copy: Copy) => void): Promise<string[]> =>
    problemsAfterReseal(copy(), change);
  // biome-ignore lint/suspicious/noExplicitAny: a line that a test changes at will
  const changeSession = (change: (session: any) => unknown) => (one: Copy) =>
    one.lines(SESSIONS, (lines) => {
      const at = lines.findIndex((line) => line.includes('"context":'));
      const session = JSON.parse(lines[at] as string);
      change(session);
      return lines.with(at, JSON.stringify(session));
    });

  test('an unchanged dataset has no problems', async () => {
    expect(await problemsAfter(() => undefined)).toEqual([]);
  });

  test.each([
    ['too large', (session: { context: number }) => session.context++],
    ['missing', (session: { context?: number }) => delete session.context],
  ])('a number of context messages that is %s', async (_, change) => {
    expect((await problemsAfter(changeSession(change))).join('\n')).toMatch(
      /sessions\.jsonl: line \d+: context, by the paths: expected \d+, found/,
    );
  });

  test('an answer of context without its mark', async () => {
    const problems = await problemsAfter((one) =>
      one.lines(DATA, (lines) => lines.map((line) => line.replaceAll(`,${mark}`, ''))),
    );
    expect(problems.join('\n')).toMatch(/answers that are context: expected \d+, found 0/);
  });

  test('an answer to train with a mark, in a format whose logs cannot have one', async () => {
    const problems = await problemsAfter((one) =>
      one.lines(DATA, (lines) => lines.map((line) => line.replaceAll(/("source":"agent",)/g, `$1${mark},`))),
    );
    expect(problems.length > 0).toBe(isExact);
  });

  test('a context that a session without a record has, and sums that do not fit', async () => {
    const contained = await problemsAfter((one) =>
      one.lines(SESSIONS, (lines) =>
        lines.map((line) => line.replace('"fate":"contained"', '"fate":"contained","context":2')),
      ),
    );
    expect(contained.join('\n')).toContain('context without a record');
    const sums = await problemsAfter((one) =>
      one.manifest((manifest) => {
        manifest.ledger.formats[format].trained++;
      }),
    );
    expect(sums.join('\n')).toContain(`ledger.formats.${format}`);
  });

  test('context without the option', async () => {
    const problems = await problemsAfter((one) =>
      one.manifest((manifest) => {
        manifest.settings.copies = 'drop';
      }),
    );
    expect(problems.join('\n')).toMatch(/sessions\.jsonl: line \d+: context: expected/);
  });
});

test('a split record with messages moved to the other part', async () => {
  const root = mkdtempSync(join(tmpdir(), 'turnmill-verify-'));
  writeCopiedLogs(join(root, 'logs'), 3, 12);
  const shared = { inputs: [join(root, 'logs')], workers: 1, groupBy: 'none' as const };
  await build({ ...shared, out: join(root, 'out'), format: 'trl', copies: 'mark' });
  const copy = copiesOf(root);
  const moved = (line: string): string => {
    const { prompt, completion, ...others } = JSON.parse(line);
    return JSON.stringify({ prompt: [...prompt, ...completion], completion: [], ...others });
  };
  const problems = await problemsAfterReseal(copy(), (one) =>
    one.lines('data/conversations-00000.jsonl', (lines) => lines.map(moved)),
  );
  expect(problems.join('\n')).toMatch(/answers that are context: expected \d+, found \d+/);
  const early = (line: string): string => {
    const { prompt, completion, ...others } = JSON.parse(line);
    return JSON.stringify({
      prompt: prompt.slice(0, -1),
      completion: [prompt.at(-1), ...completion],
      ...others,
    });
  };
  const untrained = await problemsAfterReseal(copy(), (one) =>
    one.lines('data/conversations-00000.jsonl', (lines) => lines.map(early)),
  );
  expect(untrained.join('\n')).toContain('expected a `completion` that begins with an answer');
  const joined = await problemsAfterReseal(copy(), (one) =>
    one.lines('data/conversations-00000.jsonl', (lines) =>
      lines.map((line) => line.replace('"prompt":', '"messages":')),
    ),
  );
  expect(joined.join('\n')).toContain('expected arrays `prompt` and `completion`');
  rmSync(root, { recursive: true, force: true });
});
