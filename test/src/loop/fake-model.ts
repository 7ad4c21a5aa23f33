/** A model with scripted replies: a server of chat completions on this machine. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ModelRequest {
  readonly model: string;
  readonly temperature: number;
  readonly seed: number;
  readonly messages: readonly {
    role: string;
    content: unknown;
    tool_calls?: unknown;
    tool_call_id?: unknown;
  }[];
  readonly tools?: readonly unknown[];
}

export interface FakeModel {
  /** Base URL, including the version. */
  readonly base: string;
  readonly requests: ModelRequest[];
  readonly keys: (string | undefined)[];
}

/** Writes a whole response. @param key the header `authorization` of the request */
export type Answering = (response: ServerResponse, key: string) => void;

/** @param answers replies, HTTP statuses or what writes the response, in their order; after the last one the model replies `end` */
export async function fakeModel(answers: readonly (object | number | Answering)[]): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const keys: (string | undefined)[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      keys.push(request.headers.authorization);
      requests.push(JSON.parse(body) as ModelRequest);
      const next = left.shift() ?? { role: 'assistant', content: 'end' };
      if (typeof next === 'function') {
        (next as Answering)(response, request.headers.authorization ?? '');
        return;
      }
      if (typeof next === 'number') {
        response.statusCode = next;
        response.end('not now');
        return;
      }
      if (request.url !== '/v1/chat/completions') response.statusCode = 404;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: next }] }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, keys };
}
