/** What a stream of node:zlib makes of a source, as an iterable; the source is closed however that ends. */
import type { Readable, Transform } from 'node:stream';

export async function* decoded(source: Readable, decoder: Transform): AsyncGenerator<Buffer> {
  source.on('error', (error) => decoder.destroy(error));
  try {
    for await (const piece of source.pipe(decoder)) yield piece as Buffer;
  } finally {
    source.destroy();
  }
}
