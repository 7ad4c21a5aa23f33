/** Inputs whose bytes the caller provides instead of a path: a Node stream, a web stream, an async generator. */
import { TurnmillError } from '../../errors.ts';
import { printable } from '../../printable.ts';

/** Bytes with a name, read once and in order. */
export interface StreamSource {
  /** Replaces a file's path: it appears in every record about the source, and its extension counts like a file's. */
  readonly name: string;
  /**
   * A Node `Readable`, a web `ReadableStream`, an async generator. A chunk is used up before the next one is requested;
   * only then may its memory be reused. An error that it throws rejects this source, as for an unreadable file.
   */
  readonly stream: AsyncIterable<Uint8Array>;
}

/** A path, `-` for standard input, or a stream. */
export type Input = string | StreamSource;

/** Methods that streams have besides their iterator: Node's `Readable`, web streams, generators. */
export interface Closable {
  readonly readableEnded?: unknown;
  readonly on?: (event: 'error', listener: () => void) => unknown;
  readonly destroy?: () => unknown;
  readonly getReader?: () => unknown;
  readonly cancel?: () => Promise<unknown>;
  readonly return?: () => Promise<unknown>;
}

/** Name of an input for messages. */
export function nameOfInput(input: Input): string {
  return printable(typeof input === 'string' ? input : input.name);
}

export function pathsOf(inputs: readonly Input[]): readonly string[] {
  return inputs.filter((input) => typeof input === 'string');
}

const streamsOf = (inputs: readonly Input[]): readonly Closable[] =>
  [inputs].flat().flatMap((input) => ((input as StreamSource | null)?.stream ?? []) as Closable);

/** Throws a usage error for an input that is not a stream, or a name that is not unique. */
export function checkStreams(inputs: readonly Input[]): void {
  const seen = new Map<unknown, string>();
  for (const input of inputs) {
    if (typeof input === 'string') continue;
    checkStream(input);
    const name = nameOfInput(input);
    const first = seen.get(input.stream);
    if (first !== undefined)
      fail(`the inputs ${first} and ${name} are the same stream, which can be read only once`);
    seen.set(input.stream, name);
  }
}

function checkStream(input: StreamSource): void {
  const name: unknown = input?.name;
  if (typeof name !== 'string' || name === '')
    fail('an input is a path, or an object with a name and a stream');
  if (name === '-') fail("a stream cannot be named '-', which means standard input");
  if (Buffer.from(name).toString() !== name)
    fail(`the name of the stream ${printable(name)} has an unpaired surrogate, which UTF-8 cannot encode`);
  const { stream } = input;
  const isStream =
    typeof stream?.[Symbol.asyncIterator] === 'function' ||
    typeof (stream as Closable | undefined)?.getReader === 'function';
  if (!isStream) fail(`the stream of ${printable(name)} is not an AsyncIterable of Uint8Array`);
  if ((stream as Closable).readableEnded === true)
    fail(`the stream ${printable(name)} has already been read to its end`);
}

function fail(message: string): never {
  throw new TurnmillError('usage', message);
}

/**
 * Call it before waiting for anything else. A Node stream that fails while another source is read (a connection that
 * timed out) would end the process, because nothing listens to it yet; its iterator still throws that error when its
 * turn comes.
 */
export function takeStreams(inputs: readonly Input[]): void {
  for (const stream of streamsOf(inputs)) stream.on?.('error', () => undefined);
}

/**
 * Closes the streams, including those never read, since each may hold a connection. Does nothing to one that has ended.
 */
export function closeStreams(inputs: readonly Input[]): void {
  for (const stream of streamsOf(inputs)) closeStream(stream);
}

/** Does not wait: a generator that awaits its own source ends only after that. */
export function closeStream(stream: Closable): void {
  const closed = stream.destroy ? stream.destroy() : stream.getReader ? stream.cancel?.() : stream.return?.();
  Promise.resolve(closed).catch(() => undefined); // errors of a stream that is thrown away do not matter
}
