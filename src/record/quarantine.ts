/**
 * Writes quarantine's records: what was kept out, where it stands, the hash of its bytes, and the bytes
 * themselves where they are asked for or cannot be read again. docs/decisions/0014-quarantine.md.
 */
import { placesOf } from '../../transforms/model/entry-log.ts';
import { TurnmillError } from '../errors.ts';
import { sizeOfStamp } from '../input/fingerprint.ts';
import { readAgain, type SecondReading } from '../input/second-reading.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { MOST_OF_A_LINE } from '../ledger/rejection-limit.ts';
import type { Refusal, RejectedLine, SessionReport, SourceReport } from '../ledger/result.ts';
import type { Settings } from '../settings/settings.ts';

const VERSION = 2;
/** A longer line is kept by its place only. */
export const RAW_MAX_BYTES: number = 1024 * 1024;

type Named = Pick<SourceRef, 'name' | 'nameBase64' | 'input'>;

export interface Quarantine {
  /** The file that the next lines and sessions are of; its stamp, to know it again. */
  begin(ref: SourceRef, stamp: string | undefined): void;
  /** The bytes of a source without a stamp, once they are known. */
  sized(bytes: number): void;
  line(line: RejectedLine): void;
  session(session: SessionReport, rejection: NonNullable<SessionReport['rejection']>): Promise<void>;
  refusal(session: SessionReport, refusal: Refusal): Promise<void>;
  /** @param size of the file, where it is known */
  source(ref: Named, rejection: NonNullable<SourceReport['rejection']>, size: number | undefined): void;
  /** The source is over. */
  end(): Promise<void> | void;
}

export interface QuarantineParts {
  readonly settings: Settings;
  /** Undefined when nothing is written. */
  readonly write: ((record: object) => void) | undefined;
}

interface Why {
  readonly reason: string;
  readonly stage: string;
}

/** What a record says of the bytes at its place. */
interface Content {
  readonly member: number | undefined;
  readonly raw: object;
}

interface Place {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export function createQuarantine({ settings, write }: QuarantineParts): Quarantine {
  const { quarantineContent, quarantineSizeBytes, onReject } = settings;
  const keepBytes = quarantineContent === 'raw' ? RAW_MAX_BYTES : 0;
  let left = quarantineSizeBytes;
  let ref: SourceRef | undefined;
  let stamp: string | undefined;
  let size: number | undefined; // of the source that is begun
  let again: Promise<SecondReading | undefined> | undefined;
  let latest: { readonly offset: number; readonly content: Content } | undefined; // several formats may refuse one

  function put(scope: string, { reason, stage }: Why, source: object, fields: object): void {
    write?.({ v: VERSION, scope, reason, stage, source, ...fields });
  }

  function sourceOf({ name, nameBase64, input }: Named, size: number | undefined): object {
    return {
      uri: name,
      ...(nameBase64 === undefined ? {} : { uri_b64: nameBase64 }),
      ...(settings.inputs.length > 1 ? { input } : {}),
      ...(size === undefined ? {} : { size }),
    };
  }

  /** The source that is begun. */
  const here = (): object => sourceOf(ref as SourceRef, size);

  /** With `--on-reject fail` the first one ends the run. */
  function rejected(what: string, reason: string): void {
    if (onReject === 'fail') throw new TurnmillError('rejected', `${what}: ${reason}`, { subject: what });
  }

  /** The hash, and the bytes where they are kept, else where they are. */
  function contentOf({ offset, length }: Place, sha256: string | null, raw: Uint8Array | undefined): object {
    if (raw === undefined || raw.length > Math.min(RAW_MAX_BYTES, left))
      return { raw_sha256: sha256, raw_ref: { offset, length } };
    left -= raw.length;
    return { raw_sha256: sha256, raw_b64: Buffer.from(raw).toString('base64') };
  }

  /** The same of a line that was read long ago: its hash is null when it cannot be read again. */
  async function contentAgain(place: Place): Promise<Content> {
    const { offset, length } = place;
    if (latest?.offset === offset) return latest.content;
    again ??= readAgain(ref as SourceRef, stamp);
    const stretch = await (await again)?.take(offset, length, keepBytes);
    const content: Content = {
      member: stretch?.member,
      raw: contentOf(place, stretch?.sha256 ?? null, stretch?.bytes),
    };
    latest = { offset, content };
    return content;
  }

  const placed = ({ line, offset, length }: Place, member: number | undefined): object => ({
    line,
    byte_start: offset,
    byte_end: offset + length,
    ...(member === undefined ? {} : { member }),
  });

  return {
    begin(next, itsStamp) {
      ref = next;
      stamp = itsStamp;
      size = stamp === undefined ? undefined : sizeOfStamp(stamp);
    },
    sized(bytes) {
      size = bytes;
    },
    line({ detail, sha256, raw, member, rest, ...rejection }) {
      const { reason, line } = rejection;
      const content = contentOf(rejection, sha256, raw);
      put('line', rejection, here(), {
        ...placed(rejection, member),
        ...content,
        error: errorOf(reason, detail),
        ...restOf(rest),
      });
      rejected(`${(ref as SourceRef).name}:${line}`, reason);
    },
    async session({ sessionId }, { reason, stage, detail, line: violation, log }) {
      const session_key = sessionId ?? null;
      const error = errorOf(reason, `${detail} (line ${violation})`);
      if (write !== undefined) {
        for (const { place, more } of listedPlaces(placesOf(log))) {
          const { member, raw } = await contentAgain(place);
          const about = { ...placed(place, member), session_key, ...raw, error };
          put('session', { reason, stage }, here(), {
            ...about,
            ...restOf(more > 0 ? [[reason, more]] : undefined),
          });
        }
      }
      rejected(`${(ref as SourceRef).name}:${violation}`, reason);
    },
    async refusal({ sessionId, snapshot }, { format, reason, stage, detail }) {
      const place = snapshot as Place;
      if (write !== undefined) {
        const { member, raw } = await contentAgain(place);
        const about = { ...placed(place, member), session_key: sessionId ?? null, format };
        put('record', { reason, stage }, here(), { ...about, ...raw, error: errorOf(reason, detail) });
      }
      rejected(`${(ref as SourceRef).name}:${place.line}, format ${format}`, reason);
    },
    source(of, { reason, detail, code = reason }, size) {
      put('source', { reason, stage: 'source' }, sourceOf(of, size), { error: errorOf(code, detail) });
      rejected(of.name, reason);
    },
    end() {
      latest = undefined;
      if (again === undefined) return;
      const reading = again;
      again = undefined;
      return reading.then((opened) => opened?.close());
    },
  };
}

/** The places of a session's entries that are listed; of a line with many the last one of them, with the number of the others. */
function* listedPlaces(places: Iterable<Place>): Generator<{ readonly place: Place; readonly more: number }> {
  let last: Place | undefined; // the last one of its line that is listed
  let count = 0; // of its line so far
  for (const place of places) {
    if (place.line !== last?.line) {
      if (last !== undefined) yield { place: last, more: Math.max(0, count - MOST_OF_A_LINE) };
      count = 0;
    } else if (count < MOST_OF_A_LINE) yield { place: last, more: 0 };
    count++;
    if (count <= MOST_OF_A_LINE) last = place;
  }
  if (last !== undefined) yield { place: last, more: Math.max(0, count - MOST_OF_A_LINE) };
}

/** What a record says of further objects of its line: how many it stands for in all, and those that are not listed by reason. */
function restOf(rest: RejectedLine['rest']): object {
  if (rest === undefined) return {};
  return { count: rest.reduce((sum, [, n]) => sum + n, 1), rest: Object.fromEntries(rest) };
}

function errorOf(code: string, message: string): object {
  return { code, message };
}
