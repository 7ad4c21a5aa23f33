/**
 * Reads a folder as one source: its files, unpacked, one after the other, with a line feed between them. A file that is
 * one JSON document becomes one line: the line breaks in it are white space, and are replaced by blanks. A damaged file
 * is therefore one rejected line, and does not affect the others.
 */

import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import { BACKSLASH, CR, LF, QUOTE, SPACE } from '../../transforms/json/bytes.ts';
import { SourceFault, systemCode } from '../errors.ts';
import { identityOf, identityOfFolder, identityOfObject, isSettled } from './fingerprint.ts';
import { isNamedDocument } from './framing/choose.ts';
import type { SourceReader } from './source-reader.ts';
import { isObject, type SourceRef } from './sources/source.ts';

export type FolderRef = SourceRef & Required<Pick<SourceRef, 'parts'>>;

export const isFolder = (ref: SourceRef): ref is FolderRef => ref.parts !== undefined;

export type OpenPart = (part: SourceRef) => SourceReader | Promise<SourceReader>;

/** @throws SourceFault */
export function openFolder(ref: FolderRef, openPart: OpenPart): SourceReader {
  const { identity, isSettled: settled } = identityNow(ref);
  const content = new FolderContent(ref.parts, openPart);
  return {
    compression: 'none',
    misnamed: false,
    identity,
    fingerprint: () => (settled ? identity : undefined),
    read: (room) => content.read(room),
    readBytes: () => content.readBytes,
    verify() {
      if (identityNow(ref).identity !== identity)
        throw new SourceFault('changed-while-read', 'one of its files was written to while it was read');
    },
    close: () => content.close(),
  };
}

/**
 * Returns the current identity of a folder's files, and whether every later write will change it.
 * @throws SourceFault
 */
export function identityNow({ parts }: FolderRef): {
  readonly identity: string;
  readonly isSettled: boolean;
} {
  const hash = createHash('sha256');
  let sizeBytes = parts.length - 1;
  let settled = true;
  for (const part of parts) {
    if (isObject(part)) {
      hash.update(`${part.name}\0${identityOfObject(part)}\n`);
      sizeBytes += part.sizeBytes;
      continue;
    }
    const stats = statsOf(part);
    hash.update(`${part.name}\0${identityOf(stats)}\n`);
    sizeBytes += Number(stats.size);
    settled &&= isSettled(stats);
  }
  return { identity: identityOfFolder(hash.digest('hex'), sizeBytes), isSettled: settled };
}

function statsOf({ path = '', name }: SourceRef): BigIntStats {
  try {
    return statSync(Buffer.from(path, 'latin1'), { bigint: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'vanished' : 'unreadable';
    throw new SourceFault(reason, `cannot inspect ${name}: ${code}`, error);
  }
}

/** The content of the files, in order. */
class FolderContent {
  readonly #parts: readonly SourceRef[];
  readonly #openPart: OpenPart;
  #next = 0;
  #reader: SourceReader | undefined;
  #blanks: BreakBlanker | undefined;
  /** Unpacked bytes, including the line feeds between the files. */
  #readBytes = 0;

  constructor(parts: readonly SourceRef[], openPart: OpenPart) {
    this.#parts = parts;
    this.#openPart = openPart;
  }

  get readBytes(): number {
    return this.#readBytes;
  }

  /** Fills `room` from its start; returns 0 at the end. Rejects with a SourceFault that names the file. */
  async read(room: Uint8Array): Promise<number> {
    try {
      return await this.#read(room);
    } catch (error) {
      const { name = '' } = this.#parts[this.#next - 1] ?? {};
      if (!(error instanceof SourceFault)) throw error;
      throw new SourceFault(error.reason, `${name}: ${error.message}`, error.cause);
    }
  }

  async #read(room: Uint8Array): Promise<number> {
    let have = 0;
    while (have < room.length) {
      if (this.#reader === undefined) {
        const part = this.#parts[this.#next];
        if (part === undefined) break;
        if (this.#next++ > 0) room[have++] = LF;
        this.#reader = await this.#openPart(part);
        this.#blanks = isNamedDocument(part.name) ? new BreakBlanker() : undefined;
        continue;
      }
      const space = room.subarray(have);
      const read = this.#reader.read(space);
      const count = typeof read === 'number' ? read : await read;
      this.#blanks?.blank(space.subarray(0, count));
      have += count;
      if (count === 0) await this.#closePart(this.#reader);
    }
    this.#readBytes += have;
    return have;
  }

  async close(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }

  async #closePart(reader: SourceReader): Promise<void> {
    this.#reader = undefined;
    try {
      reader.verify();
    } finally {
      await reader.close();
    }
  }
}

/** Replaces line breaks between JSON tokens with blanks. A line break inside a string is damage, and is kept. */
class BreakBlanker {
  #inString = false;
  #isEscaped = false;

  blank(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === QUOTE) this.#inString = !this.#inString;
      else if (this.#inString) this.#isEscaped = byte === BACKSLASH;
      else if (byte === LF || byte === CR) bytes[i] = SPACE;
    }
  }
}
