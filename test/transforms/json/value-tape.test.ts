import { describe, expect, it } from 'vitest';
import { JsonView } from '../../../transforms/json/json-view.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { ValueTape } from '../../../transforms/json/value-tape.ts';

const tape = new ValueTape();

function viewOf(json: string): JsonView {
  const bytes = encode(json);
  tape.fill(bytes, bytes.indexOf('{'.charCodeAt(0)));
  return JsonView.onTape(bytes, tape);
}

/** Reads a value using only members, elements and texts of views. */
function asParsed(view: JsonView): unknown {
  if (view.type === 'object')
    return Object.fromEntries(view.members().map(([key, value]) => [key, asParsed(value)]));
  if (view.type === 'array') return view.elements().map(asParsed);
  return view.text() ?? view.parsed();
}

const VALUES = [
  '{}',
  '{"a":1}',
  ' { "a" : [ ] , "b" : { } , "c" : [ { } , [ ] , "" , null ] } ',
  '{"a":{"b":{"c":{"d":{"e":{"f":{"g":[{"h":"deep"}]}}}}}},"z":"behind"}',
  '{"text":"a \\"quoted\\" \\\\ \\u00e9 é 😀 }]","n":-1.50e3,"t":true,"f":false,"x":null}',
  '{"k\\u0065y":"escaped","":"empty","\\"":"quote"}',
  '\t{\n"a":\r\n[1 ,2\n,{"b":[3]}]}\n',
];

describe('the tape of values', () => {
  it.each(VALUES)('has the same values as JSON.parse for %s', (json) => {
    expect(asParsed(viewOf(json))).toEqual(JSON.parse(json));
  });

  it.each(VALUES)('has the keys and the length of %s, walked or not', (json) => {
    const plain = new JsonView(encode(json.trim()));
    const walked = viewOf(json);
    expect(walked.keys()).toEqual(Object.keys(JSON.parse(json)));
    expect(plain.keys()).toEqual(walked.keys());
    expect([walked.length, plain.length]).toEqual([walked.bytes.length, plain.bytes.length]);
    expect(new JsonView(encode('["a"]')).keys()).toEqual([]);
  });

  it('finds the last member with a key, escaped or not, but not with a longer key', () => {
    const view = viewOf(
      '{"key":"first","keys":"longer","k\\u0065y":"last","ke":"shorter","other":{"inner":"x"}}',
    );
    expect([view.get('key')?.text(), view.textOf('key')]).toEqual(['last', 'last']);
    expect([view.textOf('ke'), view.textOf('keys'), view.textOf('inner')]).toEqual([
      'shorter',
      'longer',
      undefined,
    ]);
    expect(viewOf('{"keys":"longer","key":"plain"}').textOf('key')).toBe('plain');
    expect(viewOf('{"key":7}').textOf('key')).toBeUndefined();
  });

  it('has the index of a nested value in its line', () => {
    const json = '  {"a":{"b":[10,{"c":"here"}]}}';
    const [, second] = viewOf(json).get('a')?.get('b')?.elements() ?? [];
    expect(second?.get('c')?.at).toBe(json.indexOf('"here"'));
  });

  it('has rows only for the outer level of a text with too many values, and finds the others', () => {
    const json = `{"many":[${'[0],'.repeat(600_000)}{"last":"one"}],"behind":"it"}`;
    const view = viewOf(json);
    expect([tape.isOpen(0), tape.isOpen(1)]).toEqual([true, false]);
    expect(tape.next(0)).toBe(3);
    expect(view.textOf('behind')).toBe('it');
    expect(view.get('many')?.elements().at(-1)?.textOf('last')).toBe('one');
    expect(asParsed(viewOf('{"a":[1]}'))).toEqual({ a: [1] });
  });
});
