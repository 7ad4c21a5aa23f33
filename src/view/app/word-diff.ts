/** The difference of two texts in words, and of two messages in the members that differ. */

/** A stretch of text that both have, or only one of them. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Words, blanks, and single other characters. */
const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;
/** Most cells of the table: longer texts that differ everywhere are shown as removed and added. */
const MAX_CELLS = 4_000_000;

const wordsIn = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Compares two texts word by word; the pieces give both texts again. */
export function wordDiff(before: string, after: string): readonly Piece[] {
  const [a, b] = [wordsIn(before), wordsIn(after)];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ]);
}

/** Finds the longest common subsequence of two lists of words. */
function between(a: readonly string[], b: readonly string[]): readonly Piece[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > MAX_CELLS)
    return [
      { kind: 'removed', text: a.join('') },
      { kind: 'added', text: b.join('') },
    ];
  // at (i, k): the length of the longest common subsequence of the words of `a` from i on and those of `b` from k on
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, k: number): number => common[i * width + k] as number;
  for (let i = a.length - 1; i >= 0; i--)
    for (let k = b.length - 1; k >= 0; k--)
      common[i * width + k] = a[i] === b[k] ? at(i + 1, k + 1) + 1 : Math.max(at(i + 1, k), at(i, k + 1));
  const pieces: Piece[] = [];
  let [i, k] = [0, 0];
  while (i < a.length || k < b.length) {
    if (i < a.length && k < b.length && a[i] === b[k]) {
      pieces.push({ kind: 'same', text: a[i++] as string });
      k++;
    } else if (k === b.length || (i < a.length && at(i + 1, k) >= at(i, k + 1)))
      pieces.push({ kind: 'removed', text: a[i++] as string });
    else pieces.push({ kind: 'added', text: b[k++] as string });
  }
  return pieces;
}

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = all.at(-1);
    if (text === '') continue;
    if (last?.kind === kind) all[all.length - 1] = { kind, text: last.text + text };
    else all.push({ kind, text });
  }
  return all;
}

/** A member of a message that differs. Undefined where it is absent. */
export interface MemberChange {
  /** Such as `tool_calls[0].function.arguments`. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Lists the members that differ, each as its text, or as JSON if it is a value of another type. @returns undefined if a message is not JSON */
export function changedMembers(
  before: string,
  after: string,
  parse: (text: string) => unknown,
): readonly MemberChange[] | undefined {
  try {
    const changes: MemberChange[] = [];
    compare('', parse(before), parse(after), changes);
    return changes;
  } catch {
    return undefined;
  }
}

type Members = Readonly<Record<string, unknown>>;

function compare(path: string, before: unknown, after: unknown, changes: MemberChange[]): void {
  const texts = [textOf(before, after), textOf(after, before)] as const;
  if (texts[0] === texts[1]) return;
  const isList = Array.isArray(before) && Array.isArray(after);
  if (!isList && !(isObject(before) && isObject(after))) {
    changes.push({ path, before: texts[0], after: texts[1] });
    return;
  }
  const [was, is] = [before as Members, after as Members];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const inside = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const valueIn = (members: Members): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);
    compare(inside, valueIn(was), valueIn(is), changes);
  }
}

/** Numbers that keep their text are objects without a prototype. */
const isObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) !== null;

/** Returns a text as it is, but as JSON beside a value of another type: `"null"` is not `null`. */
function textOf(value: unknown, other: unknown): string | undefined {
  const isAlike = other === undefined || typeof other === 'string';
  if (typeof value === 'string' && isAlike) return value;
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}
