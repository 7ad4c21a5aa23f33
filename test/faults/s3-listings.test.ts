/** Listings of a store that never end, or state what cannot be: the run ends within bounds, and names the cause. */
import { describe, expect, it } from 'vitest';
import { ObjectClient } from '../../src/object-store/client.ts';
import { listObjects } from '../../src/object-store/list-objects.ts';
import { listUploads } from '../../src/object-store/small-objects.ts';
import { DEFAULT_S3 } from '../../src/settings/s3-settings.ts';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startStore } from '../support/s3-logs.ts';
import type { Misbehave } from '../support/store-faults.ts';

const EVER = Number.POSITIVE_INFINITY;
const contents = (key: string, size: number | string = 10): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-13T10:00:00.000Z</LastModified><ETag>"e"</ETag><Size>${size}</Size></Contents>`;
const page = (items: string, next?: string): string =>
  `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${items}</ListBucketResult>`;

/** A page as a proxy that wants a password shows it. */
const HTML =
  '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Sign in</title></head><body><p>Hello<br>you &nbsp; there</p></body></html>';

/** Answers each request for a page with these pages, by their numbers. */
const pages = (pageAt: (number: number) => string): Misbehave => {
  let number = 0;
  return (answer) => {
    answer.writeHead(200, { 'content-type': 'application/xml' });
    answer.end(pageAt(number++));
    return true;
  };
};

/** A body without an end. */
const endless: Misbehave = (answer) => {
  const chunk = contents('logs/a.jsonl').repeat(500);
  const more = (): void => {
    while (!answer.destroyed && answer.write(chunk));
    if (!answer.destroyed) answer.once('drain', more);
  };
  answer.writeHead(200, { 'content-type': 'application/xml' });
  answer.write('<ListBucketResult>');
  more();
  return true;
};

describe('a listing', () => {
  it.each([
    [
      'repeats its continuation token',
      pages(() => page(contents('logs/a.jsonl'), 'again')),
      'RepeatedPage',
      2,
    ],
    [
      'repeats its continuation tokens in a circle',
      pages((n) => page(contents(`logs/${n}.jsonl`), `t${n % 3}`)),
      'RepeatedPage',
      4,
    ],
    [
      'repeats a page with ever new continuation tokens',
      pages((n) => page(contents('logs/a.jsonl'), `t${n}`)),
      'RepeatedKey',
      2,
    ],
    [
      'starts again with ever new continuation tokens',
      pages((n) => page(contents(`logs/${n % 3}.jsonl`) + contents(`logs/${n % 3}b.jsonl`), `t${n}`)),
      'RepeatedKey',
      4,
    ],
    [
      'shifts its pages in a circle with ever new continuation tokens',
      pages((n) => page([n, n + 1, n + 2].map((i) => contents(`logs/${i % 5}.jsonl`)).join(''), `t${n}`)),
      'RepeatedKey',
      6,
    ],
    [
      'does not name the next page',
      pages(() => page(contents('logs/a.jsonl')).replace('false', 'true')),
      'MissingContinuationToken',
      1,
    ],
    [
      'names the next page with an empty token',
      pages(() => page(contents('logs/a.jsonl'), '')),
      'MissingContinuationToken',
      1,
    ],
    ['is a page of HTML', pages(() => '<html>hi</html>'), 'NotAListing', 1],
    ['is a longer page of HTML', pages(() => HTML), 'failed (HTTP 200)', 1],
    ['is an empty body', pages(() => ''), 'NotAListing', 1],
    ['is cut', pages(() => page(contents('logs/a.jsonl')).slice(0, 90)), 'failed (HTTP 200)', 1],
    ['has only empty pages', pages((n) => page('', `t${n}`)), 'TooManyEmptyPages', 1000],
    ['has no end', endless, 'AnswerTooLong', 1],
    ['states a negative size', pages(() => page(contents('logs/a.jsonl', -5))), 'InvalidSize', 1],
    ['states half a byte', pages(() => page(contents('logs/a.jsonl', '0.5'))), 'InvalidSize', 1],
  ])('that %s ends the run with 74', async (_name, misbehave, code, requests) => {
    const server = await startStore();
    const fault = server.fault('list', misbehave, EVER);
    const out = `${temporaryFolder()}/out`;
    const run = await turnmill(['build', 's3://bucket/logs/', '--out', out], undefined, server.environment);
    expect(run.stderr).toContain(`cannot list s3://bucket/logs/: ${code}`);
    expect(run.status).toBe(74);
    expect(fault.fired).toBe(requests);
  });

  it('may have empty pages between others', async () => {
    const server = await startStore();
    const pageAt = (n: number): string =>
      page(n === 501 ? contents('logs/a.jsonl') : '', n === 1002 ? undefined : `t${n}`);
    const fault = server.fault('list', pages(pageAt), EVER);
    expect(await keysIn(server.endpoint)).toEqual(['logs/a.jsonl']);
    expect(fault.fired).toBe(1003); // 1000 in a row are too many
  });

  it('may have its keys in any order', async () => {
    const server = await startStore();
    const keys = Array.from({ length: 60 }, (_, i) => `logs/${(i * 37) % 60}.jsonl`);
    const pageAt = (n: number): string =>
      page(
        keys
          .slice(3 * n, 3 * n + 3)
          .map((key) => contents(key))
          .join(''),
        n === 19 ? undefined : `t${n}`,
      );
    const fault = server.fault('list', pages(pageAt), EVER);
    expect(await keysIn(server.endpoint)).toEqual(keys);
    expect(fault.fired).toBe(20);
  });

  it('may begin each page with the last key of the page before', async () => {
    const server = await startStore();
    const pageAt = (n: number): string =>
      page(contents(`logs/${n}.jsonl`) + contents(`logs/${n + 1}.jsonl`), n === 4 ? undefined : `t${n}`);
    server.fault('list', pages(pageAt), EVER);
    expect(new Set(await keysIn(server.endpoint)).size).toBe(6);
  });

  it('goes on if a page only names the next one', async () => {
    const server = await startStore();
    const pageAt = (n: number): string =>
      page(contents(`logs/${n}.jsonl`), n === 1 ? undefined : 'next').replace(
        /<IsTruncated>true<.IsTruncated>/,
        '',
      );
    server.fault('list', pages(pageAt), EVER);
    expect(await keysIn(server.endpoint)).toEqual(['logs/0.jsonl', 'logs/1.jsonl']);
  });

  it('of nothing is a listing', async () => {
    const server = await startStore();
    server.fault(
      'list',
      pages(() => page('')),
      EVER,
    );
    expect(await keysIn(server.endpoint)).toEqual([]);
  });

  it('of unfinished uploads that repeats its markers ends too', async () => {
    const server = await startStore();
    const body =
      '<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker></ListMultipartUploadsResult>';
    const fault = server.fault(
      'uploads',
      pages(() => body),
      EVER,
    );
    const client = new ObjectClient({ ...DEFAULT_S3, endpoint: server.endpoint });
    await expect(listUploads(client, { bucket: 'bucket', key: 'x/' })).rejects.toMatchObject({ code: 'io' });
    expect(fault.fired).toBe(2);
  });

  it('of 2,500 objects is read whole', async () => {
    const server = await startStore();
    for (let i = 0; i < 2500; i++) server.put(`bucket/logs/${i}.jsonl`, 'x');
    expect(new Set(await keysIn(server.endpoint)).size).toBe(2500);
  });
});

async function keysIn(endpoint: string): Promise<readonly string[]> {
  const client = new ObjectClient({ ...DEFAULT_S3, endpoint });
  const keys: string[] = [];
  for await (const { key } of listObjects(client, { bucket: 'bucket', key: 'logs/' })) keys.push(key);
  return keys;
}
