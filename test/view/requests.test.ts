/** The viewer's server answers its own page, with its key, and refuses every other request. */
import { get as httpGet, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { turnmill } from '../support/command.ts';
import { built, examples, useBrowser, type Viewer } from './browser.ts';

const { folder, view } = useBrowser();
let demo: Viewer;

beforeAll(async () => {
  demo = await view(await built(join(examples, 'logs'), join(folder, 'demo')));
});

describe('a request to the viewer', () => {
  const status = (
    path: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<number | undefined> =>
    new Promise((done, failed) => {
      const sent = request(
        { host: '127.0.0.1', port: demo.port, path, headers, method, setHost: false },
        (answer) => {
          answer.resume();
          done(answer.statusCode);
        },
      );
      sent.on('error', failed);
      sent.end();
    });
  const good = (): Record<string, string> => ({
    host: `127.0.0.1:${demo.port}`,
    authorization: `Bearer ${demo.key}`,
  });

  test('is answered with the key', async () => {
    expect(await status('/api/summary', good())).toBe(200);
    expect(await status('/api/summary', { ...good(), host: `localhost:${demo.port}` })).toBe(200);
    expect(
      await status('/api/summary', { ...good(), origin: demo.origin, 'sec-fetch-site': 'same-origin' }),
    ).toBe(200);
    expect(await status('/', { host: good().host as string })).toBe(200);
  });

  test('is refused if its path cannot be read, and the server goes on', async () => {
    const paths = [
      '//',
      '///',
      '//a',
      '//[',
      '/%',
      '/%zz',
      '*',
      '/api/',
      '/api/records?from=x',
      '/\\',
      '/..',
      '/#',
    ];
    const characters = '/\\%?#[]@:.a0&=;*~';
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (let i = 0; i < 500; i++)
      paths.push(
        `/${Array.from({ length: random(12) }, () => characters[random(characters.length)]).join('')}`,
      );
    for (const path of paths) {
      const answered = await status(path, { host: good().host as string });
      expect([200, 400, 401, 404], path).toContain(answered);
    }
    expect(await status('/api/summary', good())).toBe(200);
  });

  test('is answered if a tab opens the page from a file', async () => {
    const opened = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(await status('/', { host: good().host as string, ...opened })).toBe(200);
  });

  test.each([
    ['another name', { host: 'evil.example' }, 421],
    ['another name with the port', { host: 'evil.example:PORT' }, 421],
    ['no port', { host: '127.0.0.1' }, 421],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['the origin of a file', { origin: 'null' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port, by the browser', { 'sec-fetch-site': 'same-site' }, 403],
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer wrong' }, 401],
    ['a bare key', { authorization: 'KEY' }, 401],
    ['another scheme', { authorization: 'Basic KEY' }, 401],
  ] as const)('is refused with %s', async (_name, headers, expected) => {
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('PORT', String(demo.port)).replace('KEY', demo.key),
    ]);
    expect(await status('/api/summary', { ...good(), ...Object.fromEntries(filled) })).toBe(expected);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('is refused with method %s', async (method) => {
    expect(await status('/api/summary', good(), method)).toBe(405);
  });

  test.each([
    ...[
      '/../package.json',
      '/api/../../etc/passwd',
      '/%2e%2e/etc/passwd',
      '/app.js/..%2f..%2fetc',
      '/api/constructor',
    ],
    ...[
      '/api/__proto__',
      '/etc/passwd',
      '/api/',
      '/api/record?i=-1',
      '/api/record?i=99999',
      '/api/record?i=1e9',
    ],
  ])('finds nothing at %s', async (path) => {
    expect(await status(path, good())).toBe(404);
  });

  test('is answered with the headers that confine the page', async () => {
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((done) => {
      httpGet(
        { host: '127.0.0.1', port: demo.port, path: '/', headers: { host: good().host as string } },
        (answer) => {
          answer.resume();
          done(answer.headers);
        },
      );
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('is answered for one more page with --origin', async () => {
    const viewer = await view(join(folder, 'demo'), '--origin', 'http://localhost:18080');
    const answer = await fetch(`${viewer.origin}/api/summary`, {
      headers: { authorization: `Bearer ${viewer.key}`, origin: 'http://localhost:18080' },
    });
    expect(answer.status).toBe(200);
    const { status: refused } = await turnmill(['view', join(folder, 'demo'), '--origin', 'evil']);
    expect(refused).toBe(64);
  });
});
