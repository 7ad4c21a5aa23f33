/**
 * Destinations of a corpus: one file per session in a folder, one file for all sessions, or a descriptor such as stdout. Writes are
 * synchronous, so a slow reader slows the generator down instead of filling memory.
 */
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ByteTape, byteTape } from './json-style.ts';
import type { SessionName } from './session.ts';
import type { CorpusKind } from './shapes.ts';

/** Takes the data appended to its tape; the caller marks the ends of lines and sessions. */
export interface CorpusSink {
  readonly tape: ByteTape;
  beginSession(name: SessionName): void;
  endLine(): void;
  endSession(): void;
  close(): void;
}

const flushBytes = 1024 * 1024;
const pauseFlag = new Int32Array(new SharedArrayBuffer(4));

/** Writes all bytes; retries while a non-blocking pipe is full. */
const writeFully = (fd: number, bytes: Buffer): void => {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pauseFlag, 0, 0, 1);
    }
  }
};

/** Writes the tape to a descriptor. A session is compressed as one gzip member, so all of it is kept in memory until it ends. */
const tapeWriter = (tape: ByteTape, gzip: boolean) => {
  const flush = (fd: number): void => {
    const bytes = tape.bytes.subarray(0, tape.length);
    if (bytes.length > 0) writeFully(fd, gzip ? gzipSync(bytes) : bytes);
    tape.length = 0;
  };
  return {
    endLine: (fd: number): void => {
      if (!gzip && tape.length >= flushBytes) flush(fd);
    },
    flush,
  };
};

/** Writes all sessions to one descriptor and does not close it. */
export const descriptorSink = (fd: number, gzip: boolean): CorpusSink => {
  const tape = byteTape(2 * flushBytes);
  const writer = tapeWriter(tape, gzip);
  return {
    tape,
    beginSession: () => {},
    endLine: () => writer.endLine(fd),
    endSession: () => {
      if (gzip || tape.length >= flushBytes) writer.flush(fd);
    },
    close: () => writer.flush(fd),
  };
};

/** Writes one file per session into date folders. Throws unless the folder is new or empty. */
const directorySink = (directory: string, gzip: boolean, extension = 'jsonl'): CorpusSink => {
  mkdirSync(directory, { recursive: true });
  if (readdirSync(directory).length > 0) throw new Error(`${directory} is not empty`);
  const tape = byteTape(2 * flushBytes);
  const writer = tapeWriter(tape, gzip);
  const folders = new Set<string>();
  let fd = -1;
  return {
    tape,
    beginSession: ({ dateFolder, fileStem }) => {
      if (!folders.has(dateFolder)) mkdirSync(join(directory, dateFolder));
      folders.add(dateFolder);
      fd = openSync(join(directory, dateFolder, `${fileStem}.${extension}${gzip ? '.gz' : ''}`), 'wx');
    },
    endLine: () => writer.endLine(fd),
    endSession: () => {
      writer.flush(fd);
      closeSync(fd);
    },
    close: () => {},
  };
};

/** The files of a gateway that rotates its log. Sizes are before compression. */
interface RotatedFiles {
  readonly bytes: number;
  readonly gzip: boolean;
  readonly extension: string;
}

/** Writes many sessions per file, like a gateway that rotates its log at a certain size; a gzip file is one member. */
const rotatedSink = (directory: string, { bytes, gzip, extension }: RotatedFiles): CorpusSink => {
  mkdirSync(directory, { recursive: true });
  const tape = byteTape(bytes + flushBytes);
  const writer = tapeWriter(tape, gzip);
  let files = 0;
  const end = (): void => {
    if (tape.length === 0) return;
    const name = `gateway-calls-${String(files++).padStart(4, '0')}.${extension}`;
    const fd = openSync(join(directory, name), 'wx');
    writer.flush(fd);
    closeSync(fd);
  };
  return {
    tape,
    beginSession: () => {},
    endLine: () => {},
    endSession: () => {
      if (tape.length >= bytes) end();
    },
    close: end,
  };
};

/** The kinds with many sessions per file that need an option for it. */
export const manySessionKinds: readonly CorpusKind[] = ['growth', 'calls'];

/** Writes a corpus of this kind as files into a new or empty folder. */
export const folderSink = (kind: CorpusKind, directory: string): CorpusSink => {
  if (kind === 'growth') return singleFileSink(directory);
  if (kind === 'calls') {
    return rotatedSink(directory, { bytes: 64_000_000, gzip: true, extension: 'jsonl.gz' });
  }
  const extension = kind.startsWith('sse') ? 'sse' : 'jsonl';
  if (kind === 'responses-long' || kind === 'sse-long' || kind === 'spans-long') {
    return rotatedSink(directory, { bytes: 20_000_000, gzip: false, extension });
  }
  return directorySink(directory, kind === 'gz', extension);
};

/** Writes all sessions into a single file, so that the cost of opening files does not count. */
const singleFileSink = (directory: string): CorpusSink => {
  const folder = join(directory, '2026-01-13');
  mkdirSync(folder, { recursive: true });
  const fd = openSync(join(folder, 'gateway-all-sessions.jsonl'), 'wx');
  const sink = descriptorSink(fd, false);
  return {
    ...sink,
    close: () => {
      sink.close();
      closeSync(fd);
    },
  };
};
