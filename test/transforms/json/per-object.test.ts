import { expect, it } from 'vitest';
import { perObject } from '../../../transforms/json/notes.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { user } from '../checks/samples.ts';

it('computes once for each message, whatever the result', () => {
  const seen: Message[] = [];
  const [a, b] = [user('a'), user('b')];
  const of = perObject((message: Message) => {
    seen.push(message);
    return message === a ? undefined : message.role;
  });
  expect([of(a), of(b), of(a), of(b)]).toEqual([undefined, 'user', undefined, 'user']);
  expect(seen).toEqual([a, b]);
});

it('depends on the object, not on its bytes', () => {
  let worked = 0;
  const of = perObject(() => ++worked);
  expect([of(user('a')), of(user('a'))]).toEqual([1, 2]);
});

it('keeps two computations apart and invisible on the message', () => {
  const message = Object.freeze(user('a'));
  const before = JSON.stringify(message);
  expect(perObject(() => 1)(message)).toBe(1);
  expect(perObject(() => 2)(message)).toBe(2);
  expect(Reflect.ownKeys(message)).toEqual(['role', 'bytes']);
  expect(JSON.stringify(message)).toBe(before);
});

it('does not remember a throw', () => {
  let calls = 0;
  const of = perObject(() => {
    if (++calls === 1) throw new Error('first');
    return calls;
  });
  const message = user('a');
  expect(() => of(message)).toThrow('first');
  expect(of(message)).toBe(2);
});

it('computes again for a copy', () => {
  let worked = 0;
  const of = perObject(() => ++worked);
  const message = user('a');
  expect([of(message), of({ ...message }), of(structuredClone(message)), of(message)]).toEqual([1, 2, 3, 1]);
});

it('remembers any number of computations, whatever the results', () => {
  const results = [undefined, false, true, null, 0, '', 'a', Number.NaN];
  const counts = new Map<number, number>();
  const kinds = Array.from({ length: 100 }, (_, i) =>
    perObject(() => {
      counts.set(i, (counts.get(i) ?? 0) + 1);
      return results[i % results.length];
    }),
  );
  const message = user('a');
  const expected = kinds.map((_, i) => results[i % results.length]);
  expect(kinds.map((of) => of(message))).toEqual(expected);
  expect(kinds.toReversed().map((of) => of(message))).toEqual(expected.toReversed());
  expect([...counts.values()]).toEqual(kinds.map(() => 1));
});
