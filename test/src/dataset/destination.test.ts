import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDestination, checkUnchanged } from '../../../src/dataset/destination.ts';
import { compiledSink } from './compiled.ts';
import { faultOf, temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
const check = (out: string, { inputs = [] as string[], replace = false } = {}) =>
  checkDestination({
    out: folder.in(out),
    inputs: inputs.map((input) => (input === '-' ? input : folder.in(input))),
    replace,
  });
const refusal = (...args: Parameters<typeof check>) => faultOf(() => check(...args)).code;

function dataset(
  path: string,
  manifest: unknown = { schema: 1, tool: { name: 'turnmill', version: '0' } },
): void {
  mkdirSync(folder.in(path), { recursive: true });
  writeFileSync(folder.in(path, 'manifest.json'), JSON.stringify(manifest));
}

describe('a destination', () => {
  test('may be missing or an empty folder', () => {
    mkdirSync(folder.in('empty'));
    expect(check('out')).toMatchObject({ state: 'absent', path: folder.in('out'), identity: undefined });
    expect(check('empty')).toMatchObject({ state: 'empty', name: 'empty', parent: folder.path });
    expect(check('empty/')).toMatchObject({ state: 'empty', path: folder.in('empty') });
  });

  test('is replaced only on request when it is a dataset', () => {
    dataset('out');
    expect(refusal('out')).toBe('cannot-create');
    expect(faultOf(() => check('out')).message).toContain('--replace');
    expect(check('out', { replace: true }).state).toBe('folder');
  });

  test.each([
    ["someone else's folder", () => mkdirSync(folder.in('out/x'), { recursive: true })],
    ['a file', () => writeFileSync(folder.in('out'), '')],
    ['another manifest', () => dataset('out', { schema: 1, tool: { name: 'other' } })],
    ['a manifest that is null', () => dataset('out', null)],
    ['a link to a version that is gone', () => symlinkSync('.out.v-0123456789abcdef', folder.in('out'))],
  ])('is refused even with --replace when it is %s', (_, make) => {
    make();
    expect(refusal('out', { replace: true })).toBe('cannot-create');
    expect(refusal('out')).toBe('cannot-create');
  });

  test('is refused when a newer version has written it', () => {
    dataset('out', { schema: 2, tool: { name: 'turnmill' } });
    expect(refusal('out', { replace: true })).toBe('invalid-dataset');
  });

  test("is the target of a user's link, but not of turnmill's own", () => {
    mkdirSync(folder.in('big'));
    symlinkSync('big/data', folder.in('out'));
    expect(check('out')).toMatchObject({ state: 'absent', path: folder.in('big/data') });
    dataset('.v.v-0123456789abcdef');
    symlinkSync('.v.v-0123456789abcdef', folder.in('v'));
    symlinkSync('v', folder.in('to-v'));
    expect(check('to-v', { replace: true })).toMatchObject({ state: 'link', path: folder.in('v') });
  });

  test('is refused when its links form a circle', () => {
    symlinkSync('b', folder.in('a'));
    symlinkSync('a', folder.in('b'));
    expect(refusal('a')).toBe('cannot-create');
  });
});

describe('the parent folder', () => {
  test('must exist and be a folder', () => {
    writeFileSync(folder.in('file'), '');
    expect(faultOf(() => check('no/out'))).toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('does not exist'),
    });
    expect(faultOf(() => check('file/out'))).toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('file is not a folder'),
    });
    expect(faultOf(() => checkDestination({ out: '/', inputs: [], replace: false })).code).toBe('usage');
    expect(faultOf(() => checkDestination({ out: '', inputs: [], replace: false })).code).toBe('usage');
  });

  describe('must be writable', () => {
    const build = mkdtempSync(join(tmpdir(), 'turnmill-compiled-'));
    let module: string;
    beforeAll(() => {
      module = compiledSink(build, 'destination');
      execFileSync('chmod', ['-R', 'a+rX', build]);
    });
    afterAll(() => rmSync(build, { recursive: true, force: true }));

    function asNobody(out: string): string {
      const script = `import { checkDestination } from ${JSON.stringify(module)};
        try { checkDestination({ out: process.argv[1], inputs: [], replace: false }); console.log('fine'); } catch (error) { console.log(error.code); }`;
      const node = [process.execPath, '--input-type=module', '-e', script, out];
      const command =
        process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups', ...node] : node;
      return execFileSync(command[0] as string, command.slice(1), { encoding: 'utf8' }).trim();
    }

    test('F026 mode 0555, no x, and writable', () => {
      chmodSync(folder.path, 0o755);
      for (const [name, mode] of [
        ['r', 0o555],
        ['no-x', 0o666],
        ['w', 0o777],
      ] as const) {
        mkdirSync(folder.in(name));
        chmodSync(folder.in(name), mode);
      }
      expect(asNobody(folder.in('r/out'))).toBe('permission');
      expect(asNobody(folder.in('no-x/out'))).toBe('permission');
      expect(asNobody(folder.in('w/out'))).toBe('fine');
    });

    test.skipIf(process.getuid?.() !== 0)('F026 a read-only file system', () => {
      mkdirSync(folder.in('ro'));
      const script = `import { checkDestination } from ${JSON.stringify(module)};
        try { checkDestination({ out: process.argv[2], inputs: [], replace: false }); } catch (error) { console.log(error.code, error.message); }`;
      writeFileSync(join(build, 'check.mjs'), script);
      const commands = `mount -t tmpfs -o ro none ${folder.in('ro')} && ${process.execPath} ${join(build, 'check.mjs')} ${folder.in('ro/out')}`;
      expect(execFileSync('unshare', ['-m', 'sh', '-c', commands], { encoding: 'utf8' })).toMatch(
        /^cannot-create .*EROFS/,
      );
    });
  });
});

describe('F034 overlap with an input', () => {
  test.each([
    ['the same folder', 'logs', ['logs']],
    ['the same, trailing slash', 'logs/', ['logs']],
    ['inside', 'logs/out', ['logs']],
    ['deep inside', 'logs/day/x/out', ['logs']],
    ['inside, by ..', 'other/../logs/out', ['logs']],
    ['inside, by a link', 'link/out', ['logs']],
    ['inside, the input by a link', 'logs/out', ['link']],
    ['a link that leads out of the input', 'logs/away', ['logs']],
    ['an input inside the output', 'logs', ['other', 'logs/day/a.jsonl']],
    ['an input inside the output, by a link', 'link', ['logs/day']],
    ['the input by .. after a link', 'other/out', ['link/../other']],
  ])('%s', (_, out, inputs) => {
    mkdirSync(folder.in('logs/day/x'), { recursive: true });
    writeFileSync(folder.in('logs/day/a.jsonl'), '');
    mkdirSync(folder.in('other'));
    symlinkSync('logs', folder.in('link'));
    symlinkSync('../other/out', folder.in('logs/away'));
    expect(refusal(out, { inputs: ['-', ...inputs], replace: true })).toBe('usage');
  });

  test('`..` after a link is the parent of its target', () => {
    mkdirSync(folder.in('a/b'), { recursive: true });
    symlinkSync('a/b', folder.in('link'));
    const request = { inputs: [folder.in('a')], replace: false };
    expect(faultOf(() => checkDestination({ ...request, out: `${folder.path}/link/../out` })).code).toBe(
      'usage',
    );
  });

  test('an input inside the version that the output links to is refused', () => {
    dataset('.out.v-0123456789abcdef');
    symlinkSync('.out.v-0123456789abcdef', folder.in('out'));
    expect(refusal('out', { inputs: ['.out.v-0123456789abcdef/manifest.json'], replace: true })).toBe(
      'usage',
    );
  });

  test('siblings, missing inputs and unreachable inputs are allowed', () => {
    mkdirSync(folder.in('logs'));
    symlinkSync('self', folder.in('self'));
    expect(check('logs-out', { inputs: ['logs', 'missing', 'self', '-'] }).state).toBe('absent');
  });
});

describe('F036 checkUnchanged', () => {
  test.each([
    ['appeared as a link', 'out', () => symlinkSync('/etc', folder.in('out'))],
    ['appeared as a folder', 'out', () => mkdirSync(folder.in('out'))],
    [
      'was replaced by a link',
      'ds',
      () => {
        renameSync(folder.in('ds'), folder.in('moved'));
        symlinkSync('moved', folder.in('ds'));
      },
    ],
    ['went away', 'ds', () => rmSync(folder.in('ds'), { recursive: true })],
  ])('the destination %s', (_, out, change) => {
    dataset('ds');
    const destination = check(out, { replace: true });
    checkUnchanged(destination);
    change();
    expect(faultOf(() => checkUnchanged(destination)).code).toBe('cannot-create');
  });
});
