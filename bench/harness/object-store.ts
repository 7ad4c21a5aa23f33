/**
 * Runs the object store of the tests as a separate process; the files of a folder are its objects:
 *   node dist/bench/harness/object-store.js FOLDER
 * Prints its address. Keeps everything written to it in memory. Exits when its standard input is closed.
 */
import { openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Body, S3Server } from '../../test/support/s3-server.ts';

const bodyOf = (path: string): Body => {
  const fd = openSync(path, 'r');
  return {
    size: statSync(path).size,
    read(from, to) {
      const bytes = Buffer.allocUnsafe(to - from);
      for (let filled = 0; filled < bytes.length; )
        filled += readSync(fd, bytes, filled, bytes.length - filled, from + filled);
      return bytes;
    },
  };
};

const [folder = ''] = process.argv.slice(2);
const server = await S3Server.start();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile()) server.put(`bucket/logs/${path.slice(folder.length + 1)}`, bodyOf(path));
}
process.stdout.write(`${server.endpoint}\n`);
process.stdin.on('end', () => process.exit()).resume();
