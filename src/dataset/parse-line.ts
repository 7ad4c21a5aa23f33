/**
 * Parses the lines of the files that a run writes. Maps each file to its line type; no other module turns text into
 * such a line.
 */
import { TurnmillError } from '../errors.ts';
import type { SourceKey } from '../input/sources/source.ts';
import { LINE_FILES, WORK_FILES } from './layout.ts';
import type { SessionLine, SourceLine } from './schema/ledger.ts';
import type { QuarantineLine } from './schema/quarantine.ts';
import type { FindingLine } from './schema/reports.ts';

/** A line of `work/listing.jsonl`: a source that the run intends to read. */
export interface ListedSource extends SourceKey {
  readonly sizeBytes: number;
}

export interface LineTypes {
  readonly [LINE_FILES.sources]: SourceLine;
  readonly [LINE_FILES.sessions]: SessionLine;
  readonly [LINE_FILES.quarantine]: QuarantineLine;
  readonly [LINE_FILES.findings]: FindingLine;
  readonly [WORK_FILES.listing]: ListedSource;
  /** A fingerprint (src/input/fingerprint.ts), empty if the source has none. */
  readonly [WORK_FILES.fingerprints]: string;
}

export type LineFileName = keyof LineTypes;

type Member = 'string' | 'number' | 'object';
/** Members that every line has, with their types. A name that the line type lacks does not compile. */
type Members<Line> = Line extends object ? { readonly [K in keyof Line]?: Member } : undefined;

/** Members that identify a line of each file; not all of its members are needed. */
const MEMBERS: { readonly [F in LineFileName]: Members<LineTypes[F]> } = {
  [LINE_FILES.sources]: { source: 'string', status: 'string', lines: 'number', fates: 'object' },
  [LINE_FILES.sessions]: {
    source: 'string',
    fate: 'string',
    entries: 'number',
    superseded: 'number',
    truncated: 'number',
    changes: 'object',
  },
  [LINE_FILES.quarantine]: {
    scope: 'string',
    reason: 'string',
    stage: 'string',
    source: 'object',
    error: 'object',
  },
  [LINE_FILES.findings]: { severity: 'string', rule: 'string', source: 'string', message: 'string' },
  [WORK_FILES.listing]: { name: 'string', input: 'number', sizeBytes: 'number' },
  [WORK_FILES.fingerprints]: undefined,
};

/** Parses a line of a file. Returns undefined if it is not JSON, or a member is missing or has another type. */
export function parseLine<F extends LineFileName>(
  file: F,
  line: string | Uint8Array,
): LineTypes[F] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(typeof line === 'string' ? line : textOf(line));
  } catch {
    return undefined;
  }
  return isLineOf(file, value) ? value : undefined;
}

/** Parses a line of the file at `path`. @throws TurnmillError `invalid-dataset` if it does not belong there */
export function lineIn<F extends LineFileName>(
  file: F,
  line: string | Uint8Array,
  path: string = file,
): LineTypes[F] {
  const parsed = parseLine(file, line);
  if (parsed !== undefined) return parsed;
  const message = `${path} has a line that is not one of ${file}: the dataset is damaged`;
  throw new TurnmillError('invalid-dataset', message, { subject: path });
}

/** `MEMBERS` as lists, which are made once for all lines. */
const LISTS = new Map(
  Object.entries(MEMBERS).map(([file, members]) => [file, members && Object.entries(members)]),
);

function isLineOf<F extends LineFileName>(file: F, value: unknown): value is LineTypes[F] {
  const members = LISTS.get(file);
  if (members === undefined) return typeof value === 'string';
  if (typeof value !== 'object' || value === null) return false;
  const object = value as Readonly<Record<string, unknown>>;
  return members.every(([name, type]) => typeof object[name] === type && object[name] !== null);
}

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString();
