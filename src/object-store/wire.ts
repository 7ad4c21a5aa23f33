/**
 * Fetches bodies over its own HTTP/1.1 connections, straight from the socket into the caller's memory. node:http
 * allocates two buffers for every 64 kB, and V8 collects its heap after a few tens of megabytes of them, which takes as
 * long as everything else. Responses whose head does not state their length are left to node:http.
 */
import { connect, isIP, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type AnswerHead, parseHead } from './answer-head.ts';
import { defaultCode, ErrorResponse, StoreFault } from './fault.ts';
import { Silence } from './silence.ts';

const HEAD_BYTES = 64 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

export interface Site {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
}

export interface Sink {
  /** Throws StoreFault if the response does not fit the request. */
  begin(head: AnswerHead): void;
  /** Number of bytes it still accepts. */
  readonly left: number;
  /** Returns memory for the next bytes. */
  room(): Uint8Array;
  /** Called after `count` new bytes were written into that memory. */
  filled(count: number): void;
}

export interface WireRequest {
  /** Request line and headers, including the empty line. */
  readonly head: string;
  readonly sink: Sink;
  readonly idleMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Thrown for a response that cannot be read here, because its head does not state the length of its body. */
export class UnknownLength extends Error {}

interface Exchange extends WireRequest {
  readonly silence: Silence;
  end(fault?: Error): void;
}

/** A connection that handles one request after the other. */
class Connection {
  readonly #socket: Socket;
  readonly #onIdle: (connection: Connection) => void;
  readonly #head = Buffer.allocUnsafeSlow(HEAD_BYTES);
  #headBytes = 0;
  /** Number of bytes of the body that have not arrived yet. */
  #left = 0;
  /** Head of an error response, whose body is being collected. */
  #errorHead: AnswerHead | undefined;
  #closes = false;
  #exchange: Exchange | undefined;

  constructor({ protocol, hostname, port }: Site, onIdle: (connection: Connection) => void) {
    this.#onIdle = onIdle;
    const isPlain = protocol === 'http:';
    const onread: TcpSocketConnectOpts['onread'] = {
      buffer: () => this.#room(),
      callback: (count) => this.#onBytes(count),
    };
    const target = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port ?? (isPlain ? 80 : 443), onread };
    const servername = isIP(target.host) === 0 ? { servername: target.host } : {};
    this.#socket = isPlain
      ? connect(target)
      : connectTls({ ...target, ...servername, ALPNProtocols: ['http/1.1'] });
    this.#socket.setNoDelay(true).setKeepAlive(true);
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(error instanceof StoreFault ? error : new StoreFault(error.code ?? 'failed')),
    );
    this.#socket.on('close', () => {
      if (this.#errorHead !== undefined) this.#failWith(this.#errorHead);
      else this.#fail(new StoreFault('ECONNRESET'));
    });
  }

  get isClosed(): boolean {
    return this.#socket.destroyed || !this.#socket.writable;
  }

  /** Whether any byte of a response has arrived since the last request. */
  get isAnswered(): boolean {
    return this.#headBytes > 0;
  }

  send(request: WireRequest): Promise<void> {
    const { signal } = request;
    this.#headBytes = 0;
    this.#socket.ref();
    return new Promise((resolve, reject) => {
      const abort = (): void => this.#fail(new StoreFault('ABORT_ERR'));
      const silence = new Silence(request.idleMs, () => this.#fail(new StoreFault('ETIMEDOUT')));
      signal?.addEventListener('abort', abort, { once: true });
      this.#exchange = {
        ...request,
        silence,
        end: (fault) => {
          silence.end();
          signal?.removeEventListener('abort', abort);
          this.#exchange = undefined;
          if (fault === undefined) resolve();
          else reject(fault);
        },
      };
      this.#socket.write(request.head, 'latin1');
      if (signal?.aborted === true) abort();
    });
  }

  /** Returns memory for the next bytes. */
  #room(): Uint8Array {
    if (this.#left > 0 && this.#exchange !== undefined) return this.#exchange.sink.room();
    if (this.#headBytes === HEAD_BYTES) this.#headBytes = 0; // the bytes are discarded: the request has failed
    return this.#head.subarray(this.#headBytes);
  }

  #onBytes(count: number): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.#socket.destroy(); // the server sent more than requested
      return true;
    }
    exchange.silence.break();
    try {
      if (this.#left === 0) this.#onHeadBytes(exchange, count);
      else {
        exchange.sink.filled(count);
        this.#left -= count;
        if (this.#left === 0) this.#finish(exchange);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    return true;
  }

  #onHeadBytes(exchange: Exchange, count: number): void {
    this.#headBytes += count;
    if (this.#errorHead !== undefined) {
      this.#onErrorBytes(this.#errorHead);
      return;
    }
    const came = this.#head.subarray(0, this.#headBytes);
    const end = came.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (this.#headBytes === HEAD_BYTES) throw new StoreFault('HeadTooLong');
      return;
    }
    const head = parseHead(came.toString('latin1', 0, end));
    const rest = came.subarray(end + END_OF_HEAD.length);
    if (head.status < 200) {
      this.#headBytes = 0;
      if (rest.length > 0) this.#onHeadBytes(exchange, rest.copy(this.#head));
      return;
    }
    this.#closes = head.closes;
    if (head.status >= 300) {
      this.#errorHead = head;
      this.#headBytes = rest.copy(this.#head);
      this.#onErrorBytes(head);
      return;
    }
    this.#begin(exchange, head, rest);
  }

  #begin(exchange: Exchange, head: AnswerHead, rest: Buffer): void {
    const { sink } = exchange;
    if (head.length === undefined) throw new UnknownLength();
    sink.begin(head);
    if (rest.length > head.length) this.#closes = true; // bytes after the end of the response
    const body = rest.subarray(0, head.length);
    fill(sink, body);
    this.#left = head.length - body.length;
    if (this.#left === 0) this.#finish(exchange);
  }

  /** Fails once the body of an error response, which has the code, is complete or long enough. */
  #onErrorBytes(head: AnswerHead): void {
    const came = this.#head.toString('latin1', 0, this.#headBytes);
    const isWhole =
      head.length === undefined ? /(?:^|\r\n)0\r\n\r\n$/.test(came) : came.length >= head.length;
    if (isWhole || head.hasNoBody || this.#headBytes === HEAD_BYTES) this.#failWith(head);
  }

  #failWith({ status, headers }: AnswerHead): void {
    const text = this.#head.toString('latin1', 0, this.#headBytes);
    this.#errorHead = undefined;
    const [, code] = /<Code>([\w.-]+)<\/Code>/.exec(text) ?? [];
    this.#fail(new ErrorResponse(code ?? defaultCode(status), status, headers));
  }

  #finish(exchange: Exchange): void {
    this.#headBytes = 0;
    if (this.#closes) this.#socket.destroy();
    else {
      this.#socket.unref(); // an idle connection must not keep the process alive
      this.#onIdle(this);
    }
    exchange.end();
  }

  #fail(fault: Error): void {
    this.#left = 0;
    this.#errorHead = undefined;
    this.#socket.destroy();
    this.#exchange?.end(fault);
  }
}

/** Copies bytes into the memory of a sink, piece by piece. */
export function fill(sink: Sink, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const copied = bytes.copy(sink.room(), 0, at);
    sink.filled(copied);
    at += copied;
  }
}

export class Wire {
  readonly #idle = new Map<string, Connection[]>();

  /**
   * Sends a request, and passes the body of the response to its sink.
   * @throws StoreFault, ErrorResponse, UnknownLength
   */
  async fetch(site: Site, request: WireRequest): Promise<void> {
    const name = `${site.protocol}//${site.hostname}:${site.port}`;
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (connection.isClosed) continue;
      try {
        return await connection.send(request);
      } catch (error) {
        // the store may have closed an idle connection just as it was reused
        const isLost = error instanceof StoreFault && error.code === 'ECONNRESET' && !connection.isAnswered;
        if (!isLost || request.signal?.aborted === true) throw error;
      }
    }
    return new Connection(site, (connection) => idle.push(connection)).send(request);
  }
}
