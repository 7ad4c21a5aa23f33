/**
 * Writes quarantine's records (reliability.md §1.3): what was kept out, where it stands, the hash of its bytes, and the bytes
 * themselves where they are asked for or cannot be read again. docs/decisions/0031-quarantine.md.
 */
import { placesOf } from '../../transforms/entry-log.ts';
import { TurnmillError } from '../errors.ts';
import { readAgain, type SecondReading } from '../sources/second-reading.ts';
import type { SourceRef } from '../sources/source.ts';
import type { Refusal, RejectedLine, SessionReport } from './outcome.ts';
import type { Settings } from './settings.ts';

const VERSION = 1;
/** A longer line is kept by its place only. */
export const RAW_MAX_BYTES: number = 1024 * 1024;

type Named = Pick<SourceRef, 'name' | 'nameBase64' | 'input'>;

export interface Quarantine {
  /** The file that the next lines and sessions are of; its stamp, to know it again. */
  begin(ref: SourceRef, stamp: string | undefined): void;
  line(line: RejectedLine): void;
  session(session: SessionReport, rejection: NonNullable<SessionReport['rejection']>): Promise<void>;
  refusal(session: SessionReport, refusal: Refusal): Promise<void>;
  source(ref: Named, reason: string, error: string): void;
  /** The source is over. */
  end(): Promise<void> | void;
}

export interface QuarantineParts {
  readonly settings: Settings;
  /** How a source is named in the dataset. */
  readonly uri: (ref: Named) => object;
  /** Undefined when nothing is written. */
  readonly write: ((record: object) => void) | undefined;
}

interface Place {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export function createQuarantine({ settings, uri, write }: QuarantineParts): Quarantine {
  const { quarantineContent, quarantineSizeBytes, onReject } = settings;
  const keepBytes = quarantineContent === 'raw' ? RAW_MAX_BYTES : 0;
  let left = quarantineSizeBytes;
  let ref: SourceRef | undefined;
  let stamp: string | undefined;
  let again: Promise<SecondReading | undefined> | undefined;
  let latest: { readonly offset: number; readonly content: object } | undefined; // several formats may refuse one

  function put(scope: string, of: Named, fields: object): void {
    write?.({ v: VERSION, scope, ...uri(of), ...fields });
  }

  /** With `--on-reject fail` the first one ends the run. */
  function rejected(what: string, reason: string): void {
    if (onReject === 'fail') throw new TurnmillError('rejected', `${what}: ${reason}`, { subject: what });
  }

  /** The hash, and the bytes where they are kept. */
  function contentOf(sha256: string, raw: Uint8Array | undefined): object {
    if (raw === undefined || raw.length > Math.min(RAW_MAX_BYTES, left)) return { raw_sha256: sha256 };
    left -= raw.length;
    return { raw_sha256: sha256, raw_b64: Buffer.from(raw).toString('base64') };
  }

  /** The same of a line that was read long ago: its hash is null when it cannot be read again. */
  async function contentAgain({ offset, length }: Place): Promise<object> {
    if (latest?.offset === offset) return latest.content;
    again ??= readAgain(ref as SourceRef, stamp);
    const stretch = await (await again)?.take(offset, length, keepBytes);
    const content = stretch === undefined ? { raw_sha256: null } : contentOf(stretch.sha256, stretch.bytes);
    latest = { offset, content };
    return content;
  }

  const placed = ({ line, offset, length }: Place): object => ({
    line,
    byte_start: offset,
    byte_end: offset + length,
  });

  return {
    begin(next, itsStamp) {
      ref = next;
      stamp = itsStamp;
    },
    line({ reason, stage, detail, sha256, raw, ...place }) {
      const of = ref as SourceRef;
      put('line', of, { reason, stage, ...placed(place), ...contentOf(sha256, raw), error: detail });
      rejected(`${of.name}:${place.line}`, reason);
    },
    async session({ sessionId }, { reason, stage, detail, line: violation, log }) {
      const of = ref as SourceRef;
      const session_key = sessionId ?? null;
      const error = `${detail} (line ${violation})`;
      if (write !== undefined) {
        for (const place of placesOf(log)) {
          const content = await contentAgain(place);
          put('session', of, { reason, stage, ...placed(place), session_key, ...content, error });
        }
      }
      rejected(`${of.name}:${violation}`, reason);
    },
    async refusal({ sessionId, snapshot }, { format, reason, stage, detail }) {
      const of = ref as SourceRef;
      const place = snapshot as Place;
      if (write !== undefined) {
        const content = await contentAgain(place);
        const about = { reason, stage, format, ...placed(place), session_key: sessionId ?? null };
        put('record', of, { ...about, ...content, error: detail });
      }
      rejected(`${of.name}:${place.line}, format ${format}`, reason);
    },
    source(of, reason, error) {
      put('source', of, { reason, stage: 'source', error });
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
