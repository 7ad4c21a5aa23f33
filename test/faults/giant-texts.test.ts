/**
 * F050: a giant text in the logs of each dialect. It is written whole, and peak memory stays within 135 MB plus three times the longest line.
 * Text protocols are left out, because they look for calls in the text (docs/dataset.md), and streams, because their texts come in pieces.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryLine } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { ALL_FAULTS } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runMeasured } from '../support/peak.ts';

const MB = 1024 * 1024;
const TEXT_BYTES = 32 * MB;
const EXAMPLES = 'examples/dialects';
const LEFT_OUT = ['astracodex.json', 'samples.toml', 'streams.sse'];
const ALWAYS = ['anthropic.jsonl', 'calls.jsonl', 'spans.jsonl'];

interface Built {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

const written = (text: string): readonly Built[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Built);

const textsOf = (records: readonly Built[]): readonly string[] =>
  records
    .flatMap(({ messages }) => messages.map(({ content }) => content))
    .filter((text) => typeof text === 'string');

/** A text that both the log and a record have, with the same bytes. */
async function textIn(path: string, log: string): Promise<string> {
  const { stdout } = await turnmill(['build', path, '--out', '-']);
  const found = textsOf(written(`${stdout}`)).find(
    (text) => text.length > 12 && !/["\\\n]/.test(text) && log.split(text).length === 2,
  );
  expect(found, 'a text that occurs once in the log').toBeDefined();
  return found as string;
}

const all = readdirSync(EXAMPLES).filter((name) => !LEFT_OUT.includes(name));

it('a giant image takes no more memory when it is replaced by its SHA-256', async () => {
  const url = `data:image/png;base64,${'ABC/'.repeat(TEXT_BYTES / 4)}`;
  const content = [
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: { url } },
  ];
  const folder = temporaryFolder();
  const log = join(folder, 's.jsonl');
  writeFileSync(log, `${entryLine({ messages: [{ role: 'user', content }] })}\n`);
  const built = async (...args: readonly string[]) => {
    const run = await runMeasured(['build', log, '--out', '-', '--workers', '1', ...args]);
    expect(run.status, run.stderr).toBe(0);
    return { peakMb: run.peakMb, bytes: run.stdout.length };
  };
  const [replaced, whole] = [await built(), await built('--max-part', '0')];
  expect(replaced.bytes).toBeLessThan(1000);
  expect(whole.bytes).toBeGreaterThan(TEXT_BYTES);
  expect(replaced.peakMb).toBeLessThan(whole.peakMb + 8);
});

describe('F050 giant texts', () => {
  it.each(ALL_FAULTS ? all : ALWAYS)('%s', async (name) => {
    const path = join(EXAMPLES, name);
    const log = readFileSync(path, 'utf8');
    const text = await textIn(path, log);
    const giant = `${text} ö `.repeat(TEXT_BYTES / Buffer.byteLength(`${text} ö `));
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    mkdirSync(logs);
    writeFileSync(
      join(logs, name),
      log.replace(text, () => giant),
    );
    const args = ['build', logs, '--out', out, '--group-by', 'none', '--workers', '1'];
    const { status, stderr, peakMb } = await runMeasured(args);
    expect(status, stderr).toBe(0);
    const records = written(readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8'));
    expect(textsOf(records).some((one) => one.includes(giant))).toBe(true);
    expect(peakMb).toBeLessThan(135 + (3 * Buffer.byteLength(giant)) / MB);
  });
});
