/** Faults of object stores and how often each fired, for the tests' store and for a proxy in front of another one. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** A request as faults see it. */
export interface ReceivedRequest {
  readonly method: string;
  /** As sent. */
  readonly url: string;
  /** `BUCKET/KEY`, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** One of get, head, list, put, delete, create, part, parts, complete, abort, uploads, delete-many, unknown. */
  readonly kind: string;
}

/** Replaces the behaviour of the store. Returns false to let the store answer after all. */
export type Misbehave = (
  answer: ServerResponse,
  request: ReceivedRequest,
  serve: () => void,
) => boolean | undefined;

export interface Fault {
  /** How often it fired. */
  fired: number;
  remove(): void;
}

interface Entry {
  readonly on: (request: ReceivedRequest) => boolean;
  readonly misbehave: Misbehave;
  readonly fault: Fault;
  left: number;
}

export class FaultList {
  readonly #entries: Entry[] = [];

  /** Misbehaves on the first `times` requests of a kind. */
  add(on: string | ((request: ReceivedRequest) => boolean), misbehave: Misbehave, times: number): Fault {
    const fault: Fault = {
      fired: 0,
      remove: () => {
        entry.left = 0;
      },
    };
    const matches = typeof on === 'string' ? ({ kind }: ReceivedRequest) => kind === on : on;
    const entry = { on: matches, misbehave, fault, left: times };
    this.#entries.push(entry);
    return fault;
  }

  /** Applies the first fault that is due, or lets the store answer. */
  answer(answer: ServerResponse, request: ReceivedRequest, serve: () => void): void {
    const entry = this.#entries.find(({ on, left }) => left > 0 && on(request));
    if (entry !== undefined) {
      entry.left--;
      entry.fault.fired++;
      if (entry.misbehave(answer, request, serve) !== false) return;
    }
    serve();
  }
}

/** A fault: the connection is closed without a response. */
export function hangUp(answer: ServerResponse): boolean {
  answer.destroy();
  return true;
}

/** A fault: the store performs the request, and the connection is reset before the response. */
export function loseAnswer(answer: ServerResponse, _asked: ReceivedRequest, serve: () => void): boolean {
  answer.writeHead = () => answer;
  answer.end = (() => answer.destroy()) as typeof answer.end;
  serve();
  return true;
}

/** A fault: the response stops after this many bytes of its body, and `then` takes over. */
export function stopAfterBytes(bytes: number, then: (answer: ServerResponse) => void): Misbehave {
  return (answer) => {
    const write = answer.write.bind(answer);
    answer.end = ((body: Buffer = Buffer.alloc(0)) => {
      write(body.subarray(0, bytes), () => then(answer));
      return answer;
    }) as typeof answer.end;
    return false;
  };
}
