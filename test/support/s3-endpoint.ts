/** Base of the tests' store and of the proxy before another store: keeps the requests and the faults, and writes errors. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Asked, type Fault, FaultList, type Misbehave } from './store-faults.ts';

export const KEY_ID = 'AKIDEXAMPLEFORTESTS';
export const SECRET = 'wJalrXUtnFEMI/SECRET+THAT+MUST/NOT+SHOW';
export const SESSION_TOKEN = 'TOKEN+THAT+MUST+NOT+SHOW/EITHER==';

/** Listens on the loopback interface, and keeps account of the requests. */
export abstract class S3Endpoint {
  readonly asked: Asked[] = [];
  /** Most requests that were open at a time. */
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

  /** For a child process: where the store is, and the credentials. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_SESSION_TOKEN: SESSION_TOKEN,
      AWS_EC2_METADATA_DISABLED: 'true',
      TURNMILL_S3_ENDPOINT: this.endpoint,
    };
  }

  /** Misbehaves at the first `times` requests of a kind. */
  fault(on: string | ((asked: Asked) => boolean), misbehave: Misbehave, times: number = 1): Fault {
    return this.#faults.add(on, misbehave, times);
  }

  /** Answers none of the first `count` downloads before the last of them has been asked for. */
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
  protected abstract answer(asked: Asked, body: Buffer, answer: ServerResponse): void;

  /** The code of the error with which a request is refused before any fault; undefined when it is let in. */
  protected refusal(_request: IncomingMessage, _body: Buffer): string | undefined {
    return undefined;
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    this.#open++;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    answer.on('close', () => this.#open--);
    const asked = askedOf(request);
    this.asked.push(asked);
    const body = await bodyOf(request);
    const refused = this.refusal(request, body);
    if (refused === undefined) this.#faults.answer(answer, asked, () => this.answer(asked, body, answer));
    else sendError(answer, 403, refused);
  }
}

/** Which object or bucket a request is about, in the path or with the bucket in the host name. */
function askedOf({ method = '', url = '', headers }: IncomingMessage): Asked {
  const [rawPath = '', rawQuery = ''] = url.split('?');
  const query = new URLSearchParams(rawQuery);
  const [, bucket] = /^([\w-]+)\.localhost(?::|$)/.exec(headers.host ?? '') ?? [];
  const path = `${bucket === undefined ? '' : `${bucket}/`}${decodeURIComponent(rawPath.slice(1))}`;
  return { method, url, path, query, headers, kind: kindOf(method, path, query, headers) };
}

function kindOf(method: string, path: string, query: URLSearchParams, headers: Asked['headers']): string {
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

/** An error as S3 writes it. Like some stores it quotes the secret parts of the request, which must show nowhere. */
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
