/** Against moto, which is another implementation of S3 than the one of the tests: `TURNMILL_MOTO` names its server program. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnmill } from '../support/command.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

const PROGRAM = process.env.TURNMILL_MOTO ?? 'moto_server';
const hasMoto = spawnSync(PROGRAM, ['--help']).status === 0;
const MISSING = hasMoto ? '' : ' (needs moto)';

let server: ChildProcess;
let client: S3Client;
let environment: NodeJS.ProcessEnv;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

describe.skipIf(!hasMoto)(`moto${MISSING}`, () => {
  beforeAll(async () => {
    const port = await freePort();
    server = spawn(PROGRAM, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    for (;;) {
      if ((await fetch(endpoint).catch(() => undefined)) !== undefined) break;
      await setTimeout(100);
    }
    await client.send(new CreateBucketCommand({ Bucket: 'bucket' }));
    environment = {
      ...process.env,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
      TURNMILL_S3_ENDPOINT: endpoint,
    };
  });
  afterAll(() => {
    server.kill('SIGKILL');
  });

  const run = (...args: string[]) => turnmill(args, undefined, environment);

  it('S030 builds, replaces and updates what a folder gives, byte for byte', async () => {
    const logs = 'examples/logs';
    const names = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(logs, name)).isFile(),
    );
    for (const name of names)
      await client.send(
        new PutObjectCommand({ Bucket: 'bucket', Key: `logs/${name}`, Body: readFileSync(join(logs, name)) }),
      );
    const [here, there] = [join(temporaryFolder(), 'here'), join(temporaryFolder(), 'there')];
    expect((await run('build', logs, '--out', here)).status).toBe(3);
    expect((await run('build', 's3://bucket/logs/', '--out', there)).status).toBe(3);
    expect(hashesOf(there)).toEqual(hashesOf(here));

    const first = await run('build', 's3://bucket/logs/', '--out', 's3://bucket/ds/');
    expect([first.status, first.stderr]).toEqual([3, expect.stringContaining('11 records')]);
    expect((await run('verify', 's3://bucket/ds/')).status).toBe(0);
    expect((await run('build', 's3://bucket/logs/', '--out', 's3://bucket/ds/')).status).toBe(73);
    expect((await run('build', 's3://bucket/logs/', '--update', 's3://bucket/ds/')).stderr).toContain(
      'nothing changed',
    );
    const Body = readFileSync(join(logs, names.find((name) => name.endsWith('.jsonl')) as string));
    await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'logs/2026-01-13/again.jsonl', Body }));
    const updated = await run('build', 's3://bucket/logs/', '--update', 's3://bucket/ds/');
    expect(updated.status).toBe(3);
    expect((await run('verify', 's3://bucket/ds/')).status).toBe(0);
  });
});
