import { expect, it } from 'vitest';
import { createNotes } from '../../../transforms/json/notes.ts';

it('returns the notes of an object and none for another', () => {
  const notes = createNotes<number | undefined>();
  const [a, b, c] = [{}, Buffer.from('x'), Object.freeze({ n: 1 })];
  notes.set(a, 1);
  notes.set(b, 2);
  notes.set(c, undefined);
  expect([a, b, c, {}].map((object) => notes.of(object))).toEqual([1, 2, undefined, undefined]);
});

it('is not visible on the object', () => {
  const object = { n: 1 };
  createNotes<string>().set(object, 'x');
  expect(Reflect.ownKeys(object)).toEqual(['n']);
  expect(object).toEqual({ n: 1 });
  expect({ ...object }).toEqual({ n: 1 });
});

it('a copy has no note', () => {
  const notes = createNotes<string>();
  const object = { n: 1 };
  notes.set(object, 'x');
  expect(notes.of({ ...object })).toBeUndefined();
  expect(notes.of(structuredClone(object))).toBeUndefined();
});

it('keeps two kinds of notes apart', () => {
  const [first, second] = [createNotes<string>(), createNotes<string>()];
  const object = {};
  first.set(object, 'x');
  expect(second.of(object)).toBeUndefined();
  second.set(object, 'y');
  expect([first.of(object), second.of(object)]).toEqual(['x', 'y']);
});
