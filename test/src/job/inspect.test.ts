import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChain } from '../../../src/engine/chain.ts';
import { inspect, readThrough, tapChain } from '../../../src/job/inspect.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const kindsOf = (elements: readonly StreamElement[]): readonly string[] => elements.map(({ kind }) => kind);

test('every link is seen, before the next one gets its elements', () => {
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

test('a promise holds the reading back, a signal ends it', async () => {
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

test('an unknown stage is a usage error that names them all', async () => {
  const settings = resolveSettings({ inputs: ['x'], integrity: false });
  const failed = inspect({ settings, after: 'nope', see: () => undefined });
  await expect(failed).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('framing, parse, cleanup'),
  });
});

test('it stops when enough was seen', async () => {
  const folder = temporaryFolder();
  for (const name of ['a', 'b']) writeLog(folder, `${name}.jsonl`, [entry(), entry({ second: 1 })]);
  const seen: StreamElement[] = [];
  const see = (element: StreamElement): undefined => void seen.push(element);
  const settings = resolveSettings({ inputs: [folder] });
  expect(await inspect({ settings, after: 'parse', see, enough: () => seen.length >= 4 })).toBe(0);
  expect(kindsOf(seen)).toEqual(['entry', 'entry', 'session-end', 'entry']);
});
