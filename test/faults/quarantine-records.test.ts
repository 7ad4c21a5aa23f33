/** Quarantine records and `quarantine list`, from outside: every record has its place and its hash. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ALL, build, type Kept, late, lines, recordsOf } from '../support/quarantine-logs.ts';

describe('a quarantine record', () => {
  test.each(['1', '2'])('has the place and the hash of its bytes, with %s workers', async (workers) => {
    const { status, logs, out } = await build(ALL, '--session-by', 'run', '--workers', workers);
    expect(status).toBe(3);
    const records = recordsOf(out);
    expect(
      records
        .map(({ scope }) => scope)
        .sort()
        .join(' '),
    ).toBe(['line', 'line', 'line', ...Array(11).fill('session')].join(' '));
    for (const { source, byte_start, byte_end, raw_sha256 } of records) {
      const bytes = readFileSync(join(logs, source.uri));
      const content = source.uri.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      const hash = createHash('sha256').update(content.subarray(byte_start, byte_end)).digest('hex');
      expect(raw_sha256, `${source.uri} from ${byte_start}`).toBe(hash);
    }
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('has the documented members, and no others', async () => {
    const bad = lines(entry({ id: 'a' }), '{');
    const { logs, out } = await build({
      'a.jsonl': bad,
      'b.jsonl.gz': gzipSync(lines(...late('b'))),
      'c.jsonl.gz': Buffer.concat([gzipSync(bad), Buffer.from('rest')]),
    });
    const [offset, size] = [bad.length - 2, bad.length];
    const hashed = { raw_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const inSession = {
      ...{ v: 2, scope: 'session', reason: 'timestamp-not-increasing', stage: 'validate' },
      source: { uri: 'b.jsonl.gz', size: lstatSync(join(logs, 'b.jsonl.gz')).size },
      ...{ member: 1, session_key: 'b', ...hashed },
      error: { code: 'timestamp-not-increasing', message: expect.stringMatching(/\(line 2\)$/) },
    };
    const second = late('b')[0]?.length as number;
    expect(recordsOf(out)).toEqual([
      {
        ...{ v: 2, scope: 'line', reason: 'invalid-json', stage: 'parse', source: { uri: 'a.jsonl', size } },
        ...{ line: 2, byte_start: offset, byte_end: offset + 1, ...hashed, raw_ref: { offset, length: 1 } },
        error: { code: 'invalid-json', message: expect.stringContaining('not JSON'), at: 1 },
      },
      {
        ...{ ...inSession, line: 1, byte_start: 0, byte_end: second },
        raw_ref: { offset: 0, length: second },
      },
      {
        ...{ ...inSession, line: 2, byte_start: second + 1, byte_end: 2 * second + 1 },
        raw_ref: { offset: second + 1, length: second },
      },
      {
        ...{ v: 2, scope: 'source', reason: 'trailing-data', stage: 'source' },
        source: { uri: 'c.jsonl.gz', size: lstatSync(join(logs, 'c.jsonl.gz')).size },
        error: { code: 'trailing-data', message: expect.stringContaining('data follows the end') },
      },
    ]);
  });

  test.each(['1', '2'])('names the gzip member in which a line begins, with %s workers', async (workers) => {
    const rejected = (id: string): string[] => [...late(id), '{', entry({ id, second: 0 })];
    const tiny = (text: string): Buffer[] => text.match(/.{1,7}/gs)?.map((part) => gzipSync(part)) ?? [];
    const parts = {
      'a.jsonl.gz': [
        lines(...rejected('a')),
        '',
        '',
        lines('['),
        `${lines('{')}{"torn`,
        'rest\n"',
        '\n]\n',
      ].map((text) => gzipSync(text)),
      'b.jsonl.gz': tiny(lines(...rejected('b'))),
      'c.json.gz': tiny(`[ ${late('c').join(' ,   ')} , 1,\n "2" ]`),
      'd.jsonl.gz': [gzipSync(lines('{', ...late('d')))],
    };
    const files = Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, Buffer.concat(all)]));
    const { out } = await build(files, '--workers', workers);
    const records = recordsOf(out);
    expect(records.length).toBeGreaterThan(15);
    for (const { source, byte_start, member } of records) {
      let end = 0;
      const ends = parts[source.uri as keyof typeof parts].map((part) => (end += gunzipSync(part).length));
      expect([source.uri, byte_start, member]).toEqual([
        source.uri,
        byte_start,
        ends.findIndex((each) => each > byte_start) + 1,
      ]);
    }
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('keeps the bytes with --quarantine-content raw, up to 1 MiB each and --quarantine-size in total', async () => {
    const huge = entry({ id: 'a', messages: [{ role: 'user', content: 'x'.repeat(1024 * 1024) }] });
    const files = { 'a.jsonl': lines(huge, ...late('a')), 'b.jsonl': lines(...late('b'), '{', '[') };
    const raw = await build(files, '--quarantine-content', 'raw');
    const kept = ({ raw_b64 }: Kept): number => Buffer.from(raw_b64 ?? '', 'base64').length;
    expect(recordsOf(raw.out).map((record) => kept(record) === record.byte_end - record.byte_start)).toEqual([
      false,
      ...Array(6).fill(true),
    ]);
    const few = await build(files, '--quarantine-content', 'raw', '--quarantine-size', '2');
    const sizes = recordsOf(few.out).map(kept);
    expect(sizes.filter((size) => size > 0)).toEqual([1, 1]);
    expect((await turnmill(['verify', few.out])).status).toBe(0);
  });

  test('is readable only by its owner: folder 0700, file 0600', async () => {
    const { out } = await build({ 'a.jsonl': lines('{') });
    const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);
    expect([mode(join(out, 'quarantine')), mode(join(out, 'quarantine/rejected.jsonl'))]).toEqual([
      '700',
      '600',
    ]);
  });

  test('for standard input: lines keep their bytes, entries of sessions only their place', async () => {
    const out = join(temporaryFolder(), 'out');
    await turnmill(['build', '-', '--out', out], lines(...late('a'), '{'));
    expect(recordsOf(out)).toMatchObject([
      { scope: 'line', raw_b64: Buffer.from('{').toString('base64') },
      { scope: 'session', byte_start: 0, raw_sha256: null },
      { scope: 'session', raw_sha256: null },
    ]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const list = (await turnmill(['quarantine', 'list', out, '--json'])).stdout.toString();
    expect(list.match(/"kept":"\w+"/g)).toEqual(['"kept":"raw"', '"kept":"nothing"', '"kept":"nothing"']);
  });
});

describe('quarantine list', () => {
  test('shows each record and no content', async () => {
    const { out } = await build(
      { 'a.jsonl': lines('{"secret', ...late('a')) },
      '--quarantine-content',
      'raw',
    );
    const { status, stdout } = await turnmill(['quarantine', 'list', out]);
    expect(status).toBe(0);
    expect(stdout.toString().split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^a\.jsonl:1 {2}line {2}invalid-json \(8 B, raw\): not JSON/),
      expect.stringMatching(/^a\.jsonl:2 {2}session {2}time out of order \(timestamp-not-increasing\)/),
    ]);
    const json = (await turnmill(['quarantine', 'list', out, '--json'])).stdout.toString();
    expect(json).not.toContain('raw_b64');
    expect(json).not.toContain('secret');
  });
});
