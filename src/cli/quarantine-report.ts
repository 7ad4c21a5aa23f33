/** Prints the records of a quarantine, and the result of replaying one. */
import { join } from 'node:path';
import { shellWord } from '../charts/numbers.ts';
import { namedWords, wordsFor } from '../charts/words.ts';
import { type QuarantineRecord, readQuarantine } from '../job/quarantine-records.ts';
import { type ReplayRequest, replayQuarantine } from '../job/replay.ts';
import { remedyText } from '../ledger/remedies.ts';
import { printable } from '../printable.ts';
import { plural, showCount, showSize } from '../sizes.ts';
import { REJECTIONS, SUCCESS } from './faults.ts';
import type { Host } from './host.ts';

/**
 * Prints a line for each record, leaving out the bytes, and what to do about each reason.
 * @param shown the dataset as the user named it
 * @returns the exit status
 */
export async function listQuarantine(
  out: string,
  shown: string,
  json: boolean,
  signal: AbortSignal,
  host: Host,
): Promise<number> {
  const scopes = new Map<string, number>();
  const reasons = new Set<string>();
  let first: string | undefined;
  for await (const { record } of readQuarantine(out)) {
    signal.throwIfAborted();
    scopes.set(record.scope, (scopes.get(record.scope) ?? 0) + 1);
    reasons.add(record.reason);
    if (record.line !== undefined) first ??= `${record.source.uri}:${record.line}`;
    await host.print(json ? asJson(record) : asText(record));
  }
  if (!json)
    await host.print(
      [
        summary(scopes),
        ...remedies(reasons),
        ...(first === undefined ? [] : [printable(toSeeWhy(first, shown))]),
      ].join('\n'),
    );
  await host.endPrinting();
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
  return printable(`${where}  ${scope}  ${namedWords(reason)}${size}: ${error.message}${more}`);
}

/** Returns `what to do: REASON: REMEDY` for each reason. */
export function remedies(reasons: Iterable<string>): readonly string[] {
  return [...reasons].flatMap((reason) => {
    const remedy = remedyText(reason);
    return remedy === undefined ? [] : [`what to do about ${printable(wordsFor(reason))}: ${remedy}`];
  });
}

const toSeeWhy = (address: string, out: string): string =>
  `to see why: turnmill explain ${[address, '--in', out].map(shellWord).join(' ')}`;

/** Words for the scopes of rejections. */
const REJECTED_AS: Readonly<Record<string, string>> = {
  line: 'by itself',
  session: 'with the whole session',
  source: 'a whole log',
  record: 'from one format',
};

function summary(scopes: ReadonlyMap<string, number>): string {
  const parts = [...scopes].map(([scope, n]) => `${showCount(n)} ${REJECTED_AS[scope] ?? scope}`);
  const sum = [...scopes.values()].reduce((all, n) => all + n, 0);
  return sum === 0 ? 'nothing was rejected' : `${plural(sum, 'rejection')}: ${parts.join(', ')}`;
}

/** @returns the exit status: 3 when something could not be replayed */
export async function replay(request: ReplayRequest, json: boolean, host: Host): Promise<number> {
  const result = await replayQuarantine(request);
  const { replayed, files, left, examples } = result;
  if (json) await host.print(JSON.stringify(result));
  else {
    const where =
      files === 0 ? '' : ` in ${plural(files, 'log')} below ${printable(join(request.into, '/'))}`;
    await host.print(`${plural(replayed, 'record')} replayed${where}`);
    for (const [why, n] of Object.entries(left)) await host.print(`${showCount(n)} not replayed: ${why}`);
    for (const { where: at, why } of examples) await host.print(printable(`  ${at}  ${why}`));
  }
  await host.endPrinting();
  return Object.keys(left).length > 0 ? REJECTIONS : SUCCESS;
}
