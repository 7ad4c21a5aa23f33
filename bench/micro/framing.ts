/**
 * Framing: finding the line feeds (memchr) in bytes that are copied in, as a read would.
 */
import { createLineFramer } from '../../src/input/framing/lines.ts';
import type { MicroCase } from './micro-case.ts';
import { sample } from './sample.ts';

/** Copying alone, and copying and cutting. */
export const cases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  const room = Buffer.alloc(256 * 1024);
  const shared = { bytes: bytes.length, items: lines.length };
  return [
    {
      ...shared,
      name: 'copy only',
      run: () => {
        let copied = 0;
        for (let at = 0; at < bytes.length; ) {
          const count = bytes.copy(room, 0, at);
          at += count;
          copied += count;
        }
        return copied;
      },
    },
    {
      ...shared,
      name: 'copy and cut into lines',
      run: () => {
        const framer = createLineFramer('micro', bytes.length);
        let cut = 0;
        for (let at = 0; at < bytes.length; ) {
          const count = bytes.copy(framer.space(), 0, at);
          for (const element of framer.filled(count)) cut += element.origin.length;
          at += count;
        }
        return cut;
      },
    },
  ];
};
