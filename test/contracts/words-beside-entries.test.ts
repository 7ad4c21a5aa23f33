/**
 * NaN and Infinity in a member that no dialect reads, of the first object of each example: the log is read as if it were
 * a number. A look at the members of an object that only makes a finding must not reject it.
 */
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/ledger/result.ts';
import { type DialectLog, dialectLogs } from '../support/dialect-logs.ts';
import { readLogs } from '../support/read-log.ts';

/** Samples keep all their members; lines of batches and streams, which are joined, are read only once. */
const NOT_REPAIRED = ['batches.jsonl', 'streams.sse', 'samples.toml'];
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;

/** Where the first object ends that is a line, or an element of a document. */
function endOfFirst(text: string): number {
  const lowest = text.trimStart().startsWith('[') ? 1 : 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++;
    if (token !== '}' && token !== ']') continue;
    depth--;
    if (depth === lowest && token === '}') return index;
  }
  throw new Error('the log has no object');
}

async function readWith({ name, bytes, settings }: DialectLog, value: string): Promise<readonly object[]> {
  const text = bytes.toString();
  const at = endOfFirst(text);
  const changed = Buffer.from(`${text.slice(0, at)},"not_read":${value}${text.slice(at)}`);
  for await (const results of readLogs([{ name, bytes: changed }], { ...settings, groupBy: 'none' }))
    return results.map(essence);
  return [];
}

/** The parts of a result that must be the same for any value. The length of a line and the repair may differ. */
function essence(result: Result): object {
  if (result.kind === 'record') return { record: Buffer.from(result.bytes).toString() };
  if (result.kind === 'finding') return { finding: result.rule, message: result.message };
  if (result.kind === 'source') return { status: result.status, fates: result.fates };
  return { kind: result.kind };
}

const logs = Object.entries(dialectLogs()).filter(
  ([path, { name }]) => path.startsWith('examples/') && !NOT_REPAIRED.includes(name),
);

describe.each(logs)('%s', (_path, log) => {
  it.each(['NaN', 'Infinity', '-Infinity'])('%s beside the first entry', async (word) => {
    const expected = await readWith(log, '0.5');
    expect(expected.some((one) => 'record' in one)).toBe(true);
    expect(await readWith(log, word)).toEqual(expected);
  });
});
