/** An update that would replace a good dataset by little, or delete what the user put into its folder, changes nothing. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryLine } from '../support/build-logs.ts';
import type { Ended } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

interface Night {
  readonly logs: string;
  readonly out: string;
  update(...more: string[]): Promise<Ended>;
}

/** A dataset of logs, each with a session of its name. */
async function firstNight(names: readonly string[]): Promise<Night> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const id of names) {
    const path = join(logs, `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${entryLine({ at: 0, id })}\n`);
  }
  const update = (...more: string[]): Promise<Ended> =>
    turnmill(['build', logs, '--out', out, '--update', ...more]);
  expect((await update()).status).toBe(0);
  return { logs, out, update };
}

/** Adds an entry of another session, which rejects the whole log. */
const spoil = ({ logs }: Night, id: string): void =>
  appendFileSync(join(logs, `${id}.jsonl`), `${entryLine({ at: 1, id: 'another' })}\n`);

describe('an update, or a build with --replace', () => {
  it('that loses the only session of a log is refused, night after night', async () => {
    const night = await firstNight(['a']);
    const before = hashesOf(night.out);
    spoil(night, 'a');
    for (let nights = 0; nights < 2; nights++) {
      const run = await night.update();
      expect([run.status, JSON.parse(run.stderr).code]).toEqual([65, 'shrunk']);
      expect(run.stderr).toContain('had 1 session in it, now they give 0; nothing was replaced');
      expect(hashesOf(night.out)).toEqual(before);
    }
    const accepted = await night.update('--allow-shrink');
    expect(accepted.status).toBe(3);
    expect(accepted.stderr).toMatch(/rejected +2/);
    expect(readFileSync(join(night.out, 'ledger/sessions.jsonl'), 'utf8')).toContain('rejected:');
    const again = await night.update();
    expect([again.status, again.stderr]).toEqual([
      3,
      expect.stringContaining('is up to date, with 2 rejections'),
    ]);
  });

  it('that keeps half of the sessions goes on, and one that keeps fewer does not', async () => {
    const night = await firstNight(['a', 'b', 'c', 'd']);
    spoil(night, 'a');
    spoil(night, 'b');
    expect((await night.update()).status).toBe(3);
    spoil(night, 'c');
    expect((await night.update()).status).toBe(3);
    spoil(night, 'd');
    expect((await night.update()).status).toBe(65);
  });

  it('counts only logs that are still there, and also with other settings', async () => {
    const night = await firstNight(['a', 'b', 'c']);
    for (const id of ['a', 'b']) rmSync(join(night.logs, `${id}.jsonl`));
    expect((await night.update()).status).toBe(0);
    expect((await night.update('--max-messages', '1')).status).toBe(65);
    expect((await night.update('--max-messages', '1', '--allow-shrink')).status).toBe(3);
  });

  it('from other inputs is refused if no log of the dataset is among them', async () => {
    const night = await firstNight(['a', 'b']);
    const before = hashesOf(night.out);
    const other = await firstNight(['c']);
    const wrong = (...more: string[]) => turnmill(['build', other.logs, '--update', night.out, ...more]);
    const run = await wrong();
    expect([run.status, JSON.parse(run.stderr).code]).toEqual([65, 'shrunk']);
    expect(run.stderr).toContain('so its 2 sessions would be lost; nothing was replaced');
    expect(hashesOf(night.out)).toEqual(before);
    expect((await wrong('--allow-shrink')).status).toBe(0);
    expect(readFileSync(join(night.out, 'ledger/sessions.jsonl'), 'utf8')).toContain('"id":"c"');
  });

  it('counts logs that are there but left out by an option, and names the option', async () => {
    const night = await firstNight(['a', 'b', 'sub/c']);
    const before = hashesOf(night.out);
    utimesSync(join(night.logs, 'b.jsonl'), 0, 0);
    const choices = [
      [['--include', 'a*'], '--include left out 2'],
      [['--exclude', 'a*', '--since', '2020-01-01'], '--since and --exclude left out 2'],
    ] as const;
    for (const [choice, words] of choices) {
      const run = await night.update(...choice);
      expect([run.status, JSON.parse(run.stderr).code]).toEqual([65, 'shrunk']);
      expect(run.stderr).toContain(`had 3 sessions in it, now they give 1; nothing was replaced. ${words}: `);
    }
    expect(hashesOf(night.out)).toEqual(before);
    expect((await night.update('--exclude', 'a*')).status).toBe(0); // two of three are left
    rmSync(join(night.logs, 'b.jsonl'));
    expect((await night.update('--include', 'sub/*')).status).toBe(0); // b is gone
  });

  it.each(['--allow-shrink', '--allow-empty'])(
    'without a record replaces no dataset that has one, except with %s',
    async (accepts) => {
      const night = await firstNight(['a', 'b']);
      for (const id of ['a', 'b']) spoil(night, id);
      const before = hashesOf(night.out);
      const replace = (...more: string[]) =>
        turnmill(['build', night.logs, '--out', night.out, '--replace', ...more]);
      const run = await replace();
      expect([run.status, JSON.parse(run.stderr).code]).toEqual([65, 'shrunk']);
      expect(run.stderr).toContain('no log gave a record, so the 2 records of the dataset would be lost');
      expect(hashesOf(night.out)).toEqual(before);
      expect((await replace(accepts)).status).toBe(3);
      expect((await replace()).status).toBe(3); // it has no record to lose
    },
  );

  it.each(['--update', '--replace'])(
    'keeps the README.md of the user with %s, and verify accepts it',
    async (flag) => {
      const night = await firstNight(['a']);
      writeFileSync(join(night.out, 'README.md'), '# Mine');
      writeFileSync(join(night.logs, 'b.jsonl'), `${entryLine({ at: 0, id: 'b' })}\n`);
      expect((await turnmill(['build', night.logs, '--out', night.out, flag])).status).toBe(0);
      expect(readFileSync(join(night.out, 'README.md'), 'utf8')).toBe('# Mine');
      expect((await turnmill(['verify', night.out])).status).toBe(0);
      writeFileSync(join(night.out, 'notes.txt'), 'mine');
      const run = await turnmill(['build', night.logs, '--out', night.out, flag]);
      expect([run.status, readFileSync(join(night.out, 'notes.txt'), 'utf8')]).toEqual([73, 'mine']);
      expect(run.stderr).toContain('contains notes.txt, which turnmill did not write');
    },
  );
});
