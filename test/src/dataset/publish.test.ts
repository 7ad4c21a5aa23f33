import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkDestination } from '../../../src/dataset/destination.ts';
import { siblingPath } from '../../../src/dataset/place.ts';
import { publicationSteps } from '../../../src/dataset/publish.ts';
import { recoverDestination, resolveDataset } from '../../../src/dataset/recover.ts';
import { Staging } from '../../../src/dataset/staging.ts';
import { faultOf, temporaryFolder } from './temporary.ts';

vi.mock('node:fs', async (original) => {
  const real = { ...(await original<typeof import('node:fs')>()) };
  type Calls = Record<string, (...args: unknown[]) => unknown>;
  const late =
    (name: string) =>
    (...args: unknown[]) =>
      (real as unknown as Calls)[name]?.(...args);
  return { ...real, default: real, renameSync: late('renameSync'), fsyncSync: late('fsyncSync') };
});

const folder = temporaryFolder();
const umask = process.umask();
afterEach(() => {
  vi.restoreAllMocks();
  process.umask(umask);
});

const destination = (replace: boolean) => checkDestination({ out: folder.in('out'), inputs: [], replace });

/** A complete dataset, staged. */
function stage(replace: boolean, mark: string): Staging {
  const staging = new Staging(destination(replace));
  writeFileSync(`${staging.path}/data/x`, mark);
  writeFileSync(
    `${staging.path}/manifest.json`,
    JSON.stringify({ schema: 1, tool: { name: 'turnmill' }, files: [{ path: 'data/x' }], mark }),
  );
  return staging;
}

function put(replace: boolean, mark: string): void {
  expect(stage(replace, mark).publish({ replace })).toEqual([]);
}

/** Reads the dataset and expects its data to match its manifest. */
function read(path = folder.in('out')): string {
  const dir = resolveDataset(path);
  const { mark } = JSON.parse(readFileSync(`${dir}/manifest.json`, 'utf8'));
  expect(readFileSync(`${dir}/data/x`, 'utf8')).toBe(mark);
  return mark;
}

const hidden = () =>
  folder
    .names()
    .filter((name) => name.startsWith('.'))
    .map((name) => name.replace(/-[0-9a-f]{16}$/, ''));

describe('publishing', () => {
  test('makes the first dataset a plain folder', () => {
    put(false, 'one');
    expect(lstatSync(folder.in('out')).isDirectory()).toBe(true);
    expect([read(), hidden()]).toEqual(['one', []]);
  });

  test('uses an empty folder', () => {
    for (const replace of [false, true]) {
      mkdirSync(folder.in('out'));
      put(replace, 'one');
      expect(read()).toBe('one');
      rmSync(folder.in('out'), { recursive: true });
    }
  });

  test('makes OUT a relative link to the only version with --replace', () => {
    put(true, 'one');
    put(true, 'two');
    put(true, 'three');
    expect(readlinkSync(folder.in('out'))).toMatch(/^\.out\.v-[0-9a-f]{16}$/);
    expect([read(), hidden()]).toEqual(['three', ['.out.v']]);
  });

  test('replaces a plain folder with --replace', () => {
    put(false, 'one');
    put(true, 'two');
    expect([read(), hidden()]).toEqual(['two', ['.out.v']]);
  });

  test('takes the card of the user along, and refuses to delete other files', () => {
    put(false, 'one');
    writeFileSync(folder.in('out/README.md'), '# Mine', { mode: 0o640 });
    for (const mark of ['two', 'three']) {
      put(true, mark);
      expect([read(), readFileSync(folder.in('out/README.md'), 'utf8')]).toEqual([mark, '# Mine']);
    }
    expect(statSync(folder.in('out/README.md')).mode & 0o777).toBe(0o640);
    mkdirSync(folder.in('out/notes'));
    writeFileSync(folder.in('out/notes/plan.txt'), 'mine');
    const refused = faultOf(() => destination(true));
    expect(refused).toMatchObject({ code: 'cannot-create' });
    expect(refused.message).toMatch(
      /out contains notes\/plan\.txt, which turnmill did not write; nothing was replaced: move it out/,
    );
    writeFileSync(folder.in('out/data/more.jsonl'), 'mine');
    expect(faultOf(() => destination(true)).message).toContain(
      ' and other files, which turnmill did not write',
    );
  });

  test('takes a card along that is a link, as the link it is', () => {
    put(false, 'one');
    writeFileSync(folder.in('notes.md'), '# Mine');
    for (const target of ['../notes.md', folder.in('notes.md'), '../nothing.md']) {
      rmSync(folder.in('out/README.md'), { force: true });
      symlinkSync(target, folder.in('out/README.md'));
      for (const mark of ['two', 'three']) {
        put(true, mark);
        expect([read(), readlinkSync(folder.in('out/README.md'))]).toEqual([mark, target]);
      }
      if (existsSync(folder.in('out/README.md')))
        expect(readFileSync(folder.in('out/README.md'), 'utf8')).toBe('# Mine');
    }
    expect(readFileSync(folder.in('notes.md'), 'utf8')).toBe('# Mine');
  });

  test('refuses to delete a card that is neither a file nor a link', () => {
    put(false, 'one');
    execFileSync('mkfifo', [folder.in('out/README.md')]);
    const refused = faultOf(() => destination(true));
    expect(refused).toMatchObject({ code: 'cannot-create' });
    expect(refused.message).toContain('out contains README.md, which turnmill did not write');
    expect(lstatSync(folder.in('out/README.md')).isFIFO()).toBe(true);
  });

  test("replaces the target of a user's link in its place", () => {
    mkdirSync(folder.in('big'));
    symlinkSync('big/ds', folder.in('out'));
    put(false, 'one');
    put(true, 'two');
    expect(readlinkSync(folder.in('out'))).toBe('big/ds');
    expect([read(), read(folder.in('big/ds')), hidden()]).toEqual(['two', 'two', []]);
  });

  test('F036 leaves a destination alone that changed during the run', () => {
    const staging = stage(false, 'one');
    mkdirSync(folder.in('elsewhere'));
    symlinkSync('elsewhere', folder.in('out'));
    expect(faultOf(() => staging.publish({ replace: false })).code).toBe('cannot-create');
    expect(staging.discard()).toEqual([]);
    expect(folder.names()).toEqual(['elsewhere', 'out']);
  });

  test('never removes a version whose link the user has moved', () => {
    put(true, 'one');
    renameSync(folder.in('out'), folder.in('kept'));
    put(true, 'two');
    put(true, 'three');
    expect(recoverDestination(folder.in('out'))).toEqual({ restored: undefined, problems: [] });
    expect([read(), read(folder.in('kept'))]).toEqual(['three', 'one']);
  });

  test('does not restore a link that the user has deleted', () => {
    put(true, 'one');
    unlinkSync(folder.in('out'));
    recoverDestination(folder.in('out'));
    expect(existsSync(folder.in('out'))).toBe(false);
    expect(faultOf(() => resolveDataset(folder.in('out'))).code).toBe('no-input');
    expect(faultOf(() => resolveDataset(folder.in('no/out'))).code).toBe('no-input');
  });
});

const BEFORE: Record<string, () => void> = {
  nothing: () => {},
  'an empty folder': () => mkdirSync(folder.in('out')),
  'a plain folder': () => put(false, 'old'),
  'a link': () => put(true, 'old'),
};

describe.each([
  ['nothing', false],
  ['an empty folder', false],
  ['nothing', true],
  ['an empty folder', true],
  ['a plain folder', true],
  ['a link', true],
] as const)('after a crash while %s is replaced, with replace %s,', (before, replace) => {
  const had = before === 'a plain folder' || before === 'a link';

  test('F001 the old or the new dataset is readable, and the next run cleans up', () => {
    let steps = 1;
    for (let done = 0; done <= steps; done += 1) {
      rmSync(folder.path, { recursive: true });
      mkdirSync(folder.path);
      BEFORE[before]?.();
      const staging = stage(replace, 'new');
      rmSync(join(staging.path, 'work'), { recursive: true }); // as before the first step
      const plan = publicationSteps(destination(replace), staging.runId, replace);
      steps = plan.length;
      const names = plan.slice(0, done).map((step) => {
        step.run();
        return step.name;
      });
      const where = `${done}: ${names.at(-1)}`;
      const published = () => (existsSync(folder.in('out/manifest.json')) ? read() : undefined);

      if (had) expect(['old', 'new'], where).toContain(read());
      if (had && names.at(-1) !== 'set the old one aside') expect(published(), where).toBeDefined();
      const asRead = had ? read() : published();
      const recovery = recoverDestination(folder.in('out'));
      expect(recovery.problems, where).toEqual([]);
      expect(recovery.restored, where).toBe(names.at(-1) === 'set the old one aside' ? 'new' : undefined);
      expect(published(), where).toBe(asRead);
      expect(recoverDestination(folder.in('out')), where).toEqual({ restored: undefined, problems: [] });

      const now = published();
      put(now !== undefined, 'next');
      expect(read(), where).toBe('next');
      expect(hidden(), where).toEqual(lstatSync(folder.in('out')).isSymbolicLink() ? ['.out.v'] : []);
    }
    expect(steps).toBeGreaterThan(1);
  });

  test('F024 a failed rename or sync keeps the old dataset and leaves nothing behind', () => {
    let failing = true;
    for (let nth = 1; failing; nth += 1) {
      for (const call of ['renameSync', 'fsyncSync'] as const) {
        rmSync(folder.path, { recursive: true });
        mkdirSync(folder.path);
        BEFORE[before]?.();
        const staging = stage(replace, 'new');
        const real = fs[call] as (...args: unknown[]) => void;
        let calls = 0;
        vi.spyOn(fs, call).mockImplementation(((...args: unknown[]) => {
          calls += 1;
          if (calls === nth) throw Object.assign(new Error('injected'), { code: 'EIO' });
          real(...args);
        }) as never);
        let fault: unknown;
        try {
          staging.publish({ replace });
        } catch (error) {
          fault = error;
        }
        vi.restoreAllMocks();
        if (call === 'renameSync') failing = calls >= nth;
        else failing ||= calls >= nth;
        if (calls < nth) continue;
        expect(fault, `${call} ${nth}`).toMatchObject({ code: 'io' });
        expect(staging.discard()).toEqual([]);
        const there = existsSync(folder.in('out/manifest.json')) ? read() : undefined;
        // after the swap a failed sync cannot be undone: the fault says so, and the new dataset is complete
        if (call === 'renameSync') expect(there, `${call} ${nth}`).toBe(had ? 'old' : undefined);
        else if (had) expect(['old', 'new']).toContain(there);
        expect(
          hidden().filter((name) => name !== '.out.v'),
          `${call} ${nth}`,
        ).toEqual([]);
      }
    }
  });
});

describe('recovery', () => {
  test('restores the old dataset when the new version is incomplete', () => {
    put(false, 'old');
    const staging = stage(true, 'new');
    for (const step of publicationSteps(destination(true), staging.runId, true)) {
      step.run();
      if (step.name === 'set the old one aside') break;
    }
    rmSync(folder.in(`.out.v-${staging.runId}`, 'manifest.json'));
    expect(read()).toBe('old');
    expect(recoverDestination(folder.in('out'))).toEqual({ restored: 'old', problems: [] });
    expect([read(), lstatSync(folder.in('out')).isDirectory(), hidden()]).toEqual(['old', true, []]);
  });

  test('keeps a dataset that was set aside when another one has its name', () => {
    put(false, 'old');
    const staging = stage(true, 'new');
    for (const step of publicationSteps(destination(true), staging.runId, true)) {
      step.run();
      if (step.name === 'set the old one aside') break;
    }
    mkdirSync(folder.in('out'));
    const recovery = recoverDestination(folder.in('out'));
    expect(recovery.problems.map((problem) => problem.code)).toEqual(['cannot-create']);
    expect(read(siblingPath(destination(true), 'old', staging.runId))).toBe('old');
  });

  test('changes nothing for readers', () => {
    put(false, 'old');
    const staging = stage(true, 'new');
    for (const step of publicationSteps(destination(true), staging.runId, true).slice(0, 6)) step.run();
    const names = folder.names();
    expect(names).not.toContain('out');
    expect(read()).toBe('new');
    expect(folder.names()).toEqual(names);
  });
});

describe('staging', () => {
  test('is hidden, has mode 0700 and is discarded as a whole', () => {
    const staging = new Staging(destination(false));
    expect(hidden()).toEqual(['.out.staging']);
    expect(statSync(staging.path).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(staging.path)).toEqual(['data', 'ledger', 'quarantine', 'reports', 'work']);
    expect(staging.discard()).toEqual([]);
    expect(folder.names()).toEqual([]);
  });

  test('removes the remains of crashed runs and nothing else', () => {
    const stale = new Staging(destination(false));
    chmodSync(`${stale.path}/quarantine`, 0o500);
    const others = [
      '.out.staging-short',
      '.other.staging-0123456789abcdef',
      '.out.staging-0123456789ABCDEF',
      '.out.x.staging-0123456789abcdef',
    ];
    for (const name of others) mkdirSync(folder.in(name));
    const staging = new Staging(destination(false));
    expect(existsSync(stale.path)).toBe(false);
    staging.discard();
    expect(folder.names()).toEqual(others.toSorted());
  });

  test('discards nothing after publishing', () => {
    const staging = stage(false, 'one');
    staging.publish({ replace: false });
    expect(staging.discard()).toEqual([]);
    expect(read()).toBe('one');
  });

  test('fails with cannot-create when a name is too long', () => {
    const out = folder.in('x'.repeat(250));
    const fault = faultOf(() => new Staging(checkDestination({ out, inputs: [], replace: false })));
    expect(fault.code).toBe('cannot-create');
  });

  test.each([
    [0o000, 0o777],
    [0o022, 0o755],
    [0o077, 0o700],
  ])('F037 modes under umask %o', (mask, expected) => {
    process.umask(mask);
    for (const replace of [false, true]) {
      put(replace, 'one');
      const modes = ['', 'data', 'ledger', 'reports', 'quarantine'].map(
        (name) => statSync(folder.in('out', name)).mode & 0o777,
      );
      expect(modes).toEqual([expected, expected, expected, expected, 0o700]);
      rmSync(folder.in('out'), { recursive: true });
    }
  });
});
