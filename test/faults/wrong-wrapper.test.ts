/**
 * F062, F121, from outside: files that are not logs, and logs in another wrapper. A document instead of lines is read; anything else is one
 * rejection for its source instead of thousands for its lines, and the other sources are read.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { asEverySource, type Built, buildLogs, entryLine } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const entries = Array.from({ length: 800 }, (_, i) => JSON.parse(entryLine({ at: i })) as object);
const pack = (log: string | Uint8Array): Uint8Array => gzipSync(log);

/** Logs written as one JSON document, or as several. */
const documents: Readonly<Record<string, string>> = {
  'a pretty-printed array': JSON.stringify(entries, null, 2),
  'an array, one element a line': `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`,
  'an array on one line': JSON.stringify(entries),
  'pretty-printed objects, one after the other': entries
    .map((entry) => JSON.stringify(entry, null, '\t'))
    .join('\n'),
};

describe('F062 a log in another wrapper is read', () => {
  for (const [kind, text] of Object.entries(documents)) {
    faultTest('F062', `${kind}, named .jsonl: read as a document, counted`, {}, async () => {
      const lines = entries.map((entry) => JSON.stringify(entry)).join('\n');
      const [plain = ''] = (await buildLogs({ files: { 's.jsonl': lines } })).records;
      for (const [source, input] of asEverySource(text)) {
        const { status, sums, records } = await buildLogs(input);
        expect([source, status, sums.fates]).toEqual([source, 0, { snapshot: 1, superseded: 799 }]);
        expect(sums.repairs['json-document']).toBe(1);
        expect(records.map((record) => JSON.parse(record))).toEqual([JSON.parse(plain)]);
      }
    });
  }

  faultTest('F062', 'a pretty-printed array cut in the middle: the complete part is used', {}, async () => {
    const text = documents['a pretty-printed array'] as string;
    const { status, sums, quarantine } = await buildLogs({
      files: { 's.jsonl': text.slice(0, text.length / 2) },
    });
    expect(status).toBe(3);
    expect(sums.fates).toMatchObject({ snapshot: 1, 'rejected:invalid-json': 1 });
    expect(sums.fates.superseded).toBeGreaterThan(350);
    expect(quarantine).toMatchObject([{ reason: 'invalid-json', byte_end: Math.floor(text.length / 2) }]);
  });
});

const rows = Array.from({ length: 5000 }, (_, i) => `2026-01-13,s${i},"{""messages"":[]}"\n`).join('');
const html = `<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n${'<p>busy</p>\n'.repeat(3000)}</html>\n`;
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;

/** Files in other formats, with the reason and part of its message. */
const foreign: Readonly<Record<string, readonly [bytes: string | Buffer, reason: string, words: string]>> = {
  CSV: [`timestamp,session_id,request\n${rows}`, 'not-json-lines', 'CSV'],
  'an HTML error page': [html, 'not-json-lines', 'HTML'],
  'an XML error': ['<?xml version="1.0"?>\n<Error/>\n', 'not-json-lines', 'XML'],
  'a git-lfs pointer': [pointer, 'not-json-lines', 'git-lfs pointer'],
  'a program': [readFileSync(process.execPath).subarray(0, 4_000_000), 'not-json-lines', 'ELF'],
  'UTF-16 with a mark': [
    Buffer.from(`\ufeff${entryLine()}\n`.repeat(1000), 'utf16le'),
    'encoding-utf16',
    'UTF-16',
  ],
  'UTF-16, big endian, without a mark': [
    Buffer.from(`${entryLine()}\n`.repeat(1000), 'utf16le').swap16(),
    'encoding-utf16',
    'UTF-16',
  ],
};

function expectRefused(
  { status, sums, records, quarantine, stderr }: Built,
  reason: string,
  words: string,
): void {
  expect(status).toBe(3);
  expect(sums.sources).toEqual({ read: 1, rejected: 1 });
  expect(sums.fates).toEqual({ snapshot: 1 });
  expect(records).toHaveLength(1);
  expect(quarantine).toMatchObject([{ scope: 'source', reason }]);
  expect(quarantine[0]?.error?.message).toContain(words);
  expect(stderr).toContain(reason);
}

const ALWAYS = ['an HTML error page', 'UTF-16 with a mark'];

describe('F062 a file that is not a log is rejected once', () => {
  for (const [kind, [bytes, reason, words]] of Object.entries(foreign)) {
    const id = reason === 'encoding-utf16' ? 'F045, F062' : 'F062';
    faultTest(id, `${kind}: ${reason}`, { long: !ALWAYS.includes(kind) }, async () => {
      const good = { 'a.jsonl': entryLine({ id: 'a' }) };
      expectRefused(await buildLogs({ files: { ...good, 'x.jsonl': bytes } }), reason, words);
      expectRefused(await buildLogs({ files: { ...good, 'x.jsonl.gz': pack(bytes) } }), reason, words);
      expectRefused(await buildLogs({ files: { ...good, 'x.json': bytes } }), reason, words);
      const piped = await turnmill(['check', '-'], bytes);
      expect([piped.status, `${piped.stdout}`]).toEqual([3, expect.stringContaining(reason)]);
    });
  }

  faultTest('F062', 'zero-filled: one line that is not JSON, with its place', {}, async () => {
    const { status, quarantine } = await buildLogs({ files: { 'x.jsonl': Buffer.alloc(3_000_000) } });
    expect(status).toBe(3);
    expect(quarantine).toMatchObject([
      { reason: 'invalid-json', line: 1, byte_start: 0, byte_end: 3_000_000 },
    ]);
  });

  faultTest('F062', 'explain gives the same reason for any of its lines', {}, async () => {
    const { out } = await buildLogs({ files: { 'a.jsonl': entryLine(), 'x.jsonl': html } });
    const { status, stdout } = await turnmill(['explain', `${join(out, '../logs/x.jsonl')}:7`]);
    expect([status, stdout.toString()]).toEqual([0, expect.stringContaining('rejected: not-json-lines')]);
  });

  faultTest('F121', 'a tar archive of logs is rejected under any name', {}, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 's.jsonl'), entryLine({ id: 't' }));
    const tar = execFileSync('tar', ['-c', '-C', folder, 's.jsonl']);
    for (const name of ['x.jsonl', 'x.json']) {
      const built = await buildLogs({ files: { 'a.jsonl': entryLine({ id: 'a' }), [name]: tar } });
      expectRefused(built, 'unsupported-compression', 'tar');
    }
    const built = await buildLogs({ files: { 'a.jsonl': entryLine({ id: 'a' }), 'x.jsonl.gz': pack(tar) } });
    expectRefused(built, 'unsupported-compression', 'tar');
  });
});
