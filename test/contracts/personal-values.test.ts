/**
 * Personal values in the logs of every dialect: none of them gets into the metadata of a record or the id of a session.
 * Names, branches and hosts are put beside every member, and values that can be told by their form (paths, addresses,
 * keys) into every member, one at a time: each of them with TURNMILL_LONG=1, else one in every second member.
 */
import { expect, it } from 'vitest';
import { formats as registered } from '../../transforms/formats/index.ts';
import { META_NAMES } from '../../transforms/model/meta.ts';
import { dialectLogs } from '../support/dialect-logs.ts';
import { LONG } from '../support/long.ts';
import { type NamedLog, readLogs } from '../support/read-log.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Members that name a person, a machine or a place, and that no name of the metadata is read from. */
const PERSONAL = {
  cwd: '/home/zoe-quux/work',
  working_directory: 'D:\\zoe-quux\\work',
  gitBranch: 'zoe/quux-branch',
  branch: 'quux-2',
  git: { branch: 'quux-3', repository_url: 'https://git.example/quux-4.git', commit_hash: 'quux5' },
  user: 'zoe-quux-6',
  user_id: 'zoe-quux-7',
  userName: 'Zoe Quux 8',
  username: 'quux9',
  author: 'quux10',
  owner: { name: 'quux11' },
  grader: 'quux12',
  email: 'zoe@quux.example',
  host: 'quux13',
  hostname: 'quux14.lan',
  env: { HOME: '/home/quux15', API_KEY: 'sk-quux16', USER: 'quux17' },
  api_key: 'sk-quux-18',
  remote: 'git@git.example:zoe/quux.git',
  ip: '10.9.8.7-quux',
  '/home/zoe/quux-19': 1,
} as const;
const MARK = /quux|zoe/i;

/** Values that are personal wherever they stand. */
const BY_FORM: readonly string[] = [
  '/home/zoe/quux',
  'C:\\Users\\zoe\\quux',
  '-home-zoe-quux',
  'run in ~/quux',
  'zoe@quux.example',
  'git@git.example:zoe/quux.git',
  'https://zoe:quux@git.example/quux.git',
  'ssh://git.example/zoe/quux',
  'sk-proj-quux0123456789abcdef',
  'ghp_quux0123456789abcdefABCDEF0123456789',
  'hf_quux0123456789abcdefABCDEF',
  'AKIAQUUX0123456789AB',
  'user:zoe-quux',
];

const ALL_FORMATS = registered.map(({ name }) => name);
/** One format for each place that metadata is written to: `metadata`, `extra`, and the first line. */
const PLACES = ['chat', 'atif', 'sts'];

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds the personal members to every object. */
function withPersonal(value: Json): Json {
  if (Array.isArray(value)) return value.map(withPersonal);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, inner]) => [key, withPersonal(inner)] as const);
  const isHead = value.type === 'session'; // a cwd makes it another dialect's
  const more = Object.entries(PERSONAL).filter(([key]) => !(isHead && key === 'cwd') && !(key in value));
  return Object.fromEntries([...members, ...more]);
}

/** The keys that lead to each text; the elements of a list have the same. */
function placesIn(value: Json, path: string, places: Set<string>): void {
  if (typeof value === 'string') places.add(path);
  else if (Array.isArray(value)) for (const one of value) placesIn(one, `${path}/*`, places);
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) placesIn(inner, `${path}/${key}`, places);
}

function replaced(value: Json, path: string, place: string, by: string): Json {
  if (typeof value === 'string') return path === place ? by : value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, `${path}/*`, place, by));
  if (!isObject(value) || !place.startsWith(path)) return value;
  const members = Object.entries(value).map(([key, inner]) => [
    key,
    replaced(inner, `${path}/${key}`, place, by),
  ]);
  return Object.fromEntries(members);
}

/** The JSON values of a log, undefined where a line is torn; undefined for a log that is not JSON. */
function valuesOf({ name, bytes }: NamedLog): readonly (Json | undefined)[] | undefined {
  const text = Buffer.from(bytes).toString();
  if (/\.(?:toml|sse)$/.test(name)) return undefined;
  const lines = name.endsWith('.jsonl') ? text.split('\n') : [text];
  return lines.map(parsed);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The log with each of its values changed. Torn lines stay out. */
function changed(log: NamedLog, change: (value: Json) => Json): NamedLog {
  const values = (valuesOf(log) ?? []).filter((value) => value !== undefined);
  const text = values.map((value) => `${JSON.stringify(change(value))}\n`).join('');
  return { name: log.name, bytes: Buffer.from(text) };
}

/** The metadata and the ids of a record in any format. */
function besideMessages(format: string, record: string): string {
  const [head = ''] = record.split('\n');
  if (format === 'sts') return head;
  const { metadata, extra, session_id } = JSON.parse(head);
  return JSON.stringify({ metadata, extra, session_id });
}

interface Read {
  readonly records: number;
  readonly leaks: readonly string[];
}

async function readAll(
  logs: readonly NamedLog[],
  settings: object,
  formats: readonly string[],
): Promise<readonly Read[]> {
  const reads: Read[] = [];
  // unknown members with words would reject the sessions
  const kept = { onFinding: { 'unread-text': 'keep' } } as const;
  const given = { ...settings, ...kept, groupBy: 'none' as const, format: [...formats], meta: META_NAMES };
  for await (const results of readLogs(logs, given)) {
    const records = results.filter((result) => result.kind === 'record');
    const texts = records.map(({ format, bytes }) => besideMessages(format, Buffer.from(bytes).toString()));
    reads.push({ records: records.length, leaks: texts.filter((text) => MARK.test(text)) });
  }
  return reads;
}

const logs = Object.entries(dialectLogs()).filter(([, log]) => valuesOf(log) !== undefined);

it.each(logs)('%s: members about persons and machines are never metadata', async (_, log) => {
  const plain = changed(log, (value) => value);
  const [before, after] = await readAll([plain, changed(log, withPersonal)], log.settings, ALL_FORMATS);
  expect(after?.leaks).toEqual([]);
  expect(after?.records !== 0).toBe(before?.records !== 0);
});

it.each(logs)('%s: a personal text is left out of metadata, whatever member it is in', async (_, log) => {
  const places = new Set<string>();
  for (const value of valuesOf(log) ?? []) if (value !== undefined) placesIn(value, '', places);
  const tried = [...places].filter((_, at) => LONG || at % 4 === log.name.length % 4);
  const tries = tried.flatMap((place, at) => {
    const values = LONG ? BY_FORM : [BY_FORM[at % BY_FORM.length] as string];
    return values.map((by) => ({ place, by }));
  });
  const variants = tries.map(({ place, by }) => changed(log, (value) => replaced(value, '', place, by)));
  const reads = await readAll(variants, log.settings, LONG ? ALL_FORMATS : PLACES);
  const found = reads.flatMap(({ leaks }, at) => leaks.slice(0, 1).map((leak) => ({ ...tries[at], leak })));
  expect(found).toEqual([]);
});
