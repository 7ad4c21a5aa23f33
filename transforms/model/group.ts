/** Finds the group of a record, after which its shards are named. */

import type { Conversation, Origin } from './element.ts';
import { hashOf } from './hashed-set.ts';
import { dayNumber, utcDate } from './timestamp.ts';

export const GROUPINGS = ['date', 'scenario', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Name of the only group of `--group-by none`, and of sessions without a date or a scenario. */
export const ONE_GROUP = 'conversations';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const EXTENSION = /\.(?:jsonl|ndjson|json|toml|log|sse)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;
const NINETEEN_DIGITS = /-\d{19}$/;
const UUID = /-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NUMBER = /^\d+$/;
const SHORT_NUMBER = /^\d{1,6}$/;
const STRIP_TIMES = 3;
/** In characters. File names are always shorter. */
const MAX_NAME = 256;
const CUT_NAME = 200;
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/;
/** Beginning of ids that were derived from lines of standard input (dialects/shared/line-id.ts). */
const STDIN_LINE = '-:';

type Grouped = Pick<Conversation, 'sessionId' | 'startedAt'> & { readonly origin: Pick<Origin, 'source'> };

export function groupOf({ origin, sessionId, startedAt }: Grouped, groupBy: Grouping): string {
  if (groupBy === 'none') return ONE_GROUP;
  const { source } = origin;
  if (groupBy === 'date')
    return dateFolder(source) ?? (startedAt === undefined ? ONE_GROUP : utcDate(startedAt));
  if (source === '-') return sessionId.startsWith(STDIN_LINE) ? ONE_GROUP : bounded(scenarioOf(sessionId));
  return scenarioOf(source.slice(source.lastIndexOf('/') + 1).replace(EXTENSION, ''));
}

/** Cuts a long name and appends a hash of the whole, because names are held in memory until the end of the run. */
function bounded(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const hash = hashOf(name).toString('hex');
  return `${name.slice(0, CUT_NAME).replace(HALF_PAIR_AT_END, '')}-${hash}`;
}

/** Caches the last date folder, with its slash, because sources come in the order of their paths. */
let lastDate = '';

/** The first folder of a path, if it is a calendar date. */
function dateFolder(path: string): string | undefined {
  if (lastDate !== '' && path.startsWith(lastDate)) return lastDate.slice(0, -1);
  const slash = path.indexOf('/');
  const folder = slash < 0 ? '' : path.slice(0, slash);
  const match = DATE.exec(folder);
  if (match === null) return undefined;
  if (dayNumber(Number(match[1]), Number(match[2]), Number(match[3])) === undefined) return undefined;
  lastDate = `${folder}/`;
  return folder;
}

/** The stem of a file's name without generated suffixes: timestamps, UUIDs, numbers. */
export function scenarioOf(stem: string): string {
  let name = stem;
  for (let i = 0; i < STRIP_TIMES; i++)
    name = withoutNumber(name.replace(NINETEEN_DIGITS, '').replace(UUID, ''));
  return name === '' ? stem : name;
}

function withoutNumber(name: string): string {
  const segments = name.split('-');
  if (segments.length < 3) return name;
  const [before, last] = segments.slice(-2) as [string, string];
  return SHORT_NUMBER.test(last) && !NUMBER.test(before) ? segments.slice(0, -1).join('-') : name;
}
