/** Checks a line of quarantine/rejected.jsonl: its place, and its bytes against their hash if they are kept. */
import { createHash } from 'node:crypto';
import type { QuarantineError, QuarantineLine, QuarantineSource } from '../dataset/schema/quarantine.ts';
import type { Problems } from './problems.ts';
import { add, type SourceTally, sumOf } from './tallies.ts';
import { asCount, asCounts, asObject, asText, type LineOf, type Untrusted } from './untrusted.ts';

const FILE = 'quarantine/rejected.jsonl';
const VERSION = 2;
const POSITION = / at byte (\d+) of the line \(\d+ of the source\)$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** A name that `--redact` wrote: the bytes are no longer those of the source. */
const PLACEHOLDER = /<[A-Z][A-Z0-9_]*:[A-Z2-7]{10}>/;
const SCOPES: ReadonlySet<unknown> = new Set(['line', 'session', 'source', 'record']);

type Value = Untrusted<QuarantineLine>;

export function checkQuarantined(
  { line, value }: LineOf<QuarantineLine>,
  tally: SourceTally,
  problems: Problems,
): void {
  const { v, scope, reason } = value;
  problems.equal(FILE, line, 'v', VERSION, v);
  if (!SCOPES.has(scope)) problems.equal(FILE, line, 'scope', 'line, session, source or record', scope);
  const error: Untrusted<QuarantineError> | undefined = asObject(value.error);
  const texts = { reason, stage: value.stage, 'error.code': error?.code, 'error.message': error?.message };
  for (const [what, text] of Object.entries(texts))
    if (asText(text) === undefined) problems.equal(FILE, line, what, 'a string', text);
  checkPosition(line, value, problems);
  const { uri, size }: Untrusted<QuarantineSource> = asObject(value.source) ?? {};
  // the size of standard input is only known at its end
  if (uri !== '-' || size !== undefined) problems.equal(FILE, line, 'source.size', tally.size, size);
  add(tally.quarantine, scope === 'record' ? `record:${value.format} ${reason}` : `${scope}:${reason}`);
  addRest(line, value, tally, problems);
  if (scope !== 'source') checkPlace(line, value, tally, problems);
}

/** Checks that the position in the message equals `error.at`. */
function checkPosition(line: number, value: Value, problems: Problems): void {
  const { message, at }: Untrusted<QuarantineError> = asObject(value.error) ?? {};
  const [, position] = POSITION.exec(asText(message) ?? '') ?? [];
  problems.equal(FILE, line, 'error.at', position === undefined ? undefined : Number(position), at);
}

/** Adds the rejected objects that are not listed, which the last record of a line with many of them counts. */
function addRest(line: number, value: Value, tally: SourceTally, problems: Problems): void {
  const { scope, count, rest } = value;
  if (count === undefined && rest === undefined) return;
  const others = asCounts(rest);
  if (others === undefined || (scope !== 'line' && scope !== 'session')) {
    problems.equal(FILE, line, 'rest', 'counts by reason, of a line or a session', rest);
    return;
  }
  problems.equal(FILE, line, 'count, by the sum of rest', 1 + sumOf(others), count);
  for (const [reason, n] of others) add(tally.quarantine, `${scope}:${reason}`, n);
}

function checkPlace(line: number, value: Value, tally: SourceTally, problems: Problems): void {
  const start = asCount(value.byte_start);
  const end = asCount(value.byte_end);
  // several formats may refuse records of one snapshot
  const kind = `${value.scope} ${value.format}`;
  if (value.scope !== 'line') tally.enterSession(kind, value.session_key);
  const wanted = tally.take(kind, { line: value.line, start, end }, { leastBytes: 1 });
  if (wanted !== undefined || start === undefined || end === undefined) {
    problems.add(FILE, `line ${line}: expected line, byte_start and byte_end to be ${wanted}, found another`);
    return;
  }
  const hashed = SHA256.test(asText(value.raw_sha256) ?? '');
  // the entries of a rejected session may no longer be readable when it is rejected
  if (!hashed && (value.scope === 'line' || value.raw_sha256 !== null))
    problems.equal(FILE, line, 'raw_sha256', 'a hash', value.raw_sha256);
  checkMember(line, value, tally, problems);
  const raw = asText(value.raw_b64);
  const ref = raw === undefined ? JSON.stringify({ offset: start, length: end - start }) : undefined;
  problems.equal(FILE, line, 'raw_ref', ref, value.raw_ref && JSON.stringify(value.raw_ref));
  if (raw === undefined) return;
  const bytes = Buffer.from(raw, 'base64');
  if (tally.isRedacted && PLACEHOLDER.test(bytes.toString('latin1'))) return;
  const hash = createHash('sha256').update(bytes).digest('hex');
  problems.equal(FILE, line, 'bytes of raw_b64', end - start, bytes.length);
  problems.equal(FILE, line, 'raw_sha256', hash, value.raw_sha256);
}

/** Checks the gzip member in which the bytes begin; it is unknown if they could not be read a second time, or were gathered. */
function checkMember(line: number, value: Value, tally: SourceTally, problems: Problems): void {
  const most = value.raw_sha256 === null ? undefined : tally.members;
  if (most !== undefined && tally.isGathered && value.member === undefined) return;
  const member = asCount(value.member) ?? 0;
  if (most === undefined) problems.equal(FILE, line, 'member', undefined, value.member);
  else if (member < 1 || member > most)
    problems.equal(FILE, line, 'member', `a number from 1 to ${most}`, value.member);
}
