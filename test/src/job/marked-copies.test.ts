/**
 * `--copies mark` over generated sessions with branches, retries and copies in other files: each answer is trained in exactly one
 * record, the first one that has it, in every format that can say so.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  test.each(Array.from({ length: LONG ? 5000 : 20 }, (_, seed) => seed))('seed %i', async (seed) => {
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

/** Written by hand: a fork that shares a question, a call, its result and an answer with the session before it. */
const USER = '{"role":"user","content":"Is the kiln on?"}';
const CALL =
  '{"role":"assistant","content":"","tool_calls":[{"id":"k","type":"function","function":{"name":"read_kiln","arguments":"{\\"n\\":1.50}"}}]}';
const RESULT = '{"role":"tool","tool_call_id":"k","content":"980"}';
const ON = '{"role":"assistant","content":"Yes, at 980."}';
const [ASK, OFF] = [
  '{"role":"user","content":"Turn it off."}',
  '{"role":"assistant","content":"It is off."}',
];
const [ASK2, HOTTER] = ['{"role":"user","content":"Hotter."}', '{"role":"assistant","content":"1000 now."}'];
const SHARED = [USER, CALL, RESULT, ON];
const log = (messages: readonly string[]): string => `{"messages":[${messages.join(',')}],"tools":[]}\n`;
const withMember = (message: string, member: string): string => `${message.slice(0, -1)},${member}}`;

const OBJECT = CALL.replace('"{\\"n\\":1.50}"', '{"n":1.50}');

const steps = (mark: string, last: string, answer: string): string =>
  `{"schema_version":"ATIF-v1.7","agent":{"name":"unknown","version":"unknown"},"steps":[` +
  `{"step_id":1,"source":"user","message":"Is the kiln on?"${mark}},` +
  `{"step_id":2,"source":"agent","message":"","tool_calls":[{"tool_call_id":"k","function_name":"read_kiln","arguments":{"n":1.50}}],"observation":{"results":[{"source_call_id":"k","content":"980"}]}${mark}},` +
  `{"step_id":3,"source":"agent","message":"Yes, at 980."${mark}},` +
  `{"step_id":4,"source":"user","message":"${last}"},{"step_id":5,"source":"agent","message":"${answer}"}]}\n`;
const weighed = [USER, withMember(CALL, '"weight":0'), RESULT, withMember(ON, '"weight":0')];
const trains = (answers: string): string[] => [
  USER,
  withMember(CALL, `"train":${answers}`),
  RESULT,
  withMember(ON, `"train":${answers}`),
];
const trained = (message: string): string => withMember(message, '"train":true');

test.each<[string, string]>([
  ['chat', log([...SHARED, ASK, OFF]) + log([...weighed, ASK2, HOTTER])],
  ['openai', log([...SHARED, ASK, OFF]) + log([...weighed, ASK2, HOTTER])],
  [
    'axolotl',
    (
      log([...trains('true'), ASK, trained(OFF)]) + log([...trains('false'), ASK2, trained(HOTTER)])
    ).replaceAll('"tools":[]', '"tools":"[]"'),
  ],
  [
    'trl',
    `{"prompt":[${USER}],"completion":[${[OBJECT, RESULT, ON, ASK, OFF].join(',')}],"tools":null}\n` +
      `{"prompt":[${[USER, OBJECT, RESULT, ON, ASK2].join(',')}],"completion":[${HOTTER}],"tools":null}\n`,
  ],
  [
    'atif',
    steps('', 'Turn it off.', 'It is off.') + steps(',"is_copied_context":true', 'Hotter.', '1000 now.'),
  ],
])('two sessions in %s', async (format, expected) => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  writeFileSync(join(logs, 'a.jsonl'), log([...SHARED, ASK, OFF]));
  writeFileSync(join(logs, 'b.jsonl'), log([...SHARED, ASK2, HOTTER]));
  writeFileSync(join(logs, 'c.jsonl'), log(SHARED)); // lies inside both
  const { sums } = await build({ inputs: [logs], out, workers: 1, groupBy: 'none', format, copies: 'mark' });
  expect(readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8')).toBe(expected);
  expect(sums.formats[format]).toEqual({ answers: 6, contained: 1, context: 2, records: 2, trained: 4 });
  const sessions = linesOf<Session>(join(out, 'ledger/sessions.jsonl'));
  expect(sessions.map(({ fate, context }) => [fate, context])).toEqual([
    ['written', undefined],
    ['written', 4],
    ['contained', undefined],
  ]);
});

test('a record that a format refused trains its answers again in the other formats, and no format loses one', async () => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  const bad = CALL.replace('"{\\"n\\":1.50}"', '"[1]"'); // not an object, so `trl` refuses it
  const first = [USER, ON];
  writeFileSync(join(logs, 'a.jsonl'), log([...first, ASK, bad, RESULT, OFF]));
  writeFileSync(join(logs, 'b.jsonl'), log([...first, ASK2, HOTTER]));
  writeFileSync(join(logs, 'c.jsonl'), log([...first, ASK, HOTTER]));
  const { sums } = await build({ inputs: [logs], out, workers: 1, format: ['chat', 'trl'], copies: 'mark' });
  const sessions = linesOf<Session>(join(out, 'ledger/sessions.jsonl'));
  expect(sessions.map(({ context }) => context)).toEqual([undefined, undefined, 2]);
  expect(sums.formats).toEqual({
    chat: { answers: 7, context: 1, records: 3, trained: 6 },
    trl: { answers: 4, context: 1, records: 2, 'refused:arguments-not-object': 1, trained: 3 },
  });
  expect((await verifyDataset(out)).problems).toEqual([]);
});
