/** Random traces in the forms of four platforms: every text, call and result once, in any order, truncated anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { LONG } from '../../support/long.ts';
import { turns } from './agent-logs.ts';
import { PLATFORM_NAMES, spanLog } from './span-logs.ts';
import { entriesOf, messagesOf, read } from './span-samples.ts';

/** Bytes between two cuts. */
const STEP = LONG ? 1 : 3;
const RUNS = { numRuns: LONG ? 1000 : 25 };

/** Number of lines with a fate; an object with several calls counts as several. */
function lineCountOf(elements: readonly StreamElement[]): number {
  let count = 0;
  for (const element of elements) {
    if (element.kind === 'repair') continue;
    count +=
      element.kind === 'entry' && element.lines !== undefined ? [...placesOf(element.lines)].length : 1;
  }
  return count;
}

function expectPaired(elements: readonly StreamElement[]): void {
  for (const entry of entriesOf(elements)) {
    const open = new Set<string>();
    for (const message of messagesOf(entry)) {
      for (const { id } of message.tool_calls ?? []) open.add(id);
      if (message.role === 'tool') expect(open.delete(message.tool_call_id)).toBe(true);
    }
  }
}

describe.each(PLATFORM_NAMES)('%s', (platform) => {
  it('writes every text, call and result once, in any order of the spans', () => {
    fc.assert(
      fc.property(turns, fc.boolean(), (conversation, reversed) => {
        const { lines, tokens } = spanLog(platform, conversation, reversed);
        const elements = read(lines);
        const written = entriesOf(elements)
          .flatMap(messagesOf)
          .map((one) => JSON.stringify(one))
          .join('\n');
        for (const token of tokens) expect(written.split(token).length - 1, token).toBe(1);
        expect(lineCountOf(elements)).toBe(lines.length);
        expectPaired(elements);
        const noisy = conversation.filter(({ noise }) => noise).length;
        expect(entriesOf(elements)).toHaveLength(1 + noisy);
      }),
      RUNS,
    );
  });

  it('yields the same conversations in any order of the spans', () => {
    fc.assert(
      fc.property(turns, (conversation) => {
        const records = (reversed: boolean) =>
          entriesOf(read(spanLog(platform, conversation, reversed).lines)).map((entry) => [
            entry.sessionId,
            messagesOf(entry),
          ]);
        expect(records(true)).toEqual(records(false));
      }),
      RUNS,
    );
  });

  it('truncated after any byte, pairs nothing wrongly and rejects at most the last line', () => {
    const rounds = [{ calls: 2, reversed: true, thinks: false }];
    const whole = spanLog(platform, [{ rounds, noise: true }], false).lines.join('\n');
    for (let end = 0; end <= whole.length; end += STEP) {
      const kept = whole
        .slice(0, end)
        .split('\n')
        .filter((line) => line !== '');
      const elements = read(kept);
      expect(lineCountOf(elements)).toBe(kept.length);
      expect(elements.filter(({ kind }) => kind === 'rejection').length).toBeLessThanOrEqual(1);
      expectPaired(elements);
    }
  });
});
