/**
 * Peer: the split2 line splitter with JSON.parse as its mapper, in a stream pipeline.
 *   node split2.mjs DIR OUTFILE
 */
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import split2 from 'split2';
import { foldSession, sessionFiles } from './session-files.mjs';

const [directory, outFile] = process.argv.slice(2);
const out = openSync(outFile, 'w');
for (const file of sessionFiles(directory)) {
  const session = foldSession();
  const fold = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(entry, _encoding, done) {
      session.add(entry);
      done();
    },
  });
  await pipeline([
    createReadStream(file, { highWaterMark: 256 * 1024 }),
    ...(file.endsWith('.gz') ? [createGunzip()] : []),
    split2(JSON.parse),
    fold,
  ]);
  const record = session.record();
  if (record !== undefined) writeSync(out, record);
}
closeSync(out);
