/**
 * The lines of a file that an earlier run wrote, one after the other. It can give descriptor and memory back (`park`) and go on
 * later where it was, so that any number of files is read side by side.
 */
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';

export interface EarlierLines {
  /** The next line without its line feed, valid until the next call; undefined at the end. */
  next(): Buffer | undefined;
  park(): void;
}

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** @param bytes so many of the file count; there may be more */
export function readEarlierLines(path: string, bytes: number): EarlierLines {
  let fd: number | undefined;
  let buffer = Buffer.alloc(0);
  let from = 0; // of what is in the buffer and was not given out
  let to = 0;
  let position = 0; // in the file, of the buffer's end

  /** Room for as much again as is held; a buffer that one giant line needed is given back. */
  function makeRoom(): void {
    const held = to - from;
    const wanted = Math.max(CHUNK_BYTES, held * 2);
    const room = buffer.length < wanted || buffer.length > wanted * 8 ? Buffer.allocUnsafe(wanted) : buffer;
    buffer.copy(room, 0, from, to);
    buffer = room;
    from = 0;
    to = held;
  }

  function readMore(): void {
    try {
      fd ??= openOwnFile(path);
      const wanted = Math.min(buffer.length - to, bytes - position);
      const count = readSync(fd, buffer, to, wanted, position);
      if (count === 0) throw damaged(path, `ends after ${position} of ${bytes} bytes`);
      to += count;
      position += count;
    } catch (error) {
      throw error instanceof TurnmillError ? error : ioError('read', path, error);
    }
  }

  function park(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
    position -= to - from;
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
    throw damaged(path, 'has a line that is no JSON');
  }
}

/** The lines of one of a run's files, in order, parsed. */
export function linesOf(run: RunFiles, name: string): Generator<EarlierLine, undefined> {
  const path = join(run.root, name);
  const file = run.files.find((each) => each.path === name);
  if (file === undefined) throw damaged(path, 'is missing');
  return parsedLines(path, file.bytes);
}

interface RunFiles {
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

function* parsedLines(path: string, bytes: number): Generator<EarlierLine, undefined> {
  const lines = readEarlierLines(path, bytes);
  try {
    for (let line = lines.next(); line !== undefined; line = lines.next()) yield parseEarlierLine(line, path);
  } finally {
    lines.park();
  }
}

/** Throws: what an earlier run wrote is not what it said. */
export function damaged(path: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} ${why}`, { subject: path });
}
