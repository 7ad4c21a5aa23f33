/**
 * A random value in every place of the examples and golden logs of dialects. In the records it is as it was logged: numbers, order of keys,
 * keys that repeat, escapes and surrogates. Only names, ids and keys of a definition may have other escapes. `TURNMILL_LONG=1` tries every place, otherwise some of each log.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { readLogs } from '../support/read-log.ts';

const root = resolve(import.meta.dirname, '../..');
const PLACES = LONG ? Number.POSITIVE_INFINITY : 6;
/** No log has this text. */
const MARK = 'zq0';
/** A name, an id or a role in a record, which may have other escapes than the log. */
const IN_NAME = /"(?:name|id|tool_call_id|role)":"[^"]*zq0/;

const number = fc.oneof(
  fc.constantFrom('1.0', '1e5', '-0', '12345678901234567890', '1E+2', '1e400', '0.10'),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value.toExponential()),
);
const character = fc.oneof(
  fc.constantFrom('\\u0041', '\\/', '\\ud800', '\\u0000', '\\b', '\\"', '\\\\', 'é', '\u2028', '\u{1f600}'),
  fc.integer({ min: 0x20, max: 0xffff }).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
  fc.stringMatching(/^[a-z]{1,3}$/),
);
const inString = fc.array(character, { maxLength: 5 }).map((all) => all.join(''));
const plainKey = fc.constantFrom('10', '9', 'a', '__proto__', 'constructor');
const key = fc.oneof(plainKey, fc.constant('\\u0061'), inString);
const { value } = fc.letrec<{ value: string; members: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    inString.map((text) => `"${text}"`),
    fc.constantFrom('true', 'null', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
    tie('members').map((members) => `{${members}}`),
  ),
  members: fc
    .array(
      fc.tuple(key, tie('value')).map(([name, json]) => `"${name}":${json}`),
      { maxLength: 4 },
    )
    .map((all) => all.join(',')),
}));
const odd: fc.Arbitrary<string> = fc.oneof(
  inString.map((text) => `"${MARK}${text}."`),
  fc.array(fc.tuple(plainKey, value), { maxLength: 4 }).map((all) => {
    const members = all.map(([name, json]) => `,"${name}":${json}`);
    return `{"${MARK}":1.0${members.join('')}}`;
  }),
);

const logs = [
  ...readdirSync(join(root, 'examples/dialects')).map((name) => join(root, 'examples/dialects', name)),
  ...readdirSync(join(root, 'test/goldens')).flatMap((golden) => {
    const folder = join(root, 'test/goldens', golden, 'logs');
    return readdirSync(folder).map((name) => join(folder, name));
  }),
].filter((path) => statSync(path).isFile() && /(?<!astracodex)\.(?:jsonl?|sse)$/.test(path)); // texts of astracodex are cleaned

/** Values that are texts, numbers or words, without keys: where they begin and end. */
const placesIn = (text: string): readonly (readonly [number, number])[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g)].flatMap(
    ({ 0: token, 1: colon, index }) => (colon === undefined ? [[index, index + token.length] as const] : []),
  );

/** The text of a value without quotes: as it is, in a string, and in a string in a string. */
function formsOf(json: string): readonly string[] {
  const bare = json.startsWith('"') ? json.slice(1, -1) : json;
  const quoted = JSON.stringify(bare).slice(1, -1);
  return [bare, quoted, JSON.stringify(quoted).slice(1, -1)];
}

/** Number of records with a value. */
let compared = 0;

it.each(logs.map((path) => [path.slice(root.length + 1), path] as const))('%s', async (_name, path) => {
  const text = readFileSync(path, 'utf8');
  const places = placesIn(text);
  const step = Math.max(1, Math.ceil(places.length / PLACES));
  const used = places.filter((_, i) => i % step === path.length % step);
  const values = fc.sample(odd, used.length);
  const changed = used.map(([from, to], i) => ({
    name: basename(path),
    bytes: Buffer.from(`${text.slice(0, from)}${values[i]}${text.slice(to)}`),
  }));
  let at = 0;
  for await (const results of readLogs(changed, { cleanup: [], format: ['chat'] })) {
    const forms = formsOf(values[at] as string);
    const records = results.flatMap((one) =>
      one.kind === 'record' ? [Buffer.from(one.bytes).toString()] : [],
    );
    for (const record of records.filter((one) => one.includes(MARK) && !IN_NAME.test(one))) {
      expect(forms.some((form) => record.includes(form)) ? '' : `${values[at]} in ${record}`).toBe('');
      compared++;
    }
    at++;
  }
  expect(at).toBe(changed.length);
});

it('found the values in records', () => {
  expect(compared).toBeGreaterThan(logs.length / 5);
});
