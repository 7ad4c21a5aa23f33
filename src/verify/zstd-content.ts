/**
 * The content of a .zst file for the second reader: by the zstd program, which reads the file itself, or else by node:zlib, frame
 * after frame, because it stops behind the first one. It shares nothing with the writers' side, which walks over the frames.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { TurnmillError } from '../errors.ts';
import { openOwnFile, streamOwnFile } from '../own-file.ts';
import { decoded } from './decoded.ts';

/** What the types of Node 20 do not know. */
interface ZlibWithZstd {
  createZstdDecompress?(options: { chunkSize: number }): ReturnType<typeof zlib.createGunzip>;
}
const { createZstdDecompress } = zlib as unknown as ZlibWithZstd;

const READ_BYTES = 256 * 1024;
/** To many a node:zlib a frame that is cut short is complete. So bytes stand behind the file that no complete frame takes. */
const BEYOND = Buffer.alloc(64);

/**
 * @returns chunks of about that size, so that what splits them into lines stays quick
 * @throws an error with a code `ZSTD_...` when the data is damaged; TurnmillError `unavailable` without zstd
 */
export async function* zstdContent(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
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
  closeSync(fd); // the child has its own
  const closed = once(child, 'close') as Promise<[number | null]>;
  closed.catch(() => undefined); // awaited below, when everything was read
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('latin1')).slice(-1000);
  });
  try {
    for await (const chunk of child.stdout ?? []) yield chunk as Buffer;
    const [status] = await closed;
    if (status === 0) return;
    const what = complaint.trim().split(' : ').at(-1) || `zstd ended with ${status}`;
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
  let start = 0; // of the frame in hand
  while (start < size) {
    const source = Readable.from(bytesFrom(path, start));
    const frame = (createZstdDecompress as NonNullable<typeof createZstdDecompress>)({
      chunkSize: READ_BYTES,
    });
    yield* decoded(source, frame);
    if (frame.bytesWritten === 0) throw Object.assign(new Error('no zstd data'), { code: 'ZSTD_none' });
    start += frame.bytesWritten;
  }
  if (start > size) throw Object.assign(new Error('a frame that is cut short'), { code: 'ZSTD_cut' });
}

/** In one piece with the end of the file: what came alone would be taken for the next frame. */
async function* bytesFrom(path: string, start: number): AsyncGenerator<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of streamOwnFile(path, { start, highWaterMark: READ_BYTES })) {
    if (last.length > 0) yield last;
    last = chunk as Buffer;
  }
  yield Buffer.concat([last, BEYOND]);
}
