import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsedShape } from '../../../transforms/formats/parsed-shape.ts';
import { readMessages, shapeOfMessages } from '../../../transforms/formats/record-shape.ts';
import { encode } from '../../../transforms/json/utf8.ts';

const fromBytes = (record: Uint8Array) => shapeOfMessages(readMessages(record, 'chat') ?? []);

const name = fc.constantFrom('f', 'g', 'look_up', 'é', '', '__proto__', 'x'.repeat(200));
const odd = fc.constantFrom<unknown>(null, undefined, 7, 'f', {}, []);
const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ id: fc.string(), function: fc.record({ name, arguments: fc.json() }) }),
  },
  fc.record({ function: odd }),
  odd,
);
const message = fc.record(
  {
    role: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('user', 'assistant', 'tool', 'rôle', '__proto__') },
      odd,
    ),
    content: fc.oneof(fc.string(), odd),
    tool_calls: fc.oneof({ weight: 3, arbitrary: fc.array(call, { maxLength: 3 }) }, odd),
    function_call: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.record({ name }), odd),
  },
  { requiredKeys: [] },
);
const record = fc.record({
  messages: fc.array(fc.oneof({ weight: 9, arbitrary: message }, odd)),
  tools: odd,
});

it('is the shape that the bytes show, whenever it has one', () => {
  let known = 0;
  fc.assert(
    fc.property(record, (value) => {
      const bytes = encode(JSON.stringify(value));
      const shape = parsedShape(bytes);
      if (shape === undefined) return;
      known++;
      expect(shape).toEqual(fromBytes(bytes));
      expect(Object.keys(shape.calls)).toEqual(Object.keys(fromBytes(bytes).calls));
    }),
    { numRuns: 500 },
  );
  expect(known).toBeGreaterThan(50);
});

it.each([
  [
    'usual',
    '{"messages":[{"role":"user","content":"é"},{"role":"assistant","content":null}]}',
    { user: 1, assistant: 1 },
  ],
  ['with a member twice', '{"messages":[{"role":"user","role":"tool"}]}', { tool: 1 }],
  ['with an escape in a key', '{"messages":[{"r\\u006fle":"user"}]}', { user: 1 }],
])('reads a record %s', (_what, text, roles) => {
  expect(parsedShape(encode(text))).toEqual({ roles, calls: {} });
  expect(fromBytes(encode(text)).roles).toEqual(roles);
});

it.each([
  ['is cut', '{"messages":[{"role":"user"'],
  ['has no messages', '{"prompt":"a"}'],
  ['has a name beyond ASCII', '{"messages":[{"role":"é"}]}'],
  ['has a call of the old form', '{"messages":[{"role":"assistant","function_call":{"name":"f"}}]}'],
  ['is longer than 1 MiB', `{"messages":[{"role":"user","content":"${'a'.repeat(2 ** 20)}"}]}`],
])('leaves a record that %s to its bytes', (_what, text) => {
  expect(parsedShape(encode(text))).toBeUndefined();
});
