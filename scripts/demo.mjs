// Runs the built command on the example logs, with output to demo-out/, and shows the result. Exits with 0 if the run had the expected exit
// status.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = 'demo-out';
const SHOWN = 'market-brief';
/** The exit status of a run that wrote records and rejected some input; some of the example logs are broken on purpose. */
const EXPECTED = 3;
const SHOWN_CHARACTERS = 96;
const SHOWN_ITEMS = 5;

const say = (text = '') => process.stdout.write(`${text}\n`);
const title = (text) => say(`\n== ${text}\n`);

function run() {
  title('The command');
  say(`$ turnmill build examples/logs --out ${OUT}\n`);
  rmSync(join(root, OUT), { recursive: true, force: true });
  const bin = join(root, 'dist/package/bin.js');
  const args = [bin, 'build', 'examples/logs', '--out', OUT];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  process.stderr.write(stderr);
  return { status, sentence: stderr.split('\n', 1)[0].replace('turnmill: ', '') };
}

const readLines = (path) =>
  readFileSync(join(root, OUT, path), 'utf8')
    .trimEnd()
    .split('\n');

/** Shows the record of one session; finds it through the ledger, as a user would. */
function showRecord() {
  const sessions = readLines('ledger/sessions.jsonl').map((line) => JSON.parse(line));
  const { source, shard, line, origin } = sessions.find((session) => session.source.includes(SHOWN));
  title('A record (shortened)');
  say(`${OUT}/${shard}, line ${line}: from ${source}, line ${origin.line}\n`);
  say(JSON.stringify(shortened(JSON.parse(readLines(shard)[line - 1])), null, 2));
}

function shortened(value) {
  if (typeof value === 'string') {
    return value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}...` : value;
  }
  if (Array.isArray(value)) {
    const more = value.length - SHOWN_ITEMS;
    const shown = value.slice(0, SHOWN_ITEMS).map(shortened);
    return more > 0 ? [...shown, `... ${more} more`] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  if ('parameters' in value)
    return { ...value, description: shortened(value.description), parameters: '...' };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}

function showTree() {
  title('The output');
  const files = readdirSync(join(root, OUT), { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files) {
    const stats = statSync(join(root, OUT, file));
    const depth = file.split('/').length;
    const name = `${'  '.repeat(depth)}${file.slice(file.lastIndexOf('/') + 1)}`;
    say(stats.isDirectory() ? `${name}/` : `${name.padEnd(32)}${String(stats.size).padStart(8)} bytes`);
  }
}

function showMore(sentence) {
  const rejected = readLines('quarantine/rejected.jsonl').map((line) => JSON.parse(line));
  title(`Why exit status ${EXPECTED}, and where to look`);
  say(
    `${rejected.length} rejections. Everything else was written; exit status 3 lets scripts detect rejections.`,
  );
  for (const { source, line, reason, error } of rejected)
    say(`  ${source.uri}:${line ?? ''}  ${error.message} (${reason})`);
  const [{ source, line }] = rejected;
  say(`
  ${OUT}/quarantine/rejected.jsonl   each rejected line: source, line, bytes, hash, reason, error
  ${OUT}/reports/integrity.jsonl     findings inside the sessions that were written
  ${OUT}/ledger/sources.jsonl        the fate of every line, summed by source
  ${OUT}/manifest.json               the size and hash of every file, and the sums of the ledger

  npx turnmill explain examples/logs/${source.uri}:${line}
  npx turnmill verify ${OUT}`);
  title('In one sentence');
  say(`${sentence}

  The report:  ${join(root, OUT, 'reports/index.html')}
  The viewer:  npx turnmill view ${OUT} --open`);
}

const { status, sentence } = run();
if (status === EXPECTED) {
  showRecord();
  showTree();
  showMore(sentence);
} else {
  say(`\nThe run ended with exit status ${status}, but status ${EXPECTED} was expected for these logs.`);
  process.exitCode = 1;
}
