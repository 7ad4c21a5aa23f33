/**
 * Limits set by options, with the shortcut and without: exactly that deep, that many messages, that many files, and not one more. The deepest allowed
 * text passes every format, its consumer's rules and `verify`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { formats } from '../../transforms/formats/index.ts';
import { MAX_DEPTH_CEILING } from '../../transforms/json/scanner.ts';
import { entryLine, readDataset, USER } from '../support/build-logs.ts';
import type { Ended } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const SHORTCUT = ['on', 'off'];
const FORMATS = formats.map(({ name }) => name);

interface Run extends Ended {
  readonly logs: string;
  readonly out: string;
  /** Names in the folder of the logs. */
  readonly beside: readonly string[];
}

async function build(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  shortcut = 'on',
): Promise<Run> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(logs, name), text);
  const shared = ['build', logs, '--out', out, '--group-by', 'none'];
  const ended = await turnmill([...shared, ...args], undefined, {
    ...process.env,
    TURNMILL_SHORTCUT: shortcut,
  });
  return { ...ended, logs, out, beside: readdirSync(folder) };
}

/** Contents that are not texts are rejected by default, however deep they are. */
const KEEP_CONTENTS = ['--on-finding', 'unread-text=keep'];

const settingsOf = ({ out }: Run): object =>
  JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).settings;

/** Entries with `"@"` where a value goes. */
const places: readonly ((at: number) => string)[] = [
  (at) => entryLine({ at, tools: [] }).replace('{', '{"unread":"@",'),
  (at) => entryLine({ at, tools: [] }).replace('"request":{', '"request":{"unread":"@",'),
  (at) => entryLine({ at, tools: [], messages: [{ ...USER, content: '@' }] }),
  (at) => entryLine({ at, tools: [{ name: 'f', parameters: '@' }] }),
  (at) => entryLine({ at, tools: [], reply: { role: 'assistant', content: '@' } }),
  (at) => entryLine({ at, tools: [], reply: callWith('@') }),
];

function callWith(args: unknown): object {
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }];
  return { role: 'assistant', content: null, tool_calls };
}

const nests: readonly ((levels: number) => string)[] = [
  (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`,
  (levels) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`,
];

/** The line with a value nested as deep as the line allows. */
function nested(line: string, nest: (levels: number) => string, deepest: number): string {
  const before = line.slice(0, line.indexOf('"@"'));
  const open = before.replace(/[^[{]/g, '').length - before.replace(/[^\]}]/g, '').length;
  return line.replace('"@"', () => nest(deepest - open));
}

describe.each(SHORTCUT)('F051 --max-depth with TURNMILL_SHORTCUT=%s', (shortcut) => {
  for (const limit of [9, 16, MAX_DEPTH_CEILING]) {
    faultTest(
      'F051',
      `exactly ${limit} levels are read, one more is too-deep`,
      { long: limit !== 16 },
      async () => {
        const kinds = places.flatMap((place) => nests.map((nest) => ({ place, nest })));
        const lines = [limit, limit + 1].flatMap((deepest, more) =>
          kinds.map(({ place, nest }, i) => nested(place(2 * i + more), nest, deepest)),
        );
        const files = Object.fromEntries(
          lines.map((line, i) => [`${String(i).padStart(2, '0')}.jsonl`, line]),
        );
        const run = await build(files, ['--max-depth', `${limit}`, ...KEEP_CONTENTS], shortcut);
        const { sums, quarantine } = readDataset(run.out);
        expect([run.status, sums.fates]).toEqual([
          3,
          { 'rejected:too-deep': kinds.length, snapshot: kinds.length },
        ]);
        expect(quarantine.map(({ reason }) => reason)).toEqual(kinds.map(() => 'too-deep'));
        expect(sums.records).toBe(kinds.length);
        expect(settingsOf(run)).toMatchObject({ maxDepth: limit });
      },
    );
  }
});

faultTest('F051', 'the deepest allowed text passes every format and its consumer', {}, async () => {
  const logs = places.flatMap((place) => nests.map((nest) => nested(place(1), nest, MAX_DEPTH_CEILING)));
  const deep = nests.map((nest) => nest(MAX_DEPTH_CEILING - 10));
  const texts = deep.map((text) =>
    entryLine({ messages: [USER, { role: 'tool', content: text }], reply: callWith(text) }),
  );
  const files = Object.fromEntries([...logs, ...texts].map((line, i) => [`${i}.jsonl`, line]));
  const limit = ['--max-depth', `${MAX_DEPTH_CEILING}`, '--workers', '1', ...KEEP_CONTENTS];
  const run = await build(files, [...limit, ...FORMATS.flatMap((name) => ['--format', name])]);
  expect(run.status, run.stderr).toBe(3); // some formats reject arguments that are not an object
  expect((await turnmill(['verify', run.out])).status).toBe(0);
  const records = FORMATS.map((name) => recordsOf(join(run.out, 'data', name)));
  for (const lines of records) for (const line of lines) JSON.parse(line);
  expect(records[FORMATS.indexOf('chat')]).toHaveLength(logs.length + texts.length);
  const targets = FORMATS.flatMap((name) => ['--target', name]);
  const checked = await turnmill(['check', run.logs, ...limit, ...targets]);
  expect([0, 3], checked.stderr).toContain(checked.status);
  const deck = await build(files, [...limit, '--format', 'samples', '--as', 'toml']);
  expect(deck.status, deck.stderr).toBe(3);
});

/** The lines of a folder's shards; none if a format rejected everything. */
function recordsOf(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
}

faultTest('F052', '--max-messages: exactly that many with the reply, and not one more', {}, async () => {
  const of = (at: number, count: number, reply: object | null): string =>
    entryLine({ at, messages: Array.from({ length: count }, () => USER), reply });
  const reply = { role: 'assistant', content: 'hi' };
  const lines = [of(1, 1, reply), of(2, 2, reply), of(3, 3, null), of(4, 3, reply), of(5, 4, null)];
  const run = await build({ 's.jsonl': lines.join('\n') }, ['--max-messages', '3']);
  const { sums, quarantine, records } = readDataset(run.out);
  expect([run.status, sums.fates]).toEqual([
    3,
    { 'rejected:too-many-messages': 2, snapshot: 1, superseded: 2 },
  ]);
  expect(quarantine).toMatchObject([4, 5].map((line) => ({ reason: 'too-many-messages', line })));
  expect(JSON.parse(records[0] as string).messages).toHaveLength(3);
  expect(settingsOf(run)).toMatchObject({ maxMessages: 3 });
});

faultTest('F052', '--max-messages for objects that share a line: each has its place', {}, async () => {
  const long = entryLine({ at: 2, messages: [USER, USER, USER] });
  const [first, last] = [entryLine({ at: 1 }), entryLine({ at: 3 })];
  const run = await build({ 's.jsonl': `${first}${long}${last}\n` }, ['--max-messages', '2']);
  const { sums, quarantine } = readDataset(run.out);
  expect(sums.fates).toEqual({ 'rejected:too-many-messages': 1, snapshot: 1, superseded: 1 });
  expect(quarantine).toMatchObject([
    { line: 1, byte_start: first.length, byte_end: first.length + long.length },
  ]);
});

faultTest('F089', '--max-sources: exactly that many; with one more nothing is read', {}, async () => {
  const files = { 'a.jsonl': entryLine(), 'b.jsonl': entryLine(), 'c.txt': 'no log' };
  const enough = await build(files, ['--max-sources', '2']);
  expect([enough.status, settingsOf(enough)]).toMatchObject([0, { maxSources: 2 }]);
  const one = await build(files, ['--max-sources', '1']);
  expect([one.status, one.beside]).toEqual([65, ['logs']]);
  const message = '2 sources found, but --max-sources allows 1; nothing was read';
  expect(JSON.parse(one.stderr)).toMatchObject({
    code: 'rejected',
    subject: '--max-sources',
    msg: message,
  });
  const piped = await turnmill(['build', one.logs, '--out', '-', '--max-sources', '1']);
  expect([piped.status, piped.stdout.length]).toEqual([65, 0]);
});
