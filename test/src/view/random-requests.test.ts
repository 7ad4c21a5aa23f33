/** The viewer's server answers any request, and goes on. TURNMILL_LONG=1 sends 10,000 requests, otherwise 1,000. */
import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { ROUTES } from '../../../src/view/routes.ts';
import { start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const REQUESTS = LONG ? 10_000 : 1000;
const AT_ONCE = 20;

interface Serving {
  readonly port: number;
  readonly key: string;
  readonly child: ChildProcess;
}

/** Runs the viewer until the test ends. */
async function served(): Promise<Serving> {
  const logs = join(temporaryFolder(), 'logs');
  for (const id of ['a', 'b']) writeLog(logs, `2026-01-13/${id}.jsonl`, [entry({ id }), '{']);
  const child = start(['view', logs]);
  onTestFinished(() => void child.kill());
  let told = '';
  for await (const chunk of child.stderr as Readable) {
    told += String(chunk);
    const [, port, key] = /^http:\/\/127\.0\.0\.1:(\d+)\/#key=(\S+)\n/m.exec(told) ?? [];
    if (port !== undefined && key !== undefined) return { port: Number(port), key, child };
  }
  throw new Error(`the viewer did not start: ${told}`);
}

let seed = 1;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}
const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;

const PIECES = [
  ...[
    '/',
    '//',
    '\\',
    '%',
    '%2f',
    '%00',
    '%zz',
    '%ed%a0%80',
    '?',
    '??',
    '#',
    '..',
    '.',
    '[',
    ']',
    '[::1]',
    '@',
    ':',
  ],
  ...[
    '&',
    '=',
    ';',
    '*',
    '~',
    '|',
    '^',
    '"',
    '<',
    '{',
    'a',
    '0',
    '-1',
    '\xe9',
    'http:',
    'https://evil.example/',
  ],
  ...['api', '/api/', '__proto__', 'constructor', 'app.js', ...ROUTES.keys()],
];
const VALUES = [
  '0',
  '1',
  '-1',
  '1e9',
  '999999999999999',
  '9'.repeat(40),
  'NaN',
  '',
  '%',
  '%ff',
  '"',
  'finding:',
  'a"b',
  'role:x',
  '(',
];
const KEYS = ['i', 'from', 'count', 'q', 'in', 'q', '', '__proto__'];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'BREW', 'get'];

/** A path that is odd, or that of a route with odd values. */
function path(): string {
  if (random(2) === 0)
    return `${random(8) === 0 ? '' : '/'}${Array.from({ length: random(8) }, () => pick(PIECES)).join('')}`;
  const route = pick([...ROUTES.keys()].filter((name) => name !== 'tail'));
  const values = Array.from({ length: random(5) }, () => `${pick(KEYS)}=${pick(VALUES)}`);
  return `/api/${route}?${values.join('&')}`;
}

/** Sends a request as it is. @returns the status; 0 if the connection was closed without one */
function send({ port }: Serving, head: string): Promise<number> {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(head, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text.slice(0, 64 - answer.length);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => done(Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0)));
  });
}

/** A request, usually with the key. */
function request({ key, port }: Serving, method: string, to: string): string {
  const given = random(10) === 0 ? 'x' : key;
  const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${given}`, 'Connection: close'];
  return `${method} ${to} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

it('gives every random request a status, none of them 500, and is alive after it', async () => {
  const serving = await served();
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, () => [pick(METHODS), path()] as const);
    await Promise.all(
      batch.map(async ([method, to]) => {
        const status = await send(serving, request(serving, method, to));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (![200, 400, 401, 404, 405].includes(status)) wrong.push(`${status} ${method} ${to}`);
      }),
    );
  }
  expect(wrong).toEqual([]);
  expect([200, 400, 401, 404, 405].filter((status) => (statuses.get(status) ?? 0) < 10)).toEqual([]);
  seed = 2; // its request has the key
  expect(await send(serving, request(serving, 'GET', '/api/summary'))).toBe(200);
  expect(serving.child.exitCode).toBe(null);
});
