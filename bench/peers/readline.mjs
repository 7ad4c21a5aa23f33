/**
 * Peer: node:readline, JSON.parse and JSON.stringify, as in most scripts for this task.
 *   node readline.mjs DIR OUTFILE
 */
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { foldSession, sessionFiles } from './session-files.mjs';

const [directory, outFile] = process.argv.slice(2);
const out = openSync(outFile, 'w');
for (const file of sessionFiles(directory)) {
  const session = foldSession();
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 });
  const input = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') session.add(JSON.parse(line));
  }
  const record = session.record();
  if (record !== undefined) writeSync(out, record);
}
closeSync(out);
