/** Reads a source as a sequence of elements, with which users of the library begin their own `stream.pipeline`. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { copyOf } from '../../transforms/json/keep.ts';
import type { Line, Rejection, StreamElement } from '../../transforms/model/element.ts';
import { listsInside } from '../../transforms/stages/choose-dialect.ts';
import { failUsage, SourceFault } from '../errors.ts';
import { frameSource } from '../input/frame-source.ts';
import { openSource } from '../input/open-source.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { checkStreams, closeStreams, type Input, takeStreams } from '../input/sources/stream-source.ts';
import type { S3Options } from '../object-store/options.ts';
import { isObjectUrl, parseObjectUrl } from '../object-store/url.ts';
import { suggestion } from '../settings/nearest-word.ts';
import { type PartialS3, resolveS3Options } from '../settings/s3-settings.ts';
import { DEFAULT_SETTINGS } from '../settings/settings.ts';
import { SETTINGS } from '../settings/table.ts';

export interface ReadOptions {
  /** Name of the source in every origin; by default that of the file or the stream. */
  readonly name?: string;
  readonly maxLine?: number;
  /** Most bytes that a packed source may unpack to. */
  readonly maxDecompressed?: number;
  /** Highest ratio of a packed source that unpacks to over 256 MiB; the default depends on the compression. */
  readonly maxRatio?: number;
  /** How to reach the store of an `s3://` URL. */
  readonly s3?: PartialS3;
  /** Ends the waiting for standard input or a stream. */
  readonly signal?: AbortSignal;
}

const LIMITS = ['maxLine', 'maxDecompressed', 'maxRatio'] as const;
const OPTIONS: readonly string[] = ['name', ...LIMITS, 's3', 'signal'];

/**
 * A Readable of elements: yields the lines of a file or an object (plain, gzip or zstd; JSONL or a JSON document), of a stream or of standard
 * input (`-`), and the end of its session. Each line owns its bytes, so streams may keep them. Ends with SourceFault
 * for a faulty source. A stream is closed at the end.
 * @throws TurnmillError `usage` for an option that does not exist, or a limit that is not one
 */
export function read(input: Input, options: ReadOptions = {}): Readable {
  checkOptions(options);
  if (typeof input !== 'string') {
    checkStreams([input]);
    takeStreams([input]);
  }
  const elements = typeof input === 'string' ? elementsOf(input, options) : elementsOfStream(input, options);
  return Readable.from(elements, { highWaterMark: 1 });
}

function checkOptions(options: ReadOptions): void {
  const fail = (problem: string): never => {
    failUsage(`read(): ${problem}`);
  };
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) fail(`unknown option '${unknown}'${suggestion(unknown, OPTIONS)}`);
  for (const name of LIMITS)
    if (options[name] !== undefined)
      SETTINGS[name].type?.check?.(options[name], (problem) => fail(`${name}: ${problem}`));
}

/**
 * Closes the stream as soon as the caller stops reading. The generator itself cannot do that: one that has not started
 * never runs its `finally`, and one that is waiting runs it only later.
 */
function elementsOfStream(input: Input, options: ReadOptions): AsyncGenerator<StreamElement> {
  const stopped = new AbortController();
  const signal = AbortSignal.any([stopped.signal, ...(options.signal ? [options.signal] : [])]);
  const elements = elementsOf(input, { ...options, signal });
  const generator = { return: elements.return.bind(elements), throw: elements.throw.bind(elements) };
  function close(): void {
    stopped.abort();
    closeStreams([input]);
  }
  return Object.assign(elements, {
    return(value: unknown) {
      close();
      return generator.return(value);
    },
    throw(error: unknown) {
      close();
      return generator.throw(error);
    },
  });
}

async function* elementsOf(input: Input, options: ReadOptions): AsyncGenerator<StreamElement> {
  const { maxLine = DEFAULT_SETTINGS.maxLine, signal } = options;
  const ref = await refOf(input, options);
  const { maxDecompressed = DEFAULT_SETTINGS.maxDecompressed, maxRatio } = options;
  try {
    const reader = await openSource(ref, { maxDecompressed, maxRatio }, signal);
    try {
      const {
        framer,
        read: fill,
        repair,
      } = await frameSource(reader, ref.name, {
        maxLine,
        lists: listsInside(),
      });
      if (repair !== undefined) yield repair;
      for (;;) {
        const count = await fill(framer.space());
        if (count === 0) break;
        for (const element of framer.filled(count)) yield owned(element);
      }
      for (const element of framer.end()) yield owned(element);
      reader.verify();
      const { lines, bytes } = framer.counts();
      const origin = { source: ref.name, line: lines, offset: bytes, length: 0 };
      yield { kind: 'session-end', origin, last: true };
    } finally {
      await reader.close();
    }
  } finally {
    closeStreams([input]);
  }
}

async function refOf(input: Input, { name: named, s3 }: ReadOptions): Promise<SourceRef> {
  const shared = { input: 0, sizeBytes: 0 };
  if (typeof input !== 'string')
    return { ...shared, name: named ?? input.name, path: undefined, stream: input.stream };
  if (input === '-') return { ...shared, name: named ?? '-', path: undefined };
  if (isObjectUrl(input)) return objectAt(input, named, resolveS3Options(s3));
  const stats = statSync(input, { throwIfNoEntry: false });
  if (stats === undefined) throw new SourceFault('vanished', `${input} not found`);
  if (stats.isDirectory()) throw new SourceFault('not-regular', `${input} is a folder; read() reads a file`);
  return { ...shared, name: named ?? basename(input), path: Buffer.from(input).toString('latin1') };
}

async function objectAt(url: string, named: string | undefined, s3: S3Options): Promise<SourceRef> {
  const { findObjectSource } = await import('../input/sources/objects.ts');
  const place = parseObjectUrl(url);
  const ref = await findObjectSource(place, named ?? basename(place.key), s3);
  if (ref === undefined) throw new SourceFault('vanished', `${url} not found`);
  return ref;
}

function owned(element: Line | Rejection): Line | Rejection {
  return element.kind === 'line' ? { ...element, bytes: copyOf(element.bytes) } : element;
}
