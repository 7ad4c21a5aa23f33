/** Every test file belongs to one project of vitest.config.ts, and every project to a command of package.json. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../vitest.config.ts';

const root = resolve(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`);

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

const projects = (config.test?.projects ?? []).map(
  (project) => (project as unknown as { readonly test: Project }).test,
);

/** Most globs are paths, which need no compiled pattern. */
const matches = (file: string, globs: readonly string[]): boolean =>
  globs.some((glob) => (/[*{]/.test(glob) ? matchesGlob(file, glob) : glob === file));

function projectsOf(file: string): readonly string[] {
  return projects
    .filter(({ include, exclude = [] }) => matches(file, include) && !matches(file, exclude))
    .map(({ name }) => name);
}

/** Projects that a command line runs: as in vitest, those that match any of its patterns, so two exclusions exclude nothing. */
function projectsIn(text: string): readonly string[] {
  const patterns = [...text.matchAll(/--project[= ]'?(!?)([\w*-]+)/g)];
  return projects
    .map(({ name }) => name)
    .filter((name) =>
      patterns.some(([, not, pattern]) => matches(name, [pattern as string]) === (not === '')),
    );
}

const runBy = (command: string): readonly string[] => projectsIn(scripts[command] ?? '');

const SLOW = ['slow-e2e', 'slow-engines', 'slow-faults', 'slow-soak'];

describe('the test commands', () => {
  it.each(files)('%s is in one project', (file) => {
    expect(projectsOf(file)).toHaveLength(1);
  });

  it('no project names a file that does not exist', () => {
    for (const { include, exclude = [] } of projects) {
      for (const glob of [...include, ...exclude]) {
        expect(
          files.some((file) => matchesGlob(file, glob)),
          glob,
        ).toBe(true);
      }
    }
  });

  it('run the expected projects', () => {
    expect(runBy('test:unit')).toEqual(['unit']);
    expect(runBy('test')).toEqual(['unit', 'command', 'isolated', 'pages', 'differential', 'core-faults']);
    expect(runBy('test:view')).toEqual(['view']);
    expect(runBy('test:e2e')).toEqual(['slow-e2e']);
    expect(runBy('test:faults:quick')).toEqual([
      'isolated',
      'patterns',
      'core-faults',
      'faults',
      'store-faults',
    ]);
    expect(runBy('test:soak')).toEqual(['slow-soak']);
    expect(runBy('test:faults')).toEqual([...runBy('test:faults:quick'), 'slow-faults']);
  });

  it('run every project between them', () => {
    const script = readFileSync(join(root, 'test/engines/run.sh'), 'utf8');
    const run = new Set([
      ...['test', 'test:view', 'test:faults', 'test:soak', 'test:e2e'].flatMap(runBy),
      ...projectsIn(script),
    ]);
    expect(projects.filter(({ name }) => !run.has(name))).toEqual([]);
  });

  it('.ci/run runs every project that is not slow once and counts its tests', () => {
    const text = readFileSync(join(root, '.ci/run'), 'utf8').replaceAll('\\\n', '');
    const steps = [
      ...text.matchAll(/^(?:(?:step|beside) '[^']*' +)?vitest_json (\w+) ((?:--project [\w-]+ *)+)/gm),
    ];
    const quick = projects.map(({ name }) => name).filter((name) => !SLOW.includes(name));
    expect(steps.flatMap(([, , arg]) => projectsIn(arg as string)).sort()).toEqual(quick.sort());
    const counted = /^for name in ([\w ]+); do$/m.exec(text)?.[1]?.split(' ');
    expect(counted).toEqual(steps.map(([, report]) => report));
  });

  it('test:long runs every file with more cases in long mode', () => {
    const many = files.filter((file) =>
      /\bLONG\b.*from '.*\/long\.ts'/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(many.length).toBeGreaterThan(8);
    const run = runBy('test:long');
    expect(many.filter((file) => !run.includes(projectsOf(file)[0] as string))).toEqual([]);
  });

  it('a file in no project is noticed', () => {
    expect(projectsOf('test/elsewhere/x.test.ts')).toEqual([]);
  });
});
