/** Faults of object stores, and how often each fired: of the tests' own store, and of a proxy before another one. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** A request as a fault sees it. */
export interface Asked {
  readonly method: string;
  /** As it was sent. */
  readonly url: string;
  /** `BUCKET/KEY`, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Kind of the request, in a word: get, head, list, put, delete, create, part, parts, complete, abort, uploads, delete-many. */
  readonly kind: string;
}

/** Does something else than the store would. Returns false to let the store answer after all. */
export type Misbehave = (answer: ServerResponse, asked: Asked, serve: () => void) => boolean | undefined;

export interface Fault {
  /** Times that it fired. */
  fired: number;
  remove(): void;
}

interface Entry {
  readonly on: (asked: Asked) => boolean;
  readonly misbehave: Misbehave;
  readonly fault: Fault;
  left: number;
}

export class FaultList {
  readonly #entries: Entry[] = [];

  /** Misbehaves at the first `times` requests of a kind. */
  add(on: string | ((asked: Asked) => boolean), misbehave: Misbehave, times: number): Fault {
    const fault: Fault = {
      fired: 0,
      remove: () => {
        entry.left = 0;
      },
    };
    const matches = typeof on === 'string' ? ({ kind }: Asked) => kind === on : on;
    const entry = { on: matches, misbehave, fault, left: times };
    this.#entries.push(entry);
    return fault;
  }

  /** Answers by the first fault that is due, and by the store when none is. */
  answer(answer: ServerResponse, asked: Asked, serve: () => void): void {
    const entry = this.#entries.find(({ on, left }) => left > 0 && on(asked));
    if (entry !== undefined) {
      entry.left--;
      entry.fault.fired++;
      if (entry.misbehave(answer, asked, serve) !== false) return;
    }
    serve();
  }
}

/** A fault: the connection is closed without an answer. */
export function hangUp(answer: ServerResponse): boolean {
  answer.destroy();
  return true;
}

/** A fault: the store carries the request out, and the connection is reset before its answer. */
export function loseAnswer(answer: ServerResponse, _asked: Asked, serve: () => void): boolean {
  answer.writeHead = () => answer;
  answer.end = (() => answer.destroy()) as typeof answer.end;
  serve();
  return true;
}

/** A fault: the store's answer stops after that many bytes of its body, and something else follows. */
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
