/** Inputs whose bytes the caller provides instead of a path: a Node stream, a web stream, an async generator. */
import { failUsage } from '../../errors.ts';
import { printable } from '../../printable.ts';

/** Bytes with a name, read once and in order. */
export interface StreamSource {
  /** Used like the path of a file: in everything that is reported about the source, and for its extension. */
  readonly name: string;
  /**
   * A Node `Readable`, a web `ReadableStream`, an async generator. The memory of a chunk may be reused once the next one
   * is requested. If it throws an error, this source is rejected, as for an unreadable file.
   */
  readonly stream: AsyncIterable<Uint8Array>;
}

/** A path, `-` for standard input, or a stream. */
export type Input = string | StreamSource;

/** Members that streams may have besides their iterator: Node's `Readable`, web streams, generators. */
export interface Closable {
  readonly readableEnded?: unknown;
  readonly on?: (event: 'error', listener: () => void) => unknown;
  readonly destroy?: () => unknown;
  readonly getReader?: () => unknown;
  readonly cancel?: () => Promise<unknown>;
  readonly return?: () => Promise<unknown>;
}

/** Returns the name of an input, for messages. */
export function nameOfInput(input: Input): string {
  return printable(typeof input === 'string' ? input : input.name);
}

export function pathsOf(inputs: readonly Input[]): readonly string[] {
  return inputs.filter((input) => typeof input === 'string');
}

const streamsOf = (inputs: readonly Input[]): readonly Closable[] =>
  [inputs].flat().flatMap((input) => ((input as StreamSource | null)?.stream ?? []) as Closable);

/** Throws `usage` for an input that is neither a path nor a stream, and for a stream that appears twice. */
export function checkStreams(inputs: readonly Input[]): void {
  const seen = new Map<unknown, string>();
  for (const input of inputs) {
    if (typeof input === 'string') continue;
    checkStream(input);
    const name = nameOfInput(input);
    const first = seen.get(input.stream);
    if (first !== undefined)
      failUsage(`the inputs ${first} and ${name} are the same stream, which can be read only once`);
    seen.set(input.stream, name);
  }
}

function checkStream(input: StreamSource): void {
  const name: unknown = input?.name;
  if (typeof name !== 'string' || name === '')
    failUsage('an input is a path, or an object with a name and a stream');
  if (name === '-') failUsage("a stream cannot be named '-', which means standard input");
  if (Buffer.from(name).toString() !== name)
    failUsage(
      `the name of the stream ${printable(name)} has an unpaired surrogate, which UTF-8 cannot encode`,
    );
  const { stream } = input;
  const isStream =
    typeof stream?.[Symbol.asyncIterator] === 'function' ||
    typeof (stream as Closable | undefined)?.getReader === 'function';
  if (!isStream) failUsage(`the stream of ${printable(name)} is not an AsyncIterable of Uint8Array`);
  if ((stream as Closable).readableEnded === true)
    failUsage(`the stream ${printable(name)} has already been read to its end`);
}

/**
 * Listens to the errors of Node streams; call it before waiting for anything else. Without a listener, a stream that
 * fails while another source is read (such as a connection that times out) would end the process. Its iterator still
 * throws that error later.
 */
export function takeStreams(inputs: readonly Input[]): void {
  for (const stream of streamsOf(inputs)) stream.on?.('error', () => undefined);
}

/**
 * Closes the streams, including those that were never read, because each may hold a connection. Does nothing to a stream
 * that has ended.
 */
export function closeStreams(inputs: readonly Input[]): void {
  for (const stream of streamsOf(inputs)) closeStream(stream);
}

/** Closes a stream without waiting for it: a generator that awaits its own source ends only after that. */
export function closeStream(stream: Closable): void {
  const closed = stream.destroy ? stream.destroy() : stream.getReader ? stream.cancel?.() : stream.return?.();
  Promise.resolve(closed).catch(() => undefined); // errors of a discarded stream do not matter
}
