/** Every page, section and id that a file cites can be opened by a reader of the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|py|c|sh|md)$/.test(file) && existsSync(join(root, file)));

const pages = tracked.filter((file) => file.endsWith('.md'));

/** Name of a page, with or without folders. */
const PAGE = /(?<![\w*])(?:[\w.-]+\/)*[\w-]+\.md\b/g;
const SECTION = /(?<!RFC \d{4} )\u00a7/;
const DECISION = /\bdecisions\/\d{4}\b/g;
const ID = /\b(?:F\d{3}|I[1-8])\b/g;
/** Pages that a run writes or a user has, which are not files of this repository. */
const NOT_PAGES =
  /^(?:README\.md|reading: file\.md|.*\b(?:file|notes|diary|soup|plan|todo|draft|x|a|b|doc|report|grader)\.md)$/i;

const defined = new Set(
  [...readFileSync(join(root, 'docs/contributing/faults.md'), 'utf8').matchAll(/^- \*\*([FI]\d+)\*\*/gm)].map(
    ([, id]) => id as string,
  ),
);

/** Ids may appear in tests, in the page that defines them, and in the ledger, which names a violated identity. */
const mayNameIds = (file: string): boolean =>
  file.startsWith('test/') ||
  [
    'docs/contributing/faults.md',
    'scripts/gen/faults-page.mjs',
    'src/ledger/ledger.ts',
    'CHANGELOG.md',
  ].includes(file);

/** Lists the citations in a line that cannot be opened. */
function deadCitations(file: string, line: string): readonly string[] {
  const dead: string[] = [];
  if (SECTION.test(line) && !/\bRFC \d{4}\b/.test(line)) dead.push('a section sign');
  const isProse = /^\s*(?:\*|\/\*\*?|\/\/|#)|\/\/ |\/\*\* /.test(line) || file.endsWith('.md');
  if (isProse) {
    for (const [name] of line.matchAll(PAGE)) {
      const page = name.replace(/^(?:\.\.?\/)+/, ''); // docs-links.test.ts checks links
      if (NOT_PAGES.test(page) || /\bhttps?:/.test(line)) continue;
      const isHere = (other: string): boolean => other === page || other.endsWith(`/${page}`);
      if (!pages.some(isHere)) dead.push(page);
    }
  }
  for (const [record] of line.matchAll(DECISION))
    if (!pages.some((page) => page.startsWith(`docs/contributing/${record}-`))) dead.push(record);
  for (const [id] of line.matchAll(ID)) {
    if (!mayNameIds(file) && isProse) dead.push(id);
    else if (id.startsWith('F') && !defined.has(id) && isProse)
      dead.push(`${id}, which docs/contributing/faults.md does not define`);
  }
  return dead;
}

describe('every citation can be opened', () => {
  it('the whole repository is searched', () => {
    expect(tracked.length).toBeGreaterThan(400);
    expect(defined.has('F001')).toBe(true);
    expect(defined.has('I1')).toBe(true);
  });

  it.each(tracked)('%s', (file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    const dead = lines.flatMap((line, i) =>
      deadCitations(file, line).map((citation) => `${i + 1}: ${citation}`),
    );
    expect(dead).toEqual([]);
  });
});

/** Assembled here, so that this file itself cites nothing. */
const COMMENT = '//';
const MD = '.md';
const ID_OF_A_FAULT = ['F', '004'].join('');
const UNDEFINED_ID = ['F', '999'].join('');

describe('dead citations are found', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['a section of a page', 'src/x.ts', ' * The order of records (docs/reference/formats.md \u00a73).'],
    ['a page that is not here', 'src/x.ts', `${COMMENT} see the-contract${MD}`],
    ['a page that is not here, by a relative path', 'docs/x.md', `See [this](../the-contract${MD}).`],
    ['a decision that is not here', 'src/x.ts', `${COMMENT} see ${['decisions', '0099'].join('/')}`],
    ['an id in a comment', 'transforms/x.ts', `/** Not lost (${ID_OF_A_FAULT}). */`],
    ['an id that is not defined', 'test/x.test.ts', `${COMMENT} ${UNDEFINED_ID} did this`],
  ];
  it.each(cases)('%s', (_name, file, line) => {
    expect(deadCitations(file, line)).toHaveLength(1);
  });

  it('other citations are accepted', () => {
    expect(
      deadCitations(
        'src/x.ts',
        ' * RFC 1952 \u00a72.3.1, docs/reference/formats.md, decisions/0013-update.md',
      ),
    ).toEqual([]);
  });
});
