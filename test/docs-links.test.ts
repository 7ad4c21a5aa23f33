/** Every relative link of every page leads to an existing file of the repository, and to an existing heading. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(root, page)));

/** Removes code, in which `[a](b)` is not a link. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '').replaceAll(/(`+)(?!`).*?\1(?!`)/g, 'code');

const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^(?:https?|mailto):/.test(target));

/** Anchors that a renderer makes from the headings of a page. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = (heading as string)
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** @returns the problem of a link in a page, or undefined */
function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  if (file.startsWith('..')) return `${target}: outside the repository`;
  if (!existsSync(join(root, file))) return `${target}: no such file`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchorsOf(readFileSync(join(root, file), 'utf8')).has(anchor)
    ? undefined
    : `${target}: no such heading`;
}

describe('links of the pages', () => {
  it('are searched for in all pages', () => {
    expect(pages).toContain('README.md');
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.flatMap((page) => linksOf(readFileSync(join(root, page), 'utf8'))).length).toBeGreaterThan(
      120,
    );
  });

  it.each(pages)('%s', (page) => {
    const faults = linksOf(readFileSync(join(root, page), 'utf8')).map((target) => faultOf(page, target));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it.each([
    ['docs/cli.md', 'nowhere.md', 'no such file'],
    ['docs/cli.md', '../../elsewhere.md', 'outside the repository'],
    ['docs/cli.md', 'nightly.md#nothing-of-this-name', 'no such heading'],
  ])('are reported as dead: in %s, %s', (page, target, fault) => {
    expect(faultOf(page, target)).toBe(`${target}: ${fault}`);
  });

  it('may lead to anchors as they are rendered', () => {
    expect([...anchorsOf('# A `b` c\n## `ledger/x.jsonl`\n## [A](b.md)?\n## A b c\n')]).toEqual([
      'a-b-c',
      'ledgerxjsonl',
      'a',
      'a-b-c-1',
    ]);
  });
});

describe('decision records', () => {
  const records = pages.filter((page) => page.startsWith('docs/contributing/decisions/'));

  it('are at most 20, numbered without gaps, each with its number in its heading', () => {
    expect(records.length).toBeLessThanOrEqual(20);
    const numbers = records.map((page) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(page)?.[1]);
    expect(numbers).toEqual(records.map((_, i) => String(i + 1).padStart(4, '0')));
    for (const [i, page] of records.entries()) {
      expect(readFileSync(join(root, page), 'utf8')).toMatch(new RegExp(`^# ${numbers[i]} `));
    }
  });
});
