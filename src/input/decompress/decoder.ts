/**
 * Decodes zstd with the program in a child process or with node:zlib. Both take and return bytes at their own pace;
 * this is the loop around them. It never writes a piece before the decoder has taken the last one, and never reads
 * ahead.
 */

/** Cause of a fault if the decoder was killed: the data may be fine, so another attempt may succeed. */
export const DECODER_KILLED: symbol = Symbol('the decoder was killed');

/** How decoding ended: an empty text for success, a problem of the data, or an error of the decoder. */
export type Ending = string | Error;

export interface Decoder {
  /** Calls `taken` when the memory of `bytes` may be reused. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** Signals the end of the input. */
  end(): void;
  /** Returns decoded content that has not been read yet, or null. */
  read(): Uint8Array | null;
  /** Returns how it ended, once all of its output can be read; undefined until then. */
  ending(): Ending | undefined;
  /** Resolves when there is something to read, a piece was taken, or decoding has ended. */
  nextEvent(): Promise<void>;
  /** Stops it in any state, and waits until it has exited. */
  close(): Promise<void>;
}

/**
 * Decodes pieces, and closes the decoder in any case. An error of `pieces` takes precedence over one of the decoder, and
 * both are thrown only after all content before them was yielded, so that the decoder's pace does not affect the report.
 * @param pieces each may be reused once the next one is requested
 * @throws the error that `fault` creates from the decoder's message
 */
export async function* decodeWith(
  decoder: Decoder,
  pieces: AsyncIterable<Uint8Array>,
  fault: (what: string) => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  let taken = true;
  let problem: string | undefined;
  let inputFailure: { readonly error: unknown } | undefined;

  /** Yields the pieces up to the first error, and keeps that for later. */
  async function* intactPieces(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      inputFailure = { error };
    }
  }

  /** Yields decoded content until the piece is taken; with `toEnd`, until the end. */
  async function* output(toEnd: boolean): AsyncGenerator<Uint8Array> {
    while (problem === undefined) {
      const ending = decoder.ending();
      const bytes = decoder.read();
      if (bytes !== null) yield bytes;
      else if (ending instanceof Error) throw ending;
      else if (ending === '' && toEnd) return;
      else if (ending !== undefined) problem = ending || 'the decoder ended before the data did';
      else if (taken && !toEnd) return;
      else await decoder.nextEvent();
    }
  }

  try {
    for await (const piece of intactPieces()) {
      if (problem !== undefined) continue;
      taken = false;
      decoder.write(piece, () => {
        taken = true;
      });
      yield* output(false);
    }
    decoder.end();
    yield* output(true);
    if (inputFailure !== undefined) throw inputFailure.error;
    if (problem !== undefined) throw fault(problem);
  } finally {
    await decoder.close();
  }
}

/** Creates a signal: `nextEvent` resolves at the next `wake`. */
export function createWaker(): { nextEvent(): Promise<void>; wake(): void } {
  let wake = (): void => undefined;
  return {
    nextEvent: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
  };
}
