/**
 * Visits the strings in a line or a message, with the paths of their members. Strings of JSON, or of a stream, are searched
 * too.
 */
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import { skipBlanks } from '../../transforms/json/scanner.ts';
import { ifPossible } from '../errors.ts';
import { NOT_JSON, ROOT } from './member-paths.ts';

export interface StringVisitor {
  /** The path of a member, or of the elements of a list. */
  child(path: number, key: string): number;
  /** @param isPiece whether it is from an event of a stream, so that it may continue the one before it at its path */
  string(path: number, text: string, isPiece: boolean): void;
}

const FIELD_BYTES = 16;
/** A field of a server-sent event. */
const STREAM = /^(?:data|event|id|retry)?:(?!\/\/)/;
const DATA = /^data:\s*(?=\S)/;
const IS_JSON = /^\s*[[{]/;
const OBJECT = '{"';
/** Most objects after a torn one that are tried. */
const MAX_TRIES = 64;
const scanner = createPlainScanner();

export function visitStrings(bytes: Uint8Array, visitor: StringVisitor): void {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (STREAM.test(line.toString('latin1', 0, FIELD_BYTES))) visitStream(ROOT, line.toString(), visitor);
  else visitJson(line, ROOT, false, visitor);
}

/** Visits the strings in the data of server-sent events. */
function visitStream(path: number, text: string, visitor: StringVisitor): void {
  for (const field of text.split(/\r?\n/)) {
    const data = field.replace(DATA, '');
    if (data.length < field.length && data !== '[DONE]') visitJson(Buffer.from(data), path, true, visitor);
  }
}

/** Visits the strings in values of JSON, and what follows these. */
function visitJson(line: Buffer, path: number, isPiece: boolean, visitor: StringVisitor): void {
  const whole = jsonIn(line.toString());
  let at = whole === undefined ? skipNothing(line, 0) : line.length;
  if (whole !== undefined) visitValue(whole, path, isPiece, visitor);
  while (at < line.length) {
    const end = scanner.value(line, at, 0);
    if (end >= 0) visitValue(JSON.parse(line.toString('utf8', at, end)), path, isPiece, visitor);
    const next = end < 0 ? afterTorn(line, at) : end;
    if (end < 0) visitor.string(NOT_JSON, line.toString('utf8', at, next), false);
    at = skipNothing(line, next);
  }
}

/** The index of the first byte that is neither blank nor NUL: writes that did not reach the disk leave NULs. */
function skipNothing(line: Buffer, from: number): number {
  let at = skipBlanks(line, from);
  while (line[at] === 0) at = skipBlanks(line, at + 1);
  return at;
}

/** Where a whole object begins after the torn value at `from`, whose last quote may be the first of that object. */
function afterTorn(line: Buffer, from: number): number {
  let at = from;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const { failedAt } = scanner;
    const isOpen = failedAt >= line.length; // the whole object may be inside the torn one
    at = line.indexOf(OBJECT, isOpen ? at + 1 : Math.max(failedAt - OBJECT.length, at + 1));
    if (at < 0) break;
    if (scanner.value(line, at, 0) >= 0) return at;
  }
  return line.length;
}

function visitValue(parsed: unknown, within: number, isPiece: boolean, visitor: StringVisitor): void {
  const values: unknown[] = [parsed];
  const paths: number[] = [within];
  while (values.length > 0) {
    const value = values.pop();
    const path = paths.pop() as number;
    if (typeof value === 'string') {
      const inner = IS_JSON.test(value) ? jsonIn(value) : undefined;
      if (inner !== undefined) {
        values.push(inner);
        paths.push(path);
      } else if (STREAM.test(value) && value.includes('data:')) visitStream(path, value, visitor);
      else visitor.string(path, value, isPiece);
    } else if (Array.isArray(value)) {
      const inner = visitor.child(path, '[]');
      for (let i = value.length - 1; i >= 0; i--) {
        values.push(value[i]);
        paths.push(inner);
      }
    } else if (typeof value === 'object' && value !== null) {
      const { key, value: paired } = value as { readonly key?: unknown; readonly value?: unknown };
      const isPair = typeof key === 'string' && typeof paired === 'object';
      for (const name of Object.keys(value)) {
        if (isPair && name === 'key') continue;
        const member = (value as Readonly<Record<string, unknown>>)[name];
        if (typeof member !== 'string' && (typeof member !== 'object' || member === null)) continue;
        values.push(member);
        paths.push(visitor.child(path, isPair && name === 'value' ? (key as string) : name));
      }
    }
  }
}

const jsonIn = (text: string): unknown => ifPossible(() => JSON.parse(text));
