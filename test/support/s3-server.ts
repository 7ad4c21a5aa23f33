/** An object store for tests: the part of S3 that turnmill uses, in memory, with faults. It checks the signature of every request. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { KEY_ID, S3Endpoint, SECRET, sendError, sendXml } from './s3-endpoint.ts';
import type { ReceivedRequest } from './store-faults.ts';

/** The bytes of an object, or a generator of ranges for an object too large for memory. */
export type Body = Buffer | { readonly size: number; read(from: number, to: number): Buffer };

export interface Stored {
  readonly body: Body;
  readonly etag: string;
  readonly modified: Date;
  readonly headers: Readonly<Record<string, string>>;
}

interface Upload {
  readonly id: string;
  readonly path: string;
  readonly initiated: Date;
  readonly parts: Map<number, Buffer>;
  /** When the latest part arrived. */
  latest?: Date;
}

export class S3Server extends S3Endpoint {
  readonly objects: Map<string, Stored> = new Map();
  readonly uploads: Map<string, Upload> = new Map();
  /** Number of keys on a page of a listing. */
  pageSize = 1000;
  /** Whether it honours If-Match and If-None-Match. */
  hasConditions = true;
  /** Milliseconds added to the clock that stamps objects. */
  clockMs = 0;

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await server.listen();
    return server;
  }

  override get environment(): NodeJS.ProcessEnv {
    return { ...super.environment, AWS_REGION: 'us-east-1' };
  }

  put(path: string, body: Body | string, headers: Stored['headers'] = {}): Stored {
    const held = typeof body === 'string' ? Buffer.from(body) : body;
    const etag = `"${Buffer.isBuffer(held) ? md5(held) : randomBytes(16).toString('hex')}"`;
    const stored = { body: held, etag, modified: new Date(Date.now() + this.clockMs), headers };
    this.objects.set(path, stored);
    return stored;
  }

  text(path: string): string {
    const body = this.objects.get(path)?.body;
    if (!Buffer.isBuffer(body)) throw new Error(`no object ${path}`);
    return body.toString();
  }

  /** Keys of a bucket below a prefix. */
  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter((path) => path.startsWith(prefix)).sort();
  }

  protected override refusal(request: IncomingMessage, body: Buffer): string | undefined {
    return signatureFault(request, body);
  }

  protected override answer(request: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    const handlers: Readonly<Record<string, () => void>> = {
      list: () => this.#list(request, answer),
      get: () => this.#get(request, answer),
      head: () => this.#get(request, answer),
      put: () => this.#put(request, body, answer),
      'delete-many': () => this.#deleteMany(request, body, answer),
      create: () => this.#create(request, answer),
      part: () => this.#part(request, body, answer),
      complete: () => this.#complete(request, body, answer),
      uploads: () => this.#listUploads(request, answer),
      parts: () => this.#listParts(request, answer),
      delete: () => {
        this.objects.delete(request.path);
        answer.writeHead(204).end();
      },
      abort: () => {
        this.uploads.delete(request.query.get('uploadId') ?? '');
        answer.writeHead(204).end();
      },
    };
    const handle = handlers[request.kind] ?? (() => sendError(answer, 501, 'NotImplemented'));
    handle();
  }

  #list({ path, query }: ReceivedRequest, answer: ServerResponse): void {
    const bucket = path.replace(/\/$/, '');
    const prefix = query.get('prefix') ?? '';
    const delimiter = query.get('delimiter') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const encode =
      query.get('encoding-type') === 'url' ? (key: string) => encodeURIComponent(key) : escapeXml;
    const keys = this.keys(`${bucket}/${prefix}`).map((one) => one.slice(bucket.length + 1));
    const entries: { readonly key: string; readonly common: boolean }[] = [];
    for (const key of keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      const entry = end < 0 ? { key, common: false } : { key: key.slice(0, end + 1), common: true };
      if (entries.at(-1)?.key !== entry.key && Buffer.compare(Buffer.from(entry.key), Buffer.from(after)) > 0)
        entries.push(entry);
    }
    const page = entries.slice(0, this.pageSize);
    const more = entries.length > page.length;
    const items = page.map(({ key, common }) => {
      if (common) return `<CommonPrefixes><Prefix>${encode(key)}</Prefix></CommonPrefixes>`;
      const stored = this.objects.get(`${bucket}/${key}`) as Stored;
      return `<Contents><Key>${encode(key)}</Key><LastModified>${stored.modified.toISOString()}</LastModified><ETag>${escapeXml(stored.etag)}</ETag><Size>${sizeOf(stored.body)}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    });
    const next = more
      ? `<NextContinuationToken>${escapeXml(page.at(-1)?.key ?? '')}</NextContinuationToken>`
      : '';
    const encoding = query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : '';
    sendXml(
      answer,
      `<ListBucketResult><Name>${bucket}</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>${encoding}${next}${items.join('')}</ListBucketResult>`,
    );
  }

  #get({ path, headers, kind }: ReceivedRequest, answer: ServerResponse): void {
    const stored = this.objects.get(path);
    if (stored === undefined) {
      sendError(answer, 404, 'NoSuchKey', kind === 'head');
      return;
    }
    const wanted = headers['if-match'];
    if (wanted !== undefined && wanted !== stored.etag) {
      sendError(answer, 412, 'PreconditionFailed', kind === 'head');
      return;
    }
    const size = sizeOf(stored.body);
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const from = first === undefined ? 0 : Number(first);
    const to = first === undefined || last === '' ? size : Math.min(size, Number(last) + 1);
    if (first !== undefined && from >= size) {
      sendError(answer, 416, 'InvalidRange');
      return;
    }
    answer.writeHead(first === undefined ? 200 : 206, {
      ...stored.headers,
      etag: stored.etag,
      'last-modified': stored.modified.toUTCString(),
      'content-length': to - from,
      ...(first !== undefined && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
    });
    answer.end(kind === 'head' ? undefined : readBody(stored.body, from, to));
  }

  #put({ path, headers }: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    const now = this.objects.get(path);
    if (!this.#allows(headers, now)) {
      sendError(answer, 412, 'PreconditionFailed');
      return;
    }
    if (isDamaged(headers, body)) {
      sendError(answer, 400, 'BadDigest');
      return;
    }
    const { etag } = this.put(path, body);
    answer.writeHead(200, { etag }).end();
  }

  #allows(headers: ReceivedRequest['headers'], now: Stored | undefined): boolean {
    if (!this.hasConditions) return true;
    if (headers['if-none-match'] === '*' && now !== undefined) return false;
    const wanted = headers['if-match'];
    return wanted === undefined || wanted === now?.etag;
  }

  #deleteMany({ path }: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    const bucket = path.replace(/\/$/, '');
    for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g))
      this.objects.delete(`${bucket}/${unescapeXml(key)}`);
    sendXml(answer, '<DeleteResult></DeleteResult>');
  }

  #create({ path }: ReceivedRequest, answer: ServerResponse): void {
    const id = randomBytes(8).toString('hex');
    this.uploads.set(id, { id, path, initiated: new Date(Date.now() + this.clockMs), parts: new Map() });
    sendXml(
      answer,
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  #part({ query, headers }: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload === undefined) {
      sendError(answer, 404, 'NoSuchUpload');
      return;
    }
    if (isDamaged(headers, body)) {
      sendError(answer, 400, 'BadDigest');
      return;
    }
    upload.parts.set(Number(query.get('partNumber')), body);
    upload.latest = new Date(Date.now() + this.clockMs);
    answer.writeHead(200, { etag: `"${md5(body)}"` }).end();
  }

  #complete({ query, path }: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload === undefined) {
      sendError(answer, 404, 'NoSuchUpload');
      return;
    }
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
      Number(n),
    );
    const parts = numbers.map((n) => upload.parts.get(n));
    if (numbers.length === 0 || parts.includes(undefined)) {
      sendError(answer, 400, 'InvalidPart');
      return;
    }
    const all = parts as Buffer[];
    if (all.slice(0, -1).some(({ length }) => length < 5 * 1024 * 1024)) {
      sendError(answer, 400, 'EntityTooSmall');
      return;
    }
    const digests = Buffer.concat(all.map((part) => createHash('md5').update(part).digest()));
    const etag = `"${md5(digests)}-${all.length}"`;
    const stored = {
      body: Buffer.concat(all),
      etag,
      modified: new Date(Date.now() + this.clockMs),
      headers: {},
    };
    this.objects.set(path, stored);
    this.uploads.delete(upload.id);
    sendXml(
      answer,
      `<CompleteMultipartUploadResult><ETag>${escapeXml(etag)}</ETag></CompleteMultipartUploadResult>`,
    );
  }

  #listParts({ query }: ReceivedRequest, answer: ServerResponse): void {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload === undefined) {
      sendError(answer, 404, 'NoSuchUpload');
      return;
    }
    const { parts, latest = upload.initiated } = upload;
    const items = [...parts].map(
      ([number, { length }]) =>
        `<Part><PartNumber>${number}</PartNumber><LastModified>${latest.toISOString()}</LastModified><Size>${length}</Size></Part>`,
    );
    const next = Math.max(0, ...parts.keys()); // stores send it on the last page too
    sendXml(
      answer,
      `<ListPartsResult><NextPartNumberMarker>${next}</NextPartNumberMarker><IsTruncated>false</IsTruncated>${items.join('')}</ListPartsResult>`,
    );
  }

  #listUploads({ path, query }: ReceivedRequest, answer: ServerResponse): void {
    const prefix = `${path.replace(/\/$/, '')}/${query.get('prefix') ?? ''}`;
    const bucket = path.replace(/\/$/, '').length + 1;
    const found = [...this.uploads.values()].filter((upload) => upload.path.startsWith(prefix));
    const items = found.map(
      ({ id, path: whole, initiated }) =>
        `<Upload><Key>${escapeXml(whole.slice(bucket))}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    );
    sendXml(
      answer,
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${items.join('')}</ListMultipartUploadsResult>`,
    );
  }
}

/** Checks AWS Signature Version 4. Returns undefined if the request is signed with the tests' credentials, or not signed at all. */
function signatureFault(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const [path = '', query = ''] = url.split('?');
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      authorization,
    ) ?? [];
  const [keyId, day = '', region = '', service = ''] = credential.split('/');
  if (keyId !== KEY_ID) return 'InvalidAccessKeyId';
  const sent = String(headers['x-amz-content-sha256']);
  if (/^[0-9a-f]{64}$/.test(sent) && sent !== createHash('sha256').update(body).digest('hex'))
    return 'XAmzContentSHA256Mismatch';
  const pairs = query === '' ? [] : query.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  const canonical = [
    method,
    path,
    pairs.sort().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sent,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${scope}\n${hash}`;
  const hmac = (key: string | Buffer, data: string): Buffer =>
    createHmac('sha256', key).update(data).digest();
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  return createHmac('sha256', key).update(text).digest('hex') === signature
    ? undefined
    : 'SignatureDoesNotMatch';
}

/** Does the body fail to match the checksum in its request? */
function isDamaged(headers: ReceivedRequest['headers'], body: Buffer): boolean {
  const { 'content-md5': digest, 'x-amz-checksum-crc32': sum } = headers;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return (
    (digest !== undefined && digest !== md5(body, 'base64')) ||
    (sum !== undefined && sum !== bytes.toString('base64'))
  );
}

const md5 = (bytes: Buffer, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHash('md5').update(bytes).digest(encoding);

const sizeOf = (body: Body): number => (Buffer.isBuffer(body) ? body.length : body.size);

const readBody = (body: Body, from: number, to: number): Buffer =>
  Buffer.isBuffer(body) ? body.subarray(from, to) : body.read(from, to);

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const unescapeXml = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
