/**
 * Preloaded in every thread (NODE_OPTIONS=--import): makes worker threads fail.
 *
 *     THREAD_FAULT=WAY:SOURCE:TIMES:DELIVERIES   the thread that reads SOURCE fails when it has posted DELIVERIES deliveries after opening
 *                                             the file, in the first TIMES reads
 *     THREAD_FAULT=WAY                        every thread fails before it has a source
 *     THREAD_FAULT_LOG=FILE                   gets a byte for each failure: counts them across threads
 *
 * Ways: `exit`, `oom` (fills the heap), `bug` (an exception in the worker). The main thread never fails.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread, parentPort } from 'node:worker_threads';

const [way, source, times = '1', after = '0'] = (process.env.THREAD_FAULT ?? '').split(':');
const log = process.env.THREAD_FAULT_LOG;

const WAYS = {
  exit: () => process.exit(9), // ends the thread, not the process
  oom: () => {
    for (const kept = []; ; ) kept.push(Array.from({ length: 100_000 }, Math.random));
  },
  bug: () => {
    throw new Error('a bug from outside');
  },
};

function fail() {
  fs.appendFileSync(log, '.');
  WAYS[way]();
}

const isDue = () => !fs.existsSync(log) || fs.statSync(log).size < Number(times);

/** Watches which source is read, and counts the deliveries posted for it. */
function watch() {
  const { openSync } = fs;
  const post = parentPort.postMessage;
  let isOpen = false;
  let deliveries = 0;
  const strike = () => {
    if (isOpen && deliveries === Number(after) && isDue()) fail();
  };
  fs.openSync = (path, ...rest) => {
    if (Buffer.isBuffer(path)) {
      isOpen = path.toString().endsWith(`/${source}`);
      deliveries = 0;
      strike();
    }
    return openSync(path, ...rest);
  };
  syncBuiltinESMExports();
  parentPort.postMessage = (message, ...rest) => {
    post.call(parentPort, message, ...rest);
    if (message.type !== 'part') return;
    deliveries++;
    strike();
  };
}

if (!isMainThread && way !== '') {
  if (source === undefined) fail();
  else watch();
}
