/**
 * The lines of a file that an earlier run wrote, one after the other. It can give descriptor and memory back (`park`) and go on
 * later where it was, so that any number of files is read side by side. Each block is compared with its checksum before
 * anything in it is used.
 */
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';
import { BLOCK_BYTES, type BlockSums } from './block-sums.ts';

export interface EarlierLines {
  /** The next line without its line feed, valid until the next call; undefined at the end. */
  next(): Buffer | undefined;
  park(): void;
}

const LINE_FEED = 0x0a;

/**
 * @param bytes so many of the file count; there may be more
 * @param sums of these bytes
 */
export function readEarlierLines(path: string, bytes: number, sums: BlockSums): EarlierLines {
  let fd: number | undefined;
  let buffer = Buffer.alloc(0);
  let from = 0; // of what is in the buffer and was not given out
  let to = 0;
  let position = 0; // in the file, of the buffer's end: where a block begins
  let used = 0; // bytes at the beginning of the next block that were given out before it was parked

  /** Room for as much again as is held, and for a block; a buffer that one giant line needed is given back. */
  function makeRoom(): void {
    const held = to - from;
    const wanted = held + Math.max(BLOCK_BYTES, held);
    const room = buffer.length < wanted || buffer.length > wanted * 8 ? Buffer.allocUnsafe(wanted) : buffer;
    buffer.copy(room, 0, from, to);
    buffer = room;
    from = 0;
    to = held;
  }

  function readMore(): void {
    try {
      fd ??= openOwnFile(path);
      const room = buffer.length - to;
      const count = Math.min(room - (room % BLOCK_BYTES), bytes - position);
      for (let have = 0; have < count; ) {
        const got = readSync(fd, buffer, to + have, count - have, position + have);
        if (got === 0) throw damaged(path, `ends after ${position + have} of ${bytes} bytes`);
        have += got;
      }
      if (!sums.match(position, buffer.subarray(to, to + count))) throw otherBytes(path);
      from += used;
      used = 0;
      to += count;
      position += count;
    } catch (error) {
      throw error instanceof TurnmillError ? error : ioError('read', path, error);
    }
  }

  function park(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
    const next = position + used - (to - from);
    used = next % BLOCK_BYTES;
    position = next - used;
    buffer = Buffer.alloc(0);
    from = to = 0;
  }

  return {
    next() {
      let seen = 0; // bytes of the line that were looked at
      for (;;) {
        const end = buffer.subarray(0, to).indexOf(LINE_FEED, from + seen);
        if (end >= 0) {
          const line = buffer.subarray(from, end);
          from = end + 1;
          return line;
        }
        seen = to - from;
        if (position === bytes) {
          if (seen > 0) throw damaged(path, 'does not end with a line feed');
          park();
          return undefined;
        }
        makeRoom();
        readMore();
      }
    },
    park,
  };
}

/** A line of JSON, as the recorder wrote it. */
// biome-ignore lint/suspicious/noExplicitAny: the recorder wrote it, and its manifest or checkpoint vouches for it
export type EarlierLine = any;

function parseEarlierLine(line: Buffer, path: string): EarlierLine {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw damaged(path, 'has a line that is not JSON');
  }
}

/** The lines of one of a run's files, in order, parsed. */
export function linesOf(run: RunFiles, name: string): Generator<EarlierLine, undefined> {
  const path = join(run.root, name);
  const file = run.files.find((each) => each.path === name);
  if (file === undefined) throw damaged(path, 'is missing');
  return parsedLines(path, file.bytes, file.sums);
}

interface RunFiles {
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sums: BlockSums }[];
}

function* parsedLines(path: string, bytes: number, sums: BlockSums): Generator<EarlierLine, undefined> {
  const lines = readEarlierLines(path, bytes, sums);
  try {
    for (let line = lines.next(); line !== undefined; line = lines.next()) yield parseEarlierLine(line, path);
  } finally {
    lines.park();
  }
}

/** The fault of a file that was right when it was read before. */
export function otherBytes(path: string): TurnmillError {
  const text = `${path} had other bytes when it was read again, so nothing was published; check disk and memory, then run again`;
  return new TurnmillError('io', text, { subject: path });
}

/** Throws: what an earlier run wrote is not what it said. */
export function damaged(path: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} ${why}`, { subject: path });
}
