/**
 * Reads pairs of requests and responses whose API changes from pair to pair: a proxy logs what passes. The dialect that read the
 * last pair reads the next one; when it finds no answer in it, the answer tells which API it is of.
 */
import { valuesOf } from '../json/members.ts';
import type { Line } from '../model/element.ts';
import { objectBytes } from '../model/message.ts';
import type { Dialect, DialectReader, LineObjects, ReadElement } from './dialect.ts';

const OPEN_ARRAY = 0x5b;
/** Dialects of pairs; the answer of each has a list of this name. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['exchange', 'choices'],
  ['anthropic', 'content'],
]);

export const isPairDialect = ({ name }: Dialect): boolean => ANSWERS.has(name);

export class PairReader implements DialectReader {
  readonly #readers: ReadonlyMap<string, DialectReader>;
  readonly #first: string;
  #now: string;

  /** @param first name of the dialect of the first pair */
  constructor(first: string, readers: ReadonlyMap<string, DialectReader>) {
    this.#readers = readers;
    this.#first = first;
    this.#now = first;
  }

  read(line: Line): LineObjects {
    const made = this.#reader(this.#now).read(line);
    if (made.length !== 1 || !Array.isArray(made)) return made;
    const [only] = made as readonly ReadElement[];
    if (only?.kind !== 'entry' || only.reply !== undefined || only.emptyReply === true) return made;
    const answer = answerOf(line.bytes);
    if (answer === undefined) return made;
    const other = apiOf(answer);
    if (other !== undefined && other !== this.#now) {
      this.#now = other;
      return this.#reader(other).read(line);
    }
    if (other !== undefined || valuesOf(answer, ['input_tokens'])[0] === undefined) return made;
    const { origin, sessionId, timestamp } = only;
    return [{ kind: 'fate', fate: 'dropped:no-completion', origin, sessionId, timestamp }];
  }

  forget(): void {
    this.#now = this.#first;
    for (const reader of this.#readers.values()) reader.forget();
  }

  #reader(name: string): DialectReader {
    return this.#readers.get(name) as DialectReader;
  }
}

/** The response of a valid line, or the body that it is logged with; undefined when it is no object. */
function answerOf(line: Uint8Array): Uint8Array | undefined {
  const response = objectBytes(line.subarray(line.indexOf('{'.charCodeAt(0))), 'response');
  return response && (objectBytes(response, 'body') ?? response);
}

function apiOf(answer: Uint8Array): string | undefined {
  for (const [name, list] of ANSWERS) {
    if (valuesOf(answer, [list])[0]?.[0] === OPEN_ARRAY) return name;
  }
  return undefined;
}
