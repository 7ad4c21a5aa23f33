/** Does a record stand in a shard of its session's group? Only what the names alone can tell. */

/** What the first ten characters of a date beyond the year 9999 look like. */
const FAR_DATE = /^[+-]\d{6}-\d{2}$/;

/** How a name ends that was cut. */
const CUT_NAME = /^.{199,200}-[0-9a-f]{32}$/s;
const HASH_CHARS = 33;

/** The group of everything, and of sessions without a date or a name. */
const ONE_GROUP = 'conversations';

/** The group's name as far as it is known from the source's path: all of it, how it begins, or nothing. */
export function groupProblem(
  groupBy: unknown,
  group: string,
  source: string,
  id: string,
): string | undefined {
  if (groupBy === 'none') return group === ONE_GROUP ? undefined : wrong(`'${ONE_GROUP}'`, group);
  if (groupBy === 'date') {
    const folder = source.includes('/') ? source.slice(0, source.indexOf('/')) : '';
    const isKnown = isDate(group) || FAR_DATE.test(group) || group === ONE_GROUP;
    if (!isDate(folder)) return isKnown ? undefined : wrong('a date', group);
    return group === folder ? undefined : wrong(`'${folder}', the folder of its source`, group);
  }
  if (source === '-' && id.startsWith('-:') && group === ONE_GROUP) return undefined;
  const stem = source === '-' ? id : source.slice(source.lastIndexOf('/') + 1);
  // a long name is cut, and ends in a hash of all of it
  const known = CUT_NAME.test(group) ? group.slice(0, -HASH_CHARS) : group;
  return stem.startsWith(known) ? undefined : wrong(`the beginning of '${stem}'`, group);
}

/** A day of the calendar, written as ISO 8601 has it. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function wrong(expected: string, found: string): string {
  return `expected a shard of the group ${expected}, found one of '${found}'`;
}
