/** Reading one source after the other, with pauses for deliveries. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DeliveryBuilder } from '../../../src/engine/delivery.ts';
import { UNWATCHED, type Watch } from '../../../src/engine/instrument.ts';
import { SourceRun } from '../../../src/engine/source-run.ts';
import type { TaskSource } from '../../../src/engine/task.ts';
import { openSource } from '../../../src/input/open-source.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sessionLines } from '../../support/plain-logs.ts';

interface Prepared {
  readonly run: SourceRun;
  readonly delivery: DeliveryBuilder;
  readonly sources: readonly TaskSource[];
  /** Reads a source to its end and returns its results. */
  results(source: TaskSource): Promise<readonly Result[]>;
}

function runOver(
  logs: Readonly<Record<string, string>>,
  options: Partial<Settings> = {},
  watch: Watch = UNWATCHED,
): Prepared {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(logs)) writeFileSync(join(folder, name), text);
  const settings = resolveSettings({ inputs: [folder], out: undefined, ...options });
  const delivery = new DeliveryBuilder();
  const run = new SourceRun({ settings, watch, signal: undefined, memory: undefined, delivery });
  const sources = [...listSources([folder], settings.follow).sources].map((ref, index) => ({ index, ref }));
  return {
    ...{ run, delivery, sources },
    async results(source) {
      run.begin(source);
      for (let pause = run.read(); pause !== 'over'; pause = run.read())
        if (pause !== 'delivery') await pause;
      return delivery.take().results;
    },
  };
}

const log = (id: string, entries = 2): string =>
  `${sessionLines(id, { entries, messageChars: 40, seed: 1 }).join('\n')}\n`;

it('reports the begin, the sessions and the end of each source', async () => {
  const { sources, results } = runOver(
    { 'a.jsonl': log('a'), 'b.jsonl': '', 'c.jsonl': 'torn' },
    { integrity: false },
  );
  const found = [];
  for (const source of sources) found.push(await results(source));
  expect(found.map((all) => all.map(({ kind }) => kind))).toEqual([
    ['source-begin', 'record', 'session', 'source'],
    ['source-begin', 'source'],
    ['source-begin', 'rejected-line', 'session', 'source'],
  ]);
  expect(found.map((all) => all.at(-1))).toMatchObject([
    ...[
      { source: 0, status: 'read', lines: 2 },
      { source: 1, status: 'empty', lines: 0 },
    ],
    { source: 2, status: 'read', fates: [['rejected:invalid-json', 1]] },
  ]);
});

it('pauses when a delivery is due and counts every byte once', async () => {
  const { run, delivery, sources } = runOver({ 'a.jsonl': 'torn\n'.repeat(100_000) });
  run.begin(sources[0] as TaskSource);
  let [deliveries, bytes] = [0, 0];
  for (let pause = run.read(); pause !== 'over'; pause = run.read()) {
    if (pause !== 'delivery') {
      await pause;
      continue;
    }
    deliveries++;
    bytes += delivery.take().readBytes;
  }
  expect(deliveries).toBeGreaterThan(3);
  expect(bytes + delivery.take().readBytes).toBe(500_000);
});

it('rejects a source that cannot be opened and reads the next one', async () => {
  const { sources, results } = runOver({ 'a.jsonl': log('a'), 'b.jsonl': log('b') });
  const [first, second] = sources as [TaskSource, TaskSource];
  const gone = { ...first, ref: { ...first.ref, path: `${first.ref.path}.gone` } };
  expect((await results(gone)).at(-1)).toMatchObject({ status: 'rejected', readBytes: 0 });
  expect((await results(second)).map(({ kind }) => kind)).toContain('record');
});

it('rejects a source that has killed three worker threads without reading it', async () => {
  const { sources, results } = runOver({ 'a.jsonl': log('a') });
  const deadly = { ...(sources[0] as TaskSource), deaths: ['out of memory', 'exit', 'exit'] };
  expect(await results(deadly)).toMatchObject([
    { kind: 'source-begin' },
    { status: 'rejected', rejection: { reason: 'worker-crash' } },
  ]);
});

it('stops at the limit of sessions', async () => {
  const { run, sources, results } = runOver({ 'a.jsonl': log('a'), 'b.jsonl': log('b') }, { limit: 1 });
  expect(run.isLimited).toBe(false);
  expect((await results(sources[0] as TaskSource)).filter(({ kind }) => kind === 'session')).toHaveLength(1);
  expect(run.isLimited).toBe(true);
});

it('stops at the limit between sessions that end with their source', async () => {
  const chat = (trace: string) =>
    JSON.stringify({
      ...{ traceId: trace.repeat(32), spanId: trace.repeat(16), name: 'chat' },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"${trace}"}]}]`,
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"a"}]}]',
      },
    });
  const spans = ['a', 'b', 'c'].map((trace) => `${chat(trace)}\n`).join('');
  const { sources, results } = runOver({ 'a.jsonl': spans }, { limit: 2 });
  const all = await results(sources[0] as TaskSource);
  expect(all.filter(({ kind }) => kind === 'session')).toHaveLength(2);
  expect(all.at(-1)).toMatchObject({ kind: 'source', status: 'limited', lines: 2 });
});

it('reads a file again that no dialect recognises and that changed while it was read', async () => {
  let opened = 0;
  const touchedOnce: Watch = {
    ...UNWATCHED,
    async open(...args) {
      opened++;
      return {
        ...(await openSource(...args)),
        isTouched: () => opened === 1,
        again: () => touchedOnce.open(...args) as never,
      };
    },
  };
  const { sources, results } = runOver(
    { 'a.jsonl': '{"a":1}\n'.repeat(1000) },
    { takesBack: true },
    touchedOnce,
  );
  const all = await results(sources[0] as TaskSource);
  expect(opened).toBe(2);
  expect(all.filter(({ kind }) => kind === 'source-begin')).toMatchObject([{}, { again: true }]);
  expect(all.at(-1)).toMatchObject({ status: 'rejected', rejection: { reason: 'unknown-dialect' } });
});

it('delivers the results of a large document in parts', async () => {
  const tables = 20_000;
  const deck = Array.from({ length: tables }, (_, i) => `[samples.a${i}]\n`).join('');
  const { run, delivery, sources } = runOver({ 'deck.toml': deck });
  const parts: number[] = [];
  let lines = 0;
  run.begin(sources[0] as TaskSource);
  for (let pause = run.read(); ; pause = run.read()) {
    if (pause !== 'delivery' && pause !== 'over') {
      await pause;
      continue;
    }
    parts.push(delivery.weight);
    lines += delivery.take().results.filter(({ kind }) => kind === 'rejected-line').length;
    if (pause === 'over') break;
  }
  expect(lines).toBe(tables);
  expect(parts.length).toBeGreaterThan(2);
  expect(Math.max(...parts)).toBeLessThan(
    (2 * parts.reduce((sum, weight) => sum + weight, 0)) / parts.length,
  );
});

it('pauses at the end of a source that holds more conversations than fit into a delivery', async () => {
  const line = (type: string, uuid: string, parentUuid: string | null): string =>
    JSON.stringify({
      type,
      uuid,
      parentUuid,
      sessionId: 's',
      message: { role: type, id: uuid, content: uuid },
    });
  const long = 'x'.repeat(20_000);
  const turns = Array.from({ length: 60 }, (_, i) => [
    line('user', `q${i}`, long),
    line('assistant', `a${i}`, `q${i}`),
  ]);
  const branches = [line('user', long, null), line('assistant', 'a', long), ...turns.flat()].join('\n');
  const { run, delivery, sources } = runOver({ 'a.jsonl': branches });
  run.begin(sources[0] as TaskSource);
  const weights: number[] = [];
  let records = 0;
  for (let pause = run.read(); ; pause = run.read()) {
    if (pause instanceof Promise) await pause;
    weights.push(delivery.weight);
    records += delivery.take().results.filter(({ kind }) => kind === 'record').length;
    if (pause === 'over') break;
  }
  expect(records).toBe(60);
  expect(Math.max(...weights)).toBeLessThan(200_000);
});
