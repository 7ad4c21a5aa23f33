/** A check that the shortcut does not know runs over the conversations that the shortcut read; one of entries makes the stages read all. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Check, Found } from '../../../transforms/checks/check.ts';
import { entryLine } from '../../support/build-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const REGISTRY = '../../../transforms/checks/index.ts';
const found: Found = { rule: 'seen', severity: 'WARNING', message: 'a check has seen it' };
const named = { name: 'seen', summary: 'Reports everything.', rules: ['seen'] };

afterEach(() => {
  vi.doUnmock(REGISTRY);
  vi.resetModules();
});

/** Reads a log of two sessions with one more check. */
async function readWith(check: Check) {
  vi.resetModules();
  const { checks } = await vi.importActual<typeof import('../../../transforms/checks/index.ts')>(REGISTRY);
  vi.doMock(REGISTRY, () => ({ checks: [...checks, check] }));
  const { Shortcut } = await import('../../../src/engine/shortcut.ts');
  const handOut = vi.spyOn(Shortcut.prototype, 'handOut');
  const { check: checkLogs } = await import('../../../src/job/build.ts');
  const folder = temporaryFolder();
  for (const id of ['a', 'b']) writeFileSync(join(folder, `${id}.jsonl`), `${entryLine({ id })}\n`);
  const reported: string[] = [];
  await checkLogs(
    { inputs: [folder], workers: 1, shortcut: true },
    { onResult: (result) => void (result.kind === 'finding' && reported.push(result.rule)) },
  );
  return { seen: reported.filter((rule) => rule === 'seen').length, byShortcut: handOut.mock.calls.length };
}

it('runs a check of conversations after the shortcut', async () => {
  const read = await readWith({ ...named, on: 'conversation', check: () => [found] });
  expect(read).toEqual({ seen: 2, byShortcut: 2 });
});

it('runs a check of records after the shortcut', async () => {
  const read = await readWith({ ...named, on: 'record', check: () => [found] });
  expect(read).toEqual({ seen: 2, byShortcut: 2 });
});

it('leaves a check of entries to the stages', async () => {
  const create = () => ({ entry: () => [found], sessionEnd: () => [] });
  expect(await readWith({ ...named, on: 'entry', create })).toEqual({ seen: 2, byShortcut: 0 });
});
