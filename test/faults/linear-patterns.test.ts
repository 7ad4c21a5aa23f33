/**
 * F110: no regular expression takes more than linear time. `recheck` judges every literal in the code and every expression built at run
 * time; each one that it calls vulnerable needs a reason why its text is short or our own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { tokensOf } from '../support/code-tokens.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['src', 'transforms', 'scripts'];

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** These read only our own code and tests. */
const OWN_TEXT = 'scripts/gen/';

/** Not linear, but on short text. */
const SHORT: Readonly<Record<string, string>> = {
  'src/sizes.ts: /\\B(?=(\\d{3})+$)/g': 'a number: at most 21 digits',
  'src/dataset/shard-name.ts: /[._-]+$/': 'a slug of at most 40 characters',
  'src/settings/redaction-rules.ts: /\\[(?:[^\\]])*\\]/g': 'a pattern of a user: at most 1000 characters',
  'src/settings/redaction-rules.ts: /(\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|[^\\\\[])(?:[*+]|\\{(\\d+)(?:,(\\d*))?\\})\\??(\\\\[^A-Za-z0-9]|[\\w\\-:=/@"\'!#%&,;<>~ ])?/g':
    'a pattern of a user: at most 1000 characters',
  'src/verify/refusals.ts: /"(?:[^"\\\\]|\\\\.)*"|[[{\\]}]/gs': 'valid JSON, where each quote has its end',
  'transforms/consumers/consumer-rules.ts: /"(?:[^"\\\\]|\\\\.)*"/g':
    'valid JSON, where each quote has its end',
  'src/verify/secrets.ts: /[.-]+$/': 'a domain: at most 255 characters',
  'src/verify/secrets.ts: /[A-Za-z0-9._%+-]+$/': 'the 64 characters before an @',
  'src/verify/secrets.ts: /\\\\+[nrt]/g': 'a private key: at most 4096 characters',
  'src/engine/bug-fault.ts: /^\\s*at\\s+(?:(?:async\\s+)?(.+?)\\s+\\()?(.*?):(\\d+):(\\d+)\\)?$/':
    'a line of a stack: at most 1000 characters',
};

/** Expressions built at run time: how often each file says `new RegExp`. */
const BUILT_AT_RUN_TIME: Readonly<Record<string, number>> = {
  'scripts/gen/markdown.mjs': 1, // on our own source text
  'src/loop/hidden-key.ts': 1, // on the characters of a key, each escaped or not
  'src/ledger/redactor.ts': 1, // patterns of users, which src/settings/redaction-rules.ts checks
  'src/settings/redaction-rules.ts': 2,
  'src/view/app/query.ts': 1, // on the text of a search field
  'src/verify/secrets.ts': 2, // the rules for secrets, which its own tests try on hostile texts
  'transforms/redaction/private-key.ts': 3,
  'transforms/redaction/scan.ts': 2, // the same rules, on at most 400 bytes
  'transforms/model/meta.ts': 2,
  'transforms/model/white-space.ts': 1,
};

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .map((file) => `${folder}/${file}`),
).sort();
const tokens = new Map(files.map((file) => [file, tokensOf(readFileSync(join(ROOT, file), 'utf8'))]));

const literals: readonly Pattern[] = files.flatMap((file) =>
  (tokens.get(file)?.regexes ?? []).map(({ source, flags }) => ({ file, source, flags })),
);

/** Patterns passed to `new RegExp` while the modules load. */
async function patternsBuiltAtRunTime(): Promise<Pattern[]> {
  const patterns: Pattern[] = [];
  for (const file of Object.keys(BUILT_AT_RUN_TIME).filter((name) => name.endsWith('.ts'))) {
    vi.resetModules();
    vi.stubGlobal(
      'RegExp',
      new Proxy(RegExp, {
        construct(target, [source, flags = '']: [string, string?]) {
          patterns.push({ file, source, flags });
          return new target(source, flags);
        },
      }),
    );
    await import(join(ROOT, file));
    vi.unstubAllGlobals();
  }
  return patterns;
}

/** Its native program where npm has one for the system, else the same checker in Java or JavaScript, which takes minutes. */
let check: typeof import('recheck').check;
beforeAll(async () => {
  ({ check } = await import('recheck'));
});

/** The same random texts in every run. */
const QUICK = { randomSeed: 1, timeout: null };
/**
 * The same verdict on every machine: a try that runs into a timeout counts as slow, so only numbers of characters limit it. 10 million
 * are 33 for each character of the longest text that it tries.
 */
const PATIENT = {
  ...QUICK,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  attackLimit: 10_000_000,
  recallTimeout: -1, // does not try its verdict on V8, which would take time
};

const textOf = ({ source, flags }: Pattern): string => `/${source}/${flags}`;

/** `linear`, or its complexity. */
async function verdictOf({ source, flags }: Pattern): Promise<string> {
  const judge = (options: object) => check(source, flags.replaceAll('v', 'u'), options);
  if ((await judge(QUICK)).status === 'safe') return 'linear';
  const found = await judge(PATIENT);
  if (found.status === 'safe') return 'linear';
  return found.status === 'vulnerable' ? found.complexity.summary : 'unknown';
}

describe('F110 every regular expression of ours is linear, or its text is short', () => {
  it('finds them all', () => {
    expect(files.length).toBeGreaterThan(150);
    expect(literals.length).toBeGreaterThan(75);
    for (const known of [
      'transforms/model/group.ts',
      'transforms/model/timestamp.ts',
      'src/dataset/shard-name.ts',
    ])
      expect(literals.filter(({ file }) => file === known).length).toBeGreaterThan(1);
  });

  it('knows the files that build expressions', () => {
    const count = (file: string): number => tokens.get(file)?.bare.match(/\bRegExp\s*\(/g)?.length ?? 0;
    const found = Object.fromEntries(files.map((file) => [file, count(file)]).filter(([, n]) => n !== 0));
    expect(found).toEqual(BUILT_AT_RUN_TIME);
  });

  it('checks every one', async () => {
    const patterns = [...literals, ...(await patternsBuiltAtRunTime())].filter(
      ({ file }) => !file.startsWith(OWN_TEXT),
    );
    const verdicts = new Map<string, string>(); // one for each expression: files share some
    for (const one of patterns)
      if (!verdicts.has(textOf(one))) verdicts.set(textOf(one), await verdictOf(one));
    const slow = patterns
      .filter((one) => verdicts.get(textOf(one)) !== 'linear')
      .map((one) => `${one.file}: ${textOf(one)}`);
    expect(slow.sort()).toEqual(Object.keys(SHORT).sort());
  });

  it('detects one that is not linear', async () => {
    const source = '^\\s*<info-msg>\\s*.*?\\s*</info-msg>\\s*$';
    expect(await verdictOf({ file: '', source, flags: 's' })).toContain('polynomial');
  });
});
