import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  decodePart,
  encodePart,
  joinSmall,
  PART_HEADER_BYTES,
  readPartHeader,
} from '../../../src/ledger/part.ts';
import type { Result } from '../../../src/ledger/result.ts';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const results: readonly Result[] = [
  { kind: 'source-begin', source: 3, provisional: true, identity: '1:2:3:4' },
  { kind: 'record', group: '2026-01-13', format: 'chat', bytes: bytes('{"messages":[]}') },
  {
    kind: 'rejected-line',
    reason: 'invalid-json',
    stage: 'parse',
    detail: 'a lone \ud800 surrogate and "quotes"',
    line: 4,
    offset: 2 ** 40,
    length: 3,
    sha256: 'ab',
    raw: bytes('{"a'),
  },
  {
    kind: 'session',
    sessionId: undefined,
    fate: 'rejected',
    entries: 2,
    superseded: 0,
    truncated: 0,
    changes: [['null-fields', 2]],
    rejection: {
      reason: 'timestamp-not-increasing',
      stage: 'validate',
      detail: 'not later than the entry before it',
      line: 2,
      log: { count: 2, packed: Uint8Array.of(0, 1, 255) },
    },
  },
  { kind: 'record', group: '', format: 'trl', bytes: new Uint8Array(0) },
  { kind: 'finding', severity: 'ERROR', rule: 'x', sessionId: 's', line: 1, message: 'm' },
  {
    ...{ kind: 'session', sessionId: 's', fate: 'written', entries: 2, superseded: 0, truncated: 0 },
    ...{ folded: 1, root: '0c5b7f2a-4e11', changes: [] },
  },
  {
    ...{
      kind: 'finding',
      severity: 'WARNING',
      rule: 'copied-history',
      sessionId: 's',
      line: 1,
      message: 'm',
    },
    acrossSources: true,
  },
];

/** The value that has to survive: without undefined members, with bytes as plain arrays. */
const plain = (list: readonly Result[]): unknown =>
  JSON.parse(
    JSON.stringify(list, (_key, value) => (value instanceof Uint8Array ? { bytes: [...value] } : value)),
  );
const whole = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces));

describe('a part', () => {
  it('decodes to its results, from its pieces or from one buffer', () => {
    const pieces = encodePart(results);
    expect(plain(decodePart(pieces))).toEqual(plain(results));
    expect(plain(decodePart([whole(pieces)]))).toEqual(plain(results));
  });

  it('does not copy byte fields', () => {
    const record = results[1] as Extract<Result, { kind: 'record' }>;
    expect(encodePart([record])[1]).toBe(record.bytes);
  });

  it('has few pieces once small ones are joined, and a large field is still not copied', () => {
    const large = new Uint8Array(64 * 1024).fill(32);
    const records = [1, 2, 3].map((n) => ({ ...results[1], bytes: n === 2 ? large : bytes('x') }) as Result);
    const pieces = joinSmall(encodePart(records));
    expect(pieces.map((piece) => piece === large)).toEqual([false, true, false]);
    for (const piece of pieces) expect(piece.buffer.byteLength).toBe(piece.length);
    expect(plain(decodePart(pieces))).toEqual(plain(records));
  });

  it('holds the entry log of a session that may resume', () => {
    const session = results[3] as Extract<Result, { kind: 'session' }>;
    const { rejection: _, ...kept } = session;
    const log = { count: 1, packed: Uint8Array.of(1, 2, 128) };
    const written: Result = { ...kept, fate: 'written', entryLog: log };
    expect(plain(decodePart([whole(encodePart([written, ...results]))]))).toEqual(
      plain([written, ...results]),
    );
  });

  it('has its lengths in its header', () => {
    const pieces = encodePart(results);
    const { text, fields } = readPartHeader(pieces[0] as Uint8Array);
    expect(PART_HEADER_BYTES + text + fields).toBe(whole(pieces).length);
  });

  it('may hold no results', () => {
    expect(decodePart(encodePart([]))).toEqual([]);
  });

  it('is refused when truncated anywhere', () => {
    const part = whole(encodePart(results));
    for (let length = 0; length < part.length; length++)
      expect(() => decodePart([part.subarray(0, length)]), `${length} bytes`).toThrow(/^a part /);
  });

  it('is refused by a reader of another version', () => {
    const part = whole(encodePart(results));
    part[3] = '1'.charCodeAt(0);
    expect(() => decodePart([part])).toThrow(/header of version 3/);
  });

  it('can be read in another process', () => {
    const module = join(resolve(import.meta.dirname, '../../..'), 'dist/src/ledger/part.js');
    const script = `
      const { encodePart } = await import(${JSON.stringify(module)});
      const record = { kind: 'record', group: 'g', format: 'chat', bytes: Buffer.from('{"a":1}') };
      for (const piece of encodePart([record, record])) process.stdout.write(piece);`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(status).toBe(0);
    const record = { kind: 'record', group: 'g', format: 'chat', bytes: bytes('{"a":1}') };
    expect(plain(decodePart([new Uint8Array(stdout)]))).toEqual(plain([record, record] as Result[]));
  });
});
