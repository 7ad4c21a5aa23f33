import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BUILT, builtModules, importsBuilt } from './test/support/built-modules.ts';

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** Tests spend a third of their time waiting until a disk has flushed their small datasets. */
function writeToMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY_FOLDER)) return;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  if (bavail * bsize > MIN_FREE_BYTES) process.env.TMPDIR = MEMORY_FOLDER;
}
writeToMemory();

/**
 * Makes V8 compile functions later, inline less and keep code: tests run much code a few times, so compiling it takes a fifth of their
 * CPU time. After Node 20, the budget counts invocations (src/start-flags.ts).
 */
const COMPILE_LATER = process.version.startsWith('v20.')
  ? ['--interrupt-budget=500000', '--max-inlined-bytecode-size-cumulative=150', '--no-flush-bytecode']
  : [];

const fault = (name: string): string => `test/faults/${name}.test.ts`;

/** The fault tests of `npm test`: nothing lost, nothing half, nothing wrong, whenever a run is stopped or its disk is full. */
const CORE_FAULTS = [
  'cut-logs',
  'damaged-dataset',
  'dialects',
  'domain',
  'fast-equals-plain',
  'every-finding',
  'every-lost-source',
  'every-rejection',
  'every-rewrite',
  'full-disk',
  'fuzz',
  'interleaved',
  'kill',
  'laws',
  'nothing-lost',
  'output',
  'quarantine-records',
  'quarantine-replay',
  'same-bytes',
  'secrets',
  'swapped-folders',
  'texts-of-agents',
  'torn-logs',
  'update',
].map(fault);

/**
 * Only `npm run test:faults` runs these, before each release: every one of them spends most of its time in processes. What `npm
 * test` needs to know about the same code is in test/src.
 */
const SLOW_FAULTS = [
  'agent-logs',
  'bit-flips',
  'determinism',
  'giant-lines',
  'giant-texts',
  'hostile-bytes',
  'kill-merges',
  'linear-work',
  'million-events',
  'not-files',
  'resume',
  'rewritten-sources',
  's3-corpora',
  's3-killed-runs',
  's3-listings',
  's3-moto-datasets',
  's3-moto-sources',
  's3-options',
  'volume',
  'worker-death',
].map(fault);

/** Kills builds for ten minutes. */
const SOAK = fault('soak');

/** Start processes or build many datasets: they would take half of the time of `npm run test:unit`. */
const COMMAND = [
  'contracts/examples',
  'contracts/goldens',
  'contracts/read-share',
  'src/cli/bin',
  'src/cli/calibrate',
  'src/cli/check-target',
  'src/cli/code-cache',
  'src/cli/copies',
  'src/cli/exit-code',
  'src/cli/explain',
  'src/cli/interrupts',
  'src/cli/loop',
  'src/cli/max-part',
  'src/cli/merge',
  'src/cli/meta',
  'src/cli/plug-in-signals',
  'src/cli/profile-table',
  'src/cli/real-loggers',
  'src/cli/session-in-parts',
  'src/cli/slice',
  'src/cli/supply',
  'src/cli/usage',
  'src/dataset/stdout',
  'src/dataset/volume-lock',
  'src/workers/pool',
  'src/host',
  'src/input/decompress/zstd',
  'src/job/copies',
  'src/job/explain',
  'src/job/merge',
  'src/job/packings',
  'src/job/session-traces',
  'src/job/several-builds',
  'src/job/several-formats',
  'src/job/streams',
  'src/ledger/dataset-profile',
  'src/loop/loop',
  'src/report/report',
  'src/view/random-requests',
].map((name) => `test/${name}.test.ts`);

/** They replace modules, or measure memory, so they cannot share a process with other files; they import the sources. */
const ISOLATED = [
  'test/src/dataset/line-file.test.ts',
  'test/src/dataset/publish.test.ts',
  'test/src/engine/unknown-check.test.ts',
  'test/transforms/json/scan-memory.test.ts',
  'test/transforms/dialects/fold-memory.test.ts',
  fault('power-loss'),
];

/** Projects whose tests always import the sources. */
const OF_SOURCES = ['isolated', 'patterns'];

/** Their stores listen on ports that the system gives again, and a process keeps its connections. */
const STORE_FAULTS = ['test/faults/s3-*.test.ts'];

/**
 * Every test file is in exactly one project; test/commands.test.ts checks that. Where files share a process (`isolate: false`) the
 * modules are imported once for all of them: a third of the time.
 */
const PROJECTS = [
  {
    name: 'unit',
    isolate: false,
    include: [
      'test/{src,transforms,contracts,support}/**/*.test.ts',
      'test/{architecture,citations,commands,logged-names,voice}.test.ts',
    ],
    exclude: [...COMMAND, ...ISOLATED],
  },
  { name: 'command', isolate: false, include: COMMAND },
  { name: 'isolated', include: ISOLATED },
  { name: 'patterns', include: [fault('linear-patterns')] }, // takes 45 s of CPU time
  {
    name: 'pages', // the package, README.md and docs/, as a user meets them
    include: ['test/{docs-links,docs-site,errors-page,generated,library,readme,tutorial}.test.ts'],
    globalSetup: 'test/support/roll-up-types.ts',
  },
  { name: 'view', include: ['test/view/**/*.test.ts'], maxWorkers: 1 }, // in a real browser
  { name: 'slow-engines', include: ['test/engines/**/*.test.ts'], fileParallelism: false }, // npm run test:engines
  { name: 'slow-e2e', include: ['test/e2e/**/*.test.ts'] }, // against a real model, when one is named
  { name: 'differential', isolate: false, include: ['test/differential/**/*.test.ts'] },
  { name: 'core-faults', isolate: false, include: CORE_FAULTS },
  {
    name: 'faults',
    isolate: false,
    include: ['test/faults/**/*.test.ts'],
    exclude: [...CORE_FAULTS, ...SLOW_FAULTS, SOAK, ...STORE_FAULTS, ...ISOLATED, fault('linear-patterns')],
  },
  { name: 'store-faults', include: STORE_FAULTS, exclude: SLOW_FAULTS },
  { name: 'slow-faults', include: SLOW_FAULTS },
  { name: 'slow-soak', include: [SOAK] },
];

export default defineConfig({
  test: {
    projects: PROJECTS.map((project) => ({
      extends: true,
      plugins: importsBuilt && !OF_SOURCES.includes(project.name) ? [builtModules] : [],
      test: { ...project, execArgv: COMPILE_LATER, server: { deps: { external: [BUILT] } } },
    })),
    setupFiles: ['test/support/seed-properties.ts'],
    // only for what hangs: no test may depend on how fast or how busy the machine is
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
    expect: { poll: { timeout: 10 * 60_000, interval: 20 } },
    maxWorkers: '100%', // the default leaves a core free, which on two cores halves the speed
    reporters: ['default', './test/support/skip-reporter.ts'],
    coverage: { provider: 'v8', include: ['src/**/*.ts', 'transforms/**/*.ts'] },
  },
});
