/** Reads the records of a dataset's quarantine in order. Throws at the first line that is not a quarantine record. */

import { closeSync, readSync } from 'node:fs';
import { statIfAny } from '../dataset/fs-calls.ts';
import { LINE_FILES, manifestPath, quarantinePath } from '../dataset/layout.ts';
import { readManifest } from '../dataset/manifest.ts';
import { parseLine } from '../dataset/parse-line.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import { SourceFault, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';
import { MAX_LINE_CEILING } from '../settings/input-settings.ts';
import { read } from './read.ts';

/** A record of quarantine/rejected.jsonl. */
export type QuarantineRecord = QuarantineLine;

/** A record and its position in the file, for fetching its bytes later. */
export interface PlacedRecord {
  readonly record: QuarantineRecord;
  readonly at: { readonly offset: number; readonly length: number };
}

const SCOPES: ReadonlySet<unknown> = new Set(['line', 'session', 'source', 'record']);

/**
 * Checks that the folder is a dataset with a quarantine.
 * @throws TurnmillError `no-input` if it is not, `invalid-dataset` if one of its files is not a regular file
 */
export function requireQuarantine(out: string): void {
  const files = [manifestPath(out), quarantinePath(out)];
  const stats = files.map(statIfAny);
  const irregular = files.find((_, i) => stats[i]?.isFile() === false);
  if (irregular !== undefined)
    throw new TurnmillError('invalid-dataset', `${irregular} is not a regular file`, { subject: irregular });
  readManifest(out);
  if (stats[1] !== undefined) return;
  throw new TurnmillError('no-input', `no dataset found in ${out}`, { subject: out });
}

/**
 * Yields the records of a quarantine.
 * @throws TurnmillError `no-input` if there is no dataset, `invalid-dataset` if a line is not a quarantine record
 */
export async function* readQuarantine(out: string): AsyncGenerator<PlacedRecord> {
  const path = quarantinePath(out);
  requireQuarantine(out);
  try {
    for await (const element of read(path, { maxLine: MAX_LINE_CEILING })) {
      if (element.kind === 'session-end') return;
      const { line, offset, length } = element.origin;
      const record = element.kind === 'line' ? recordIn(element.bytes) : undefined;
      if (record === undefined)
        throw new TurnmillError('invalid-dataset', `${path}: line ${line} is not a quarantine record`, {
          subject: path,
        });
      yield { record, at: { offset, length } };
    }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    const code = error.reason === 'not-regular' ? 'invalid-dataset' : 'io';
    throw new TurnmillError(code, `${path}: ${error.message}`, { subject: path, cause: error });
  }
}

/** Returns the rejected bytes that the record contains. */
export function rawBytesAt(out: string, { offset, length }: PlacedRecord['at']): Uint8Array {
  const line = Buffer.alloc(length);
  const fd = openOwnFile(quarantinePath(out));
  try {
    for (let at = 0, count = 1; at < length && count > 0; at += count)
      count = readSync(fd, line, at, length - at, offset + at);
  } finally {
    closeSync(fd);
  }
  return Buffer.from(recordIn(line)?.raw_b64 ?? '', 'base64');
}

function recordIn(bytes: Uint8Array): QuarantineRecord | undefined {
  const record = parseLine(LINE_FILES.quarantine, bytes);
  if (record === undefined) return undefined;
  const { scope, source, error, byte_start: start = -1, byte_end: end = -1 } = record;
  if (!SCOPES.has(scope) || typeof source.uri !== 'string' || typeof error.message !== 'string')
    return undefined;
  const isPlaced = Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end;
  return scope === 'source' || isPlaced ? record : undefined;
}
