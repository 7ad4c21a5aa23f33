/**
 * Peer: the minimum cost of reading logs in Node: it starts, reads the bytes, finds the line feeds and compares every byte with itself
 * once, as known text must be compared. No Node program that looks at every byte can be faster.
 *   node floor.mjs DIR
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { sessionFiles } from './session-files.mjs';

const LF = 0x0a;
const room = Buffer.allocUnsafeSlow(256 * 1024);
let lines = 0;
for (const file of sessionFiles(process.argv[2])) {
  const fd = openSync(file, 'r');
  for (let count = readSync(fd, room); count > 0; count = readSync(fd, room)) {
    const bytes = room.subarray(0, count);
    for (let p = bytes.indexOf(LF); p >= 0; p = bytes.indexOf(LF, p + 1)) lines++;
    if (bytes.compare(bytes) !== 0) throw new Error('bytes that are not themselves');
  }
  closeSync(fd);
}
process.stdout.write(`${lines}\n`);
