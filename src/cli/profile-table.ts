/** The table of `--profile`: where the time of all threads went, and how many bytes were compared instead of scanned. */
import { FIRST_SEGMENTS, LAST_SEGMENTS, type ProfileFigures } from '../profile.ts';
import { showCount } from './sizes.ts';

/** Descriptions of segments whose names do not explain them. */
const WHAT: Readonly<Record<string, string>> = {
  list: 'listing the sources',
  read: 'opening, reading and closing the sources',
  frame: 'finding the ends of the lines',
  parse: 'comparing and scanning the lines',
  collect: 'counting the elements that leave the last stage',
  record: 'writing the records, the ledger and the reports',
  sync: 'publishing: syncs, the manifest, the rename',
  'read-back': 'reading the output back and hashing it',
  wait: 'waiting for input or for another thread',
  other: 'everything else',
};

/** Ends with a newline. The rows add up to the time of all threads. */
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
    `profile: ${seconds(elapsedMs)} s, ${seconds(whole)} s in all threads`,
    ...names.map((name) => row(name, ms[name] ?? 0, WHAT[name])),
    `  bytes: ${showCount(read)} read, ${showCount(framed)} framed, ${showCount(compared)} compared, ` +
      `${showCount(scanned)} scanned: ${percent(compared, compared + scanned)} compared`,
    '',
  ].join('\n');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
