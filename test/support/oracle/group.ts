/**
 * The group of a record: the date folder or the first valid entry's UTC date, the scenario of the file name, or the single group
 * `conversations`.
 */
import { isCalendarDate, utcDate } from './timestamp.ts';

export type GroupBy = 'date' | 'scenario' | 'none';

const STAMP = /^(.+)-[0-9]{19}$/s;
const UUID = /^(.+)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/is;

function dateFolder(path: string): string | undefined {
  const m = /^([0-9]{4})-([0-9]{2})-([0-9]{2})\//.exec(path);
  if (m === null || !isCalendarDate(Number(m[1]), Number(m[2]), Number(m[3]))) return undefined;
  return path.slice(0, 10);
}

function withoutNumber(stem: string): string {
  const segments = stem.split('-');
  const [before, last] = [segments.at(-2) ?? '', segments.at(-1) ?? ''];
  const numbered = segments.length >= 3 && /^[0-9]{1,6}$/.test(last) && !/^[0-9]+$/.test(before);
  return numbered ? segments.slice(0, -1).join('-') : stem;
}

/** One pass removes a timestamp, then a UUID, then a number; up to three passes. */
export function scenarioOf(path: string): string {
  let stem = (path.split('/').at(-1) ?? '').replace(/\.(?:jsonl|ndjson)(?:\.gz)?$/, '');
  for (let pass = 0; pass < 3; pass++) {
    stem = STAMP.exec(stem)?.[1] ?? stem;
    stem = UUID.exec(stem)?.[1] ?? stem;
    stem = withoutNumber(stem);
  }
  return stem;
}

export function groupOf(path: string, firstNs: bigint, groupBy: GroupBy): string {
  if (groupBy === 'none') return 'conversations';
  return groupBy === 'scenario' ? scenarioOf(path) : (dateFolder(path) ?? utcDate(firstNs));
}
