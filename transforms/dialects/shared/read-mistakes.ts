/** Checks what the `read` of a dialect returns and rejects with. TypeScript checks the built-in dialects, but not those in plug-ins. */
import type { Origin } from '../../model/element.ts';
import { LINE_REASONS } from '../../model/rejection.ts';
import type { ObjectPart } from '../dialect-spec.ts';

/** Reports a mistake in a dialect. Never returns. */
export type ReportMistake = (problem: string) => never;

export const throwMistake: ReportMistake = (problem) => {
  throw new TypeError(problem);
};

const RESULTS =
  'an entry ({ messages, reply, ... }), context.reject(...), context.drop(...), a list of these, or undefined after context.fold took the object';

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

  /** Reports a result that is not an object, or has no messages where it needs them. */
  checkPart(part: ObjectPart | null, origin: Origin): void {
    if (typeof part !== 'object' || part === null) this.badResult(String(part), origin);
    else if ('kind' in part || (typeof part.messages === 'object' && part.messages !== null)) return;
    else this.badResult(`an object with messages ${String(part.messages)}`, origin);
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
