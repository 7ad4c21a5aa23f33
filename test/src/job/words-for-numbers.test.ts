/** NaN and Infinity in documents and in logs that are folded or gathered: Python writes them for missing scores. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Built {
  readonly records: readonly { readonly metadata?: object }[];
  readonly summary: { readonly fates: object; readonly repairs: object; readonly findings: object };
}

async function build(name: string, text: string): Promise<Built> {
  const root = temporaryFolder();
  const out = join(root, 'out');
  writeFileSync(join(root, name), text);
  await turnmill(['build', join(root, name), '--out', out, '--group-by', 'none', '--meta', 'reward']);
  expect((await turnmill(['verify', out])).status).toBe(0);
  const shard = readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8').trim();
  const summary = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  return { records: shard.split('\n').map((line) => JSON.parse(line)), summary };
}

/** JSON text in which a word replaces the text `NUMBER`. */
const withWord = (value: object, word = 'NaN'): string => JSON.stringify(value).replaceAll('"NUMBER"', word);

const messages = [
  { role: 'user', content: 'q: NaN,' },
  { role: 'assistant', content: 'a' },
];

describe('a word in place of a number', () => {
  const sample = (id: number, score: unknown) => ({
    id,
    epoch: 1,
    messages,
    scores: { a: { value: score } },
  });
  const head = { version: 2, status: 'success', eval: { run_id: 'R' }, plan: {} };

  it.each(['NaN', 'Infinity', '-Infinity'])('keeps the samples of an evaluation: %s', async (word) => {
    const log = { ...head, results: { stderr: 'NUMBER' }, samples: [sample(1, 'NUMBER'), sample(2, 0.5)] };
    const { records, summary } = await build('log.json', withWord(log, word));
    expect(records.map(({ metadata }) => metadata)).toEqual([{ reward: null }, { reward: 0.5 }]);
    expect(summary.fates).toEqual({ 'dropped:document-head': 1, snapshot: 2 });
    expect(summary.repairs).toMatchObject({ 'bare-nan': 2 });
  });

  it('keeps runs, which are folded, once each', async () => {
    const runs = ['NUMBER', 1].map((reward, task_id) => ({ task_id, reward, traj: messages }));
    for (const [name, text] of [
      ['runs.json', withWord(runs)],
      ['runs.jsonl', runs.map((run) => `${withWord(run)}\n`).join('')],
    ] as const) {
      const { records, summary } = await build(name, text);
      expect(records.map(({ metadata }) => metadata)).toEqual([{ reward: null }, { reward: 1 }]);
      expect(summary.fates).toEqual({ snapshot: 2 });
    }
  });

  it('keeps calls of a trace, which are gathered, and trajectories after the first', async () => {
    const call = (input: object[], output: string) => ({
      ...{ traceId: 't', type: 'GENERATION', level: 'DEFAULT', latency: 'NUMBER' },
      ...{ input, output },
    });
    const more = [...messages, { role: 'user', content: 'r' }];
    const lines = [call(messages.slice(0, 1), 'a'), call(more, 'b')].map((one) => `${withWord(one)}\n`);
    expect((await build('spans.jsonl', lines.join(''))).summary.fates).toEqual({
      snapshot: 1,
      superseded: 1,
    });
    const steps = [{ source: 'user', message: 'q', extra: { x: 'NUMBER' } }];
    const run = withWord({ schema_version: 'ATIF-v1.7', agent: { name: 'a' }, steps });
    expect((await build('runs.jsonl', `${run}\n${run}\n`)).summary.fates).toEqual({ snapshot: 2 });
  });

  it.each(['NaN', 'Infinity', '-Infinity'])(
    'keeps conversations beside a score, the first one too: %s',
    async (word) => {
      const good = JSON.stringify({ messages });
      const turns = [
        { from: 'human', value: 'q' },
        { from: 'gpt', value: 'a' },
      ];
      const bad = [{ messages }, { conversations: turns }].map((one) =>
        withWord({ ...one, score: 'NUMBER' }, word),
      );
      for (const scored of bad) {
        for (const [name, text] of [
          ['line.jsonl', `${scored}\n${good}\n`],
          ['two.jsonl', `${scored}${good}\n`],
          ['list.json', `[${scored},${good}]`],
        ] as const) {
          const { records, summary } = await build(name, text);
          expect([name, records.length, summary.fates]).toEqual([name, 2, { snapshot: 2 }]);
          expect(summary.repairs).toMatchObject({ 'bare-nan': 1 });
          expect(summary.findings).toMatchObject({ 'members-ignored': 1 });
        }
      }
    },
  );

  it('rejects a sample, whose members are written', async () => {
    const samples = ['NUMBER', 4].map((score) => `${withWord({ messages, expected: { score } })}\n`);
    const { summary } = await build('samples.jsonl', samples.join(''));
    expect(summary.fates).toEqual({ 'rejected:invalid-json': 1, snapshot: 1 });
  });

  it('rejects the element if it is in an argument, and no other', async () => {
    const step = (x: unknown) => ({
      ...{ source: 'agent', message: 'a' },
      tool_calls: [{ tool_call_id: 'c', function_name: 'f', arguments: { x } }],
    });
    const runs = ['NUMBER', 1].map((x) => ({ schema_version: 'ATIF-v1.7', agent: {}, steps: [step(x)] }));
    const { summary } = await build('runs.json', withWord(runs));
    expect(summary.fates).toEqual({ 'rejected:invalid-json': 1, snapshot: 1 });
  });
});
