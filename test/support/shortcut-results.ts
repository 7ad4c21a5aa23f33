/** Results of a task with the shortcut, and without it. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { runTask } from '../../src/engine/run-task.ts';
import { listSources } from '../../src/input/sources/list.ts';
import type { Input } from '../../src/input/sources/stream-source.ts';
import type { Result } from '../../src/ledger/result.ts';
import { resolveSettings, type TaskSettings } from '../../src/settings/settings.ts';

export async function resultsOf(
  input: Input,
  shortcut: boolean,
  overrides: Partial<TaskSettings>,
): Promise<Result[]> {
  const settings = { ...resolveSettings({ inputs: [input] }), takesBack: true, ...overrides, shortcut };
  const sources = [...listSources([input]).sources].map((ref, index) => ({ index, ref }));
  const results: Result[] = [];
  for await (const batch of runTask(sources, settings)) results.push(...batch.results);
  return results.map(plain);
}

/**
 * Turns bytes into text for readable diffs. A file read whole counts from its first result, other files from their last, so `provisional`
 * is ignored, and so is the fingerprint, which depends on the time since the file was written.
 */
function plain(result: Result): Result {
  if (result.kind === 'source-begin') return { ...result, provisional: true };
  if (result.kind === 'source') return { ...result, fingerprint: '' };
  if (result.kind !== 'record') return result;
  return { ...result, bytes: Buffer.from(result.bytes).toString('latin1') as unknown as Uint8Array };
}

export function expectSame(byShortcut: readonly Result[], expected: readonly Result[]): void {
  const different = byShortcut.findIndex((result, i) => !isDeepStrictEqual(result, expected[i]));
  expect(byShortcut[different]).toEqual(expected[different]);
  expect(byShortcut.length).toBe(expected.length);
}
