import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GemmaCalls } from '../../../transforms/formats/gemma-calls.ts';

interface Call {
  readonly id: string | undefined;
  readonly name: string;
}

/** The same by a search of all calls. */
function answerBySearch(open: Call[], id: string): ReturnType<GemmaCalls['answer']> {
  const at = open.findLastIndex((call) => call.id === id);
  const call = open[at];
  if (call === undefined) return undefined;
  const isLate = open.slice(0, at).some((other) => other.name === call.name && other.id !== id);
  open.splice(at, 1);
  return { name: call.name, isLate };
}

const ids = fc.constantFrom('a', 'b', 'c', '');
const steps = fc.array(
  fc.oneof(
    fc.record({ id: fc.option(ids, { nil: undefined, freq: 9 }), name: fc.constantFrom('f', 'g') }),
    ids,
  ),
  { maxLength: 40 },
);

describe('GemmaCalls', () => {
  it('answers the nearest call, and is late after an open call of its function', () => {
    const calls = new GemmaCalls();
    for (const [id, name] of ['af', 'bf', 'cg', 'ag'] as const) calls.add(id, name as string);
    expect([calls.answer('a'), calls.answer('b'), calls.answer('a'), calls.answer('a')]).toEqual([
      { name: 'g', isLate: true },
      { name: 'f', isLate: true },
      { name: 'f', isLate: false },
      undefined,
    ]);
  });

  it('finds the same call as a search, with ids that repeat and calls that come later', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const calls = new GemmaCalls();
        const open: Call[] = [];
        for (const step of sequence) {
          if (typeof step === 'string') expect(calls.answer(step)).toEqual(answerBySearch(open, step));
          else {
            calls.add(step.id, step.name);
            open.push(step);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
