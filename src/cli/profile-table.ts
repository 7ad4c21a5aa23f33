/** What `--profile` prints: where the time of all threads went, and how many bytes were compared and not scanned. */
import { FIRST_SEGMENTS, LAST_SEGMENTS, type ProfileFigures } from '../profile.ts';
import { showCount } from './sizes.ts';

/** What a segment is, where its name does not say it. */
const WHAT: Readonly<Record<string, string>> = {
  list: 'looking for the sources',
  read: 'opening, reading and closing the sources',
  frame: 'finding the ends of the lines',
  parse: 'comparing and scanning the lines',
  collect: 'booking what left the last stage',
  record: 'writing the records, the ledger and the reports',
  sync: 'until the disk has it: syncs, the manifest, the rename',
  'read-back': 'reading the output again, and its hashes',
  wait: 'of a thread: for input, or for another thread',
  other: 'what lies between the parts',
};

/** Ends with a newline. The parts add up to the time of all threads. */
export function profileTable({ ms, bytes }: ProfileFigures, elapsedMs: number): string {
  const known = [...FIRST_SEGMENTS, ...LAST_SEGMENTS];
  const stages = Object.keys(ms).filter((name) => !known.includes(name));
  const names = [...FIRST_SEGMENTS, ...stages, ...LAST_SEGMENTS];
  const whole = Object.values(ms).reduce((sum, part) => sum + part, 0);
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, part: number, what = ''): string =>
    `  ${name.padEnd(width)}  ${seconds(part).padStart(9)} s  ${percent(part, whole).padStart(6)}  ${what}`.trimEnd();
  const { read, framed, compared, scanned } = bytes;
  return [
    `profile: ${seconds(elapsedMs)} s, ${seconds(whole)} s of all threads together`,
    ...names.map((name) => row(name, ms[name] ?? 0, WHAT[name])),
    `  bytes: ${showCount(read)} read, ${showCount(framed)} framed, ${showCount(compared)} compared, ` +
      `${showCount(scanned)} scanned: ${percent(compared, compared + scanned)} compared`,
    '',
  ].join('\n');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
