/** Stands between the program and another store: passes requests and answers on, misbehaves on request, and counts how often it did. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf, S3Endpoint } from './s3-endpoint.ts';
import type { Asked } from './store-faults.ts';

/** Hold for one connection only, or are set anew. */
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

  protected override answer(asked: Asked, body: Buffer, answer: ServerResponse): void {
    void this.#passOn(asked, body, answer);
  }

  /** A fault may have changed the headers before. */
  async #passOn({ method, url: path, headers }: Asked, body: Buffer, answer: ServerResponse): Promise<void> {
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
