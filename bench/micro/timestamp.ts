/**
 * Reading a time of day: one for each entry.
 */
import { parseEpoch, parseStamp } from '../../transforms/model/timestamp.ts';
import type { MicroCase } from './micro-case.ts';

const count = 1000;

const timesCase = (
  name: string,
  parse: (text: string) => bigint | undefined,
  texts: readonly string[],
): MicroCase => ({
  name,
  items: texts.length,
  run: () => texts.reduce((sum, text) => sum + (parse(text) === undefined ? 0 : 1), 0),
});

/** Both spellings. */
export const cases = (): readonly MicroCase[] => {
  const dates = Array.from({ length: count }, (_, i) => new Date(1_768_284_000_000 + i * 61_001));
  return [
    timesCase(
      'ISO 8601',
      parseStamp,
      dates.map((date) => date.toISOString()),
    ),
    timesCase(
      'seconds since 1970',
      parseEpoch,
      dates.map((date) => String(date.getTime() / 1000)),
    ),
  ];
};
