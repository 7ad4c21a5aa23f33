/**
 * A client of an object store. The AWS SDK lists, writes and finds credentials, regions and endpoints. Bodies are read
 * by separate requests, which are signed with the SDK's signer: the SDK takes twice the CPU time for objects of 5 MB and
 * six times for those of 10 kB, and neither times out nor resumes a body (docs/reference/s3.md).
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { GetObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { defaultCode, ErrorResponse, StoreFault, storeError, storeFault } from './fault.ts';
import { codeIn, intoSink, limitAnswers } from './http-answer.ts';
import type { S3Options } from './options.ts';
import { configOf, DEFAULT_REGION, withoutVersionWarning } from './sdk-config.ts';
import { Silence } from './silence.ts';
import type { ObjectPlace } from './url.ts';
import { type Sink, type Site, UnknownLength, Wire } from './wire.ts';

const CONNECT_MS = 5000;
/** Matches a head without line ends inside a header: an ETag comes from the store, and might contain one. */
const IS_HEAD = /^(?:[\t\x20-\x7e\x80-\xff]+\r\n)+\r\n$/;
/** Time limits and retries for a store. */
export interface Patience {
  /** Time without data after which a connection is closed. */
  readonly idleMs: number;
  /** Number of consecutive tries without a byte. */
  readonly tries: number;
  /** Delay before the second try; doubled before each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** `TURNMILL_S3_IDLE_MS` sets the idle time in tests. */
const PATIENCE: Patience = {
  idleMs: Number(process.env.TURNMILL_S3_IDLE_MS ?? 20_000),
  tries: 7,
  firstDelayMs: 100,
  longestDelayMs: 8000,
};

/** The address of a bucket's objects, as the SDK determines it. */
interface BucketAddress extends Site {
  /** The part of the path before the key. */
  readonly path: string;
  readonly region: string;
}

export interface GetRequest extends ObjectPlace {
  /** First byte, and first byte after the range; undefined for the whole object. */
  readonly from?: number;
  readonly to?: number;
  /** ETag that the object must still have. */
  readonly etag?: string;
  readonly method?: 'GET' | 'HEAD';
  readonly signal?: AbortSignal;
}

/** Hashes for the signer with node:crypto, because the SDK's own hashes are written in JavaScript. */
class NodeSha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

export class ObjectClient {
  readonly options: S3Options;
  readonly patience: Patience;
  readonly sdk: S3Client;
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly #wire = new Wire();
  readonly #addresses = new Map<string, Promise<BucketAddress>>();
  readonly #regions = new Map<string, string>();
  readonly #signers = new Map<string, SignatureV4>();
  /** Whether its responses state the length of their bodies. */
  #statesLengths = true;
  /** The store's clock minus ours, once it has rejected a request because of the time. */
  #clockOffsetMs = 0;
  /** The latest time reported by the store. */
  #storeTimeMs: number | undefined;

  constructor(options: S3Options, patience: Patience = PATIENCE) {
    this.options = options;
    this.patience = patience;
    const agentOptions = { keepAlive: true, maxSockets: Math.max(64, 4 * options.inFlight) };
    this.#agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) };
    this.sdk = withoutVersionWarning(() => new S3Client(this.#config(options)));
    limitAnswers(this.sdk);
    if (!options.anonymous) this.#renewCredentials();
  }

  /**
   * Renews credentials when the store reports them as expired: the SDK does so only at their expiry time, and fails
   * otherwise.
   */
  #renewCredentials(): void {
    this.sdk.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          try {
            return await next(args);
          } catch (error) {
            const { isStale, status } = storeFault(error);
            const hasNoCode = status === 400 && commandName === 'HeadObjectCommand'; // such a response has no body
            if (!isStale && !hasNoCode) throw error;
            await this.sdk.config.credentials({ forceRefresh: true });
            return next(args);
          }
        },
      { step: 'initialize', name: 'renewCredentials', priority: 'high' },
    );
  }

  /**
   * Requests an object, or a part of it, and resolves with the head of the response; the caller has to read or destroy
   * the body.
   * @throws StoreFault
   */
  get(request: GetRequest): Promise<IncomingMessage> {
    return this.#withAdaptation(request.bucket, async (address) => {
      const answer = await this.#send(request, address);
      const { statusCode: status = 0, headers } = answer;
      const time = Date.parse(headers.date ?? '');
      if (!Number.isNaN(time)) this.#storeTimeMs = time;
      if (status >= 200 && status < 300) return answer;
      throw new ErrorResponse((await codeIn(answer)) ?? defaultCode(status), status, headers);
    });
  }

  /**
   * Fetches a part of an object into the sink's memory, at half of the CPU time of `get`.
   * @throws StoreFault
   */
  async fetch(request: GetRequest, sink: Sink): Promise<void> {
    const { signal } = request;
    const { idleMs } = this.patience;
    if (!this.#statesLengths) return intoSink(await this.get(request), sink, idleMs);
    try {
      await this.#withAdaptation(request.bucket, async (address) => {
        const { method, path, headers } = await this.#signed(request, address);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
        if (!IS_HEAD.test(head)) throw new StoreFault('failed', undefined, false);
        await this.#wire.fetch(address, { head, sink, idleMs, signal });
      });
    } catch (error) {
      if (!(error instanceof UnknownLength)) throw error;
      this.#statesLengths = false;
      await intoSink(await this.get(request), sink, idleMs);
    }
  }

  /**
   * Milliseconds since 1970 by the store's clock, as of the latest response to `get`; by the local clock if the store
   * does not report a time.
   */
  get storeTimeMs(): number {
    return this.#storeTimeMs ?? Date.now();
  }

  /** Sends a request, and again with new credentials, another region or the store's time if the response requires that. */
  async #withAdaptation<T>(bucket: string, send: (address: BucketAddress) => Promise<T>): Promise<T> {
    for (let changes = 0; ; changes++) {
      const address = await this.#address(bucket);
      try {
        return await send(address);
      } catch (error) {
        if (!(error instanceof ErrorResponse) || changes >= 2) throw error;
        if (!(await this.#adapt(bucket, address.region, error))) throw error;
      }
    }
  }

  async #signed(
    { key, from, to, etag, method = 'GET' }: GetRequest,
    address: BucketAddress,
  ): Promise<{ method: string; path: string; headers: Record<string, string> }> {
    const { protocol, hostname, port } = address;
    const headers: Record<string, string> = {
      host: port === undefined ? hostname : `${hostname}:${port}`,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      ...(etag !== undefined && { 'if-match': etag }),
      ...(from !== undefined && { range: `bytes=${from}-${to === undefined ? '' : to - 1}` }),
      ...(this.options.requesterPays && { 'x-amz-request-payer': 'requester' }),
    };
    const path = `${address.path}${encodeKey(key)}`;
    return {
      method,
      path,
      headers: await this.#sign(address.region, { method, protocol, hostname, path, headers }),
    };
  }

  async #send(request: GetRequest, address: BucketAddress): Promise<IncomingMessage> {
    const { protocol, hostname, port } = address;
    const signed = await this.#signed(request, address);
    const { request: begin } = protocol === 'http:' ? http : https;
    const agent = protocol === 'http:' ? this.#agents.http : this.#agents.https;
    return new Promise((resolve, reject) => {
      const sent = begin({ ...signed, protocol, hostname, port, agent, signal: request.signal });
      // for connecting and the head of the response; the reader of the body has its own timer
      const silence = new Silence(this.patience.idleMs, () => sent.destroy(new StoreFault('ETIMEDOUT')));
      sent.once('response', (answer) => {
        silence.end();
        resolve(answer);
      });
      sent.once('error', (error: NodeJS.ErrnoException) => {
        silence.end();
        reject(error instanceof StoreFault ? error : new StoreFault(error.code ?? 'failed'));
      });
      sent.end();
    });
  }

  async #sign(
    region: string,
    request: {
      method: string;
      protocol: string;
      hostname: string;
      path: string;
      headers: Record<string, string>;
    },
  ): Promise<Record<string, string>> {
    if (this.options.anonymous) return request.headers;
    let signer = this.#signers.get(region);
    if (signer === undefined) {
      const credentials = async () => {
        try {
          return await this.sdk.config.credentials();
        } catch (error) {
          throw storeError('sign requests to', 'the store', error);
        }
      };
      signer = new SignatureV4({
        service: 's3',
        region,
        credentials,
        sha256: NodeSha256,
        uriEscapePath: false,
        applyChecksum: false,
      });
      this.#signers.set(region, signer);
    }
    const signingDate = new Date(Date.now() + this.#clockOffsetMs);
    return (await signer.sign({ ...request, query: {} }, { signingDate })).headers;
  }

  /** Makes the changes that the response requires; returns false if there are none. */
  async #adapt(bucket: string, usedRegion: string, fault: ErrorResponse): Promise<boolean> {
    const { headers } = fault;
    const region = headers['x-amz-bucket-region'];
    const isElsewhere = [301, 307, 400].includes(fault.status ?? 0);
    if (isElsewhere && typeof region === 'string' && region !== usedRegion) {
      if (this.#regions.get(bucket) !== region) this.#addresses.delete(bucket);
      this.#regions.set(bucket, region);
      return true;
    }
    if (fault.code === 'RequestTimeTooSkewed') {
      const now = Date.parse(String(headers.date));
      if (!Number.isNaN(now)) this.#clockOffsetMs = now - Date.now();
      return !Number.isNaN(now);
    }
    if (!fault.isStale || this.options.anonymous) return false;
    await this.sdk.config.credentials({ forceRefresh: true });
    return true;
  }

  #address(bucket: string): Promise<BucketAddress> {
    let address = this.#addresses.get(bucket);
    if (address === undefined) {
      address = this.#findAddress(bucket);
      this.#addresses.set(bucket, address);
    }
    return address;
  }

  /** Lets the SDK build a request and takes the address from it; nothing is sent. */
  async #findAddress(bucket: string): Promise<BucketAddress> {
    const key = 'key';
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    let bucketAddress: BucketAddress | undefined;
    command.middlewareStack.add(
      (_next, context) => async (args) => {
        const { protocol, hostname, port, path } = args.request as {
          protocol: string;
          hostname: string;
          port?: number;
          path: string;
        };
        const scheme = context.endpointV2?.properties?.authSchemes?.[0] as
          | { signingRegion?: string }
          | undefined;
        const region = scheme?.signingRegion ?? DEFAULT_REGION;
        bucketAddress = { protocol, hostname, port, path: path.slice(0, -key.length), region };
        return { response: undefined, output: { $metadata: {} } };
      },
      { step: 'build', name: 'takeAddress', priority: 'low' },
    );
    const region = this.#regions.get(bucket);
    if (region === undefined) await this.sdk.send(command);
    else await new S3Client(this.#config({ ...this.options, region })).send(command);
    return bucketAddress as unknown as BucketAddress;
  }

  #config(options: S3Options): S3ClientConfig {
    const { http: httpAgent, https: httpsAgent } = this.#agents;
    const handler = new NodeHttpHandler({
      connectionTimeout: CONNECT_MS,
      requestTimeout: this.patience.idleMs,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: 24 * 60 * 60 * 1000,
      httpAgent,
      httpsAgent,
    });
    return { ...configOf(options), requestHandler: handler };
  }
}

/** Encodes each part of a key separately, to keep the slashes. */
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

const clients = new Map<string, ObjectClient>();

/** Returns the client with these options, one for each thread. The patience of the first call applies. */
export function objectClient(options: S3Options, patience?: Patience): ObjectClient {
  const name = JSON.stringify(options);
  let client = clients.get(name);
  if (client === undefined) {
    client = new ObjectClient(options, patience);
    clients.set(name, client);
  }
  return client;
}
