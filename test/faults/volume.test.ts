/**
 * F208, F212: a volume shared by several containers or machines, its locks and staging folders, and names that leave no room for theirs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { sessionLines } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

const CONTAINER = 'unshare -n -p -f --mount-proc';
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000\n';

/** A folder with `a.jsonl`, one session. */
function withLog(): { readonly folder: string; readonly log: string; readonly out: string } {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl');
  const lines = sessionLines('s', { entries: 2, messageChars: 80, seed: 1 });
  writeFileSync(log, `${lines.join('\n')}\n`);
  return { folder, log, out: join(folder, 'out') };
}

/** Creates a staging folder as a killed run leaves it. */
function leftStaging(folder: string, boot: string): string {
  const path = join(folder, '.out.staging-0123456789abcdef');
  for (const name of ['data', 'work']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'data/x.jsonl'), '{}\n');
  writeFileSync(join(path, 'work/boot'), boot);
  return path;
}

function age(path: string, hours: number): void {
  const then = new Date(Date.now() - hours * 60 * 60 * 1000);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }) as string[])
    utimesSync(join(path, name), then, then);
  utimesSync(path, then, then);
}

for (const more of ['', '--replace'])
  faultTest(
    'F208',
    `two containers on one volume ${more}: the second run ends with 75, the first one's dataset is whole`,
    { needs: ['containers', 'mkfifo'] },
    async () => {
      const { folder, log, out } = withLog();
      const script = `
        command='${CONTAINER} "$NODE" "$COMMAND" build'
        mkfifo pipe
        eval "$command - --out out ${more} < pipe" 2> first &
        first=$!
        exec 9> pipe
        until ls -A | grep -q staging; do sleep 0.05; done
        ls -A > during
        eval "$command a.jsonl --out out ${more}"; echo "second $?"
        ls -A > after
        cat a.jsonl >&9; exec 9>&-
        wait $first; echo "first $?"`;
      const run = await bash(script, { cwd: folder });
      expect(run.stdout.toString(), run.stderr).toBe('second 75\nfirst 0\n');
      expect(run.stderr).toContain('another run is writing');
      const [during, after] = ['during', 'after'].map((name) => readFileSync(join(folder, name), 'utf8'));
      expect(after).toBe(during?.replace('during\n', 'after\nduring\n')); // the refused run touched nothing
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
      const alone = join(folder, 'alone');
      expect(await turnmill(['build', log, '--out', alone])).toMatchObject({ status: 0 });
      const data = (path: string): string[] => Object.values(hashesOf(join(path, 'data')));
      expect(data(out)).toEqual(data(alone));
      expect(readdirSync(folder).filter((name) => /lock|staging/.test(name))).toEqual([]);
    },
  );

faultTest(
  'F208',
  'a killed container leaves a lock that does not hold',
  { needs: ['containers', 'mkfifo'] },
  async () => {
    const { folder, log, out } = withLog();
    const script = `
      mkfifo pipe
      ${CONTAINER} --kill-child "$NODE" "$COMMAND" build - --out out < pipe &
      first=$!
      exec 9> pipe
      until ls -A | grep -q staging; do sleep 0.05; done
      kill -9 $first; wait $first
      ls -A`;
    const run = await bash(script, { cwd: folder });
    expect(run.stdout.toString()).toMatch(/\.out\.lock-.*\n\.out\.staging-/);
    // the namespaces end shortly after their first process
    await expect.poll(async () => (await turnmill(['build', log, '--out', out])).status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'out', 'pipe']);
  },
);

faultTest(
  'F208',
  'a file system without sockets: the run continues with the lock it has',
  { needs: ['ptrace'] },
  async () => {
    const { folder } = withLog();
    const inject = 'strace -f -qq -o trace -e trace=bind -e inject=bind:error=EOPNOTSUPP:when=2';
    const run = await bash(`${inject} "$NODE" "$COMMAND" build a.jsonl --out out`, { cwd: folder });
    expect(readFileSync(join(folder, 'trace'), 'utf8')).toMatch(/\.out\.lock-.*INJECTED/);
    expect(run.status, run.stderr).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'out', 'trace']);
  },
);

faultTest('F208', 'a staging folder from another boot stays until it is a day old', {}, async () => {
  const { folder, log, out } = withLog();
  const path = leftStaging(folder, OTHER_BOOT);
  const young = await turnmill(['build', log, '--out', out]);
  expect(young.status, young.stderr).toBe(0);
  expect(young.stderr).toContain('.out.staging-0123456789abcdef is left alone');
  expect(readdirSync(join(path, 'data'))).toEqual(['x.jsonl']);
  age(path, 23);
  writeFileSync(join(path, 'data/x.jsonl'), '{}\n{}\n'); // imitates a writer that is still running
  expect(await turnmill(['build', log, '--out', out, '--replace'])).toMatchObject({ status: 0 });
  age(path, 23);
  expect(await turnmill(['build', log, '--out', out, '--replace'])).toMatchObject({ status: 0 });
  expect(existsSync(path)).toBe(true);
  age(path, 25);
  const old = await turnmill(['build', log, '--out', out, '--replace']);
  expect(old).toMatchObject({ status: 0 });
  expect(old.stderr).not.toContain('left alone');
  expect(existsSync(path)).toBe(false);
});

faultTest('F208', 'a staging folder of a killed run from this boot is removed at once', {}, async () => {
  const { folder, log, out } = withLog();
  const path = leftStaging(folder, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  expect(await turnmill(['build', log, '--out', out])).toMatchObject({ status: 0 });
  expect(existsSync(path)).toBe(false);
});

faultTest('F212', 'a name that leaves no room for its staging folder: 73, with the limit', {}, async () => {
  const { folder, log } = withLog();
  const longest = `${'é'.repeat(114)}x`; // 229 bytes
  expect(await turnmill(['build', log, '--out', join(folder, longest)])).toMatchObject({ status: 0 });
  for (const [name, most] of [
    [`${longest}x`, 229],
    ['x'.repeat(255), 229],
    ['x'.repeat(256), 255],
  ] as const) {
    const run = await turnmill(['build', log, '--out', join(folder, name)]);
    expect(run.status, run.stderr).toBe(73);
    expect(run.stderr).toContain(
      `its name has ${Buffer.byteLength(name)} bytes, and at most ${most} are allowed`,
    );
  }
  expect(readdirSync(folder).sort()).toEqual(['a.jsonl', longest].sort());
});
