import { describe, expect, it, test } from 'vitest';
import { createToolsReader } from '../../../../transforms/dialects/shared/tool-definitions.ts';
import { createPlainScanner } from '../../../../transforms/json/plain-scanner.ts';
import { asArray, asBuffer, KINDS, type MakeBytes, text } from '../../bytes.ts';

const create = () => {
  const scanner = createPlainScanner();
  const reader = createToolsReader(scanner, 2);
  const read = (json: string, make: MakeBytes = asBuffer) => {
    const line = make(`:${json},`);
    const end = reader.read(line, 1);
    line.fill(0x20);
    expect(end).toBe(1 + Buffer.byteLength(json));
    return reader.definitions;
  };
  return { scanner, reader, read };
};

describe.each(KINDS)('tools in a %s', (_kind, make) => {
  test.each<[string, readonly (readonly [string | undefined, string])[] | undefined]>([
    ['null', []],
    ['[]', []],
    ['[ ]', []],
    ['[{"name":"a","n":1.0}]', [['a', '{"name":"a","n":1.0}']]],
    ['[{"type":"function","function":{"name":"a"}}]', [['a', '{"name":"a"}']]],
    [
      '[ {"function":{"name":"a"},"name":"b"} , {"name":"c"} ]',
      [
        ['a', '{"name":"a"}'],
        ['c', '{"name":"c"}'],
      ],
    ],
    ['[{"function":{"x":1},"name":"b"}]', [['b', '{"x":1}']]],
    ['[{"function":{"name":""},"name":"b"}]', [['b', '{"name":""}']]],
    ['[{"function":{"name":7}}]', [[undefined, '{"name":7}']]],
    ['[{"function":null,"name":"b"}]', [['b', '{"function":null,"name":"b"}']]],
    ['[{"function":"f","name":"b"}]', [['b', '{"function":"f","name":"b"}']]],
    ['[{}]', [[undefined, '{}']]],
    ['[{"name":""}]', [[undefined, '{"name":""}']]],
    ['[{"name":null}]', [[undefined, '{"name":null}']]],
    ['[{"name":"a","name":"é\\u0041"}]', [['éA', '{"name":"a","name":"é\\u0041"}']]],
    ['[{"name":"a",\r\n"x":1}]', [['a', '{"name":"a",  "x":1}']]],
    ['[{"name":"a"},1]', undefined],
    ['[null]', undefined],
    ['[[]]', undefined],
    ['{}', undefined],
    ['"x"', undefined],
    ['false', undefined],
    ['0', undefined],
  ])('%s', (json, expected) => {
    const { read } = create();
    const shown = () => read(json, make)?.map(({ name, bytes }) => [name, text(bytes)]);
    expect(shown()).toEqual(expected);
    expect(shown()).toEqual(expected);
  });
});

describe('a reader', () => {
  const json = (n: number) => `[{"name":"t${n}"}]`;

  it('returns the same array for the same bytes', () => {
    const { read } = create();
    const first = read(json(1));
    read(json(2));
    expect(read(json(1), asArray)).toBe(first);
  });

  it('remembers the 16 most recently used arrays', () => {
    const { read } = create();
    const [used, unused] = [read(json(1)), read(json(2))];
    for (let n = 3; n <= 16; n++) read(json(n));
    read(json(1));
    read(json(17));
    expect(read(json(1))).toBe(used);
    expect(read(json(2))).not.toBe(unused);
  });

  it('does not remember arrays of more than 1 MiB', () => {
    const { read } = create();
    const big = `[{"name":"${'x'.repeat(1024 * 1024)}"}]`;
    const [first, second] = [read(big), read(big)];
    expect(first === second).toBe(false); // the matcher would compare the megabytes to write its message
    expect(read(big)).toHaveLength(1);
  });

  it.each([
    ['[1', 2],
    ['[{"a":1}', 8],
    ['tru', 3],
    ['', 0],
  ])('fails in %j at the faulty byte', (bad, at) => {
    const { reader, scanner } = create();
    expect(reader.read(asArray(bad), 0)).toBe(-1);
    expect(scanner.failedAt).toBe(at);
  });

  it('counts the nesting around the tools', () => {
    const { reader, scanner } = create();
    const nested = (levels: number) => asArray('['.repeat(levels) + ']'.repeat(levels));
    expect(reader.read(nested(510), 0)).toBe(1020);
    expect(reader.read(nested(511), 0)).toBe(-1);
    expect(scanner.tooDeep).toBe(true);
  });
});
