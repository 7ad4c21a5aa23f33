/**
 * Compares src/dataset/schema/ with datasets of many kinds: every line has exactly the fields of its type, and every field
 * occurs somewhere. The schema is parsed from its text, as it is for docs/reference/dataset-files.md.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { schemaOf as readSchema } from '../../../scripts/gen/dataset-page.mjs';
import { LINE_FILES, MANIFEST, REDACTIONS, REPORTS, RUN_FACTS } from '../../../src/dataset/layout.ts';
import { build } from '../../../src/job/build.ts';
import { entryLine, REPLY, USER } from '../../support/build-logs.ts';
import { copiedLogs } from '../../support/copied-logs.ts';

const root = resolve(import.meta.dirname, '../../..');
const examples = join(root, 'examples/logs');

interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}
const types: ReadonlyMap<string, { readonly fields: readonly Field[] }> = readSchema(root);

/** Fields that occurred, as `Type.field`. */
const seen = new Set<string>();

type Settings = Parameters<typeof build>[0];

/** @returns what is wrong with a value of a type of the schema */
function faultsOf(value: unknown, type: string, where: string): readonly string[] {
  if (type.endsWith(' | null') && value === null) return [];
  if (types.has(type.replace(' | null', '')))
    return faultsOfObject(value, type.replace(' | null', ''), where);
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${where} is not a list`];
    return value.flatMap((item, i) => faultsOf(item, type.slice(0, -2), `${where}[${i}]`));
  }
  if (type === 'Counts') return faultsOfCounts(value, where);
  const record = /^Record<string, (.+)>$/.exec(type.replace(/^Readonly<(.+)>$/, '$1'));
  if (record?.[1] !== undefined)
    return Object.entries(value as object).flatMap(([key, one]) =>
      faultsOf(one, record[1] as string, `${where}.${key}`),
    );
  const allowed = type.split(' | ');
  const literal = allowed.includes(typeof value === 'string' ? `'${value}'` : `${value}`);
  const name = value === null ? 'null' : typeof value;
  return literal || allowed.includes(name) ? [] : [`${where} is ${JSON.stringify(value)}, not ${type}`];
}

function faultsOfCounts(value: unknown, where: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${where} is not an object of counts`];
  return Object.entries(value).flatMap(([key, n]) =>
    Number.isInteger(n) && (n > 0 || key === 'records') ? [] : [`${where}.${key} is ${n}, not a count`],
  );
}

function faultsOfObject(value: unknown, type: string, where: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${where} is not an object`];
  const fields = types.get(type)?.fields ?? [];
  const known = new Set(fields.map(({ name }) => name));
  const foreign = Object.keys(value).filter((key) => !known.has(key));
  return [
    ...foreign.map((key) => `${where}.${key} is not in ${type}`),
    ...fields.flatMap(({ name, optional, type: ofField }) => {
      const field = (value as Readonly<Record<string, unknown>>)[name];
      if (field === undefined) return optional ? [] : [`${where}.${name} is missing`];
      seen.add(`${type}.${name}`);
      return faultsOf(field, ofField, `${where}.${name}`);
    }),
  ];
}

/** Values of the typed files of a dataset, by file. */
function* valuesOf(out: string): Generator<readonly [value: unknown, type: string, where: string]> {
  const text = (file: string): string => readFileSync(join(out, file), 'utf8');
  const lineTypes = {
    [LINE_FILES.sources]: 'SourceLine',
    [LINE_FILES.sessions]: 'SessionLine',
    [LINE_FILES.quarantine]: 'QuarantineLine',
    [LINE_FILES.findings]: 'FindingLine',
    ...(existsSync(join(out, REDACTIONS)) ? { [REDACTIONS]: 'RedactionLine' } : {}),
  };
  for (const [file, type] of Object.entries(lineTypes)) {
    const lines = text(file).split('\n').slice(0, -1);
    for (const [i, line] of lines.entries()) yield [JSON.parse(line), type, `${file}:${i + 1}`];
  }
  yield [JSON.parse(text(REPORTS.summary)), 'LedgerSums', REPORTS.summary];
  yield [JSON.parse(text(MANIFEST)), 'Manifest', MANIFEST];
  yield [JSON.parse(text(RUN_FACTS)), 'RunFacts', RUN_FACTS];
}

const datasetFaults = (out: string): readonly string[] =>
  [...valuesOf(out)].flatMap(([value, type, where]) => faultsOf(value, type, where));

let folder: string;

/** Writes log files into a new folder. */
function logsOf(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const logs = join(folder, name);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(logs, path)), { recursive: true });
    writeFileSync(join(logs, path), bytes);
  }
  return logs;
}

/** Entries of one session, each with one message more than the previous one. */
const session = (id: string, times: readonly number[]): string =>
  times
    .map((at, i) => `${entryLine({ id, at, messages: [USER, ...Array(i).fill([REPLY, USER]).flat()] })}\n`)
    .join('');
const TIMES = [1, 2];

/** Builds a dataset of each kind. */
const KINDS: Readonly<Record<string, () => Settings>> = {
  'the examples': () => ({ inputs: [examples] }),
  'several formats, one of which refuses sessions, packed': () => ({
    inputs: [examples],
    format: ['trl', 'axolotl', 'functiongemma-teaching'],
    compress: 'gzip',
  }),
  'an event log and a copy of it': () => {
    const log = readFileSync(join(root, 'examples/dialects/claude-code.jsonl'), 'utf8');
    return { inputs: [logsOf('copied', { 'a.jsonl': log, 'b.jsonl': log })], meta: ['model'] };
  },
  'copies of a session that are left out': () => {
    const text = session('a', TIMES);
    return { inputs: [logsOf('copies', { 'a.jsonl': text, 'b.jsonl': text })], copies: 'drop' } as Settings;
  },
  'answers that are marked as context': () =>
    ({ inputs: [logsOf('marked', copiedLogs(1, 12))], copies: 'mark' }) as Settings,
  'a slice': () => ({ inputs: [examples], slice: { index: 2, of: 3 } }),
  'a record of every turn': () => ({
    inputs: [join(root, 'examples/dialects/astracodex.json')],
    format: ['prompt'],
    formatOptions: { turns: 'all' },
  }),
  'samples of a deck, grouped by scenario': () => ({
    inputs: [join(root, 'examples/dialects/samples.toml')],
    format: ['samples'],
    groupBy: 'scenario',
  }),
  'several inputs, with names that are not UTF-8': () => {
    const odd = logsOf('odd', { 'a.jsonl': session('a', TIMES), 'b.jsonl': '{' });
    const latin = Buffer.concat([Buffer.from(`${odd}/`), Buffer.from('stra\u00dfe.jsonl', 'latin1')]);
    writeFileSync(latin, `${session('c', TIMES)}${session('d', TIMES)}{\n`);
    const torn = Buffer.concat([Buffer.from(`${odd}/`), Buffer.from('gr\u00fcn.jsonl', 'latin1')]);
    writeFileSync(torn, `${session('e', TIMES)}{\n`); // causes the finding damaged-tail
    return { inputs: [odd, join(examples, '2026-01-14')], quarantineContent: 'raw' };
  },
  'damaged, packed, passed over': () => {
    const text = session('a', TIMES);
    const gz = gzipSync(text);
    const logs = logsOf('damaged', {
      'whole.jsonl.gz': gz,
      'two.jsonl.gz': Buffer.concat([gzipSync(session('b', TIMES)), gzipSync('{\n')]),
      'cut.jsonl.gz': gz.subarray(0, -9),
      'trailing.jsonl.gz': Buffer.concat([gz, Buffer.from('more')]),
      'page.jsonl': '<!doctype html><html></html>',
      'empty.jsonl': '',
      'bom.jsonl': `\u{feff}${session('e', TIMES)}\n\n`,
      'picture.png': 'png',
    });
    symlinkSync('whole.jsonl.gz', join(logs, 'link.jsonl'));
    symlinkSync('nowhere', join(logs, 'dangling.jsonl'));
    return { inputs: [logs], follow: 'inside' } as Settings;
  },
  'sessions by id, one of which comes back': () => ({
    inputs: [
      {
        name: 'stream.jsonl',
        stream: (async function* () {
          yield Buffer.from(`${session('a', TIMES)}${session('b', TIMES)}${session('a', [9])}{\n`);
        })(),
      },
    ],
    sessionBy: 'run',
    quarantineContent: 'raw',
  }),
  'a limit': () => ({
    inputs: [logsOf('limited', { 'a.jsonl': `${session('a', TIMES)}${session('b', TIMES)}` })],
    sessionBy: 'run',
    limit: 1,
  }),
  'a line of 2,000 rejected objects': () => ({
    inputs: [logsOf('crowd', { 'a.jsonl': `${'{}'.repeat(2000)}\n${session('a', TIMES)}` })],
  }),
  'a session of 1,100 findings': () => {
    const calls = Array.from({ length: 1100 }, (_, i) => ({
      id: `c${i}`,
      type: 'function',
      function: { name: 'f', arguments: '{' },
    }));
    const messages = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'user', content: 'q' },
    ];
    const line = entryLine({ id: 'a', messages });
    return { inputs: [logsOf('findings', { 'a.jsonl': `${line}\n` })] };
  },
  'a redacted address': () => {
    const line = entryLine({
      id: 'a',
      messages: [{ role: 'user', content: 'Write to zoe@harbour-desk.com.' }],
    });
    return { inputs: [logsOf('redacted', { 'a.jsonl': `${line}\n` })], redact: true };
  },
  'no sessions': () => ({ inputs: [logsOf('none', { 'a.jsonl': '\n' })], allowEmpty: true }),
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnmill-schema-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the schema holds only types, because src/verify imports it and must share no code with the writers', async () => {
  const files = readdirSync(join(root, 'src/dataset/schema'));
  expect(files).toHaveLength(4);
  for (const name of files.map((file) => file.replace(/\.ts$/, '')))
    expect(Object.keys(await import(`../../../src/dataset/schema/${name}.ts`)), name).toEqual([]);
});

describe('every line of a dataset matches the schema', () => {
  it.each(Object.keys(KINDS))('%s', async (kind) => {
    const out = join(folder, `out-${Object.keys(KINDS).indexOf(kind)}`);
    await build({ out, ...KINDS[kind]?.() } as Settings);
    expect(datasetFaults(out)).toEqual([]);
  });

  it('after an update', async () => {
    const logs = logsOf('updated', { 'a.jsonl': session('a', TIMES), 'b.jsonl': session('b', TIMES) });
    const out = join(folder, 'out-updated');
    await build({ inputs: [logs], out, update: true });
    appendFileSync(join(logs, 'b.jsonl'), session('b', [3]));
    const { reusedSources } = await build({ inputs: [logs], out, update: true });
    expect(reusedSources).toBe(1);
    expect(datasetFaults(out)).toEqual([]);
  });

  it('after an update that joins groups of splits', async () => {
    const line = (id: number, question: number): string =>
      `${entryLine({ id: `s${id}`, messages: [{ role: 'user', content: `${question}` }] })}\n`;
    const sessions = Array.from({ length: 10 }, (_, i) => [`${i}.jsonl`, line(i, i)] as const);
    const logs = logsOf('split', Object.fromEntries(sessions));
    const out = join(folder, 'out-split');
    const settings = { inputs: [logs], out, update: true, split: { train: 0.5, test: 0.5 } };
    await build(settings);
    for (let i = 0; i < sessions.length; i += 2)
      writeFileSync(join(logs, `${i}-${i + 1}.jsonl`), line(i, i + 1));
    expect((await build(settings)).splitMoved).toBeGreaterThan(0);
    expect(datasetFaults(out)).toEqual([]);
  });

  it('every field of the schema has occurred', () => {
    const all = [...types].flatMap(([type, { fields }]) => fields.map(({ name }) => `${type}.${name}`));
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((field) => !seen.has(field))).toEqual([]);
  });
});

describe('the comparison finds', () => {
  const source = { source: 'a', status: 'read', lines: 1, fates: { snapshot: 1 } };
  it.each([
    ['a field that the schema does not have', { ...source, more: 1 }, 'x.more is not in SourceLine'],
    ['a field that is missing', { ...source, lines: undefined }, 'x.lines is missing'],
    ['a value of another type', { ...source, lines: '1' }, 'x.lines is "1", not number'],
    ['a text that is not one of those allowed', { ...source, status: 'lost' }, 'x.status is "lost"'],
    ['a count of zero', { ...source, fates: { blank: 0 } }, 'x.fates.blank is 0, not a count'],
    [
      'a field of a field',
      { ...source, parts: { bom: 0, lines: 1, terminators: 0 } },
      'x.parts.rest is missing',
    ],
  ])('%s', (_what, value, fault) => {
    expect(faultsOf(source, 'SourceLine', 'x')).toEqual([]);
    expect(faultsOf(value, 'SourceLine', 'x')).toEqual([expect.stringContaining(fault)]);
  });
});
