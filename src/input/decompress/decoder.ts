/**
 * Decodes zstd with the program in a child process, or node:zlib. Both take bytes and give bytes at their own pace; the loop
 * around them is here. It gives nothing to a decoder that has not taken the last piece, and reads nothing ahead.
 */

/** The cause of a fault when the decoder was killed: the data may be fine, so another attempt may succeed. */
export const DECODER_KILLED: symbol = Symbol('the decoder was killed');

/** An empty text: all went well. */
export type Ending = string | Error;

export interface Decoder {
  /** Calls back when the bytes may be used again. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** There is no more. */
  end(): void;
  /** Content that is decoded and not yet read, or null. */
  read(): Uint8Array | null;
  /** Undefined while it runs. Then all that it gives can be read, and this is what is wrong with the data, or with the decoder. */
  ending(): Ending | undefined;
  /** Resolves at its next event. */
  moved(): Promise<void>;
  /** Ends it, whatever it does, and waits until it is gone. */
  close(): Promise<void>;
}

/**
 * Decodes pieces; closes the decoder however it ends. A fault of the pieces themselves is thrown before
 * one of the decoder, and only after everything before it has come out: the decoder's pace must not change what is reported.
 * @param pieces each may be used again when the next one is asked for
 * @throws what `fault` makes of the decoder's words
 */
export async function* decodeWith(
  decoder: Decoder,
  pieces: AsyncIterable<Uint8Array>,
  fault: (what: string) => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  let taken = true;
  let wrong: string | undefined;
  let broken: { readonly by: unknown } | undefined;

  /** The pieces, up to where they break. */
  async function* sound(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      broken = { by: error };
    }
  }

  /** Content that comes out, until the piece is taken, or with `toEnd` until all is out. */
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

/** One side waits for the other: `moved` until something has happened, `wake` when it has. */
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
