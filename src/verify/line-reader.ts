/**
 * The lines of a dataset's file, with split2 and JSON.parse: another splitter and another parser than the writers'
 * side has. What is no line of JSON is a problem here; the readers behind get objects.
 */
import { pipeline, type Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import split2 from 'split2';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';
import { gzipContent } from './gzip-content.ts';
import { asObject, type JsonObject } from './json-value.ts';
import type { Problems } from './problems.ts';
import { zstdContent } from './zstd-content.ts';

/** A line, counted from 1; without a value when it is no JSON object. */
export interface ReadLine {
  readonly line: number;
  readonly text: string;
  readonly value: JsonObject | undefined;
}

/** split2 splits all that it holds at every chunk, so large chunks keep a long line cheap. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** One chunk short of the longest string that there is. */
const LINE_MAX_CHARS = 512 * 1024 * 1024 - 24 - CHUNK_BYTES;
const NEWLINE = 0x0a;

/** Reads to the end, or to where the file cannot be read on. Throws `io` or `permission`. */
export async function* readLines(path: string, file: string, problems: Problems): AsyncGenerator<ReadLine> {
  for await (const { line, text } of readTexts(path, file, problems)) {
    yield { line, text, value: parseLine(text, file, line, problems) };
  }
}

/** The same of a file whose lines need not be JSON. */
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

/** What is wrong with packed data. */
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
  // An error reaches the caller through the lines.
  const reported = (): void => undefined;
  return pipeline(sourceOf(path, packingOf(file)), content, lines, reported);
}

/** What split2 does not tell: bytes that are not UTF-8, and a last line without its newline. */
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
    // The parser's own message would show what the line holds.
    const found = text.trim() === '' ? 'a blank line' : 'no JSON';
    problems.add(file, `line ${line}: expected a JSON object, found ${found}`);
    return undefined;
  }
  const object = asObject(value);
  if (object === undefined) problems.add(file, `line ${line}: expected a JSON object, found another value`);
  return object;
}
