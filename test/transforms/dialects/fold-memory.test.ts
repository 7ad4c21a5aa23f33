/** Only the open conversations of a log are held, however long it is: a compaction releases everything before it. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import claudeCode from '../../../transforms/dialects/claude-code.ts';
import codex from '../../../transforms/dialects/codex.ts';
import pi from '../../../transforms/dialects/pi.ts';
import { asBuffer } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

const SEGMENTS = 200;
const TEXT = 'x'.repeat(200_000);
/** A few conversations, 80 MB in total. */
const MAX_BYTES = 8_000_000;

setFlagsFromString('--expose-gc');
const collectOnce = runInNewContext('gc') as () => void;

/** Collects garbage and waits, because buffers are freed on another thread after the collection. */
async function collect(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    collectOnce();
    await setImmediate();
  }
}

function claudeSegment(i: number): readonly object[] {
  const line = (uuid: string, parentUuid: string | null, more: object) => ({
    uuid,
    parentUuid,
    sessionId: 'S',
    ...more,
  });
  return [
    line(`b${i}`, null, { type: 'system', subtype: 'compact_boundary' }),
    line(`u${i}`, `b${i}`, { type: 'user', message: { role: 'user', content: `${i}${TEXT}` } }),
    line(`a${i}`, `u${i}`, {
      type: 'assistant',
      message: { role: 'assistant', id: `m${i}`, content: [{ type: 'text', text: `${i}${TEXT}` }] },
    }),
  ];
}

function codexSegment(i: number): readonly object[] {
  const message = (role: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'text', text: `${i}${TEXT}` }] },
  });
  return [{ type: 'compacted', payload: { message: 'before' } }, message('user'), message('assistant')];
}

function piSegment(i: number): readonly object[] {
  const message = (id: string, parentId: string, role: string) => ({
    ...{ type: 'message', id, parentId },
    message: { role, content: [{ type: 'text', text: `${i}${TEXT}` }] },
  });
  const before = { type: 'compaction', id: `c${i}`, parentId: `a${i - 1}`, summary: 'sum' };
  return [
    i === 0 ? { type: 'session', version: 3, id: 'S', cwd: '/' } : { ...before, firstKeptEntryId: 'none' },
    message(`u${i}`, `c${i}`, 'user'),
    message(`a${i}`, `u${i}`, 'assistant'),
  ];
}

it.each([
  [claudeCode, claudeSegment],
  [codex, codexSegment],
  [pi, piSegment],
])('$name', async ({ create }, segment) => {
  const reader = create();
  let offset = 0;
  let entries = 0;
  await collect();
  const before = process.memoryUsage();
  for (let i = 0; i < SEGMENTS; i++) {
    for (const json of segment(i)) {
      const line = lineOf(JSON.stringify(json), asBuffer, entries + 1, offset);
      offset += line.bytes.length + 1;
      for (const { kind } of reader.read(line)) if (kind === 'entry') entries++;
    }
  }
  await collect();
  const after = process.memoryUsage();
  expect(entries).toBe(SEGMENTS - 1);
  const held = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(held).toBeLessThan(MAX_BYTES);
  for (const _ of reader.end?.() ?? []) entries++;
  expect(entries).toBe(SEGMENTS);
});
