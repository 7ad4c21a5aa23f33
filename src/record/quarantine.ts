/**
 * Writes the records of the quarantine: each rejection with its place, the hash of its bytes, and the bytes themselves
 * if the user wants that or they cannot be read again (docs/contributing/decisions/0014-quarantine.md).
 */
import { type Place, placesOf } from '../../transforms/model/entry-log.ts';
import type { QuarantineError, QuarantineLine, QuarantineSource } from '../dataset/schema/quarantine.ts';
import { TurnmillError } from '../errors.ts';
import { sizeInIdentity } from '../input/fingerprint.ts';
import { readAgain, type SecondReading, type Stretch } from '../input/second-reading.ts';
import type { SourceKey, SourceRef } from '../input/sources/source.ts';
import type { Redactor } from '../ledger/redactor.ts';
import { MAX_OF_A_LINE } from '../ledger/rejection-limit.ts';
import type { RecordRejection, RejectedLine, SessionReport, SourceReport } from '../ledger/result.ts';
import type { RecordSettings } from '../settings/settings.ts';

const VERSION = 2;
/** Longest line whose bytes are kept; for a longer one, only the place is. */
export const RAW_MAX_BYTES: number = 1024 * 1024;

export interface QuarantineOptions {
  readonly settings: RecordSettings;
  /** Undefined if the run writes no files. */
  readonly write: ((record: QuarantineLine) => void) | undefined;
  /** Replaces secrets in lines that are read again. */
  readonly redactor?: Redactor | undefined;
}

interface Cause {
  readonly reason: string;
  readonly stage: string;
}

type PlaceFields = Pick<QuarantineLine, 'line' | 'byte_start' | 'byte_end' | 'member'>;
type RawFields = Pick<QuarantineLine, 'raw_sha256' | 'raw_ref' | 'raw_b64'>;
/** Members of a record besides its reason and its source. */
type Fields = Omit<QuarantineLine, 'v' | 'scope' | keyof Cause | 'source'>;

/** The members of a record for the bytes at a place, or for a reference to them. */
interface Content {
  readonly member: number | undefined;
  readonly raw: RawFields;
}

export class Quarantine {
  readonly #options: QuarantineOptions;
  /** Lines up to this length are kept; 0 if only their places are. */
  readonly #keepBytes: number;
  /** Number of bytes that this run may still keep. */
  #leftBytes: number;
  #ref: SourceRef | undefined;
  #identity: string | undefined;
  /** Size of the current source, if it has no identity. */
  #size: number | undefined;
  /** The second reading of the current source; undefined until it is needed. */
  #again: Promise<SecondReading | undefined> | undefined;
  /** The latest content that was read again: several formats may refuse the same line. */
  #latest: { readonly offset: number; readonly content: Content } | undefined;

  constructor(options: QuarantineOptions) {
    const { quarantineContent, quarantineSize } = options.settings;
    this.#options = options;
    this.#keepBytes = quarantineContent === 'raw' ? RAW_MAX_BYTES : 0;
    this.#leftBytes = quarantineSize;
  }

  /**
   * Starts a source, to which the following lines and sessions belong.
   * @param identity identity that the file must have when it is read again
   */
  begin(ref: SourceRef, identity: string | undefined): void {
    this.#ref = ref;
    this.#identity = identity;
    this.#size = undefined;
  }

  /** Sets the size of a source that its identity does not have, once it is known. */
  setSize(bytes: number): void {
    this.#size = bytes;
  }

  line({ detail, at, sha256, raw, member, rest, isLeftOut, ...rejection }: RejectedLine): void {
    const { reason, line } = rejection;
    if (isLeftOut === true) this.#checkLeftOut(rejection);
    const content = this.#contentOf(rejection, sha256, raw);
    this.#put('line', rejection, this.#currentSource(), {
      ...placed(rejection, member),
      ...content,
      error: errorOf(reason, detail, at),
      ...restOf(rest),
    });
    this.#rejected(`${this.#name}:${line}`, reason);
  }

  /** Lists the entries of a rejected session. */
  async session(
    { sessionId, contents }: SessionReport,
    { reason, stage, detail, line, log }: NonNullable<SessionReport['rejection']>,
  ): Promise<void> {
    const session_key = sessionId ?? null;
    const error = errorOf(reason, `${detail} (line ${line})`);
    if (this.#options.write !== undefined) {
      for (const { place, more } of listedPlaces(placesOf(log))) {
        const { member, raw } = await this.#contentAgain(place, contents);
        const about: Fields = { ...placed(place, member), session_key, ...raw, error };
        this.#put('session', { reason, stage }, this.#currentSource(), {
          ...about,
          ...restOf(more > 0 ? [[reason, more]] : undefined),
        });
      }
    }
    this.#rejected(`${this.#name}:${line}`, reason);
  }

  /** Lists a record that one of several formats refused. */
  async recordRejection(
    { sessionId, snapshot, contents }: SessionReport,
    { format, reason, stage, detail }: RecordRejection,
  ): Promise<void> {
    const place = snapshot as Place;
    if (this.#options.write !== undefined) {
      const { member, raw } = await this.#contentAgain(place, contents);
      const about: Omit<Fields, 'error'> = {
        ...placed(place, member),
        session_key: sessionId ?? null,
        format,
      };
      this.#put('record', { reason, stage }, this.#currentSource(), {
        ...about,
        ...raw,
        error: errorOf(reason, detail),
      });
    }
    this.#rejected(`${this.#name}:${place.line}, format ${format}`, reason);
  }

  /** Lists a whole source. @param size size of the file, if known */
  source(
    named: SourceKey,
    { reason, detail, code = reason }: NonNullable<SourceReport['rejection']>,
    size: number | undefined,
  ): void {
    const error = errorOf(code, detail);
    this.#put('source', { reason, stage: 'source' }, this.#sourceOf(named, size), { error });
    this.#rejected(named.name, reason);
  }

  /** Ends the source. */
  end(): Promise<void> | void {
    this.#latest = undefined;
    const again = this.#again;
    if (again === undefined) return;
    this.#again = undefined;
    return again.then((reading) => reading?.close());
  }

  get #name(): string {
    return (this.#ref as SourceRef).name;
  }

  #put(
    scope: QuarantineLine['scope'],
    { reason, stage }: Cause,
    source: QuarantineSource,
    fields: Fields,
  ): void {
    this.#options.write?.({ v: VERSION, scope, reason, stage, source, ...fields });
  }

  /** Returns the current source as it is written in a record. */
  #currentSource(): QuarantineSource {
    const size = this.#size ?? (this.#identity === undefined ? undefined : sizeInIdentity(this.#identity));
    return this.#sourceOf(this.#ref as SourceRef, size);
  }

  #sourceOf({ name, nameBase64, input }: SourceKey, size: number | undefined): QuarantineSource {
    return {
      uri: name,
      ...(nameBase64 === undefined ? {} : { uri_b64: nameBase64 }),
      ...(this.#options.settings.inputs.length > 1 ? { input } : {}),
      ...(size === undefined ? {} : { size }),
    };
  }

  /** Ends the run at the first rejection with `--on-reject fail`. */
  #rejected(subject: string, reason: string): void {
    if (this.#options.settings.onReject === 'fail')
      throw new TurnmillError(
        'rejected',
        `${subject}: ${reason}; with --on-reject fail the first rejection ends the run, and nothing was published`,
        { subject },
      );
  }

  /** Returns the hash, with the bytes if they are kept, else with their position. */
  #contentOf({ offset, length }: Place, sha256: string | null, raw: Uint8Array | undefined): RawFields {
    const room = Math.min(RAW_MAX_BYTES, this.#leftBytes);
    if (raw === undefined || raw.length > room) return { raw_sha256: sha256, raw_ref: { offset, length } };
    this.#leftBytes -= raw.length;
    return { raw_sha256: sha256, raw_b64: Buffer.from(raw).toString('base64') };
  }

  /**
   * A quarantine that is almost full leaves out large lines and keeps small ones, so it depends on all lines before it
   * whether a line fits. Bytes that a merged dataset left out may fit here.
   */
  #checkLeftOut({ length }: Place): void {
    if (length > Math.min(RAW_MAX_BYTES, this.#leftBytes)) return;
    const text = `a rejected line of ${this.#name} fits into the quarantine of the merged dataset, but not into that of its own, so its bytes are unknown; build again with a larger --quarantine-size`;
    throw new TurnmillError('invalid-dataset', text, { subject: this.#name });
  }

  /** The bytes at a place, from a previous run or read again. The hash is null if the source no longer has them. */
  async #contentAgain(place: Place, contents: SessionReport['contents']): Promise<Content> {
    const { offset, length } = place;
    if (this.#latest?.offset === offset) return this.#latest.content;
    const known = contents?.get(offset);
    if (known?.isLeftOut === true) this.#checkLeftOut(place);
    const stretch = contents === undefined ? await this.#takeAgain(offset, length) : known;
    const content: Content = {
      member: stretch?.member,
      raw: this.#contentOf(place, stretch?.sha256 ?? null, stretch?.bytes),
    };
    this.#latest = { offset, content };
    return content;
  }

  async #takeAgain(offset: number, length: number): Promise<Stretch | undefined> {
    this.#again ??= readAgain(this.#ref as SourceRef, this.#identity);
    const stretch = await (await this.#again)?.take(offset, length, this.#keepBytes);
    const { redactor } = this.#options;
    if (redactor === undefined || stretch?.bytes === undefined) return stretch;
    return { ...stretch, bytes: redactor.redact(stretch.bytes) };
  }
}

function placed({ line, offset, length }: Place, member: number | undefined): PlaceFields {
  const place: PlaceFields = { line, byte_start: offset, byte_end: offset + length };
  return member === undefined ? place : { ...place, member };
}

/**
 * Yields the places of a session's entries that are listed. If a line has too many entries, the last listed one has the
 * number of the others.
 */
function* listedPlaces(places: Iterable<Place>): Generator<{ readonly place: Place; readonly more: number }> {
  let last: Place | undefined; // the last place on its line that is listed
  let count = 0; // number of entries on that line so far
  for (const place of places) {
    if (place.line !== last?.line) {
      if (last !== undefined) yield { place: last, more: Math.max(0, count - MAX_OF_A_LINE) };
      count = 0;
    } else if (count < MAX_OF_A_LINE) yield { place: last, more: 0 };
    count++;
    if (count <= MAX_OF_A_LINE) last = place;
  }
  if (last !== undefined) yield { place: last, more: Math.max(0, count - MAX_OF_A_LINE) };
}

/** Returns how many objects of its line the record covers, and those that are not listed, by reason. */
function restOf(rest: RejectedLine['rest']): Pick<QuarantineLine, 'count' | 'rest'> {
  if (rest === undefined) return {};
  return { count: rest.reduce((sum, [, n]) => sum + n, 1), rest: Object.fromEntries(rest) };
}

function errorOf(code: string, message: string, at?: number): QuarantineError {
  return at === undefined ? { code, message } : { code, message, at };
}
