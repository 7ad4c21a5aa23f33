// Writes examples/logs/ anew: node examples/make-logs.mjs. With --check it writes nothing and fails
// (exit 1) where the folder differs. The same bytes every time and everywhere: no clock, no chance.
// Each session is one file in make/sessions/, and its header says what it is there to show:
//
//   2026-01-13
//     calendar-ja      Japanese, content as parts, integer-like keys, stamps with +09:00
//     google-maps-es   Spanish, Python's json.dumps layout, role developer, "name": null
//     invoice-export   a torn last line; 1.0 and 12345678901234567890 in arguments that are objects
//     market-brief     the plain goose session: title request, info messages, parallel calls
//     repo-triage      a compaction that outgrows what it replaced; a tool offered late
//     weather-compare  CR LF and blank lines; tool results that are errors; reused call ids
//   2026-01-14
//     build-watch      the clock was set back: the session cannot be ordered
//     disk-usage       .gz of two members, a Go proxy, a moving clock, a failed and repeated request
//     flight-status    a line with an impossible stamp, cut-off arguments, a repeated call
//     recipe-planner   a rewind: the last entries are shorter
//     release-notes    two entries on one line, an empty answer, tools that change
//     scratch          nothing but a title request
//     support-inbox    one .json document, stamps as numbers, flat tool definitions

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWatch } from './make/sessions/build-watch.mjs';
import { calendarJa } from './make/sessions/calendar-ja.mjs';
import { diskUsage } from './make/sessions/disk-usage.mjs';
import { flightStatus } from './make/sessions/flight-status.mjs';
import { googleMapsEs } from './make/sessions/google-maps-es.mjs';
import { invoiceExport } from './make/sessions/invoice-export.mjs';
import { marketBrief } from './make/sessions/market-brief.mjs';
import { recipePlanner } from './make/sessions/recipe-planner.mjs';
import { releaseNotes } from './make/sessions/release-notes.mjs';
import { repoTriage } from './make/sessions/repo-triage.mjs';
import { scratch } from './make/sessions/scratch.mjs';
import { supportInbox } from './make/sessions/support-inbox.mjs';
import { weatherCompare } from './make/sessions/weather-compare.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'logs');

const logs = [
  calendarJa(),
  googleMapsEs(),
  invoiceExport(),
  marketBrief(),
  repoTriage(),
  weatherCompare(),
  buildWatch(),
  diskUsage(),
  flightStatus(),
  recipePlanner(),
  releaseNotes(),
  scratch(),
  supportInbox(),
];

const say = (line) => process.stdout.write(`${line}\n`);

function write() {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, bytes } of logs) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const total = logs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  say(`${logs.length} files, ${total} bytes in ${folder}`);
}

/** Paths below the folder that differ from what this script makes, or should not be there. */
function differences() {
  const made = new Map(logs.map(({ path, bytes }) => [path, bytes]));
  const found = readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path)).isFile());
  const same = (path) => made.get(path)?.equals(readFileSync(join(folder, path))) ?? false;
  const missing = [...made.keys()].filter((path) => !found.includes(path));
  return [...missing, ...found.filter((path) => !same(path))];
}

if (process.argv.includes('--check')) {
  const wrong = differences();
  for (const path of wrong) say(`differs: ${path}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} else {
  write();
}
