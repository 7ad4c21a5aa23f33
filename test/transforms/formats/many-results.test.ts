/** Pairs the calls and results of one long message, and counts the elements that are searched for it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openaiRules } from '../../../transforms/consumers/openai.ts';
import { formats } from '../../../transforms/formats/index.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { assistant, call, calling, conversationOf, result, user } from '../checks/samples.ts';

const COUNT = 300;
const numbers = Array.from({ length: COUNT }, (_, n) => n);
const ORDERS: readonly (readonly [string, readonly number[]])[] = [
  ['in order', numbers],
  ['reversed', numbers.toReversed()],
];
const conversation = (order: readonly number[]): readonly Message[] => [
  ...[user('a'), calling(...numbers.map((n) => call(`${n}`, `f${n}`)))],
  ...order.map((n) => result(`${n}`, `r${n}`)),
  assistant('b'),
];

/** Counts the elements of arrays that are searched, and the characters of texts that are joined. */
function countWork(): { searched: number; joined: number } {
  const work = { searched: 0, joined: 0 };
  for (const name of ['indexOf', 'find', 'findIndex', 'findLastIndex', 'some'] as const) {
    const search = Array.prototype[name] as (this: unknown[], ...args: unknown[]) => unknown;
    vi.spyOn(Array.prototype, name).mockImplementation(function (this: unknown[], ...args: unknown[]) {
      work.searched += this.length;
      return search.apply(this, args) as never;
    });
  }
  const { join } = Array.prototype;
  vi.spyOn(Array.prototype, 'join').mockImplementation(function (this: unknown[], separator) {
    const all = join.call(this, separator);
    work.joined += all.length;
    return all;
  });
  return work;
}

describe.each(ORDERS)('many results %s', (_, order) => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['sharegpt', 'atif', 'prompt', 'functiongemma'])('%s: pairs them without a search', (name) => {
    const messages = conversation(order);
    const format = formats.find((one) => one.name === name);
    const work = countWork();
    const { bytes, findings } = format?.encode(conversationOf(messages, { tools: [] })) ?? {};
    vi.restoreAllMocks();
    expect(findings?.filter(({ rejects }) => rejects)).toEqual([]);
    expect(text(bytes ?? new Uint8Array())).toContain(`r${COUNT - 1}`);
    expect(work.searched).toBeLessThan(40 * COUNT);
    expect(work.joined).toBeLessThan(10 * (bytes?.length ?? 0));
  });

  it('the consumer of openai: pairs them without a search', () => {
    const written = conversation(order);
    const work = countWork();
    const broken = openaiRules
      .slice(0, 2)
      .map((rule) => rule.broken({ ...conversationOf([]), kind: 'record', written } as never));
    vi.restoreAllMocks();
    expect(broken).toEqual([[], []]);
    expect(work.searched).toBeLessThan(40 * COUNT);
  });
});
