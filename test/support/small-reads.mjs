/**
 * Loaded first (NODE_OPTIONS=--import): standard input, a pipe, comes in pieces of SMALL_READS bytes, however fast its writer is. At
 * the end FILE of SMALL_READS_LOG gets their number.
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
  construct(target, [options], made) {
    if (options?.fd !== 0 || options.onread === undefined) return Reflect.construct(target, [options], made);
    process.on('exit', () => writeFileSync(process.env.SMALL_READS_LOG, `${reads}`));
    return new Socket({ ...options, onread: inPieces(options.onread) });
  },
});
syncBuiltinESMExports();
