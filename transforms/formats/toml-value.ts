/**
 * Writes JSON values as TOML, each on one line: numbers unchanged, objects as inline tables. Calls `refuse` for a value
 * that TOML cannot express: null, a duplicate key, an integer beyond 64 bits, a float out of range, a lone surrogate.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { walkElements, walkMembers } from '../json/members.ts';
import { textScanner } from '../json/plain-scanner.ts';

import { decode, parseString } from '../json/utf8.ts';

const BARE_KEY = /^[A-Za-z0-9_-]+$/;
const WHOLE = /^-?\d+$/;
const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/** Called for each value that TOML cannot express. The output is not valid TOML then. */
export type Refuse = () => void;

export function tomlValue(json: Uint8Array, refuse: Refuse): string {
  const pieces: string[] = [];
  write(json, 0, pieces, refuse);
  return pieces.join('');
}

export function tomlKey(key: string, refuse: Refuse): string {
  return BARE_KEY.test(key) ? key : tomlString(key, refuse);
}

/** @returns the index after the value */
function write(json: Uint8Array, at: number, pieces: string[], refuse: Refuse): number {
  if (json[at] === OPEN_OBJECT) return writeTable(json, at, pieces, refuse);
  if (json[at] === OPEN_ARRAY) {
    pieces.push('[');
    const end = walkElements(json, at, textScanner, (number, start) => {
      if (number > 0) pieces.push(', ');
      return write(json, start, pieces, refuse);
    });
    pieces.push(']');
    return end;
  }
  const end = textScanner.value(json, at, 1);
  if (json[at] === QUOTE) pieces.push(tomlString(parseString(json, at, end), refuse));
  else pieces.push(literal(decode(json.subarray(at, end)), refuse));
  return end;
}

function writeTable(json: Uint8Array, at: number, pieces: string[], refuse: Refuse): number {
  const keys = new Set<string>();
  const end = walkMembers(json, at, textScanner, (start, keyEnd, valueStart) => {
    const key = parseString(json, start, keyEnd);
    if (keys.has(key)) refuse();
    pieces.push(keys.size === 0 ? '{ ' : ', ', tomlKey(key, refuse), ' = ');
    keys.add(key);
    return write(json, valueStart, pieces, refuse);
  });
  pieces.push(keys.size === 0 ? '{}' : ' }');
  return end;
}

/** A basic string. TOML has the escapes of JSON, but requires one for DEL too. */
function tomlString(text: string, refuse: Refuse): string {
  if (!text.isWellFormed()) refuse();
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** A number or a boolean, unchanged. */
function literal(text: string, refuse: Refuse): string {
  if (text === 'null') refuse();
  else if (WHOLE.test(text)) {
    const whole = BigInt(text);
    if (whole < LEAST || whole > MOST) refuse();
  } else if (text !== 'true' && text !== 'false' && !Number.isFinite(Number(text))) refuse();
  return text;
}
