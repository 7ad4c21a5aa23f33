// Prints the files with code that runs for each line between disk and shard: those with a function that is called more often if there are
// more lines. Measures one session with lines that repeat the conversation so far, with the shortcut and through the stages, and one session
// per line, which also shows the work done once for each session or record.
//   npm run line-path
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FEW = 40;
const MANY = 140;
const PLUG_INS = /^transforms\/(?:checks|dialects|formats|rules)\//;
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = new URL('../dist/', import.meta.url).href;
const { build } = await import(new URL('src/job/build.js', dist).href);

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );

/** Counts the calls of each function of the project during a build of a log with this many lines. */
async function callsOf(lines, { lineOf, settings }) {
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-path-'));
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const text = Array.from({ length: lines }, (_, i) => `${lineOf(i)}\n`).join('');
  writeFileSync(join(logs, 'log.jsonl'), text);
  const out = join(folder, 'out');
  await post('Profiler.takePreciseCoverage'); // resets the counts
  await build({ inputs: [logs], out, workers: 1, ...settings });
  const { result } = await post('Profiler.takePreciseCoverage');
  rmSync(folder, { recursive: true });
  const counts = new Map();
  for (const { url, functions } of result) {
    if (!url.startsWith(dist)) continue;
    for (const { functionName, ranges } of functions) {
      const key = `${url.slice(dist.length)} ${functionName} ${ranges[0].startOffset}`;
      counts.set(key, (counts.get(key) ?? 0) + ranges[0].count);
    }
  }
  return counts;
}

function lineOf(id, i, turns) {
  const timestamp = new Date(Date.UTC(2026, 0, 13) + 1000 * i).toISOString();
  const tools = [{ name: 'search', description: 'A tool.', parameters: { type: 'object' } }];
  const messages = turns.flatMap((turn) => [
    ...(turn === turns[0] ? [] : [answer(turn - 1)]),
    { role: 'user', content: `Question ${turn}?` },
  ]);
  return JSON.stringify({
    timestamp,
    session_id: id,
    request: { messages, tools },
    response: { choices: [{ message: answer(i) }] },
  });
}

function answer(i) {
  return { role: 'assistant', content: `Answer ${i}.` };
}

const growing = (i) =>
  lineOf(
    's',
    i,
    Array.from({ length: i + 1 }, (_, turn) => turn),
  );

const CASES = [
  { name: 'a line of a session, by the shortcut', lineOf: growing, settings: {} },
  { name: 'a line of a session, through the stages', lineOf: growing, settings: { maxMessages: 1e6 } },
  {
    name: 'a line that is a session',
    lineOf: (i) => lineOf(`s${i}`, i, [i]),
    settings: { sessionBy: 'run' },
  },
];

function print(name, few, many) {
  const grown = [...many].filter(([key, count]) => count - (few.get(key) ?? 0) >= (MANY - FEW) / 2);
  const files = [...new Set(grown.map(([key]) => key.split(' ')[0].replace(/\.js$/, '.ts')))].sort();
  const linesOf = (file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  const size = (some) => `${some.length} files, ${some.reduce((sum, file) => sum + linesOf(file), 0)} lines`;
  const plugIns = files.filter((file) => PLUG_INS.test(file));
  const others = files.filter((file) => !PLUG_INS.test(file));
  process.stdout.write(`${name}: ${size(files)}; without plug-ins ${size(others)}\n`);
  for (const file of [...others, ...plugIns]) process.stdout.write(`  ${file} ${linesOf(file)}\n`);
}

await post('Profiler.enable');
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (const logCase of CASES) {
  await callsOf(FEW, logCase); // loads the modules that are loaded lazily
  print(logCase.name, await callsOf(FEW, logCase), await callsOf(MANY, logCase));
}
session.disconnect();
