/** Compares the decision with a naive one that compares each record with all others. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { comparedPath } from '../../../src/ledger/compared-path.ts';
import { type ComparedPath, Containment } from '../../../src/reuse/containment.ts';
import { Contexts } from '../../../src/reuse/contexts.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';

/** A record: its messages and the formats that wrote it. */
interface Sample {
  readonly messages: readonly string[];
  readonly formats: number;
}

function message(content: string): { role: string; bytes: Buffer } {
  const role = content.startsWith('u') ? 'user' : 'assistant';
  return { role, bytes: Buffer.from(JSON.stringify({ role, content })) };
}

function pathOf({ messages, formats }: Sample): ComparedPath {
  return { hashes: comparedPath(messages.map(message)), formats };
}

function decide(samples: readonly Sample[], maxTableBytes?: number): (number | undefined)[] {
  const paths = samples.map(pathOf);
  const containment = new Containment({
    count: paths.length,
    read: () => paths,
    ...(maxTableBytes !== undefined && { maxTableBytes }),
  });
  const containers = paths.map((_, index) => containment.containerOf(index));
  expect(containment.contained).toBe(containers.filter((one) => one !== undefined).length);
  return containers;
}

const alike = (...lists: readonly string[]): Sample[] =>
  lists.map((list) => ({ messages: list === '' ? [] : list.split(' '), formats: 1 }));

function isBeginning(one: readonly string[], other: readonly string[]): boolean {
  return one.length <= other.length && one.every((text, i) => text === other[i]);
}

/** Whether record `a` lies inside record `b`, or equals an earlier one. */
function liesInside(samples: readonly Sample[], a: number, b: number): boolean {
  const [one, other] = [samples[a] as Sample, samples[b] as Sample];
  if (a === b || one.messages.length === 0) return false;
  if ((one.formats & other.formats) !== one.formats || !isBeginning(one.messages, other.messages))
    return false;
  const isSame = one.messages.length === other.messages.length && one.formats === other.formats;
  return !isSame || b < a;
}

function isContained(samples: readonly Sample[], a: number): boolean {
  return samples.some((_, b) => liesInside(samples, a, b));
}

/** Conversations with turns, retries of the last answer, rewinds, copies of whole sessions, and sub-agents. */
function generated(seed: number): Sample[] {
  const random = randomFrom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const samples: Sample[] = [];
  for (let session = 0; session < 1 + below(6); session++) {
    let messages: string[] = [`u ${below(3)}`];
    for (let step = 0; step < below(12); step++) {
      const kind = below(8);
      if (kind === 0) messages = messages.slice(0, 1 + below(messages.length));
      else if (kind === 1) samples.push({ messages: [`u agent ${below(4)}`, `a ${below(3)}`], formats: 1 });
      else messages = [...messages, `${messages.length % 2 === 0 ? 'u' : 'a'} ${below(2)}`];
      samples.push({ messages, formats: below(10) === 0 ? 1 : 3 });
    }
  }
  return samples;
}

describe('records that lie inside another one', () => {
  test('a beginning of another record is contained, wherever that is', () => {
    expect(decide(alike('u a', 'u a u2 a2', 'u'))).toEqual([1, undefined, 1]);
  });

  test('of equal records the first is kept', () => {
    expect(decide(alike('u a', 'u a', 'u a'))).toEqual([undefined, 0, 0]);
  });

  test('the record that is named is always kept', () => {
    expect(decide(alike('u', 'u a', 'u a u2', 'u a u2', 'u a u2 a2'))).toEqual([4, 4, 4, 4, undefined]);
  });

  test('another branch, another beginning and a later part are not contained', () => {
    expect(decide(alike('u a u2', 'u a u3', 'u2', 'a u2'))).toEqual(new Array(4).fill(undefined));
  });

  test('one byte of difference in a message is enough', () => {
    expect(decide(alike('u same a', 'u same b', 'u samE a'))).toEqual(new Array(3).fill(undefined));
  });

  test('a record that is not compared contains nothing and is not contained', () => {
    expect(decide(alike('', 'u', ''))).toEqual([undefined, undefined, undefined]);
  });

  test('a record that a format refused does not contain one that the format wrote', () => {
    const both = { messages: ['u', 'a'], formats: 3 };
    const longer = { messages: ['u', 'a', 'u2'], formats: 1 };
    expect(decide([both, longer])).toEqual([undefined, undefined]);
    expect(decide([longer, both, { messages: ['u'], formats: 1 }])).toEqual([undefined, undefined, 0]);
    expect(decide([{ messages: ['u', 'a'], formats: 1 }, both])).toEqual([1, undefined]);
  });

  test('there may be no records', () => {
    expect(decide([])).toEqual([]);
  });
});

describe('generated sessions', () => {
  test.each(Array.from({ length: LONG ? 5000 : 50 }, (_, seed) => seed))('seed %i', (seed) => {
    const samples = generated(seed);
    const containers = decide(samples);
    expect(containers.map((one) => one !== undefined)).toEqual(
      samples.map((_, index) => isContained(samples, index)),
    );
    for (const [index, container] of containers.entries()) {
      if (container === undefined) continue;
      expect(containers[container]).toBeUndefined();
      expect(liesInside(samples, index, container)).toBe(true);
    }
    // the memory changes nothing
    expect(decide(samples, 64)).toEqual(containers);
  });

  test.each(Array.from({ length: LONG ? 1000 : 50 }, (_, seed) => seed))(
    'every answer is kept: seed %i',
    (seed) => {
      const samples = generated(seed).map(({ messages }) => ({ messages, formats: 1 }));
      const containers = decide(samples);
      const answers = (kept: readonly Sample[]): Set<string> =>
        new Set(kept.flatMap(({ messages }) => messages.map((_, i) => messages.slice(0, i + 1).join('|'))));
      expect(answers(samples.filter((_, index) => containers[index] === undefined))).toEqual(
        answers(samples),
      );
    },
  );

  test('the order of the records changes which one is kept, not how many', () => {
    for (let seed = 0; seed < 50; seed++) {
      const samples = generated(seed);
      const count = (list: readonly Sample[]): number =>
        decide(list).filter((one) => one === undefined).length;
      expect(count(samples.toReversed())).toBe(count(samples));
    }
  });
});

/** The context of each record that is kept: its messages, and the answers among them. */
function contextsOf(samples: readonly Sample[], maxTableBytes?: number): ([number, number] | undefined)[] {
  const paths = samples.map(pathOf);
  const read = (): ComparedPath[] => paths;
  const containment = new Containment({ count: paths.length, read });
  const contexts = new Contexts({
    ...{ count: paths.length, read, messages: samples.reduce((sum, one) => sum + one.messages.length, 0) },
    isKept: (index) => containment.containerOf(index) === undefined,
    ...(maxTableBytes !== undefined && { maxTableBytes }),
  });
  const found = samples.map((_, index) => contexts.of(index));
  expect(contexts.size).toBe(found.filter((one) => one !== undefined).length);
  return found.map((one) => one && [one.messages, one.answers]);
}

const sharedBy = (one: readonly string[], other: readonly string[]): number => {
  const differs = one.findIndex((text, i) => text !== other[i]);
  return differs < 0 ? one.length : differs;
};

describe('context', () => {
  test('is what a record begins with like an earlier one, if there is an answer in it', () => {
    const records = alike('u a u2 a2', 'u a u3 a3', 'u b', 'u a u2 u4', 'x');
    expect(contextsOf(records)).toEqual([undefined, [2, 1], undefined, [3, 1], undefined]);
  });

  test('is that of the earlier record that shares most', () => {
    expect(contextsOf(alike('u a u2 a2 u3', 'u b', 'u a u2 a2 u4', 'u a u5'))).toEqual([
      ...[undefined, undefined, [4, 2], [2, 1]],
    ]);
  });

  test('records that lie inside another one have none, and are none', () => {
    expect(contextsOf(alike('u a', 'u a u2 a2', 'u a u3 a3'))).toEqual([undefined, undefined, [2, 1]]);
    expect(contextsOf(alike('u a', 'u a u3 a3', 'u a u2 a2', 'u a u2 a2 u4'))).toEqual([
      ...[undefined, undefined, undefined, [2, 1]],
    ]);
  });

  test('a record that is not compared has none', () => {
    expect(contextsOf(alike('', 'u a u2', '', 'u a u3'))).toEqual([undefined, undefined, undefined, [2, 1]]);
  });

  test('a record that a format refused is not context of one that the format wrote', () => {
    const [first, second] = alike('u a u2', 'u a u3') as [Sample, Sample];
    expect(contextsOf([first, { ...second, formats: 3 }])).toEqual([undefined, undefined]);
    expect(contextsOf([{ ...first, formats: 3 }, second])).toEqual([undefined, [2, 1]]);
  });

  test.each(Array.from({ length: LONG ? 5000 : 50 }, (_, seed) => seed))('seed %i', (seed) => {
    const samples = generated(seed);
    const containers = decide(samples);
    const expected = samples.map(({ messages, formats }, index) => {
      if (containers[index] !== undefined) return undefined;
      const earlier = samples
        .slice(0, index)
        .filter((other, at) => containers[at] === undefined && (other.formats & formats) === formats);
      const shared = Math.max(0, ...earlier.map((other) => sharedBy(messages, other.messages)));
      const answers = messages.slice(0, shared).filter((text) => text.startsWith('a')).length;
      return answers === 0 ? undefined : [shared, answers];
    });
    expect(contextsOf(samples)).toEqual(expected);
    // the memory changes nothing
    expect(contextsOf(samples, 64)).toEqual(expected);
  });
});

test('a hundred thousand records, most with the same end bits, need one table or many', () => {
  const hashOf = (n: number): Buffer => createHash('sha256').update(String(n)).digest().subarray(0, 16);
  const paths = Array.from({ length: 100_000 }, (_, n) => {
    const end = Buffer.from(hashOf(n % 70_000));
    if (n % 2 === 0) end[3] = 0; // crowds one of the passes
    return { hashes: Buffer.concat([hashOf(-1 - (n % 5)), end]), formats: 1 };
  });
  const containers = (maxTableBytes: number): (number | undefined)[] => {
    const containment = new Containment({ count: paths.length, read: () => paths, maxTableBytes });
    return paths.map((_, index) => containment.containerOf(index));
  };
  const [one, many] = [containers(2 ** 26), containers(2 ** 19)];
  expect(one.filter((found) => found !== undefined).length).toBe(30_000);
  expect(many).toEqual(one);
});
