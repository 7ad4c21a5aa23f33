/**
 * Preloaded (NODE_OPTIONS=--import): standard input, a pipe, arrives in pieces of SMALL_READS bytes, however fast its writer is. At the end
 * the file SMALL_READS_LOG gets the number of pieces.
 */
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const { Socket } = net;
const mostBytes = Number(process.env.SMALL_READS);
let reads = 0;

function inPieces(onread) {
  const callback = (count, buffer) => {
    reads++;
    return onread.callback(count, buffer);
  };
  return { buffer: onread.buffer.subarray(0, mostBytes), callback };
}

net.Socket = new Proxy(Socket, {
  construct(target, [options], newTarget) {
    if (options?.fd !== 0 || options.onread === undefined)
      return Reflect.construct(target, [options], newTarget);
    process.on('exit', () => writeFileSync(process.env.SMALL_READS_LOG, `${reads}`));
    return new Socket({ ...options, onread: inPieces(options.onread) });
  },
});
syncBuiltinESMExports();
