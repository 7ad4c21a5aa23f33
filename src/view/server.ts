/**
 * The viewer's server: reachable only from this machine, and with a key for every request for data. It writes nothing
 * and fetches nothing.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { designCss } from '../charts/design-css.ts';
import { reportCss } from '../charts/report-css.ts';
import { appCss } from './app-css.ts';
import { type Access, HEADERS, keyRefusal, type Refusal, refusalOf } from './refusals.ts';
import { type LineStream, ROUTES, type Viewed } from './routes.ts';

export interface ServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly origins: readonly string[];
}

export interface Serving {
  /** URL of the page, with its key. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const KEY_BYTES = 24;
const HOST = '127.0.0.1';
const API = '/api/';
const PAGE =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>turnmill view</title><link rel="stylesheet" href="app.css"></head><body><div id="app"></div><script src="app.js"></script></body></html>\n';

/** Returns the three files of the page, by request path. */
export function pageFiles(): ReadonlyMap<string, readonly [type: string, content: string | Buffer]> {
  return new Map<string, readonly [string, string | Buffer]>([
    ['/', ['text/html; charset=utf-8', PAGE]],
    ['/app.js', ['text/javascript; charset=utf-8', readFileSync(new URL('./view-app.js', import.meta.url))]],
    ['/app.css', ['text/css; charset=utf-8', `${designCss}${appCss}.overview{${reportCss}}`]],
  ]);
}

export async function serve(viewed: Viewed, { port, origins }: ServeOptions): Promise<Serving> {
  const files = pageFiles();
  const key = randomBytes(KEY_BYTES).toString('base64url');
  const access = { port, key, origins };
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const refusal = refusalOf(request, access);
    if (refusal !== undefined) return refuse(response, refusal);
    const url = `http://${HOST}${request.url}`;
    if (request.url?.startsWith('/') !== true || !URL.canParse(url))
      return refuse(response, { status: 400, why: 'the path cannot be read' });
    const { pathname, searchParams } = new URL(url);
    const file = files.get(pathname);
    if (file !== undefined) return send(response, file[0], file[1]);
    void answer(viewed, { pathname, searchParams, request, response, access });
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  access.port = (server.address() as AddressInfo).port;
  return {
    url: `http://${HOST}:${access.port}/#key=${key}`,
    port: access.port,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface ApiRequest {
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access;
}

async function answer(
  viewed: Viewed,
  { pathname, searchParams, request, response, access }: ApiRequest,
): Promise<void> {
  const route = pathname.startsWith(API) ? ROUTES.get(pathname.slice(API.length)) : undefined;
  if (route === undefined) return refuse(response, { status: 404, why: 'not found' });
  const refusal = keyRefusal(request.headers, access);
  if (refusal !== undefined) return refuse(response, refusal);
  try {
    const content = await route(viewed, searchParams);
    if (content === undefined) refuse(response, { status: 404, why: 'not found' });
    else if (typeof content === 'string' || Buffer.isBuffer(content))
      send(response, 'application/json', content);
    else await stream(content, response);
  } catch (error) {
    if (response.headersSent) response.end();
    else refuse(response, { status: 500, why: (error as Error).message });
  }
}

async function stream(lines: LineStream, response: ServerResponse): Promise<void> {
  const disconnected = new AbortController();
  response.on('close', () => disconnected.abort());
  response.setHeader('content-type', 'application/x-ndjson');
  response.flushHeaders();
  await lines.run((line) => void response.write(`${JSON.stringify(line)}\n`), disconnected.signal);
  response.end();
}

function send(response: ServerResponse, type: string, content: string | Buffer): void {
  response.setHeader('content-type', type);
  response.end(content);
}

function refuse(response: ServerResponse, { status, why }: Refusal): void {
  response.statusCode = status;
  send(response, 'text/plain; charset=utf-8', `${why}\n`);
}
