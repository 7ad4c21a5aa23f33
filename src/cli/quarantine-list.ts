/** Prints the records of a quarantine: a line each, without the bytes that they keep. */
import { type QuarantineRecord, readQuarantine } from '../job/quarantine-records.ts';
import { printable } from '../printable.ts';
import { SUCCESS } from './exit-code.ts';
import { endPrinting, printLine } from './print.ts';
import { showCount, showSize } from './sizes.ts';

/** @returns the exit status */
export async function listQuarantine(out: string, json: boolean, signal: AbortSignal): Promise<number> {
  const scopes = new Map<string, number>();
  for await (const { record } of readQuarantine(out)) {
    signal.throwIfAborted();
    scopes.set(record.scope, (scopes.get(record.scope) ?? 0) + 1);
    await printLine(json ? asJson(record) : asText(record));
  }
  if (!json) await printLine(summary(scopes));
  await endPrinting();
  return SUCCESS;
}

function keptOf({ scope, raw_b64, raw_sha256 }: QuarantineRecord): 'raw' | 'reference' | 'nothing' {
  if (scope === 'source') return 'reference';
  if (raw_b64 !== undefined) return 'raw';
  return typeof raw_sha256 === 'string' ? 'reference' : 'nothing';
}

function asJson(record: QuarantineRecord): string {
  const { raw_b64: _raw, ...shown } = record;
  return JSON.stringify({ ...shown, kept: keptOf(record) });
}

function asText(record: QuarantineRecord): string {
  const { scope, source, line, reason, error, byte_start: start = 0, byte_end: end = 0, count = 1 } = record;
  const where = line === undefined ? source.uri : `${source.uri}:${line}`;
  const size = scope === 'source' ? '' : ` (${showSize(end - start)}, ${keptOf(record)})`;
  const more = count > 1 ? `, and ${showCount(count - 1)} more of this line` : '';
  return printable(`${where}  ${scope}  ${reason}${size}: ${error.message}${more}`);
}

function summary(scopes: ReadonlyMap<string, number>): string {
  const parts = [...scopes].map(([scope, n]) => `${showCount(n)} ${scope}`);
  return parts.length === 0 ? 'nothing was rejected' : `records by scope: ${parts.join(', ')}`;
}
