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
      page(n === 900 ? contents('logs/a.jsonl') : '', n === 1800 ? undefined : `t${n}`);
    const fault = server.fault('list', pages(pageAt), EVER);
    expect(await keysIn(server.endpoint)).toEqual(['logs/a.jsonl']);
    expect(fault.fired).toBe(1801);
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
