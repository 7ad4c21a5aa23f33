import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const SESSIONS = 200;
const TEXT_BYTES = 10_000;

/** A log of several megabytes with many sessions: its worker delivers results in the middle of a line. */
function logOf(letter: string): string {
  const entries = Array.from({ length: SESSIONS }, (_, i) =>
    entry({
      id: `${letter}${i}`,
      messages: [{ role: 'user', content: letter.repeat(TEXT_BYTES + i) }],
    }),
  );
  return writeLog(temporaryFolder(), 'a.jsonl', entries);
}

test('builds that run at the same time in one process write what they write one after the other', async () => {
  const inputs = ['a', 'b', 'c'].map(logOf);
  const out = temporaryFolder();
  const run = (input: string, name: string) =>
    build(resolveSettings({ inputs: [input], out: join(out, name), sessionBy: 'id', workers: 1 }));
  for (const [i, input] of inputs.entries()) expect((await run(input, `alone-${i}`)).rejections).toBe(0);
  await Promise.all(inputs.map((input, i) => run(input, `together-${i}`)));
  for (const i of inputs.keys())
    expect(hashesOf(join(out, `together-${i}`))).toEqual(hashesOf(join(out, `alone-${i}`)));
});
