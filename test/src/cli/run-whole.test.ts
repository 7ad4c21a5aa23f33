import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProgressLine, progressText } from '../../../src/cli/run-whole.ts';
import { check } from '../../../src/job/build.ts';
import type { RunProgress } from '../../../src/job/hooks.ts';
import { printable } from '../../../src/printable.ts';
import { temporaryFolder } from '../../support/folder.ts';

const AT = {
  sources: 3,
  totalSources: 12,
  readBytes: 10 * 2 ** 20,
  totalBytes: 40 * 2 ** 20,
  records: 1234,
  rejections: 2,
};

test('the progress line shows how far the run is and how long it will take', () => {
  expect(progressText(AT, 2000)).toBe(
    '[#####...............]  25 %  3/12 sources  5 MiB/s  1,234 records  2 rejected  6.0 s left',
  );
  expect(progressText({ ...AT, totalBytes: undefined }, 2000)).toBe(
    '3/12 sources  5 MiB/s  1,234 records  2 rejected  10 MiB',
  );
  expect(progressText({ ...AT, readBytes: 0 }, 0)).toContain('0 B/s');
});

test('the bar moves inside a single large log', async () => {
  const log = join(temporaryFolder(), 'large.jsonl');
  const turns = Array.from({ length: 4000 }, (_, i) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `${i} ${'x'.repeat(10_000)}` },
        { role: 'assistant', content: 'y' },
      ],
    }),
  );
  writeFileSync(log, `${turns.join('\n')}\n`);
  const seen: number[] = [];
  const onProgress = ({ readBytes, totalBytes = 0, sources }: RunProgress): void => {
    if (sources === 0) seen.push(readBytes / totalBytes);
  };
  await check({ inputs: [log], workers: 1 }, { onProgress });
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.some((share) => share > 0.2 && share < 0.8)).toBe(true);
  expect(progressText({ ...AT, readBytes: 2, totalBytes: 1 }, 1)).toContain('[####################] 100 %');
});

test('the progress line is written at most ten times a second and cleared once', () => {
  const written: string[] = [];
  let now = 0;
  const progress = new ProgressLine({ tell: (text) => written.push(text) > 0, columns: 80 }, () => now);
  for (; now < 1000; now += 10) progress.show(AT);
  expect(written).toHaveLength(10);
  progress.clear();
  progress.clear();
  expect(written.slice(10)).toEqual(['\r\u001b[K']);
});

test('text from logs cannot move the cursor or end the line', () => {
  expect(printable('a\u001b[2J\n\r\t\u007f\u0085\u009b\u202e\u2066\u2028\u2029z')).toBe(
    'a\\u001b[2J\\u000a\\u000d\\u0009\\u007f\\u0085\\u009b\\u202e\\u2066\\u2028\\u2029z',
  );
  expect(printable('日本 é 🎉')).toBe('日本 é 🎉');
  expect(printable('\ud800x')).toBe('\\ud800x');
});
