import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { watchWith } from '../../../src/engine/instrument.ts';
import { UNLIMITED } from '../../../src/input/decompress/limits.ts';
import { createProfile } from '../../../src/profile.ts';
import { apply } from '../../../transforms/stage.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const origin = { source: 'a', line: 1, offset: 0, length: 3 };

test('a profiled stage emits the same elements, as a list or one by one', () => {
  const profile = createProfile('other');
  const [link] = watchWith(profile).chain([
    {
      name: 'two',
      handlers: {
        *line(line) {
          yield line;
          yield line;
        },
        'session-end': (end) => [end],
      },
    },
  ]);
  const line = { kind: 'line', origin, bytes: new Uint8Array(3) } as const;
  const end = { kind: 'session-end', origin, last: true } as const;
  expect([...apply(link?.handlers ?? {}, [line, end])]).toEqual([line, line, end]);
  expect(profile.bytes).toMatchObject({ compared: 0, scanned: 3 });
  expect(Object.keys(profile.take().ms)).toEqual(['other', 'two']);
});

test('a profiled source yields the same bytes and counts them once', async () => {
  const path = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const profile = createProfile('other');
  const reader = await watchWith(profile).open({ name: 'a', input: 0, path, sizeBytes: 0 }, UNLIMITED);
  const room = new Uint8Array(4096);
  let bytes = 0;
  for (;;) {
    const count = await reader.read(room.subarray(bytes));
    if (count === 0) break;
    bytes += count;
  }
  await reader.close();
  expect(Buffer.from(room.subarray(0, bytes)).toString()).toBe(`${entry()}\n`);
  expect(profile.bytes.read).toBe(bytes);
});

test('a profiled compressed source that is read twice shows the counts of the second reading', async () => {
  const [first, second] = [`${entry()}\n`, `${entry({ second: 1 })}\n`];
  const path = join(temporaryFolder(), 'a.jsonl.gz');
  const packed = Buffer.concat([gzipSync(first), gzipSync(second)]);
  writeFileSync(path, packed);
  const ref = { name: 'a.jsonl.gz', input: 0, path, sizeBytes: packed.length };
  const reader = await watchWith(createProfile('other')).open(ref, UNLIMITED);
  const room = new Uint8Array(4096);
  for (let round = 0; round < 2; round++) {
    if (round > 0) await reader.rewind?.();
    expect(reader.packed).toMatchObject({ members: 0, memberBytes: 0 });
    while ((await reader.read(room)) > 0) {
      // to the end
    }
    expect(reader.packed).toMatchObject({ members: 2, memberBytes: packed.length });
    expect(reader.memberAt?.(first.length)).toBe(2);
  }
  await reader.close();
});
