/**
 * Peer: the minimum cost of reading from an object store. GETs each whole object with node:http over eight persistent connections, and
 * counts the bytes.
 *   node download.mjs ENDPOINT BUCKET DIR     the files of DIR are the names of the objects below logs/
 */
import { Agent, get } from 'node:http';
import { sessionFiles } from './session-files.mjs';

const [endpoint, bucket, directory] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const names = sessionFiles(directory).map((path) => path.slice(directory.length + 1));
let bytes = 0;

const download = (name) =>
  new Promise((resolve, reject) => {
    const request = get(`${endpoint}/${bucket}/logs/${name}`, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${name}: HTTP status ${response.statusCode}`));
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.once('end', resolve).once('error', reject);
    });
    request.once('error', reject);
  });

const downloadNext = async () => {
  for (let name = names.shift(); name !== undefined; name = names.shift()) await download(name);
};
await Promise.all(Array.from({ length: 8 }, downloadNext));
agent.destroy();
process.stdout.write(`${bytes}\n`);
