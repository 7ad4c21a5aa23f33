/** `--only` over all goldens and examples: each session alone, and none, with a ledger that adds up. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { check } from '../../src/index.ts';
import type { Result } from '../../src/ledger/result.ts';

const root = resolve(import.meta.dirname, '../..');
const goldens = readdirSync(join(root, 'test/goldens'));
const examples = readdirSync(join(root, 'examples/dialects'));

/** The sessions that are written, by their ids. Every line must have its fate. */
async function written(input: string, settings: object): Promise<ReadonlyMap<string, number>> {
  const sessions = new Map<string, number>();
  const onResult = (result: Result): void => {
    if (result.kind === 'source') expect(result.rejection?.detail ?? '').not.toContain('ledger mismatch');
    if (result.kind !== 'session' || result.fate !== 'written') return;
    const id = result.sessionId ?? '';
    sessions.set(id, (sessions.get(id) ?? 0) + 1);
  };
  await check({ inputs: [input], workers: 1, ...settings }, { onResult });
  return sessions;
}

it.each([
  ...goldens.map((name) => [`test/goldens/${name}/logs`, `test/goldens/${name}/expected.json`] as const),
  ...examples.map((name) => [`examples/dialects/${name}`, undefined] as const),
])('%s', async (path, expected) => {
  const { settings = {} } =
    expected === undefined
      ? {}
      : (JSON.parse(readFileSync(join(root, expected), 'utf8')) as { settings?: object });
  const input = join(root, path);
  const all = await written(input, settings);
  expect(await written(input, { ...settings, only: ['no such session'], allowEmpty: true })).toEqual(
    new Map(),
  );
  for (const [id, records] of [...all].slice(0, 3))
    expect(await written(input, { ...settings, only: [id] })).toEqual(new Map([[id, records]]));
});
