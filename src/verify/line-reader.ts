/**
 * Reads the lines of a dataset's file, plain or packed, with split2, JSON.parse, and node:zlib or the zstd program. It
 * deliberately uses other code for splitting, parsing and unpacking than the writers do. A line that is not a JSON
 * object is a problem; callers only get objects.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, statSync } from 'node:fs';
import { pipeline, Readable, type Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import zlib, { createGunzip } from 'node:zlib';
import split2 from 'split2';
import { ioError, TurnmillError } from '../errors.ts';
import { openOwnFile, streamOwnFile } from '../own-file.ts';
import type { Problems } from './problems.ts';
import { asObject, type JsonObject } from './untrusted.ts';

/** A line, counted from 1; without a value if it is not a JSON object. */
export interface ReadLine {
  readonly line: number;
  readonly text: string;
  readonly value: JsonObject | undefined;
}

/** split2 splits its whole buffer again at every chunk, so large chunks keep a long line cheap. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** One chunk short of the longest possible string. */
const LINE_MAX_CHARS = 512 * 1024 * 1024 - 24 - CHUNK_BYTES;
const NEWLINE = 0x0a;

/** Yields the lines to the end, or as far as the file can be read. Throws `io` or `permission`. */
export async function* readLines(path: string, file: string, problems: Problems): AsyncGenerator<ReadLine> {
  for await (const { line, text } of readTexts(path, file, problems)) {
    yield { line, text, value: parseLine(text, file, line, problems) };
  }
}

/** Yields the lines of a file in the same way, but they need not be JSON. */
export async function* readTexts(
  path: string,
  file: string,
  problems: Problems,
): AsyncGenerator<{ readonly line: number; readonly text: string }> {
  let line = 0;
  try {
    for await (const text of textLines(path, file, problems)) {
      line += 1;
      yield { line, text };
    }
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    const packing = packingOf(file);
    const fault = packing && packedFault(error as NodeJS.ErrnoException);
    if (fault !== undefined)
      problems.add(file, `after line ${line}: expected ${packing} data, found ${fault}`);
    else if (message === 'maximum buffer reached')
      problems.add(file, `line ${line + 1} is too long to be read`);
    else throw code === '' ? error : ioError('read', path, error);
  }
}

type Packing = 'gzip' | 'zstd' | undefined;

function packingOf(file: string): Packing {
  if (file.endsWith('.gz')) return 'gzip';
  return file.endsWith('.zst') ? 'zstd' : undefined;
}

/** Returns the message of an error in packed data; undefined for any other error. */
function packedFault({ code = '', message }: NodeJS.ErrnoException): string | undefined {
  return code.startsWith('Z_') || code.startsWith('ZSTD_') ? message : undefined;
}

function sourceOf(path: string, packing: Packing): AsyncIterable<Buffer> {
  if (packing === 'gzip') return gzipContent(path, CHUNK_BYTES);
  if (packing === 'zstd') return zstdContent(path, CHUNK_BYTES);
  return streamOwnFile(path, { highWaterMark: CHUNK_BYTES });
}

function textLines(path: string, file: string, problems: Problems): Readable {
  const lines = split2('\n', { maxLength: LINE_MAX_CHARS });
  const content = (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => checked(chunks, file, problems);
  // an error reaches the caller through the lines
  const reported = (): void => undefined;
  return pipeline(sourceOf(path, packingOf(file)), content, lines, reported);
}

/** Detects two problems that split2 does not report: bytes that are not UTF-8, and a last line without a newline. */
async function* checked(
  chunks: AsyncIterable<Buffer>,
  file: string,
  problems: Problems,
): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let last = NEWLINE;
  const decode = (chunk?: Buffer): void => {
    try {
      decoder?.decode(chunk, { stream: chunk !== undefined });
    } catch {
      problems.add(file, 'expected UTF-8, found invalid bytes');
      decoder = undefined;
    }
  };
  for await (const chunk of chunks) {
    decode(chunk);
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  decode();
  if (last !== NEWLINE) problems.add(file, 'expected a newline as the last byte, found none');
}

function parseLine(text: string, file: string, line: number, problems: Problems): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // the parser's own message would quote the line
    const found = text.trim() === '' ? 'a blank line' : 'no JSON';
    problems.add(file, `line ${line}: expected a JSON object, found ${found}`);
    return undefined;
  }
  const object = asObject(value);
  if (object === undefined) problems.add(file, `line ${line}: expected a JSON object, found another value`);
  return object;
}

/**
 * Yields the content of a .gz file: all its members, with nothing after them.
 * @throws an error with a code `Z_...` if the data is damaged, or if other bytes follow
 */
async function* gzipContent(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const { size } = statSync(path);
  const members = createGunzip({ chunkSize: chunkBytes });
  yield* decoded(streamOwnFile(path, { highWaterMark: chunkBytes }), members);
  // node:zlib skips NULs after the last member, and everything that follows them
  if (members.bytesWritten !== size)
    throw Object.assign(new Error('other bytes after its end'), { code: 'Z_TRAILING' });
}

/** Functions of zlib that the types of Node 20 lack. */
interface ZlibWithZstd {
  createZstdDecompress?(options: { chunkSize: number }): ReturnType<typeof zlib.createGunzip>;
}
const { createZstdDecompress } = zlib as unknown as ZlibWithZstd;

const READ_BYTES = 256 * 1024;
/**
 * Bytes that are appended to the data, and that only an incomplete frame consumes: many versions of node:zlib take a
 * truncated frame for a complete one.
 */
const PADDING = Buffer.alloc(64);

/**
 * Yields the content of a .zst file: with node:zlib frame by frame, because it stops after the first one, or else with
 * the zstd program, which reads the file itself.
 * @param chunkBytes approximate size of the chunks; large ones are split into lines faster
 * @throws an error with a code `ZSTD_...` if the data is damaged; TurnmillError `unavailable` without zstd
 */
async function* zstdContent(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createZstdDecompress === undefined ? byProgram(path) : byZlib(path)) {
    gathered.push(piece);
    bytes += piece.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

async function* byProgram(path: string): AsyncGenerator<Buffer> {
  const fd = openOwnFile(path);
  const child = spawn('zstd', ['-dcq'], { stdio: [fd, 'pipe', 'pipe'] });
  closeSync(fd); // the child has its own descriptor
  const closed = once(child, 'close') as Promise<[number | null]>;
  closed.catch(() => undefined); // awaited below, after everything was read
  let stderrText = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderrText = (stderrText + chunk.toString('latin1')).slice(-1000);
  });
  try {
    for await (const chunk of child.stdout ?? []) yield chunk as Buffer;
    const [status] = await closed;
    if (status === 0) return;
    const what = stderrText.trim().split(' : ').at(-1) || `zstd ended with ${status}`;
    throw Object.assign(new Error(what), { code: 'ZSTD_program' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EACCES') throw error;
    const hint = 'install the zstd program, or use Node 22.15, 24 or newer';
    throw new TurnmillError('unavailable', `${path} needs zstd: ${hint}`, { subject: path, cause: error });
  } finally {
    child.kill('SIGKILL');
  }
}

async function* byZlib(path: string): AsyncGenerator<Buffer> {
  const { size } = statSync(path);
  let start = 0; // start of the current frame
  while (start < size) {
    const source = Readable.from(bytesFrom(path, start));
    const frame = (createZstdDecompress as NonNullable<typeof createZstdDecompress>)({
      chunkSize: READ_BYTES,
    });
    yield* decoded(source, frame);
    if (frame.bytesWritten === 0) throw Object.assign(new Error('no zstd data'), { code: 'ZSTD_none' });
    start += frame.bytesWritten;
  }
  if (start > size) throw Object.assign(new Error('a truncated frame'), { code: 'ZSTD_cut' });
}

/** Yields a file from `start`, with the padding in one piece with its end: alone, it would be taken for the next frame. */
async function* bytesFrom(path: string, start: number): AsyncGenerator<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of streamOwnFile(path, { start, highWaterMark: READ_BYTES })) {
    if (last.length > 0) yield last;
    last = chunk as Buffer;
  }
  yield Buffer.concat([last, PADDING]);
}

/** Pipes a source through a stream of node:zlib, and closes the source in any case. */
async function* decoded(source: Readable, decoder: Transform): AsyncGenerator<Buffer> {
  source.on('error', (error) => decoder.destroy(error));
  try {
    for await (const piece of source.pipe(decoder)) yield piece as Buffer;
  } finally {
    source.destroy();
  }
}
