/** Ranges, their order, how they resume, and responses that do not match the request. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ByteWindow } from '../../../src/object-store/byte-window.ts';
import { ObjectClient } from '../../../src/object-store/client.ts';
import { RangedReader } from '../../../src/object-store/ranged-reader.ts';
import { resolveS3Options } from '../../../src/settings/s3-settings.ts';
import { refuse, sendError } from '../../support/s3-endpoint.ts';
import { startStore } from '../../support/s3-logs.ts';
import type { S3Server } from '../../support/s3-server.ts';
import { hangUp, type Misbehave } from '../../support/store-faults.ts';

const KIB = 1024;
const BYTES = randomBytes(300 * KIB);
const PATIENCE = { idleMs: 60_000, tries: 4, firstDelayMs: 1, longestDelayMs: 4 };
/** Limits for stores that stall and threads that are busy. */
const IMPATIENCE = { ...PATIENCE, idleMs: 500 };

interface Reading {
  readonly reader: RangedReader;
  readonly window: ByteWindow;
}

function open(
  server: S3Server,
  body: Buffer = BYTES,
  etag?: string,
  patience = PATIENCE,
  rangeBytes = 64 * KIB,
): Reading {
  const stored = server.put('bucket/a.jsonl', body);
  const options = resolveS3Options({ endpoint: server.endpoint, range: rangeBytes });
  const client = new ObjectClient(options, patience);
  const window = new ByteWindow(4 * rangeBytes);
  const object = { bucket: 'bucket', key: 'a.jsonl', etag: etag ?? stored.etag, sizeBytes: body.length };
  return { reader: new RangedReader(client, object, window), window };
}

async function readAll(reader: RangedReader, roomBytes: number = 10_000): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const room = Buffer.alloc(roomBytes);
    const count = await reader.read(room);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(room.subarray(0, count));
  }
}

const isSame = (bytes: Buffer): boolean => bytes.equals(BYTES);

/** Sends the head and some bytes of the correct answer, then does something else. */
function partly(bytes: number, then: (answer: ServerResponse) => void): Misbehave {
  return (answer, { headers }) => {
    const [, from = 0, last = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
    answer.writeHead(206, {
      etag: String(headers['if-match']),
      'content-range': `bytes ${from}-${last}/${BYTES.length}`,
      'content-length': last + 1 - from,
    });
    answer.write(BYTES.subarray(from, from + bytes), () => then(answer));
    return true;
  };
}

describe('an object in ranges', () => {
  it('is read by ranges of the given size, each with the ETag', async () => {
    const server = await startStore();
    const { reader, window } = open(server);
    expect(isSame(await readAll(reader))).toBe(true);
    expect(reader.readBytes).toBe(BYTES.length);
    const gets = server.requests.filter(({ kind }) => kind === 'get');
    expect(gets.map(({ headers }) => headers.range).sort()).toEqual(
      ['0-65535', '131072-196607', '196608-262143', '262144-307199', '65536-131071'].map((r) => `bytes=${r}`),
    );
    expect(
      gets.every(({ headers }) => headers['if-match'] === server.objects.get('bucket/a.jsonl')?.etag),
    ).toBe(true);
    expect(window.most).toBeLessThanOrEqual(256 * KIB);
  });

  it('needs no request when it is empty', async () => {
    const server = await startStore();
    const { reader } = open(server, Buffer.alloc(0));
    expect((await readAll(reader)).length).toBe(0);
    expect(server.requests).toEqual([]);
  });

  it('is read one range at a time while the window is full', async () => {
    const server = await startStore();
    const { reader, window } = open(server);
    window.reserve(256 * KIB);
    expect(reader.prefetch()).toBe(false);
    expect(isSame(await readAll(reader))).toBe(true);
    expect(window.most).toBe((256 + 64) * KIB);
  });

  it('frees its share of the window when it is closed early', async () => {
    const server = await startStore();
    const { reader, window } = open(server);
    await reader.read(Buffer.alloc(10));
    reader.close();
    expect(window.tryReserve(256 * KIB)).toBe(true);
  });

  it('is read a second time without a request when it fits into a range', async () => {
    const server = await startStore();
    const { reader, window } = open(server, BYTES, undefined, PATIENCE, 512 * KIB);
    await reader.read(Buffer.alloc(100 * KIB));
    for (let times = 0; times < 2; times++) {
      reader.rewind();
      expect(isSame(await readAll(reader))).toBe(true);
    }
    expect(server.requests.length).toBe(1);
    reader.close();
    expect(window.tryReserve(4 * 512 * KIB)).toBe(true);
  });

  it('is fetched again when it is larger, without bytes of the first reading', async () => {
    const server = await startStore();
    const { reader, window } = open(server);
    const held: (() => void)[] = [];
    const fault = server.fault(
      ({ headers }) => !headers.range?.startsWith('bytes=0-'),
      (_answer, _asked, serve) => {
        held.push(serve);
        return true;
      },
      2,
    );
    await reader.read(Buffer.alloc(10_000));
    while (fault.fired < 2) await setTimeout(1);
    reader.rewind();
    for (const serve of held) serve();
    expect(isSame(await readAll(reader))).toBe(true);
    expect(server.requests.filter(({ headers }) => headers.range?.startsWith('bytes=0-')).length).toBe(2);
    reader.close();
    expect(window.tryReserve(256 * KIB)).toBe(true);
  });
});

describe('parts of an object', () => {
  const MIB = 1024 * KIB;
  const large = randomBytes(8 * MIB);
  const sparse = async (): Promise<{ server: S3Server; reader: RangedReader; ranges(): string[] }> => {
    const server = await startStore();
    const { etag } = server.put('bucket/a.jsonl', large);
    const options = resolveS3Options({ endpoint: server.endpoint, range: 4 * MIB });
    const object = { bucket: 'bucket', key: 'a.jsonl', etag, sizeBytes: large.length };
    const window = new ByteWindow(16 * MIB);
    const reader = new RangedReader(new ObjectClient(options, PATIENCE), object, window, true);
    const ranges = (): string[] =>
      server.requests.map(({ headers }) => {
        const [, from, last] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
        return `${(from as number) / MIB}-${((last as number) + 1) / MIB}`;
      });
    return { server, reader, ranges };
  };
  const at = async (reader: RangedReader, position: number, bytes = 1000): Promise<void> => {
    const room = Buffer.alloc(bytes);
    let have = 0;
    for (let count = -1; count !== 0 && have < bytes; have += count)
      count = await reader.readAt(position + have, room.subarray(have));
    expect(room.subarray(0, have).equals(large.subarray(position, position + bytes))).toBe(true);
  };

  it('are fetched in ever larger ranges while they are read in order', async () => {
    const { reader, ranges } = await sparse();
    for (let position = 0; position < large.length; position += 256 * KIB)
      await at(reader, position, 256 * KIB);
    expect(await reader.readAt(large.length, Buffer.alloc(10))).toBe(0);
    expect(ranges()).toEqual(['0-1', '1-2', '2-4', '4-8']);
  });

  it('take one request when they are close, and a small one each when they are far apart', async () => {
    const { reader, ranges } = await sparse();
    for (const position of [5, 4000, 70_000, 1000 * KIB, 5 * MIB, 5.5 * MIB, 2 * MIB])
      await at(reader, position);
    expect(ranges()).toEqual(['0-1', '5-6', '2-3']);
    expect(await reader.readAt(large.length + 5, Buffer.alloc(10))).toBe(0);
  });
});

describe('a connection that fails', () => {
  const failures: readonly (readonly [string, Misbehave])[] = [
    ['is reset in mid-body', partly(30_000, (answer) => answer.destroy())],
    ['stalls in mid-body', partly(20_000, () => undefined)],
    ['stalls before its head', () => true],
    ['is told to slow down', refuse(503, 'SlowDown')],
    ['gets an internal error', refuse(500, 'InternalError')],
    ['is closed without an answer', hangUp],
  ];
  it.each(failures)('S007-S009 %s: the range resumes after its last byte', async (_name, misbehave) => {
    const server = await startStore();
    const { reader } = open(server, BYTES, undefined, IMPATIENCE);
    const fault = server.fault('get', misbehave, 4);
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBe(4);
  });

  it('S008 may be reset repeatedly, because progress resets the number of tries', async () => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault(
      'get',
      partly(5000, (answer) => answer.destroy()),
      50,
    );
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBe(50);
    const starts = server.requests.map(({ headers }) => Number(/\d+/.exec(headers.range ?? '')?.[0]));
    expect(starts.some((from) => from % (64 * KIB) !== 0)).toBe(true);
  });

  it('ends the run if the store stays unavailable', async () => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault('get', refuse(503, 'SlowDown'), 1000);
    await expect(readAll(reader)).rejects.toMatchObject({ name: 'TurnmillError', code: 'unavailable' });
    expect(fault.fired).toBeGreaterThan(4);
    reader.close();
  });

  it('S017 is kept when its reader is slow', async () => {
    const server = await startStore();
    const { reader } = open(server, BYTES, undefined, IMPATIENCE);
    const first = Buffer.alloc(10);
    await reader.read(first);
    const until = performance.now() + 3 * IMPATIENCE.idleMs;
    while (performance.now() < until); // a busy thread receives nothing
    expect(isSame(Buffer.concat([first, await readAll(reader)]))).toBe(true);
    expect(server.requests.length).toBe(5);
  });
});

describe('an answer that does not match the request', () => {
  const wrong =
    (
      head: (from: number, last: number) => Record<string, string | number>,
      body: (from: number, last: number) => Buffer,
      status = 206,
    ): Misbehave =>
    (answer, { headers }) => {
      const [, from = 0, last = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
      answer.writeHead(status, { etag: String(headers['if-match']), ...head(from, last) });
      answer.end(body(from, last));
      return true;
    };
  const range = (from: number, last: number): string => `bytes ${from}-${last}/${BYTES.length}`;
  const answers: readonly (readonly [string, Misbehave])[] = [
    [
      'S010 a short body with 200',
      wrong(
        () => ({}),
        (from) => BYTES.subarray(from, from + 100),
        200,
      ),
    ],
    [
      'S011 another range',
      wrong(
        (from, last) => ({ 'content-range': range(from + 1, last + 1) }),
        (from, last) => BYTES.subarray(from + 1, last + 2),
      ),
    ],
    [
      'S011 the whole object with 200',
      wrong(
        () => ({}),
        () => BYTES,
        200,
      ),
    ],
    [
      'S012 more bytes than requested',
      wrong(
        (from, last) => ({ 'content-range': range(from, last) }),
        (from, last) => Buffer.concat([BYTES.subarray(from, last + 1), Buffer.from('more')]),
      ),
    ],
  ];
  it.each(answers)('S010-S012: %s makes the request repeat', async (_name, misbehave) => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault('get', misbehave, 3);
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBe(3);
  });

  it.each(answers)('S010-S012: %s every time makes the source unreadable', async (_name, misbehave) => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault('get', misbehave, 1000);
    await expect(readAll(reader)).rejects.toMatchObject({ name: 'SourceFault', reason: 'unreadable' });
    expect(fault.fired).toBeGreaterThan(4);
    reader.close();
  });

  const refusals: readonly (readonly [string, number, string, string])[] = [
    ['S004', 403, 'AccessDenied', 'unreadable'],
    ['S005', 404, 'NoSuchKey', 'vanished'],
    ['S006', 412, 'PreconditionFailed', 'changed-while-read'],
    ['S016', 403, 'InvalidObjectState', 'unreadable'],
  ];
  it.each(refusals)(
    'S004-S006, S016: %s with HTTP %d %s is a fault of the source: %s',
    async (_id, status, code, reason) => {
      const server = await startStore();
      const { reader } = open(server);
      const fault = server.fault('get', refuse(status, code), 100);
      await expect(readAll(reader)).rejects.toMatchObject({ name: 'SourceFault', reason });
      expect(fault.fired).toBeGreaterThan(0);
      expect(fault.fired).toBeLessThan(4); // not repeated
      reader.close();
    },
  );

  it('S006 reveals a replaced object even if the store ignores If-Match', async () => {
    const server = await startStore();
    const { reader } = open(server, BYTES, '"another"');
    const fault = server.fault(
      'get',
      (_answer, request) => {
        delete request.headers['if-match'];
        return false;
      },
      100,
    );
    await expect(readAll(reader)).rejects.toMatchObject({ reason: 'changed-while-read' });
    expect(fault.fired).toBeGreaterThan(0);
  });
});

describe('the store', () => {
  it('S013 gets new credentials when they have expired', async () => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault('get', refuse(400, 'ExpiredToken'), 2);
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBe(2);
  });

  it('S014 gets requests signed with its own time when the clocks differ', async () => {
    const server = await startStore();
    const { reader } = open(server);
    const storeTime = new Date(Date.now() + 3_600_000);
    const fault = server.fault('get', (answer) => {
      answer.setHeader('date', storeTime.toUTCString());
      sendError(answer, 403, 'RequestTimeTooSkewed');
      return true;
    });
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBe(1);
    const dates = server.requests.map(({ headers }) => String(headers['x-amz-date']).slice(0, 11));
    const expected = storeTime.toISOString().replaceAll(/[-:]/g, '').slice(0, 11);
    expect(dates.at(-1)).toBe(expected);
  });

  it('S015 gets requests in the region that it names', async () => {
    const server = await startStore();
    const { reader } = open(server);
    const fault = server.fault(
      ({ headers }) => !String(headers.authorization).includes('/eu-north-1/'),
      (answer) => {
        answer.setHeader('x-amz-bucket-region', 'eu-north-1');
        sendError(answer, 301, 'PermanentRedirect');
        return true;
      },
      1000,
    );
    expect(isSame(await readAll(reader))).toBe(true);
    expect(fault.fired).toBeGreaterThan(0);
    expect(String(server.requests.at(-1)?.headers.authorization)).toContain('/eu-north-1/s3/');
  });

  it('gets no credentials with --s3-anonymous', async () => {
    const server = await startStore();
    const { etag } = server.put('bucket/a.jsonl', BYTES);
    const options = resolveS3Options({ endpoint: server.endpoint, anonymous: true });
    const object = { bucket: 'bucket', key: 'a.jsonl', etag, sizeBytes: BYTES.length };
    const reader = new RangedReader(new ObjectClient(options), object, new ByteWindow(BYTES.length));
    expect(isSame(await readAll(reader))).toBe(true);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});
