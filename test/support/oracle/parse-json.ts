/**
 * A strict, lossless RFC 8259 parser by recursive descent: numbers stay text, members stay pairs in order. Deliberately simple; its only
 * limits are the grammar and the nesting depth (`too-deep`). Throws at the first fault of the scan.
 */
import type { Member, ObjectTree, Tree } from './tree.ts';

export const MAX_DEPTH = 512;

export class JsonFault extends Error {
  readonly reason: 'invalid-json' | 'too-deep';
  readonly at: number;
  constructor(reason: 'invalid-json' | 'too-deep', at: number) {
    super(`${reason} at ${at}`);
    this.reason = reason;
    this.at = at;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

type Cursor = { readonly text: string; readonly bareNumbers: boolean; at: number; depth: number };

function fail(c: Cursor): never {
  throw new JsonFault('invalid-json', c.at);
}

function skipBlanks(c: Cursor): void {
  while (c.at < c.text.length && ' \t\r\n'.includes(c.text.charAt(c.at))) c.at++;
}

function expectText(c: Cursor, wanted: string): void {
  if (!c.text.startsWith(wanted, c.at)) fail(c);
  c.at += wanted.length;
}

function parseString(c: Cursor): string {
  expectText(c, '"');
  const out: string[] = [];
  let plainFrom = c.at;
  for (;;) {
    if (c.at >= c.text.length) fail(c);
    const ch = c.text.charAt(c.at);
    if (ch === '"') {
      out.push(c.text.slice(plainFrom, c.at++));
      return out.join('');
    }
    if (ch < ' ') fail(c);
    if (ch !== '\\') {
      c.at++;
      continue;
    }
    out.push(c.text.slice(plainFrom, c.at++));
    out.push(parseEscape(c));
    plainFrom = c.at;
  }
}

function parseEscape(c: Cursor): string {
  const letter = c.text.charAt(c.at);
  const plain = PLAIN_ESCAPES.get(letter);
  if (plain !== undefined) {
    c.at++;
    return plain;
  }
  const hex = c.text.slice(c.at + 1, c.at + 5);
  if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) fail(c);
  c.at += 5;
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function enter(c: Cursor): void {
  if (c.depth >= MAX_DEPTH) throw new JsonFault('too-deep', c.at);
  c.depth++;
  c.at++;
  skipBlanks(c);
}

function leave(c: Cursor): void {
  c.at++;
  c.depth--;
}

/** After an element: true if it consumed a comma, false at the closing bracket, which it leaves. */
function more(c: Cursor, close: string): boolean {
  skipBlanks(c);
  if (c.text.charAt(c.at) === close) return false;
  expectText(c, ',');
  skipBlanks(c);
  return true;
}

function parseArray(c: Cursor, from: number): Tree {
  const items: Tree[] = [];
  enter(c);
  if (c.text.charAt(c.at) !== ']') {
    do items.push(parseValue(c));
    while (more(c, ']'));
  }
  leave(c);
  return { kind: 'array', items, raw: c.text.slice(from, c.at) };
}

function parseObject(c: Cursor, from: number): ObjectTree {
  const members: Member[] = [];
  enter(c);
  if (c.text.charAt(c.at) !== '}') {
    do {
      const key = parseString(c);
      skipBlanks(c);
      expectText(c, ':');
      skipBlanks(c);
      members.push({ key, value: parseValue(c) });
    } while (more(c, '}'));
  }
  leave(c);
  return { kind: 'object', members, raw: c.text.slice(from, c.at) };
}

function parseNumber(c: Cursor): Tree {
  NUMBER.lastIndex = c.at;
  const text = NUMBER.exec(c.text)?.[0];
  if (text === undefined) fail(c);
  c.at += text.length;
  return { kind: 'number', text, raw: text };
}

function parseValue(c: Cursor): Tree {
  const from = c.at;
  const ch = c.text.charAt(c.at);
  if (ch === '{') return parseObject(c, from);
  if (ch === '[') return parseArray(c, from);
  if (ch === '"') {
    const value = parseString(c);
    return { kind: 'string', value, raw: c.text.slice(from, c.at) };
  }
  for (const text of ['true', 'false', 'null'] as const) {
    if (ch !== text.charAt(0)) continue;
    expectText(c, text);
    return { kind: 'literal', text, raw: text };
  }
  return parseBareNumber(c) ?? parseNumber(c);
}

function parseBareNumber(c: Cursor): Tree | undefined {
  const word = c.bareNumbers
    ? ['NaN', 'Infinity', '-Infinity'].find((one) => c.text.startsWith(one, c.at))
    : undefined;
  if (word === undefined) return undefined;
  c.at += word.length;
  return { kind: 'number', text: '0', raw: word, bare: true };
}

/** Parses one JSON document; throws JsonFault. */
export function parseJson(text: string): Tree {
  const c: Cursor = { text, bareNumbers: false, at: 0, depth: 0 };
  skipBlanks(c);
  const tree = parseValue(c);
  skipBlanks(c);
  if (c.at < text.length) fail(c);
  return tree;
}

/** Parses the value that begins at `at`, whatever follows it; throws JsonFault. */
export function parseHead(text: string, at: number, bareNumbers: boolean): { tree: Tree; end: number } {
  const c: Cursor = { text, bareNumbers, at, depth: 0 };
  const tree = parseValue(c);
  return { tree, end: c.at };
}

/** Parses one JSON document; undefined if it is invalid or too deep. */
export function tryParseJson(text: string): Tree | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}

/** Parses a line: one value of any kind, or several complete objects in a row; throws JsonFault. */
export function parseLine(text: string, bareNumbers = false): readonly Tree[] {
  const c: Cursor = { text, bareNumbers, at: 0, depth: 0 };
  const trees: Tree[] = [];
  skipBlanks(c);
  do {
    if (trees.length > 0 && (trees[0]?.kind !== 'object' || text.charAt(c.at) !== '{')) fail(c);
    trees.push(parseValue(c));
    skipBlanks(c);
  } while (c.at < text.length);
  return trees;
}
