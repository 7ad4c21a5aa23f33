/** Bodies read straight from a socket: how heads are parsed, connections reused and responses refused. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Site, UnknownLength, Wire } from '../../../src/object-store/wire.ts';
import { CERTIFICATE, KEY } from '../../support/tls-certificate.ts';

/** Answer of a server to the n-th request, in pieces; `null` ends the connection. */
type Say = (request: number) => readonly (string | Buffer | null)[];

interface Talk {
  readonly site: Site;
  readonly heads: string[];
  readonly connections: Socket[];
}

async function serve(say: Say, protocol: 'http:' | 'https:' = 'http:'): Promise<Talk> {
  const heads: string[] = [];
  const connections: Socket[] = [];
  const talk = (socket: Socket): void => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', async (head) => {
      for (const piece of say(heads.push(head.toString('latin1')))) {
        if (piece === null) socket.end();
        else await new Promise((resolve) => socket.write(piece, resolve));
      }
    });
  };
  const server: Server =
    protocol === 'http:' ? createServer(talk) : createTlsServer({ key: KEY, cert: CERTIFICATE }, talk);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return {
    site: { protocol, hostname: '127.0.0.1', port: (server.address() as AddressInfo).port },
    heads,
    connections,
  };
}

async function fetch(wire: Wire, site: Site, { length = 5, idleMs = 60_000 } = {}): Promise<string> {
  const body = Buffer.alloc(length);
  let have = 0;
  await wire.fetch(site, {
    head: 'GET /x HTTP/1.1\r\nhost: x\r\n\r\n',
    idleMs,
    signal: undefined,
    sink: {
      begin: () => undefined,
      get left() {
        return length - have;
      },
      room: () => body.subarray(have, have + 100_000),
      filled: (count) => {
        have += count;
      },
    },
  });
  return body.toString('latin1', 0, have);
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n';

describe('an answer', () => {
  it('is read in pieces of any size', async () => {
    const whole = `HTTP/1.1 100 Continue\r\n\r\n${OK}hello`;
    for (let at = 1; at < whole.length; at++) {
      const { site } = await serve(() => [whole.slice(0, at), whole.slice(at)]);
      expect(await fetch(new Wire(), site)).toBe('hello');
    }
  });

  it('of several megabytes is read whole, over TLS too', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const body = Buffer.alloc(3_000_000, 'abcdefghijklmnopqrstuvwxyz'); // not a power of two, so that every read begins at another letter
    for (const protocol of ['http:', 'https:'] as const) {
      const { site } = await serve(
        () => [`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body],
        protocol,
      );
      const wire = new Wire();
      expect((await fetch(wire, site, { length: body.length })) === body.toString('latin1')).toBe(true);
      expect((await fetch(wire, site, { length: body.length })) === body.toString('latin1')).toBe(true);
    }
    vi.unstubAllEnvs();
  });

  it('of a server with an untrusted certificate is refused', async () => {
    const { site, heads } = await serve(() => [OK, 'hello'], 'https:');
    await expect(fetch(new Wire(), site)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(heads).toEqual([]);
  });

  it('without a length is left to node:http', async () => {
    for (const head of [
      'transfer-encoding: chunked\r\n',
      'transfer-encoding: chunked\r\ncontent-length: 5\r\n',
      '',
    ]) {
      const { site } = await serve(() => [`HTTP/1.1 200 OK\r\n${head}\r\n5\r\nhello\r\n0\r\n\r\n`]);
      await expect(fetch(new Wire(), site)).rejects.toBeInstanceOf(UnknownLength);
    }
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\ncontent-length 5\r\n\r\nhello'],
    ['a head without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
  ])('that is %s is refused', async (_name, text) => {
    const { site } = await serve(() => [text]);
    await expect(fetch(new Wire(), site)).rejects.toMatchObject({ name: 'StoreFault', isTransient: true });
  });

  it('with an error keeps its code, with a length, in chunks or up to the end of the connection', async () => {
    const error = '<Error><Code>SlowDown</Code></Error>';
    const chunked = `transfer-encoding: chunked\r\n\r\n${error.length.toString(16)}\r\n${error}\r\n0\r\n\r\n`;
    const refusals = [
      [`content-length: ${error.length}\r\n\r\n${error}`],
      [chunked],
      [`connection: close\r\n\r\n${error}`, null],
    ];
    for (const rest of refusals) {
      const { site } = await serve(() => [
        'HTTP/1.1 503 Slow Down\r\nx-amz-bucket-region: eu-north-1\r\n',
        ...rest,
      ]);
      await expect(fetch(new Wire(), site)).rejects.toMatchObject({
        code: 'SlowDown',
        status: 503,
        headers: { 'x-amz-bucket-region': 'eu-north-1' },
      });
    }
  });
});

describe('a connection', () => {
  it('is reused for the next request', async () => {
    const { site, heads, connections } = await serve(() => [OK, 'hello']);
    const wire = new Wire();
    for (let i = 0; i < 5; i++) expect(await fetch(wire, site)).toBe('hello');
    expect([heads.length, connections.length]).toEqual([5, 1]);
  });

  it('is replaced when the server has closed it', async () => {
    const { site, heads, connections } = await serve((request) => (request === 2 ? [null] : [OK, 'hello']));
    const wire = new Wire();
    for (let i = 0; i < 2; i++) expect(await fetch(wire, site)).toBe('hello');
    expect([heads.length, connections.length]).toEqual([3, 2]); // the second request was repeated
  });

  it.each([
    ['that the server will close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello'],
    ['that has more bytes than requested', `${OK}hello and more`],
  ])('%s is not reused', async (_name, text) => {
    const { site, connections } = await serve(() => [text]);
    const wire = new Wire();
    for (let i = 0; i < 3; i++) expect(await fetch(wire, site)).toBe('hello');
    expect(connections.length).toBe(3);
  });

  it('fails its request when it is refused', async () => {
    const { site } = await serve(() => [null]);
    await expect(fetch(new Wire(), site)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is abandoned when it stalls', async () => {
    const { site } = await serve(() => ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel']);
    await expect(fetch(new Wire(), site, { idleMs: 100 })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });
});
