/**
 * How much of the text of every example and golden is read. A source of which little is read does not end with status 0,
 * unless it is listed here.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { check } from '../../src/index.ts';
import type { SourceReport } from '../../src/ledger/result.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const goldens = join(root, 'test/goldens');
const inputs = [
  ...['examples/logs', 'examples/dialects'].map((name) => join(root, name)),
  ...readdirSync(goldens).map((name) => join(goldens, name, 'logs')),
];

/** Bytes of text of which a share says something. */
const MIN_TEXT_BYTES = 64;
/** Mostly the protocol in which the model wrote its calls, which is not part of a message. */
const PROTOCOL: ReadonlySet<string> = new Set(['astracodex.json']);

async function sourcesOf(input: string) {
  const reports: { readonly name: string; readonly report: SourceReport }[] = [];
  const summary = await check(
    { inputs: [input], allowEmpty: true, measures: true, workers: 1 },
    {
      onResult(result, { sources }) {
        if (result.kind === 'source')
          reports.push({ name: sources.at(result.source)?.name ?? '', report: result });
      },
    },
  );
  return { reports, rejections: summary.rejections };
}

it.each(inputs)('%s is read for the most part, or says what it does not read', async (input) => {
  const { reports, rejections } = await sourcesOf(input);
  expect(reports.length).toBeGreaterThan(0);
  for (const { name, report } of reports) {
    const { bytes = 0, read = 0 } = report.text ?? {};
    const isRead = bytes < MIN_TEXT_BYTES || read * 2 >= bytes || PROTOCOL.has(name);
    expect({ name, isRead: isRead || rejections > 0 }).toEqual({ name, isRead: true });
  }
});

const unread = join(goldens, 'nothing-read/logs/a-log-records.jsonl');
const codex = join(goldens, 'codex-turn/logs');

it('is shown by check for each source and dialect, with the members that were not read', async () => {
  const { status, stdout } = await turnmill(['check', unread]);
  expect(status).toBe(3);
  expect(`${stdout}`).toContain('text read\n      0 % of 17 B         spans, 1 source\n');
  expect(`${stdout}`).toMatch(
    / 0 % of 17 B {9}a-log-records\.jsonl \(spans\)\n {11}not read: body\.content 17 B\n/,
  );
});

it('is printed as JSON by check --json', async () => {
  const { status, stdout } = await turnmill(['check', unread, codex, '--json']);
  expect(status).toBe(3);
  const [first, second] = `${stdout}`
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(first).toEqual({
    ...{ source: 'a-log-records.jsonl', dialect: 'spans', status: 'rejected', reason: 'nothing-read' },
    ...{ textBytes: 17, readBytes: 0, unread: { 'body.content': 17 } },
  });
  expect(second).toMatchObject({ source: 'rollout-1.jsonl', dialect: 'codex', status: 'read' });
});

it('rejects a source with --min-read, in check and in build', async () => {
  const text = join(root, 'examples/dialects/astracodex.json');
  expect((await turnmill(['check', text, '--min-read', '30'])).status).toBe(0);
  const checked = await turnmill(['check', text, '--min-read', '50']);
  expect(checked.status).toBe(3);
  expect(`${checked.stdout}`).toContain(
    '(little-read): 40 % of its text was read, less than the 50 % of --min-read',
  );
  const out = join(temporaryFolder(), 'out');
  expect((await turnmill(['build', text, '--out', out, '--min-read', '50', '--allow-empty'])).status).toBe(3);
});

it.each(['101', '-1', 'half', '50%'])('refuses --min-read %s', async (value) => {
  expect((await turnmill(['check', unread, `--min-read=${value}`])).status).toBe(64);
});
