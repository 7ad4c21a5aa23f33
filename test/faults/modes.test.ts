/**
 * F210: only people who may read every source may read the dataset, unless `--mode` says otherwise. Rejected lines stay private to the
 * owner.
 */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../src/job/build.ts';
import { turnmillHere } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { sessionLines } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

const ENTRY = { entries: 2, messageChars: 80, seed: 1 };

/** `logs` with a file of each mode; one of them has a torn line. */
function withLogs(...modes: readonly number[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  for (const [i, mode] of modes.entries()) {
    const path = join(folder, `logs/${i}.jsonl`);
    writeFileSync(path, `${sessionLines(`s${i}`, ENTRY).join('\n')}\n`);
    if (i === 0) appendFileSync(path, '{"torn\n');
    chmodSync(path, mode);
  }
  return folder;
}

const octal = (path: string): string => (statSync(path).mode & 0o7777).toString(8).padStart(3, '0');

/** The modes of all files and all folders; those of quarantine/ separately. */
function modesIn(root: string): Record<'files' | 'folders' | 'quarantine', string> {
  const found = { files: new Set<string>(), folders: new Set([octal(root)]), quarantine: new Set<string>() };
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[]) {
    const path = join(root, name);
    const kind = name.startsWith('quarantine')
      ? 'quarantine'
      : statSync(path).isDirectory()
        ? 'folders'
        : 'files';
    found[kind].add(octal(path));
  }
  const joined = (modes: ReadonlySet<string>): string => [...modes].sort().join(' ');
  return { files: joined(found.files), folders: joined(found.folders), quarantine: joined(found.quarantine) };
}

const CASES = [
  { what: 'the umask alone', sources: [0o666, 0o777], umask: '022', args: '', files: '644', folders: '755' },
  {
    what: 'one source, owner only',
    sources: [0o644, 0o600],
    umask: '022',
    args: '',
    files: '600',
    folders: '700',
  },
  {
    what: 'sources readable by the group',
    sources: [0o640, 0o664],
    umask: '002',
    args: '',
    files: '640',
    folders: '750',
  },
  {
    what: 'the AND of two modes',
    sources: [0o640, 0o604],
    umask: '000',
    args: '',
    files: '600',
    folders: '700',
  },
  {
    what: 'read-only sources',
    sources: [0o444, 0o444],
    umask: '022',
    args: '',
    files: '644',
    folders: '755',
  },
  {
    what: '--mode',
    sources: [0o600, 0o600],
    umask: '077',
    args: '--mode 0664',
    files: '664',
    folders: '775',
  },
  {
    what: 'a narrower --mode',
    sources: [0o644, 0o644],
    umask: '022',
    args: '--mode 600',
    files: '600',
    folders: '700',
  },
  {
    what: 'a --mode without the owner',
    sources: [0o644, 0o644],
    umask: '022',
    args: '--mode 0040',
    files: '640',
    folders: '750',
  },
];
/** The others differ only in their numbers. */
const ALWAYS = ['the AND of two modes', 'a narrower --mode'];
for (const { what, sources, umask, args, files, folders } of CASES)
  faultTest('F210', `${what}: ${files}`, { long: !ALWAYS.includes(what) }, async () => {
    const folder = withLogs(...sources);
    for (const more of ['', '--compress gzip --replace', '--format chat --format openai --replace']) {
      const script = `umask ${umask}; turnmill build logs --out out ${args} ${more}`;
      const run = await bash(script, { cwd: folder });
      expect(run.status, run.stderr).toBe(3);
      expect(modesIn(join(folder, 'out')), more).toEqual({ files, folders, quarantine: '600 700' });
    }
    expect(await bash('turnmill verify out', { cwd: folder })).toMatchObject({ status: 0 });
  });

faultTest('F210', 'standard input: only the umask counts', {}, async () => {
  const folder = withLogs(0o600);
  const run = await bash('umask 027; cat logs/0.jsonl | turnmill build - --out out', { cwd: folder });
  expect(run.status, run.stderr).toBe(3);
  expect(modesIn(join(folder, 'out'))).toEqual({ files: '640', folders: '750', quarantine: '600 700' });
});

faultTest('F210', 'an update follows its sources, and applies the mode of --mode', {}, async () => {
  const folder = withLogs(0o644, 0o644);
  const update = async (args = ''): Promise<string> => {
    const run = await bash(`umask 022; turnmill build logs --update out ${args}`, { cwd: folder });
    expect([0, 3], run.stderr).toContain(run.status);
    return modesIn(join(folder, 'out')).files;
  };
  expect(await update()).toBe('644');
  const before = hashesOf(join(folder, 'out'));
  expect(await update('--mode 0660')).toBe('660');
  expect(hashesOf(join(folder, 'out'))).toEqual(before); // the mode is not part of the bytes
  writeFileSync(join(folder, 'logs/new.jsonl'), sessionLines('n', ENTRY).join('\n'), { mode: 0o600 });
  expect(await update()).toBe('600');
});

faultTest('F210', 'a resumed run has the modes of a straight one', { needs: ['ptrace'] }, async () => {
  const folder = withLogs(0o640, 0o644, 0o640);
  const script = `umask 002
    export TURNMILL_CHECKPOINT_BYTES=0
    turnmill build logs --out straight
    strace -f -qq -o trace -e trace=rename -e inject=rename:signal=SIGKILL:when=3 "$NODE" "$COMMAND" build logs --out out
    turnmill build logs --out out --resume`;
  const run = await bash(script, { cwd: folder });
  expect(readFileSync(join(folder, 'trace'), 'utf8')).toContain('killed by SIGKILL');
  expect(run.status, run.stderr).toBe(3);
  expect(JSON.parse(readFileSync(join(folder, 'out/run.json'), 'utf8')).resumed).toBe(true);
  const modes = modesIn(join(folder, 'out'));
  expect(modes).toEqual(modesIn(join(folder, 'straight')));
  expect(modes).toEqual({ files: '640', folders: '750', quarantine: '600 700' });
});

faultTest('F210', 'an invalid mode: 64', {}, async () => {
  const folder = withLogs(0o644);
  const [logs, out, config] = [join(folder, 'logs'), join(folder, 'out'), join(folder, 'c.json')];
  for (const mode of ['0755', 'rw-r-----', '0o640', '99', '4640', '0648', '-1', '']) {
    const run = await turnmillHere(['build', logs, '--out', out, `--mode=${mode}`]);
    expect(run.status, `${mode}: ${run.stderr}`).toBe(64);
  }
  for (const [text, status] of [
    ['{"mode":"0600"}', 3],
    ['{"mode":600}', 78],
    ['{"mode":"0700"}', 78],
  ] as const) {
    writeFileSync(config, text);
    const run = await turnmillHere(['build', logs, '--out', out, '--config', config]);
    expect(run.status, `${text}: ${run.stderr}`).toBe(status);
  }
  expect(modesIn(out).files).toBe('600');
});

test('the library takes a number, and checks it', async () => {
  const folder = withLogs(0o644);
  const [inputs, out] = [[join(folder, 'logs')], join(folder, 'out')];
  await build({ inputs, out, mode: 0o640 });
  expect(modesIn(out)).toEqual({ files: '640', folders: '750', quarantine: '600 700' });
  for (const mode of [0o755, 640, -1, 1.5])
    await expect(build({ inputs, out, mode })).rejects.toMatchObject({ code: 'usage' });
});
