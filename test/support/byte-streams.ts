/** The same bytes as every kind of stream that a caller may pass, in chunks of a given size. */
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';

export type MakeStream = (bytes: Uint8Array, chunkBytes: number) => AsyncIterable<Uint8Array>;

function* cut(bytes: Uint8Array, chunkBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes)
    yield Uint8Array.from(bytes.subarray(at, at + chunkBytes));
}

export const STREAMS: Readonly<Record<string, MakeStream>> = {
  'a Node Readable': (bytes, chunkBytes) => Readable.from(cut(bytes, chunkBytes), { objectMode: false }),
  'a web stream': (bytes, chunkBytes) => {
    const chunks = cut(bytes, chunkBytes);
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const { done, value } = chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    });
  },
  /** Reuses the memory for every chunk, with empty chunks in between. */
  'a generator that reuses its buffer': async function* (bytes, chunkBytes) {
    const room = new Uint8Array(chunkBytes);
    for (const chunk of cut(bytes, chunkBytes)) {
      room.fill(0x7b);
      room.set(chunk);
      yield room.subarray(0, chunk.length);
      yield room.subarray(0, 0);
    }
  },
};
