/** Checks what the functions of a dialect return, and what it rejects with. TypeScript checks the built-in dialects, but not those in plug-ins. */
import type { Origin } from '../../model/element.ts';
import { LINE_REASONS } from '../../model/reasons.ts';
import type { Detected } from '../dialect.ts';
import type { EntryFields, ObjectPart } from '../dialect-spec.ts';

/** Reports a mistake in a dialect. Never returns. */
export type ReportMistake = (problem: string) => never;

export const throwMistake: ReportMistake = (problem) => {
  throw new TypeError(problem);
};

const RESULTS =
  'an entry ({ messages, reply, ... }), context.reject(...), context.drop(...), a list of these, or undefined after context.fold took the object';

/** Names the type of a value, never its content: that may come from the log. */
function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const isMessage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;

const DETECTED: ReadonlySet<unknown> = new Set<Detected>([
  ...(['yes', 'no', 'ask-next', 'unless-next', 'unless-later'] as const),
]);

export class ReadMistakes {
  readonly #dialect: string;
  readonly #report: ReportMistake;

  constructor(dialect: string, report: ReportMistake) {
    this.#dialect = dialect;
    this.#report = report;
  }

  /** Reports the result of `read` for the object at `origin`. @param what names it */
  badResult(what: string, { source, line }: Origin): never {
    const problem = `read returned ${what} for ${source}, line ${line}; it must return ${RESULTS}`;
    return this.#report(`dialect '${this.#dialect}': ${problem}`);
  }

  /** Reports a result that is not an object, or whose members are not what they should be. */
  checkPart(part: ObjectPart | null, origin: Origin): void {
    if (typeof part !== 'object' || part === null) this.badResult(nameOf(part), origin);
    else if (!('kind' in part)) this.#checkEntry(part, origin);
    else if (part.kind !== 'fate' && part.kind !== 'rejection')
      this.badResult('an object of an unknown kind', origin);
  }

  #checkEntry({ messages, reply, sessionId }: EntryFields, origin: Origin): void {
    if (typeof messages !== 'object' || messages === null)
      this.badResult(`an object whose messages are ${nameOf(messages)}`, origin);
    const odd = Array.isArray(messages) ? messages.findIndex((message) => !isMessage(message)) : -1;
    if (odd >= 0) this.badResult(`messages[${odd}] that is not from context.makeMessage`, origin);
    if (reply !== undefined && !isMessage(reply))
      this.badResult('a reply that is not from context.makeMessage', origin);
    if (sessionId !== undefined && typeof sessionId !== 'string')
      this.badResult(`a sessionId that is ${nameOf(sessionId)}`, origin);
  }

  /** Reports what `detect` must not return, such as the Promise of an async function. */
  checkDetected(answer: unknown): void {
    if (!answer || answer === true || DETECTED.has(answer)) return;
    const known = [...DETECTED].join(', ');
    this.#report(
      `dialect '${this.#dialect}': detect returned ${nameOf(answer)}; it must return a boolean or one of ${known}, and must not be async`,
    );
  }

  /** Reports a reason that is not in the closed list. */
  checkReason(reason: unknown): void {
    if (Object.hasOwn(LINE_REASONS, String(reason))) return;
    const known = Object.keys(LINE_REASONS).join(', ');
    this.#report(
      `dialect '${this.#dialect}': context.reject got the reason '${String(reason)}'; the reasons are ${known}`,
    );
  }
}
