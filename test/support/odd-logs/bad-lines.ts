/** Lines that must be rejected, at least one variant for each reason, and lines at the very edge that must not be. */
import type { Dice } from './dice.ts';

const GOOD =
  '{"timestamp":"2020-01-01T00:00:00Z","session_id":"s","request":{"messages":[{"role":"user","content":"x"}]}}';

function swap(from: string, to: string): Buffer {
  if (!GOOD.includes(from)) throw new Error(`not in the sample: ${from}`);
  return Buffer.from(GOOD.replace(from, () => to));
}

function stamp(text: string): Buffer {
  return swap('"2020-01-01T00:00:00Z"', text);
}

function extra(members: string): Buffer {
  return swap('{"timestamp"', `{${members},"timestamp"`);
}

function deep(levels: number): string {
  return `"x":${'['.repeat(levels)}${']'.repeat(levels)}`;
}

const LINES: Readonly<Record<string, () => Buffer>> = {
  'not json': () => Buffer.from('Traceback (most recent call last):'),
  'single quotes': () => Buffer.from("{'timestamp': 1}"),
  'trailing comma': () => swap('"s"', '"s",,'),
  'raw control character': () => swap('"s"', '"s\u0001"'),
  'raw tab in a string': () => swap('"s"', '"s\t"'),
  'nan in a message': () => swap('"x"}', 'NaN}'),
  'infinity in a message': () => swap('"x"}', '"x","y":[-Infinity]}'),
  'nan as a key': () => extra('NaN:1'),
  'nan and a torn end': () => Buffer.from(`{"x":NaN,${GOOD.slice(1, 50)}`),
  'nan for a time': () => stamp('NaN'),
  'nan for messages': () => swap('[{"role":"user","content":"x"}]', 'Infinity'),
  'nan for a word': () => extra('"x":nan'),
  'leading zero': () => extra('"x":01'),
  'bad escape': () => extra('"x":"\\x41"'),
  'half an escape': () => extra('"x":"\\u12"'),
  'no-break space alone': () => Buffer.from('\u00a0'),
  'form feed alone': () => Buffer.from('\f'),
  'byte order mark inside': () => Buffer.from(`\ufeff${GOOD}`),
  'nul hole': () => Buffer.alloc(40),
  'objects with a comma': () => Buffer.from(`${GOOD},${GOOD}`),
  'object and number': () => Buffer.from(`${GOOD} 5`),
  'objects and a torn one': () => Buffer.from(`${GOOD}${GOOD.slice(0, 50)}`),
  'overlong utf-8': () => Buffer.concat([swap('"x"', '"'), Buffer.from([0xc0, 0xaf])]),
  latin1: () => Buffer.from(GOOD.replace('"x"', '"caf\u00e9"'), 'latin1'),
  'surrogate in utf-8': () => Buffer.concat([Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(GOOD)]),
  'cut utf-8': () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xf0, 0x9f])]),
  array: () => Buffer.from('[]'),
  'array of an entry': () => Buffer.from(`[${GOOD}]`),
  text: () => Buffer.from('"2020"'),
  number: () => Buffer.from(' -0 '),
  null: () => Buffer.from('null'),
  'empty object': () => Buffer.from('{}'),
  'timestamp twice': () => extra('"timestamp":1'),
  'session_id twice': () => extra('"session_id":"s"'),
  'request twice': () => extra('"request":{}'),
  'response twice': () => extra('"response":null,"response":null'),
  'messages twice': () => swap('{"messages"', '{"messages":[],"messages"'),
  'tools twice': () => swap('{"messages"', '{"tools":[],"tools":[],"messages"'),
  'escaped twice': () => extra('"\\u0074imestamp":1'),
  'too deep': () => extra(deep(512)),
  'far too deep': () => extra(deep(20_000)),
  'too deep and torn': () => Buffer.from(`${GOOD}{${deep(600)}`),
  'torn, then too deep': () => Buffer.from(`{"a":,${deep(600)}}`),
  'compact date': () => stamp('"20200101"'),
  'no such day': () => stamp('"2021-02-29T00:00:00Z"'),
  'hour 24': () => stamp('"2020-01-01T24:00:00Z"'),
  'second 61': () => stamp('"2020-01-01T00:00:61Z"'),
  'one digit in the zone': () => stamp('"2020-01-01T00:00:00+0"'),
  'empty fraction': () => stamp('"2020-01-01T00:00:00.Z"'),
  'padded stamp': () => stamp('" 2020-01-01T00:00:00Z"'),
  'short number as text': () => stamp('"176834244"'),
  'null stamp': () => stamp('null'),
  'huge stamp': () => stamp('1e400'),
  'negative stamp': () => stamp('-1'),
  'empty id': () => swap('"s"', '""'),
  'number id': () => swap('"s"', '7'),
  'null id': () => swap('"s"', 'null'),
  'request is null': () => swap('{"messages":[{"role":"user","content":"x"}]}', 'null'),
  'no messages': () => swap('"messages"', '"Messages"'),
  'messages is an object': () => swap('[{"role":"user","content":"x"}]', '{}'),
  'message is text': () => swap('[{"role"', '["x",{"role"'),
  'no role': () => swap('"role"', '"rôle"'),
  'role is null': () => swap('"user"', 'null'),
  'last role is a number': () => swap('"content":"x"', '"role":1'),
  'tools is an object': () => swap('{"messages"', '{"tools":{},"messages"'),
  'tool is text': () => swap('{"messages"', '{"tools":["x"],"messages"'),
  'tool is null': () => swap('{"messages"', '{"tools":[null],"messages"'),
  'response is text': () => extra('"response":"x"'),
  'response is an array': () => extra('"response":[]'),
  'response is false': () => extra('"response":false'),
  'all wrong': () => Buffer.from('{"timestamp":"x","session_id":"","request":0,"response":0}'),
};

/** A line that is rejected whatever surrounds it. */
export function badLine(dice: Dice): Buffer {
  return dice.variant('bad line', LINES);
}
