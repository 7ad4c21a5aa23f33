/** moto, an independent implementation of S3: started once for each test file, and emptied before each test. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll } from 'vitest';
import { MOTO_PROGRAM } from './faults.ts';
import { KEY_ID, SECRET } from './s3-endpoint.ts';
import { useInTest } from './s3-in-test.ts';
import { S3Proxy } from './s3-proxy.ts';

const Bucket = 'bucket';

export class Moto {
  readonly endpoint: string;
  readonly #client: S3Client;

  private constructor(endpoint: string) {
    this.endpoint = endpoint;
    const credentials = { accessKeyId: KEY_ID, secretAccessKey: SECRET };
    this.#client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  }

  /** With one empty bucket, `bucket`. */
  static async emptied(endpoint: string): Promise<Moto> {
    await fetch(`${endpoint}/moto-api/reset`, { method: 'POST' });
    const moto = new Moto(endpoint);
    await moto.#client.send(new CreateBucketCommand({ Bucket }));
    return moto;
  }

  async put(
    Key: string,
    Body: string | Uint8Array,
    more: Partial<PutObjectCommandInput> = {},
  ): Promise<void> {
    await this.#client.send(
      new PutObjectCommand({ Bucket, Key, Body, ContentLength: Buffer.byteLength(Body), ...more }),
    );
  }

  async remove(Key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket, Key }));
  }

  async text(Key: string): Promise<string> {
    const { Body } = await this.#client.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToString()) ?? '';
  }

  async keys(Prefix: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix }))
      found.push(...Contents.map(({ Key = '' }) => Key));
    return found;
  }

  async beginUpload(Key: string): Promise<void> {
    await this.#client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  }

  /** Keys of the uploads that are neither completed nor aborted. */
  async uploads(): Promise<string[]> {
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket }));
    return Uploads.map(({ Key = '' }) => Key);
  }
}

let server: ChildProcess | undefined;
let started: Promise<string> | undefined;

/** Resolves with its address when it listens: the system chooses the port, and the server prints it. */
function startServer(): Promise<string> {
  const child = spawn(MOTO_PROGRAM, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  server = child;
  let output = '';
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`moto ended: ${output}`)));
    child.stderr.on('data', (chunk) => {
      output += chunk;
      const [, address] = /Running on (http:\S+)/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}

afterAll(() => {
  server?.kill('SIGKILL');
});

export interface BehindProxy {
  readonly moto: Moto;
  readonly proxy: S3Proxy;
}

/** An empty moto with a proxy in front; until the end of the test the process has its credentials. */
export async function motoBehindProxy(): Promise<BehindProxy> {
  started ??= startServer();
  const endpoint = await started;
  const proxy = useInTest(await S3Proxy.start(endpoint));
  return { moto: await Moto.emptied(endpoint), proxy };
}
