/** Values as loggers write them: lists and objects in a text, and what counts as absent. */
import { describe, expect, it } from 'vitest';
import {
  firstOf,
  isCutJson,
  isTrue,
  jsonIn,
  present,
  structured,
  textOf,
  unpacked,
} from '../../../../transforms/dialects/shared/logged-values.ts';
import { MAX_ELEMENTS } from '../../../../transforms/json/elements.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const viewOf = (value: unknown): JsonView => new JsonView(encode(JSON.stringify(value)));
const shown = (view: JsonView | undefined): string | undefined => view && `${Buffer.from(view.bytes)}`;

describe('a list or object in a text', () => {
  it.each([' {"a":1} ', '[1]'])('is that list or object: %s', (text) => {
    expect(shown(jsonIn(text))).toBe(text.trim());
    expect(shown(structured(viewOf(text)))).toBe(text.trim());
  });

  it.each(['{"a":', '{"a":1} more', '1', 'text', ''])('is not there, and the text stays: %s', (text) => {
    expect(jsonIn(text)).toBeUndefined();
    expect(structured(viewOf(text))?.text()).toBe(text);
  });

  it('keeps a lone surrogate, which has no UTF-8', () => {
    const text = '{"a":"\ud83d, \ud83d\ude00"}';
    expect(jsonIn(text)?.get('a')?.text()).toBe('\ud83d, \ud83d\ude00');
  });

  it('is not there when it has more elements than a line may have', () => {
    expect(jsonIn(`[${'0,'.repeat(MAX_ELEMENTS + 1)}0]`)).toBeUndefined();
  });

  it('is read once for all views of the text', () => {
    const object = viewOf({ list: ' [1]', text: 'a' });
    const list = structured(object.get('list'));
    expect(shown(list)).toBe('[1]');
    object.get('text');
    expect(structured(object.get('list'))).toBe(list);
  });

  it.each(['\\n\\t {}', '\\u007b}', '\\r[]'])('may begin with an escape: %s', (spelled) => {
    const json = encode(`"${spelled}"`);
    expect(['object', 'array']).toContain(structured(new JsonView(json))?.type);
  });

  it('may be cut', () => {
    expect(isCutJson('{"a":')).toBe(true);
    expect(isCutJson('{"a":1}')).toBe(false);
    expect(isCutJson('a')).toBe(false);
  });
});

it('null is absent', () => {
  const view = viewOf({ a: null, b: 0, c: true });
  expect(present(view.get('a'))).toBe(false);
  expect(unpacked(view.get('a'))).toBeUndefined();
  expect(structured(view.get('a'))?.type).toBe('null');
  expect(shown(firstOf(view, 'a', 'x', 'b'))).toBe('0');
  expect(isTrue(view.get('b'))).toBe(false);
  expect(isTrue(view.get('c'))).toBe(true);
});

it('a value as a JSON string: a text itself, anything else as its JSON text', () => {
  expect(`${Buffer.from(textOf(viewOf('a')))}`).toBe('"a"');
  expect(`${Buffer.from(textOf(viewOf({ a: 1 })))}`).toBe('"{\\"a\\":1}"');
});
