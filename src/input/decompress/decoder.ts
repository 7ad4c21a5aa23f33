/**
 * Decodes zstd with the program in a child process or with node:zlib. Both take and return bytes at their own pace;
 * this file has the loop around them. It never writes before the decoder has taken the last piece, and reads nothing
 * ahead.
 */

/** Cause of the fault when the decoder was killed: the data may be fine, so another attempt may succeed. */
export const DECODER_KILLED: symbol = Symbol('the decoder was killed');

/** Empty text for success, else what went wrong. */
export type Ending = string | Error;

export interface Decoder {
  /** Calls `taken` when the memory of `bytes` may be reused. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** Signals the end of the input. */
  end(): void;
  /** Decoded content that has not been read yet, or null. */
  read(): Uint8Array | null;
  /**
   * Undefined while it runs; then all of its output can be read, and this says what is wrong with the data or with the
   * decoder.
   */
  ending(): Ending | undefined;
  /** Resolves at its next event. */
  moved(): Promise<void>;
  /** Stops it, whatever it is doing, and waits until it has exited. */
  close(): Promise<void>;
}

/**
 * Decodes pieces, and closes the decoder however it ends. Throws a fault of the pieces before one of the decoder, and
 * only after everything before it has come out, so that the decoder's pace does not change what is reported.
 * @param pieces each one may be reused once the next is requested
 * @throws the error that `fault` creates from the decoder's message
 */
export async function* decodeWith(
  decoder: Decoder,
  pieces: AsyncIterable<Uint8Array>,
  fault: (what: string) => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  let taken = true;
  let wrong: string | undefined;
  let broken: { readonly by: unknown } | undefined;

  /** Yields the pieces up to where they fail. */
  async function* sound(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      broken = { by: error };
    }
  }

  /** Yields decoded content until the piece is taken, or with `toEnd` until the end. */
  async function* output(toEnd: boolean): AsyncGenerator<Uint8Array> {
    while (wrong === undefined) {
      const ending = decoder.ending();
      const bytes = decoder.read();
      if (bytes !== null) yield bytes;
      else if (ending instanceof Error) throw ending;
      else if (ending === '' && toEnd) return;
      else if (ending !== undefined) wrong = ending || 'the decoder ended before the data did';
      else if (taken && !toEnd) return;
      else await decoder.moved();
    }
  }

  try {
    for await (const piece of sound()) {
      if (wrong !== undefined) continue;
      taken = false;
      decoder.write(piece, () => {
        taken = true;
      });
      yield* output(false);
    }
    decoder.end();
    yield* output(true);
    if (broken !== undefined) throw broken.by;
    if (wrong !== undefined) throw fault(wrong);
  } finally {
    await decoder.close();
  }
}

/** Lets one side wait for the other: `moved` resolves at the next `wake`. */
export function createWaker(): { moved(): Promise<void>; wake(): void } {
  let wake = (): void => undefined;
  return {
    moved: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
  };
}
