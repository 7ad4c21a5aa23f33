/** The requests under each option for object stores, as the tests' store receives them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { ObjectClient } from '../../src/object-store/client.ts';
import type { S3Options } from '../../src/object-store/options.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { entryLine } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startStore } from '../support/s3-logs.ts';
import type { S3Server } from '../support/s3-server.ts';
import type { ReceivedRequest } from '../support/store-faults.ts';

const MIB = 1024 * 1024;
/** Not every machine resolves `bucket.localhost`. */
const RESOLVE_LOCALHOST = `--import=data:text/javascript,${encodeURIComponent(
  "import dns from'node:dns';const{lookup}=dns;dns.lookup=(name,...rest)=>lookup(/[.]localhost$/.test(name)?'127.0.0.1':name,...rest)",
)}`;
const line = (id: string, content: string): string =>
  `${entryLine({ id, messages: [{ role: 'user', content }] })}\n`;

/** Builds from store to store: two sources, one with more records than fit in one part. */
async function requestsWith(
  s3: Partial<S3Options>,
): Promise<{ server: S3Server; requests: readonly ReceivedRequest[] }> {
  const server = await startStore();
  const words = Array.from({ length: 600_000 }, (_, i) => ((i + 1) * 2654435761).toString(36)).join(' ');
  server.put('bucket/logs/a.jsonl', line('a', 'hello'));
  server.put('bucket/logs/b.jsonl', line('b', words));
  await build({
    inputs: ['s3://bucket/logs/'],
    out: 's3://bucket/ds/',
    groupBy: 'none',
    workers: 1,
    s3: { endpoint: server.endpoint, partSize: 5 * MIB, ...s3 },
  });
  return { server, requests: server.requests };
}

const of = (requests: readonly ReceivedRequest[], ...kinds: string[]): readonly ReceivedRequest[] =>
  requests.filter(({ kind }) => kinds.includes(kind));
const valuesOf = (requests: readonly ReceivedRequest[], header: string): ReadonlySet<unknown> =>
  new Set(requests.map(({ headers }) => headers[header]));

describe('a run from a store to a store', () => {
  it('with --s3-requester-pays every request says so', async () => {
    const { requests } = await requestsWith({ requesterPays: true });
    expect(of(requests, 'get', 'list', 'put', 'part', 'create', 'complete').length).toBeGreaterThan(10);
    expect(valuesOf(requests, 'x-amz-request-payer')).toEqual(new Set(['requester']));
  });

  it('with --s3-sse all writes ask for encryption', async () => {
    const { requests } = await requestsWith({ sse: 'aws:kms=arn:aws:kms:eu-north-1:1:key/k' });
    const begun = of(requests, 'put', 'create');
    expect(begun.length).toBeGreaterThan(5);
    expect(valuesOf(begun, 'x-amz-server-side-encryption')).toEqual(new Set(['aws:kms']));
    const [keys] = [valuesOf(begun, 'x-amz-server-side-encryption-aws-kms-key-id')];
    expect(keys).toEqual(new Set(['arn:aws:kms:eu-north-1:1:key/k']));
  });

  it('with --s3-sse AES256 writes ask for it and name no key', async () => {
    const { requests } = await requestsWith({ sse: 'AES256' });
    const begun = of(requests, 'put', 'create');
    expect(begun.length).toBeGreaterThan(5);
    expect(valuesOf(begun, 'x-amz-server-side-encryption')).toEqual(new Set(['AES256']));
    expect(valuesOf(begun, 'x-amz-server-side-encryption-aws-kms-key-id')).toEqual(new Set([undefined]));
  });

  it('with --s3-checksum supported all writes have a CRC-32, which the store checks', async () => {
    const { requests } = await requestsWith({ checksum: 'supported' });
    const bodies = of(requests, 'part', 'put');
    expect(bodies.length).toBeGreaterThan(6);
    expect(bodies.filter(({ headers }) => headers['x-amz-checksum-crc32'] === undefined)).toEqual([]);
  });

  it('each part has its MD5, and checksums of newer stores only on request', async () => {
    const newer = (requests: readonly ReceivedRequest[]): readonly string[] =>
      of(requests, 'put', 'part').flatMap(({ headers }) =>
        Object.keys(headers).filter((name) => /^x-amz-(?:checksum-|sdk-checksum|trailer)/.test(name)),
      );
    const { requests } = await requestsWith({});
    expect(newer(requests)).toEqual([]);
    const bodies = of(requests, 'part', 'put').filter(({ path }) => /\/v-[^/]*\/(?!probe)/.test(path));
    expect(bodies.length).toBeGreaterThan(5);
    expect(bodies.filter(({ headers }) => headers['content-md5'] === undefined)).toEqual([]);
  });

  it('--s3-range and --s3-part-size set the sizes of reads and writes', async () => {
    const { server, requests } = await requestsWith({ range: MIB });
    const spans = of(requests, 'get').flatMap(({ headers }) => {
      const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      return from === undefined ? [] : [Number(last) + 1 - Number(from)];
    });
    expect(spans.length).toBeGreaterThan(5);
    expect(Math.max(...spans)).toBe(MIB);
    const parts = of(requests, 'part').map(({ headers }) => Number(headers['content-length']));
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts)).toBe(5 * MIB);
    expect(server.uploads.size).toBe(0);
  });

  it('with --s3-condition trust there is no probe, but the commit is still conditional', async () => {
    const { requests } = await requestsWith({ condition: 'trust' });
    expect(requests.filter(({ path }) => path.endsWith('/probe'))).toEqual([]);
    const commits = requests.filter(
      ({ method, path }) => method === 'PUT' && path === 'bucket/ds/dataset.json',
    );
    expect(valuesOf(commits, 'if-none-match')).toEqual(new Set(['*']));
  });
});

describe('the address of a bucket', () => {
  const hosts = async (options: Partial<S3Options>, header = 'host'): Promise<string> => {
    const server = await startStore();
    const { port } = new URL(server.endpoint);
    const endpoint = `http://localhost:${port}`;
    server.put('bucket/a', 'x');
    server.put('a', 'x'); // the path without its bucket
    const client = new ObjectClient(resolveS3Options({ endpoint, region: 'eu-north-1', ...options }));
    (await client.get({ bucket: 'bucket', key: 'a' })).resume();
    return `${server.requests.at(-1)?.headers[header]} ${server.requests.at(-1)?.path}`.replace(port, 'PORT');
  };

  it('with an endpoint the bucket is in the path', async () => {
    expect(await hosts({})).toBe('localhost:PORT bucket/a');
  });

  it('requests are signed for --s3-region', async () => {
    expect(await hosts({}, 'authorization')).toContain('/eu-north-1/s3/aws4_request');
  });
});

describe('the command', () => {
  it('with --no-s3-path-style the bucket is in the host', async () => {
    const server = await startStore();
    server.put('bucket/logs/a.jsonl', line('a', 'hello'));
    const endpoint = server.endpoint.replace('127.0.0.1', 'localhost');
    const { port } = new URL(endpoint);
    const out = 's3://bucket/ds/';
    const args = [
      'build',
      's3://bucket/logs/',
      '--out',
      out,
      '--s3-endpoint',
      endpoint,
      '--no-s3-path-style',
    ];
    const built = await turnmill(args, undefined, { ...server.environment, NODE_OPTIONS: RESOLVE_LOCALHOST });
    expect([built.status, built.stderr]).toEqual([0, expect.stringContaining('1 record')]);
    expect(server.requests.length).toBeGreaterThan(10);
    expect(valuesOf(server.requests, 'host')).toEqual(new Set([`bucket.localhost:${port}`]));
    const verified = await turnmill(['verify', out], undefined, server.environment);
    expect(verified.status).toBe(0);
  });

  it('the environment and the configuration file set options too', async () => {
    const server = await startStore();
    server.put('bucket/logs/a.jsonl', line('a', 'hello '.repeat(1000)));
    const environment = { ...server.environment, TURNMILL_S3_REQUESTER_PAYS: 'true' };
    const [out, config] = [join(temporaryFolder(), 'out'), join(temporaryFolder(), 'turnmill.json')];
    writeFileSync(config, JSON.stringify({ s3Range: '1KiB' }));
    const args = ['build', 's3a://bucket/logs/', '--out', out, '--config', config];
    const { status } = await turnmill(args, undefined, environment);
    expect(status).toBe(0);
    expect(valuesOf(server.requests, 'x-amz-request-payer')).toEqual(new Set(['requester']));
    expect(of(server.requests, 'get')[0]?.headers.range).toBe('bytes=0-1023');
  });
});
