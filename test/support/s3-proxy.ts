/** Stands between the program and another store: passes requests and answers on, misbehaves on request, and counts how often it did. */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { askedOf, bodyOf, KEY_ID, SECRET, SESSION_TOKEN } from './s3-server.ts';
import { type Asked, type Fault, FaultList, type Misbehave } from './store-faults.ts';

/** Hold for one connection only, or are set anew. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'transfer-encoding',
]);

export class S3Proxy {
  readonly asked: Asked[] = [];
  /** Most requests that were open at a time. */
  mostOpen = 0;
  readonly #store: string;
  readonly #faults = new FaultList();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #open = 0;

  private constructor(store: string) {
    this.#store = store;
    this.#server = http.createServer((request, answer) => void this.#serve(request, answer));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  /** @param store the URL of the store that answers */
  static async start(store: string): Promise<S3Proxy> {
    const proxy = new S3Proxy(store);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
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

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    this.#open++;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    answer.on('close', () => this.#open--);
    const asked = askedOf(request);
    this.asked.push(asked);
    const body = await bodyOf(request);
    const { url = '' } = request;
    this.#faults.answer(answer, asked, () => void this.#passOn(url, asked, body, answer));
  }

  /** A fault may have changed the headers before. */
  async #passOn(
    path: string,
    { method, headers }: Asked,
    body: Buffer,
    answer: ServerResponse,
  ): Promise<void> {
    const { hostname, port } = new URL(this.#store);
    const request = http.request({ hostname, port, path, method, headers: lasting(headers), agent: false });
    const came = new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    request.end(body);
    try {
      const theirs = await came;
      const bytes = await bodyOf(theirs);
      const hasBody = method !== 'HEAD' && theirs.statusCode !== 204;
      answer.writeHead(theirs.statusCode ?? 500, {
        ...lasting(theirs.headers),
        ...(hasBody && { 'content-length': bytes.length }),
      });
      answer.end(hasBody ? bytes : undefined);
    } catch {
      answer.destroy();
    }
  }
}

const lasting = (headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
