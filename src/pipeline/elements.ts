/** For the library's users: a source as a sequence of elements, to be the head of their own `stream.pipeline`. */
import { basename } from 'node:path';
import type { Line, Rejection, StreamElement } from '../../transforms/element.ts';
import { copyOf } from '../../transforms/json/keep.ts';
import { openSource } from '../sources/reader.ts';
import { frameSource } from './frame-source.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

export interface ReadOptions {
  /** Name of the source in every origin; the file's name when left out. */
  readonly name?: string;
  readonly maxLineBytes?: number;
}

/**
 * The lines of a file (plain, gzip or zstd; JSONL or a JSON document) or of standard input (`-`), and the end of its session.
 * Each line owns its bytes, so streams may hold them. A faulty source throws SourceFault.
 */
export async function* readElements(path: string, options: ReadOptions = {}): AsyncGenerator<StreamElement> {
  const { name = path === '-' ? '-' : basename(path), maxLineBytes = DEFAULT_SETTINGS.maxLineBytes } =
    options;
  const file = path === '-' ? undefined : Buffer.from(path).toString('latin1');
  const reader = await openSource({ name, input: 0, path: file, sizeBytes: 0 }, DEFAULT_SETTINGS);
  try {
    const { framer, read, repair } = await frameSource(reader, name, maxLineBytes);
    if (repair !== undefined) yield repair;
    for (;;) {
      const count = await read(framer.space());
      if (count === 0) break;
      for (const element of framer.filled(count)) yield owned(element);
    }
    for (const element of framer.end()) yield owned(element);
    reader.verify();
    const { lines, bytes } = framer.counts();
    const origin = { source: name, line: lines + 1, offset: bytes, length: 0 };
    yield { kind: 'session-end', origin, last: true };
  } finally {
    await reader.close();
  }
}

function owned(element: Line | Rejection): Line | Rejection {
  return element.kind === 'line' ? { ...element, bytes: copyOf(element.bytes) } : element;
}
