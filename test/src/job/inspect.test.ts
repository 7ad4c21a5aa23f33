import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChain } from '../../../src/engine/chain.ts';
import { inspect, readThrough, tapChain } from '../../../src/job/inspect.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const kindsOf = (elements: readonly StreamElement[]): readonly string[] => elements.map(({ kind }) => kind);

test('shows the elements of every stage before the next one gets them', () => {
  const seen: string[] = [];
  const left: StreamElement[] = [];
  const chain = createChain(resolveSettings({ inputs: ['x'] }), 'file');
  const run = tapChain(
    chain,
    (stage, { kind }) => seen.push(`${stage} ${kind}`),
    (element) => left.push(element),
  );
  const origin = { source: 'a', line: 1, offset: 0, length: 0 };
  run({ kind: 'line', origin, bytes: new Uint8Array(0) });
  expect(seen).toEqual(['framing line', ...chain.map(({ name }) => `${name} fate`)]);
  expect(kindsOf(left)).toEqual(['fate']);
});

test('reading waits for a promise and ends at a signal', async () => {
  const path = writeLog(temporaryFolder(), 'a.jsonl', [entry(), entry({ second: 1 })]);
  const ref = { name: 'a.jsonl', input: 0, path, sizeBytes: 0 };
  let waiting = 0;
  const push = async (): Promise<void> => {
    expect(waiting++).toBe(0);
    await later(5);
    waiting--;
  };
  expect(await readThrough({ ref, settings: resolveSettings({ inputs: [path] }), push })).toBe(2);
  const signal = AbortSignal.abort(new Error('enough of it'));
  await expect(
    readThrough({ ref, settings: resolveSettings({ inputs: [path] }), push, signal }),
  ).rejects.toThrow('enough of it');
});

test('an unknown stage is a usage error that lists all stages', async () => {
  const settings = resolveSettings({ inputs: ['x'], integrity: false });
  const failed = inspect({ settings, after: 'nope', see: () => undefined });
  await expect(failed).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('framing, parse, cleanup'),
  });
});

test('stops reading at the limit', async () => {
  const folder = temporaryFolder();
  for (const name of ['a', 'b']) writeLog(folder, `${name}.jsonl`, [entry(), entry({ second: 1 })]);
  const seen: StreamElement[] = [];
  const see = (element: StreamElement): undefined => void seen.push(element);
  const settings = resolveSettings({ inputs: [folder] });
  expect(await inspect({ settings, after: 'parse', see, enough: () => seen.length >= 4 })).toBe(0);
  expect(kindsOf(seen)).toEqual(['entry', 'entry', 'session-end', 'entry']);
});
