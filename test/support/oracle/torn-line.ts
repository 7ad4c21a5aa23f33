/**
 * The pieces of a line that is not JSON: entries, and what is left of torn objects. There are none unless the line begins
 * with an object and has an entry. Works on bytes as Latin-1, since a torn line may not be UTF-8.
 */
import { JsonFault, parseHead } from './parse-json.ts';
import { get, type Tree } from './tree.ts';

export type Piece = { readonly text: string; readonly isEntry: boolean };

const BLANK_OR_NUL = ' \t\r\n\0';
/** A byte order mark as Latin-1. */
const BOM = '\xef\xbb\xbf';

function skip(text: string, at: number): number {
  let p = at;
  for (;;) {
    if (text.startsWith(BOM, p)) p += BOM.length;
    else if (p < text.length && BLANK_OR_NUL.includes(text.charAt(p))) p++;
    else return p;
  }
}

/** Is it an entry of a log of request/response pairs? */
function isEntry(tree: Tree): boolean {
  const [request, id, time] = ['request', 'session_id', 'timestamp'].map((key) => get(tree, key));
  if (request !== undefined)
    return id !== undefined || time !== undefined || get(request, 'messages') !== undefined;
  const isEvent = get(tree, 'uuid') !== undefined || get(tree, 'type') !== undefined;
  return id !== undefined && time !== undefined && !isEvent;
}

/** Does the text begin with an object, whatever follows it? */
export function beginsWithObject(text: string): boolean {
  const head = headAt(text, skip(text, 0), true);
  return typeof head === 'object' && head.tree.kind === 'object';
}

type Head = { readonly tree: Tree; readonly end: number };

/** The value at `at`; or the position of the fault; undefined if it is too deep. */
function headAt(text: string, at: number, bareNumbers = false): Head | number | undefined {
  try {
    return parseHead(text, at, bareNumbers);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return error.reason === 'too-deep' ? undefined : error.at;
  }
}

const firstKey = (text: string): string | undefined => /^\{\s*"([^"]*)"/.exec(text)?.[1];

/** Does the object at `at` take the place of a member's value in the one at `from`, and begin like it? */
function takesValue(text: string, from: number, at: number): boolean {
  const before = text.slice(from, at);
  if (!before.trimEnd().endsWith(':') || firstKey(before) !== firstKey(text.slice(at))) return false;
  return typeof headAt(`${before}0}`, 0) === 'object';
}

/** Does the text end where the object at `fault` was not complete yet? */
function isHalf(text: string, fault: number): boolean {
  const rest = text.slice(fault);
  if (/^(?:\\(?:u[\da-fA-F]{0,3})?|[\xc2-\xf4][\x80-\xbf]{0,2})?$/.test(rest)) return true;
  return ['true', 'false', 'null', 'NaN', 'Infinity', '-Infinity'].some((word) => word.startsWith(rest));
}

/**
 * The line may end with an entry or with half of an object.
 * @param isKnown whether the source is known to be a log of pairs; else a value of what is torn must begin like it
 */
export function tornPieces(line: string, isKnown: boolean): readonly Piece[] | undefined {
  const text = line.replace(/\r$/, '').replace(/\0+$/, '');
  const pieces: Piece[] = [];
  let torn = -1;
  let inside = -1; // where an object begins that is open to the end of the line
  let endsInHalf = false;
  for (let p = skip(text, 0); p < text.length; ) {
    if (text.charAt(p) !== '{') return undefined;
    const head = headAt(text, p, true);
    if (head === undefined) return undefined;
    const isAlike = torn >= 0 && firstKey(text.slice(torn)) === firstKey(text.slice(p));
    const mayBeValue = /[:,[]\s*$/.test(text.slice(0, p));
    const isOwn = inside < 0 || takesValue(text, inside, p);
    if (typeof head === 'object' && isOwn) {
      const isFirst = torn < 0 && isKnown;
      const isNext = isKnown ? isAlike && !mayBeValue : false;
      const isRead = isEntry(head.tree) && (isKnown || torn < 0 || isAlike || !mayBeValue);
      if (isFirst || isNext || isRead) {
        if (torn >= 0) pieces.push({ text: text.slice(torn, p), isEntry: false });
        pieces.push({ text: text.slice(p, head.end), isEntry: true });
        [torn, inside, endsInHalf] = [-1, -1, false];
        p = skip(text, head.end);
        continue;
      }
    }
    if (torn < 0) torn = p;
    if (typeof head === 'number' && isHalf(text, head)) {
      if (inside < 0) inside = p;
      endsInHalf = true;
    }
    const next = text.indexOf('{', p + 1);
    p = next < 0 ? text.length : next;
  }
  if (pieces.length === 0 || (torn >= 0 && !endsInHalf)) return undefined;
  return torn < 0 ? pieces : [...pieces, { text: text.slice(torn), isEntry: false }];
}
