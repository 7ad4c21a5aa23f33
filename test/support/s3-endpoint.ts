/** Base of the tests' store and of the proxy in front of another store: records requests, applies faults and writes errors. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Fault, FaultList, type Misbehave, type ReceivedRequest } from './store-faults.ts';

export const KEY_ID = 'AKIDEXAMPLEFORTESTS';
export const SECRET = 'wJalrXUtnFEMI/SECRET+THAT+MUST/NOT+SHOW';
export const SESSION_TOKEN = 'TOKEN+THAT+MUST+NOT+SHOW/EITHER==';

/** Environment variables with the credentials of the stores. */
export const CREDENTIALS: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: KEY_ID,
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: SESSION_TOKEN,
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Listens on the loopback interface and records the requests. */
export abstract class S3Endpoint {
  readonly requests: ReceivedRequest[] = [];
  /** The largest number of requests open at the same time. */
  mostOpen = 0;
  readonly #faults = new FaultList();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #open = 0;

  constructor() {
    this.#server = createServer((request, answer) => void this.#serve(request, answer));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Environment of a child process, with the endpoint and the credentials. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...CREDENTIALS,
      TURNMILL_S3_ENDPOINT: this.endpoint,
    };
  }

  /** Misbehaves on the first `times` requests of a kind. */
  fault(
    on: string | ((request: ReceivedRequest) => boolean),
    misbehave: Misbehave,
    times: number = 1,
  ): Fault {
    return this.#faults.add(on, misbehave, times);
  }

  /** Answers none of the first `count` downloads before the last of them has been requested. */
  holdDownloads(count: number): Fault {
    const held: (() => void)[] = [];
    const hold: Misbehave = (_answer, _asked, serve) => {
      held.push(serve);
      if (held.length === count) for (const each of held) each();
      return true;
    };
    return this.fault('get', hold, count);
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  protected listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Answers a request as a store without faults does. */
  protected abstract answer(request: ReceivedRequest, body: Buffer, answer: ServerResponse): void;

  /** The error code of a request that is refused before any fault applies; undefined if it is accepted. */
  protected refusal(_request: IncomingMessage, _body: Buffer): string | undefined {
    return undefined;
  }

  async #serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    this.#open++;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    answer.on('close', () => this.#open--);
    const request = describeRequest(incoming);
    this.requests.push(request);
    const body = await bodyOf(incoming);
    const refused = this.refusal(incoming, body);
    if (refused === undefined) this.#faults.answer(answer, request, () => this.answer(request, body, answer));
    else sendError(answer, 403, refused);
  }
}

/** Finds the bucket in the path or in the host name. */
function describeRequest({ method = '', url = '', headers }: IncomingMessage): ReceivedRequest {
  const [rawPath = '', rawQuery = ''] = url.split('?');
  const query = new URLSearchParams(rawQuery);
  const [, bucket] = /^([\w-]+)\.localhost(?::|$)/.exec(headers.host ?? '') ?? [];
  const path = `${bucket === undefined ? '' : `${bucket}/`}${decodeURIComponent(rawPath.slice(1))}`;
  return { method, url, path, query, headers, kind: kindOf(method, path, query, headers) };
}

function kindOf(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: ReceivedRequest['headers'],
): string {
  const isBucket = !path.replace(/\/$/, '').includes('/');
  if (method === 'GET' && query.has('uploads')) return 'uploads';
  if (method === 'GET' && query.has('uploadId')) return 'parts';
  if (method === 'GET') return isBucket ? 'list' : 'get';
  if (method === 'HEAD') return 'head';
  if (method === 'PUT') return query.has('partNumber') && headers['content-length'] !== '0' ? 'part' : 'put';
  if (method === 'POST' && query.has('uploads')) return 'create';
  if (method === 'POST' && query.has('delete')) return 'delete-many';
  if (method === 'POST') return 'complete';
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete';
  return 'unknown';
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // the client went away
  }
  return Buffer.concat(chunks);
}

export function sendXml(answer: ServerResponse, xml: string, status: number = 200): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  answer.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(text) });
  answer.end(text);
}

/** An error as S3 writes it. Like some stores it quotes secret parts of the request, which must not appear anywhere. */
export function sendError(answer: ServerResponse, status: number, code: string, bare: boolean = false): void {
  if (bare) answer.writeHead(status).end();
  else
    sendXml(
      answer,
      `<Error><Code>${code}</Code><Message>no ${SECRET}</Message><Token-0>${SESSION_TOKEN}</Token-0></Error>`,
      status,
    );
}

/** A fault: the request is refused. */
export function refuse(status: number, code: string): Misbehave {
  return (answer, { kind }) => {
    sendError(answer, status, code, kind === 'head');
    return true;
  };
}
