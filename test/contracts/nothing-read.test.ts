/**
 * Sources of a known family in forms that turnmill does not read, in the golden folder `nothing-read`: each is rejected,
 * with the keys it had. Spans of requests and tools, and requests for other things than completions, are not.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const logs = resolve(import.meta.dirname, '../goldens/nothing-read/logs');

async function built(name: string) {
  const out = join(temporaryFolder(), 'out');
  const { status } = await turnmill(['build', join(logs, name), '--out', out]);
  const [line = ''] = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').split('\n');
  const { reason, detail } = JSON.parse(line) as { readonly reason?: string; readonly detail?: string };
  return { status, reason, detail };
}

it.each([
  ['a-log-records.jsonl', 'body, event_name, timestamp, trace_id, span_id, attributes'],
  ['d-proxy.jsonl', 'request, response'],
])('%s is rejected', async (name, keys) => {
  const detail = `nothing was read, but its objects carry content; they have the keys ${keys}`;
  expect(await built(name)).toEqual({ status: 3, reason: 'nothing-read', detail });
});

it.each(['b-http-spans.jsonl', 'c-proxy.jsonl'])('%s is read without a record', async (name) => {
  expect(await built(name)).toEqual({ status: 0, reason: undefined, detail: undefined });
});
