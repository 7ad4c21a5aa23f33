/**
 * `--copies mark` over generated sessions with branches, retries and copies in other files: each answer is trained in exactly one
 * record, the first one that has it, in every format that can say so.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';

const FORMATS = ['chat', 'openai', 'axolotl', 'trl', 'atif'] as const;

interface Message {
  readonly role?: string;
  readonly source?: string;
  readonly weight?: unknown;
  readonly train?: unknown;
  readonly is_copied_context?: unknown;
}

interface MarkedRecord {
  readonly messages?: readonly Message[];
  readonly prompt?: readonly Message[];
  readonly completion?: readonly Message[];
  readonly steps?: readonly Message[];
}

interface Session {
  readonly fate: string;
  readonly context?: number;
  readonly shard?: string;
  readonly line?: number;
}

const linesOf = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);

/** The sessions with records, each with its record. */
function writtenIn(out: string): { readonly session: Session; readonly record: MarkedRecord }[] {
  return linesOf<Session>(join(out, 'ledger/sessions.jsonl'))
    .filter(({ fate }) => fate === 'written')
    .map((session) => {
      const { shard = '', line = 0 } = session;
      return { session, record: linesOf<MarkedRecord>(join(out, shard))[line - 1] as MarkedRecord };
    });
}

/** Whether each answer of a record is trained, in the way of its format. */
const TRAINED: Readonly<Record<(typeof FORMATS)[number], (record: MarkedRecord) => boolean[]>> = {
  chat: ({ messages = [] }) => answersIn(messages).map(({ weight }) => weight !== 0),
  openai: ({ messages = [] }) => answersIn(messages).map(({ weight }) => weight !== 0),
  axolotl: ({ messages = [] }) => answersIn(messages).map(({ train }) => train !== false),
  atif: ({ steps = [] }) =>
    steps.filter(({ source }) => source === 'agent').map((step) => step.is_copied_context !== true),
  trl: ({ prompt = [], completion = [] }) => [
    ...answersIn(prompt).map(() => false),
    ...answersIn(completion).map(() => true),
  ],
};

const answersIn = (messages: readonly Message[]): readonly Message[] =>
  messages.filter(({ role }) => role === 'assistant');

const sharedBy = (one: readonly string[], other: readonly string[]): number => {
  const differs = one.findIndex((message, i) => message !== other[i]);
  return differs < 0 ? one.length : differs;
};

/** The number of context messages of each record, by a naive comparison with all earlier ones. */
function contexts(records: readonly string[][]): (number | undefined)[] {
  return records.map((record, i) => {
    const shared = Math.max(0, ...records.slice(0, i).map((earlier) => sharedBy(record, earlier)));
    return record.slice(0, shared).some((message) => message.includes('"assistant"')) ? shared : undefined;
  });
}

const keysOf = ({ messages = [] }: MarkedRecord): string[] =>
  messages.map((message) => JSON.stringify({ ...message, weight: undefined }));

function logs(seed: number): {
  readonly settings: Partial<Settings> & { inputs: string[] };
  path(name: string): string;
} {
  const folder = temporaryFolder();
  writeCopiedLogs(join(folder, 'logs'), seed, 12);
  const settings = { inputs: [join(folder, 'logs')], workers: 1, report: false, copies: 'mark' as const };
  return { settings, path: (name) => join(folder, name) };
}

describe('each answer is trained once, in the first record that has it', () => {
  test.each(Array.from({ length: LONG ? 5000 : 50 }, (_, seed) => seed))('seed %i', async (seed) => {
    const { settings, path } = logs(seed);
    const { sums } = await build({ ...settings, out: path('out') });
    const written = writtenIn(path('out'));
    const records = written.map(({ record }) => keysOf(record));
    const expected = contexts(records);
    expect(written.map(({ session }) => session.context)).toEqual(expected);
    const trained: string[] = [];
    for (const [i, { record }] of written.entries()) {
      const context = expected[i] ?? 0;
      const answers = (record.messages ?? []).flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
      expect(TRAINED.chat(record)).toEqual(answers.map((at) => at >= context));
      const first = answers.filter((at) => at >= context);
      trained.push(...first.map((at) => JSON.stringify(records[i]?.slice(0, at + 1))));
    }
    expect(new Set(trained).size).toBe(trained.length);
    const { answers = 0, context = 0 } = sums.formats.chat ?? {};
    expect(sums.formats.chat).toMatchObject({ trained: trained.length });
    expect(answers - context).toBe(trained.length);
    expect((await verifyDataset(path('out'))).problems).toEqual([]);
  });

  test.each(FORMATS.slice(1))('%s says it in its own way', async (format) => {
    for (const seed of [1, 2, 3, 4]) {
      const { settings, path } = logs(seed);
      await build({ ...settings, out: path('chat') });
      await build({ ...settings, format, out: path(format) });
      const expected = writtenIn(path('chat')).map(({ record }) => TRAINED.chat(record));
      expect(expected.flat()).toContain(false);
      expect(writtenIn(path(format)).map(({ record }) => TRAINED[format](record))).toEqual(expected);
      expect((await verifyDataset(path(format))).problems).toEqual([]);
    }
  });
});
