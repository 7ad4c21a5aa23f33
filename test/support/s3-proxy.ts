/** A proxy in front of another store: forwards requests and responses, misbehaves on request, and counts its faults. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf, S3Endpoint } from './s3-endpoint.ts';
import type { ReceivedRequest } from './store-faults.ts';

/** Headers of a single connection, or set again here. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'transfer-encoding',
]);

export class S3Proxy extends S3Endpoint {
  readonly #store: string;

  private constructor(store: string) {
    super();
    this.#store = store;
  }

  /** @param store the URL of the store that answers */
  static async start(store: string): Promise<S3Proxy> {
    const proxy = new S3Proxy(store);
    await proxy.listen();
    return proxy;
  }

  protected override answer(received: ReceivedRequest, body: Buffer, answer: ServerResponse): void {
    void this.#forward(received, body, answer);
  }

  /** Forwards the request, with headers that a fault may have changed. */
  async #forward(
    { method, url: path, headers }: ReceivedRequest,
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
