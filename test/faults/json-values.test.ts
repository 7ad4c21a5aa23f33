/**
 * F053 to F059: JSON that other tools lose or invent. Prototype keys, duplicate keys, numbers beyond a double, key order and escapes leave
 * unchanged; text that is not JSON is rejected at its byte. Each session of a run is one case.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { buildLogs, entryLine, readDataset } from '../support/build-logs.ts';
import { COMMAND, ended } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fromLatin1 } from '../transforms/bytes.ts';
import { SCANNER_CASES } from '../transforms/json/scanner-cases.ts';

const HOSTILE = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];

/** A log line with `"@"` replaced by this JSON text. */
const filled = (parts: Parameters<typeof entryLine>[0], json: string): string =>
  entryLine(parts).replaceAll('"@"', () => json);
const withContent = (json: string, id = 's'): string =>
  filled({ id, messages: [{ role: 'user', content: 'x', more: '@' }] }, json);
const withCall = (args: string): string => {
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '@' } }];
  return filled({ messages: [{ role: 'assistant', content: null, tool_calls }] }, args);
};
const logs = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line, i) => [`s${String(i).padStart(4, '0')}.jsonl`, line]));

describe('F053 prototype keys', () => {
  const object = `{${HOSTILE.map((key, i) => `"${key}":{"polluted":${i}}`).join(',')}}`;
  const tools = HOSTILE.map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: {} } },
  }));
  const lines = HOSTILE.map((id, at) =>
    filled({ id, at, tools, messages: [{ role: 'user', content: 'x', more: '@' }] }, object),
  );

  for (const [kind, node] of [
    ['as it is', []],
    ['with --disable-proto=delete', ['--disable-proto=delete']],
    ['with --disable-proto=throw', ['--disable-proto=throw']],
  ] as const) {
    faultTest('F053', `in messages, as names of tools and as session ids, Node ${kind}`, {}, async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'logs'));
      writeFileSync(join(folder, 'logs/s.jsonl'), lines.join('\n'));
      for (const group of ['none', 'scenario']) {
        const out = join(folder, group);
        const probe =
          'process.on("exit",()=>{if(({}).polluted!==undefined||[].polluted!==undefined)console.error("POLLUTED")})';
        const args = ['build', join(folder, 'logs'), '--out', out, '--session-by', 'id', '--group-by', group];
        const child = spawn(
          process.execPath,
          [...node, `--import=data:text/javascript,${probe}`, COMMAND, ...args],
          {
            stdio: ['ignore', 'pipe', 'pipe'],
          },
        );
        const { status, stderr } = await ended(child);
        expect([status, stderr.includes('POLLUTED')], stderr).toEqual([0, false]);
        const { sums, records } = readDataset(out);
        expect(sums.tools).toEqual({ seen: HOSTILE.length ** 2, kept: HOSTILE.length ** 2 });
        expect(records).toHaveLength(HOSTILE.length);
        for (const record of records) {
          expect(record).toContain(`"more":${object}`);
          expect((JSON.parse(record) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(
            HOSTILE,
          );
        }
      }
    });
  }

  faultTest('F053', 'as file names, inlined arguments and scenarios', {}, async () => {
    const files = Object.fromEntries(
      HOSTILE.map((name) => [`${name}.jsonl`, withCall(JSON.stringify(object))]),
    );
    const args = ['--format', 'chat-inline', '--group-by', 'scenario'];
    const { status, records, sums } = await buildLogs({ files }, args);
    expect([status, sums.records]).toEqual([0, HOSTILE.length]);
    const spaced = object.replaceAll(':', ': ').replaceAll(',', ', ');
    for (const record of records)
      expect(JSON.parse(record).messages[0].content).toContain(`"arguments": ${spaced}}`);
  });
});

describe('F054 duplicate keys', () => {
  faultTest('F054', 'inside messages, calls and tools they stay, in order', {}, async () => {
    const twice = '{"a":1,"b":{"c":1,"c":2},"a":{"a":[{"z":1,"z":1}]}}';
    const lines = [
      withContent(twice),
      withCall(twice),
      filled({ tools: [{ name: 'f', parameters: '@' }] }, twice),
    ];
    const { status, records } = await buildLogs({ files: logs(lines) });
    expect([status, records.length]).toEqual([0, 3]);
    for (const record of records) expect(record).toContain(twice);
  });

  faultTest(
    'F054',
    'in members that turnmill reads they reject the line, however they are escaped',
    {},
    async () => {
      const line = entryLine();
      const keys = ['timestamp', 'session_id', 'request', 'response', 'messages', 'tools'];
      const lines = keys.flatMap((key) => {
        const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
        return [key, escaped].flatMap((written) => [
          line.replace(`"${key}":`, `"${written}":null,"${key}":`),
          line.replace(`"${key}":`, `"${key}":[],"${written}":`),
        ]);
      });
      const { status, sums } = await buildLogs({ files: logs(lines) });
      expect([status, sums.fates]).toEqual([3, { 'rejected:duplicate-key': lines.length }]);
    },
  );
});

const numbers = [
  ...[
    '9007199254740993',
    '2512292042121000001',
    '1.10',
    '1E400',
    '-1e400',
    '-0',
    '-0.0',
    '1e-400',
    '0.1000000000000000055',
  ],
  ...[
    '1e5',
    '1E+05',
    '100000000000000000000000',
    '0.30000000000000004',
    '7'.repeat(400),
    `0.${'0'.repeat(400)}1`,
  ],
];
const wholeNumbers = `[${numbers.join(',')}]`;

describe('F055 numbers', () => {
  for (const format of ['chat', 'chat-inline', 'openai', 'trl']) {
    faultTest('F055', `keep their text in messages and calls, in ${format}`, {}, async () => {
      const inObject = `{"n":${wholeNumbers}}`;
      const lines = [withContent(wholeNumbers), withCall(inObject), withCall(JSON.stringify(inObject))];
      const { sums, records } = await buildLogs({ files: logs(lines) }, ['--format', format]);
      expect(sums.records).toBe(3);
      for (const record of records) {
        const found = record.replaceAll('\\"', '"').replaceAll(', ', ',');
        expect(found).toContain(wholeNumbers);
      }
    });
  }
});

describe('F056, F057 order and escapes', () => {
  faultTest('F056', 'integer-like keys keep their order, also when inlined', {}, async () => {
    const object = '{"b":1,"2":2,"1":3,"-1":4,"01":5,"4294967294":6,"0":7}';
    const lines = [withContent(object), withCall(object), withCall(JSON.stringify(object))];
    const plain = await buildLogs({ files: logs(lines) });
    for (const record of plain.records) expect(record.replaceAll('\\"', '"')).toContain(object);
    const inline = await buildLogs({ files: logs(lines.slice(1)) }, ['--format', 'chat-inline']);
    const spaced = object.replaceAll(':', ': ').replaceAll(',', ', ');
    for (const record of inline.records) expect(JSON.parse(record).messages[0].content).toContain(spaced);
  });

  faultTest(
    'F057',
    'escapes and blanks in a message stay; building from the record again changes nothing',
    {},
    async () => {
      const object = '{ "a\\/b" :\t"\\u0041\\u00e9é\\/\\b" ,"c": [ ] }';
      const { records } = await buildLogs({ files: { 's.jsonl': withContent(object) } });
      expect(records[0]).toContain(`"more":${object}`);
      const { messages } = {
        messages: (records[0] as string).slice('{"messages":'.length, records[0]?.lastIndexOf(',"tools"')),
      };
      const again = filled({ messages: '@', reply: null }, messages);
      expect((await buildLogs({ files: { 's.jsonl': again } })).records).toEqual(records);
    },
  );
});

/** Lines of other languages, and the byte of the first error. */
const notJson: readonly (readonly [line: string, at: number | undefined, reason?: string])[] = [
  ['{"a":NaN}', 5],
  ['{"a":Infinity}', 5],
  ['{"a":-Infinity}', 6],
  ['{"a":1} // comment', 8],
  ['{"a":/* 1 */1}', 5],
  ['{"a":1,}', 7],
  ['{"a":[1,]}', 8],
  ["{'a':1}", 1],
  ['{a:1}', 1],
  ['{"a":undefined}', 5],
  ['{"a":True}', 5],
  ['{"a":"\t"}', 6],
  ['{"a":01}', 6],
  ['{"a":+1}', 5],
  ['{"a":.5}', 5],
  ['{"a":"\\x41"}', 6],
  ['{"a":1', 6],
  ['{"a"', 4],
  ['[1,2]', 0, 'not-an-object'],
  ['null', 0, 'not-an-object'],
  ['"text"', 0, 'not-an-object'],
  ['-12.5e3', 0, 'not-an-object'],
  ['true', 0, 'not-an-object'],
  ['[1] [2]', 4],
  ['{"a":1},{"a":2}', 7],
];

describe('F058 values that are not JSON objects', () => {
  faultTest('F058', 'are rejected with line and byte; the lines around them are read', {}, async () => {
    const lines = notJson.map(([line]) => line);
    const log = [entryLine(), ...lines, entryLine({ at: 2 })].join('\n');
    const { status, sums, quarantine } = await buildLogs({ files: { 's.jsonl': log } });
    expect([status, sums.fates.snapshot, sums.fates.superseded]).toEqual([3, 1, 1]);
    let offset = entryLine().length + 1;
    for (const [i, [line, at, reason = 'invalid-json']] of notJson.entries()) {
      expect([line, quarantine[i]]).toMatchObject([line, { reason, line: i + 2, byte_start: offset }]);
      expect([line, quarantine[i]?.error?.message]).toEqual([
        line,
        expect.stringContaining(`at byte ${at} of the line (${offset + (at ?? 0)} of the source)`),
      ]);
      offset += line.length + 1;
    }
    expect(quarantine).toHaveLength(notJson.length);
  });

  faultTest(
    'F058',
    'two objects on one line are two entries, and one object over two lines is not read',
    {},
    async () => {
      const [one, two] = [entryLine({ at: 1 }), entryLine({ at: 2 })];
      const broken = one.replace(',"request"', ',\n"request"');
      const { sums } = await buildLogs({
        files: { 'a.jsonl': `${one}${two}\n`, 'b.jsonl': `${broken}\n${two}\n` },
      });
      expect(sums.repairs).toMatchObject({ 'split-objects': 1 });
      expect(sums.fates).toEqual({ 'rejected:invalid-json': 2, snapshot: 2, superseded: 1 });
    },
  );
});

describe('F059 the table of JSON documents', () => {
  const lines = SCANNER_CASES.filter(([, , text]) => !text.includes('\n') && !/^[ \t\r]*$/.test(text));

  for (const shortcut of ['on', 'off']) {
    faultTest('F059', `each one as a line of a log: pinned verdicts, shortcut ${shortcut}`, {}, async () => {
      expect(lines.length).toBeGreaterThan(300);
      const before = process.env.TURNMILL_SHORTCUT;
      process.env.TURNMILL_SHORTCUT = shortcut;
      const log = Buffer.concat(
        ['{}', ...lines.map(([, , text]) => fromLatin1(text))].flatMap((line) => [
          Buffer.from(line),
          Buffer.from('\n'),
        ]),
      );
      const { sums, quarantine } = await buildLogs({ files: { 's.jsonl': log } }, [
        '--dialect',
        'exchange',
      ]).finally(() => {
        if (before === undefined) delete process.env.TURNMILL_SHORTCUT;
        else process.env.TURNMILL_SHORTCUT = before;
      });
      const reasons = new Map(quarantine.map(({ line, reason }) => [line, reason]));
      for (const [i, [kind, name]] of lines.entries())
        expect([name, verdictsOf(kind, name)]).toEqual([name, expect.arrayContaining([reasons.get(i + 2)])]);
      expect(sums.lines).toBeGreaterThanOrEqual(lines.length + 1);
    });
  }
});

/** A byte order mark before a line is not part of it: files that were joined have one. */
const verdictsOf = (kind: string, name: string): readonly string[] | undefined =>
  name === 'byte order mark first' ? IS_JSON : VERDICTS[kind];

/** Reasons for lines that are JSON, not JSON, and too deep. */
const IS_JSON = ['not-an-object', 'bad-timestamp', 'bad-session-id', 'duplicate-key'];
const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  y: IS_JSON,
  'i+': IS_JSON,
  n: ['invalid-json', 'invalid-utf8', 'too-deep'],
  'i-': ['invalid-json', 'invalid-utf8'],
  deep: ['too-deep'],
};
