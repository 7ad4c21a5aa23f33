/** Changes of one place of a JSON log that make it unreadable there: a renamed member, a text in an object, an unknown speaker. */

export interface ChangedPlace {
  /** For the name of a failed test. */
  readonly what: string;
  readonly line: number;
  readonly text: string;
}

interface Place {
  readonly start: number;
  end: number;
  /** Name of the member whose key or value it is. */
  readonly member: string;
  readonly kind: 'key' | 'text' | 'object' | 'list';
  /** The key or the text. */
  readonly value: string;
  /** Whether a record has a text of it. */
  isSaid: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g;
/** Members that name who speaks, or what an object is. */
const NAMES: ReadonlySet<string> = new Set([
  ...['role', 'type', 'from', 'source', 'sender', 'author', 'kind', 'message_type', 'event', 'say', 'ask'],
  ...[
    'name',
    'event_name',
    'subtype',
    'object',
    'run_type',
    'openinference.span.kind',
    'eventName',
    'event.name',
    'gen_ai.operation.name',
    'ai.operationId',
    'op_name',
  ],
]);
const WORD = /^[\w.\-/]{1,40}$/;
const UNKNOWN = '"spy"';
const NUMBER = '712';

/** The keys, texts, objects and lists of a log. A key, an object or a list is said if anything below it is. */
function placesIn(log: string, isSaid: (text: string) => boolean): readonly Place[] {
  const places: Place[] = [];
  const open: (Place | undefined)[] = [];
  let key: Place | undefined;
  for (const { 0: token, 1: colon, index } of log.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      const kind = token === '{' ? 'object' : 'list';
      const member = [...open, key].findLast((one) => one?.kind === 'key')?.member ?? '';
      const place: Place = { start: index, end: index, member, kind, value: '', isSaid: false };
      places.push(place);
      open.push(key, place);
      key = undefined;
    } else if (token === '}' || token === ']') {
      const place = open.pop();
      open.pop();
      if (place !== undefined) place.end = index + 1;
      key = undefined;
    } else if (token === ',') key = undefined;
    else {
      const json = colon === undefined ? token : token.replace(/\s*:$/, '');
      const value = parsed(json);
      if (value === undefined) continue; // a torn line leaves a quote open, which pairs with one of a later line
      const isKey = colon !== undefined;
      const around = [...open, key].filter((one) => one !== undefined);
      const member = isKey ? value : (around.at(-1)?.member ?? '');
      const kind = isKey ? 'key' : 'text';
      const place: Place = { start: index, end: index + json.length, member, kind, value, isSaid: false };
      if (isKey) key = place;
      else if (isSaid(value)) for (const one of [...around, place]) one.isSaid = true;
      places.push(place);
    }
  }
  return places;
}

function parsed(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

function editsOf(
  { kind, isSaid, member, value, start, end }: Place,
  json: string,
): readonly [string, string][] {
  if (kind === 'key') return isSaid ? [[`${member} renamed`, UNKNOWN]] : [];
  const named: readonly [string, string][] =
    kind === 'text' && NAMES.has(member) && WORD.test(value) ? [[`${member} is not ${value}`, UNKNOWN]] : [];
  if (!isSaid || start === end) return named;
  const held = `{${UNKNOWN}:${json}}`;
  // a line that is not an object is always rejected
  if (member === '' && kind !== 'text') return [[`${kind} in an object`, held]];
  return [
    ...named,
    [`${member}: ${kind} in an object`, held],
    [`${member}: ${kind} in a list`, `[${held}]`],
    kind === 'text'
      ? [`${member}: a number`, NUMBER]
      : [`${member}: ${kind} as a text`, JSON.stringify(`spy ${json}`)],
  ];
}

/** Text with JSON in it: an object, a list, or events of a stream. */
const HOLDS_JSON = /^\s*(?:[[{]|data:|event:)/;

/**
 * All changes of a log, also in JSON that the log has in a text.
 * @param isSaid whether a text of the log is in a record @param isWhole whether it is all of a text there
 */
export function changedPlaces(
  log: string,
  isSaid: (text: string) => boolean,
  isWhole: (text: string) => boolean = isSaid,
): readonly ChangedPlace[] {
  return placesIn(log, isSaid).flatMap((place) => {
    const { start, end, kind, value, member } = place;
    const line = log.slice(0, start).split('\n').length;
    const change = (what: string, json: string): ChangedPlace => ({
      what,
      line,
      text: log.slice(0, start) + json + log.slice(end),
    });
    const own = editsOf(place, log.slice(start, end)).map(([what, json]) => change(what, json));
    if (kind !== 'text' || isWhole(value) || !HOLDS_JSON.test(value)) return own;
    const within = changedPlaces(value, isSaid, isWhole);
    return [...own, ...within.map(({ what, text }) => change(`${member}: ${what}`, JSON.stringify(text)))];
  });
}
