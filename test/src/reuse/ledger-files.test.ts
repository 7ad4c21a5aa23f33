import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { LINE_FILES } from '../../../src/dataset/layout.ts';
import { BlockSums } from '../../../src/reuse/block-sums.ts';
import { LedgerFiles, Lookahead, sourcesRead, sourcesSkipped } from '../../../src/reuse/ledger-files.ts';
import { PreviousRun } from '../../../src/reuse/previous-run.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** A previous run with these lines in its files. */
function runWith(lines: Partial<Record<keyof typeof LINE_FILES, readonly object[]>>): PreviousRun {
  const root = temporaryFolder();
  const files = Object.entries(LINE_FILES).map(([name, path]) => {
    const text = (lines[name as keyof typeof LINE_FILES] ?? []).map((line) => `${JSON.stringify(line)}\n`);
    const bytes = Buffer.from(text.join(''));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
    const sums = new BlockSums();
    sums.add(bytes);
    return { path, bytes: bytes.length, sums };
  });
  return new PreviousRun(root, files, []);
}

const source = (name: string, more: object = {}): object => ({
  ...{ source: name, status: 'read', lines: 1, fates: { snapshot: 1 } },
  ...more,
});
const skipped = (name: string, reason: string): object =>
  source(name, { status: 'skipped', reason, lines: 0, fates: {} });
const finding = (name: string, message: string, more: object = {}): object => ({
  ...{ severity: 'ERROR', rule: 'r', session: null, source: name, entry: 1, message },
  ...more,
});
const rejected = (uri: string, reason: string, more: object = {}): object => ({
  ...{
    v: 2,
    scope: 'source',
    reason,
    stage: 'source',
    source: { uri, ...more },
    error: { code: '', message: '' },
  },
});

it('yields the lines of each source, and none of a skipped source', () => {
  const files = new LedgerFiles(
    runWith({
      sources: ['a', 'b', 'c'].map((name) => source(name)),
      findings: [finding('a', '1'), finding('a', '2'), finding('b', '3'), finding('c', '4')],
    }),
  );
  files.seek({ name: 'a', input: 0 });
  expect(files.findings.peek()?.message).toBe('1');
  expect(files.findings.take()?.message).toBe('1');
  files.seek({ name: 'c', input: 0 });
  expect(files.findings.take()?.message).toBe('4');
  expect([files.findings.peek(), files.findings.take()]).toEqual([undefined, undefined]);
  expect(files.sources.take()?.source).toBe('c');
  expect(files.sessions.take()).toBeUndefined();
});

it('treats a source of the same name in another input, or with other bytes, as another source', () => {
  const files = new LedgerFiles(
    runWith({
      findings: [
        finding('x\ufffd', 'plain'),
        finding('x\ufffd', 'second input', { input: 1 }),
        finding('x\ufffd', 'other bytes', { source_b64: Buffer.from('x\xff', 'latin1').toString('base64') }),
      ],
    }),
  );
  const found = [
    { name: 'x\ufffd', input: 0 },
    { name: 'x\ufffd', input: 1 },
    { name: 'x\ufffd', input: 0, nameBase64: Buffer.from('x\xff', 'latin1').toString('base64') },
  ].map((key) => {
    files.seek(key);
    return [files.findings.take()?.message, files.findings.take()];
  });
  expect(found).toEqual([
    ['plain', undefined],
    ['second input', undefined],
    ['other bytes', undefined],
  ]);
});

it('leaves out skipped sources, in the ledger and in the quarantine', () => {
  const run = runWith({
    sources: [skipped('link', 'symlink'), skipped('pipe', 'not-regular'), source('a'), source('z')],
    quarantine: [
      rejected('pipe', 'not-regular'),
      rejected('a', 'corrupt-gzip'),
      rejected('z', 'x', { input: 0 }),
    ],
  });
  const files = new LedgerFiles(run);
  files.seek({ name: 'a', input: 0 });
  expect(files.sources.take()?.source).toBe('a');
  expect(files.quarantine.take()?.reason).toBe('corrupt-gzip');
  expect([...sourcesSkipped(run)]).toEqual([
    { name: 'link', input: 0, reason: 'symlink' },
    { name: 'pipe', input: 0, reason: 'not-regular' },
  ]);
});

it('lists the sources with rejected lines', () => {
  const run = runWith({
    sources: [
      source('a'),
      source('b', { fates: { blank: 2, 'rejected:invalid-json': 1 } }),
      source('c', { status: 'rejected' }),
    ],
  });
  expect([...sourcesRead(run)]).toEqual([
    { name: 'a', input: 0, hasRejections: false, isLost: false },
    { name: 'b', input: 0, hasRejections: true, isLost: false },
    { name: 'c', input: 0, hasRejections: false, isLost: true },
  ]);
});

it('looks ahead without consuming a line', () => {
  const items = new Lookahead([1, 2][Symbol.iterator]() as Iterator<number, undefined>);
  expect([items.peek(), items.peek(), items.take(), items.take(), items.take(), items.peek()]).toEqual([
    ...[1, 1, 1, 2],
    ...[undefined, undefined],
  ]);
});
