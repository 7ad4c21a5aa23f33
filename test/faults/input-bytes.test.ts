/**
 * F045 to F049, F060: misleading bytes. Byte order marks, Unicode separators, NULs, invalid UTF-8, lone surrogates, other normal forms:
 * rejected with their place, or kept unchanged, byte for byte.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { asEverySource, buildLogs, entryLine, readDataset } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const BOM = '\ufeff';
const [first, second, third] = [1, 2, 3].map((at) => entryLine({ at })) as [string, string, string];

/** A log line with one message whose text is this JSON string. */
const withText = (json: string | Buffer, at = 1): Buffer => {
  const [before = '', after = ''] = entryLine({ at, messages: [{ role: 'user', content: '@' }] }).split(
    '"@"',
  );
  return Buffer.concat([Buffer.from(before), Buffer.from(json), Buffer.from(after)]);
};

describe('F045 byte order marks', () => {
  faultTest('F045', 'one at the start of the source or of a line is left out and counted', {}, async () => {
    const log = `${BOM}${first}\n${BOM}${second}\n${third}\n`;
    for (const [source, input] of asEverySource(log)) {
      const { status, sums, quarantine } = await buildLogs(input);
      expect([source, status, sums.fates]).toEqual([source, 0, { snapshot: 1, superseded: 2 }]);
      expect([sums.repairs.bom, sums.repairs['bom-prefix'], quarantine]).toEqual([1, 1, []]);
    }
  });

  faultTest('F045', 'one between the members of an object rejects its line', {}, async () => {
    const log = `${first}\n${second.replace('{', `{${BOM}`)}\n`;
    const { status, sums, quarantine } = await buildLogs({ files: { 's.jsonl': log } });
    expect([status, sums.fates]).toEqual([3, { 'rejected:invalid-json': 1, snapshot: 1 }]);
    expect(quarantine).toMatchObject([{ line: 2, byte_start: Buffer.byteLength(first) + 1 }]);
  });

  faultTest('F045', 'doubled, inside a text, and before blanks', {}, async () => {
    const files = {
      'double.jsonl': `${BOM}${BOM}${first}`,
      'text.jsonl': withText(`"${BOM}x${BOM}"`),
      'blank.jsonl': `${BOM}\n\n${first}`,
    };
    const { sums, records } = await buildLogs({ files });
    expect([sums.fates, sums.repairs['bom-prefix']]).toEqual([{ blank: 2, snapshot: 3 }, 1]);
    expect(records[2]).toContain(`"${BOM}x${BOM}"`);
  });
});

const separators = ['\u2028', '\u2029', '\u0085', '\u00a0', '\u3000', '\u200b'];

describe('F046 Unicode separators', () => {
  faultTest('F046', 'in a text they stay unchanged, and each line is one record', {}, async () => {
    const files = Object.fromEntries(
      separators.map((c, i) => [
        `s${i}.jsonl`,
        withText(`"a${c}b\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}"`),
      ]),
    );
    const { status, sums, records } = await buildLogs({ files });
    expect([status, sums.records]).toEqual([0, separators.length]);
    for (const [i, c] of separators.entries())
      expect(records[i]).toContain(`"a${c}b\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}"`);
  });

  faultTest('F046', 'VT and FF in a text, and any of them between tokens, are not JSON', {}, async () => {
    const texts = ['"a\vb"', '"a\fb"', ...['\v', '\f', ...separators].map((c) => `${c}"a"`)];
    const log = Buffer.concat(
      [first, ...texts.map((json) => withText(json)), second].flatMap((line) => [
        Buffer.from(line),
        Buffer.from('\n'),
      ]),
    );
    const { sums, quarantine } = await buildLogs({ files: { 's.jsonl': log } });
    expect(sums.fates).toEqual({ 'rejected:invalid-json': texts.length, snapshot: 1, superseded: 1 });
    expect(quarantine.map(({ line }) => line)).toEqual(texts.map((_, i) => i + 2));
  });
});

describe('F047 NULs', () => {
  faultTest('F047', 'a raw NUL rejects its line, an escaped one is text', {}, async () => {
    const log = Buffer.concat([withText('"a\0b"'), Buffer.from(`\n`), withText('"a\\u0000b"', 2)]);
    for (const [source, input] of asEverySource(log)) {
      const { sums, quarantine, records } = await buildLogs(input);
      expect([source, sums.fates]).toEqual([source, { 'rejected:invalid-json': 1, snapshot: 1 }]);
      expect(quarantine[0]?.error?.message).toContain(
        `at byte ${withText('"a').indexOf('"a') + 2} of the line`,
      );
      expect(records[0]).toContain('"a\\u0000b"');
    }
  });

  faultTest(
    'F047',
    'a hole of zeros left by a crash is one record with its place, and the lines after it are read',
    {},
    async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'logs'));
      const fd = openSync(join(folder, 'logs/s.jsonl'), 'w');
      writeSync(fd, `${first}\n`);
      const hole = 40 * 1024 * 1024;
      ftruncateSync(fd, first.length + 1 + hole);
      writeSync(fd, `\n${second}\n`, first.length + 1 + hole);
      closeSync(fd);
      const out = join(folder, 'out');
      const { status } = await turnmill(['build', join(folder, 'logs'), '--out', out, '--group-by', 'none']);
      const { sums, quarantine } = readDataset(out);
      expect([status, sums.fates]).toEqual([3, { 'rejected:invalid-json': 1, snapshot: 1, superseded: 1 }]);
      const begin = first.length + 1;
      expect(quarantine).toMatchObject([{ line: 2, byte_start: begin, byte_end: begin + hole }]);
      expect(quarantine[0]).not.toHaveProperty('raw_b64');
    },
  );

  faultTest(
    'F047',
    'zeros at the end after half of a line belong to it; alone they are a rejected line',
    {},
    async () => {
      for (const tail of [second.slice(0, -9), '']) {
        const log = Buffer.concat([Buffer.from(`${first}\n${tail}`), Buffer.alloc(4096)]);
        for (const [source, input] of asEverySource(log)) {
          const { sums, quarantine, records } = await buildLogs(input);
          const fate = tail === '' ? 'rejected:invalid-json' : 'dropped:unfinished-line';
          const refused = tail === '' ? 1 : 0;
          const found = [source, sums.fates, quarantine.length, records.length];
          expect(found).toEqual([source, { [fate]: 1, snapshot: 1 }, refused, 1]);
          expect(sums.findings).toMatchObject({ 'damaged-tail': 1 });
        }
      }
    },
  );
});

/** Bytes that are invalid in UTF-8. */
const notUtf8: Readonly<Record<string, string>> = {
  'Latin-1': 'caf\xe9 ',
  'a lone continuation byte': '\x80',
  'an overlong slash': '\xc0\xaf',
  'an overlong NUL': '\xc0\x80',
  'overlong in 3 bytes': '\xe0\x80\xaf',
  'overlong in 4 bytes': '\xf0\x80\x80\xaf',
  'a surrogate': '\xed\xa0\x80',
  'a CESU pair': '\xed\xa0\xbd\xed\xb8\x80',
  'beyond U+10FFFF': '\xf4\x90\x80\x80',
  'a lead byte of a 5-byte sequence': '\xf8\x88\x80\x80\x80',
  FF: '\xff',
  'a truncated sequence': '\xe2\x82',
};

describe('F048 bytes that are not UTF-8', () => {
  faultTest('F048', 'they reject their line with their place; nothing becomes U+FFFD', {}, async () => {
    const bad = Object.values(notUtf8).map((bytes) => withText(latin1(`"${bytes}"`)));
    const lines = [first, ...bad, second].map((line) => Buffer.from(line));
    const log = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    for (const [source, input] of asEverySource(log)) {
      const { status, sums, quarantine, records } = await buildLogs(input, ['--quarantine-content', 'raw']);
      expect([source, status, sums.fates]).toEqual([
        source,
        3,
        { 'rejected:invalid-utf8': bad.length, snapshot: 1, superseded: 1 },
      ]);
      const at = (bad[1] as Buffer).indexOf(0x80);
      for (const [i, { raw_b64 = '', error }] of quarantine.entries()) {
        expect(Buffer.from(raw_b64, 'base64')).toEqual(bad[i]);
        if (i > 0) expect(error?.message).toContain(`at byte ${at} of the line`);
      }
      expect(records.join('')).not.toContain('\ufffd');
    }
  });

  faultTest('F048', 'in a key, in unread members, and outside strings', {}, async () => {
    const places = ['{"\xff":1}', '{"unread":"\xff"}', '{"a":\xff}', '\xff'];
    const log = latin1([...places, ''].join('\n'));
    const { sums } = await buildLogs({ files: { 's.jsonl': log } });
    expect(sums.fates).toEqual({ 'rejected:invalid-utf8': places.length });
  });

  faultTest('F048', 'all valid characters pass, including U+FFFD', {}, async () => {
    const text = '\u007f\u0080\u07ff\u0800\ud7ff\ue000\ufffd\ufffe\uffff\u{10000}\u{10ffff}';
    const { status, records } = await buildLogs({ files: { 's.jsonl': withText(`"${text}"`) } });
    expect([status, records[0]?.includes(`"${text}"`)]).toEqual([0, true]);
  });
});

const halves = ['\\ud800', '\\udc00', '\\uD83D x', '\\ud83d\\ud83d\\ude00', '\\ude00\\ud83d', '\\\\ud800'];

describe('F049 lone surrogates', () => {
  for (const format of ['chat', 'chat-inline', 'openai']) {
    faultTest('F049', `their escapes stay unchanged, in ${format}`, {}, async () => {
      const files = Object.fromEntries(halves.map((json, i) => [`s${i}.jsonl`, withText(`"a${json}b"`)]));
      const { status, records } = await buildLogs({ files }, ['--format', format]);
      expect([status, records.length]).toEqual([0, halves.length]);
      for (const [i, json] of halves.entries()) expect(records[i]).toContain(`"a${json}b"`);
    });
  }
});

describe('F060 normal forms', () => {
  const pairs = [
    'é',
    'e\u0301',
    'ﬁ',
    'fi',
    'Ａ',
    'A',
    'А',
    'a\u200bb',
    'ab',
    '\u202eab',
    'ß',
    'ss',
    'İ',
    'i',
  ];

  faultTest('F060', 'ids and names that look alike stay distinct, byte for byte', {}, async () => {
    const tools = pairs.map((name) => ({ type: 'function', function: { name } }));
    const log = pairs
      .map((id, at) => entryLine({ id, at, tools, messages: [{ role: 'user', content: id }] }))
      .join('\n');
    const { status, sums, records } = await buildLogs({ stdin: log });
    expect([status, sums.records, sums.tools]).toMatchObject([0, pairs.length, { kept: pairs.length ** 2 }]);
    for (const [i, id] of pairs.entries()) {
      const { messages, tools: kept } = JSON.parse(records[i] ?? '') as {
        messages: { content: string }[];
        tools: { name: string }[];
      };
      expect([messages[0]?.content, kept.map(({ name }) => name)]).toEqual([id, pairs]);
    }
  });
});
