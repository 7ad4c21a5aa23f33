/**
 * Joins the start and the end of calls that clients send apart: the runs of LangSmith (`post`, then `patch`), rows of
 * Braintrust, events of Langfuse. They may be in different lines of a source.
 */
import { JsonView } from '../../json/json-view.ts';
import { HashedSet } from '../../model/hashed-set.ts';
import type { LateFields, ObjectPart } from '../dialect-spec.ts';
import { objectOf } from '../shared/build-messages.ts';
import { firstOf, present } from '../shared/logged-values.ts';

interface Halves {
  begun?: JsonView;
  ended?: JsonView;
  /** Was a half left out, because there was no room for it? */
  isLost?: true;
}

/** The two halves of a run. */
export interface WholeRun {
  readonly begun: JsonView;
  readonly ended: JsonView | undefined;
}

export class SplitRuns {
  readonly #maxBytes: number;
  readonly #halves = new Map<string, Halves>();
  /** Ids of all runs that began. */
  readonly #begun = new HashedSet();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Remembers that a run began, whatever its type. */
  sawBegin(id: string): void {
    this.#begun.add(id);
  }

  hasBegun(id: string): boolean {
    return this.#begun.has(id);
  }

  /** Whether the other half of a run is kept. */
  isKept(id: string): boolean {
    return this.#halves.has(id);
  }

  /** Keeps a half, until both are read at the end of the source. A second end replaces the first. */
  keep(id: string, half: 'begun' | 'ended', run: JsonView): void {
    const halves = this.#halves.get(id) ?? {};
    this.#halves.set(id, halves);
    if (this.#bytes + run.length > this.#maxBytes) halves.isLost = true;
    else {
      this.#bytes += run.length;
      halves[half] = new JsonView(run.copy());
    }
  }

  /** Adds the members of a half to those that are kept of it. */
  add(id: string, half: 'begun' | 'ended', run: JsonView): void {
    const known = this.#halves.get(id)?.[half];
    this.keep(id, half, known === undefined ? run : withMembers(known, run));
  }

  /** A run that is held until the source ends. @param read reads it then */
  wait(id: string, timestamp: bigint | undefined, read: (run: WholeRun) => ObjectPart): ObjectPart {
    let part: ObjectPart | undefined;
    const later = (): LateFields => {
      const run = this.#whole(id);
      if (run === undefined) return undefined;
      part ??= read(run);
      if ('kind' in part) return undefined;
      return part.later === undefined ? part : part.later();
    };
    const refused = { reason: 'context-missing', detail: HALF_MISSING } as const;
    return { messages: [], alone: true, timestamp, refused, later };
  }

  /** The run, with its end if there is one; undefined if its start is missing, or a half had to be left out. */
  #whole(id: string): WholeRun | undefined {
    const { begun, ended, isLost } = this.#halves.get(id) ?? {};
    return begun === undefined || isLost ? undefined : { begun, ended };
  }
}

/** Is a run logged without its end? Its client writes empty outputs until then. */
export function isUnfinished(run: JsonView): boolean {
  const outputs = firstOf(run, 'outputs');
  const isEmpty = outputs === undefined || (outputs.type === 'object' && outputs.members().length === 0);
  return isEmpty && firstOf(run, 'end_time', 'error') === undefined;
}

/** Is a run logged without its start? */
export const isEndAlone = (run: JsonView): boolean =>
  firstOf(run, 'inputs', 'start_time') === undefined && firstOf(run, 'outputs', 'end_time') !== undefined;

const HALF_MISSING = 'the other half of the run is not in the source, or did not fit into --max-conversation';

/** Yields the runs that begin in a batch, with their ends if these are in the same batch. */
export function* runsOf(
  posts: JsonView,
  patches: JsonView | undefined,
): Generator<readonly [run: JsonView, patch: JsonView | undefined]> {
  const ends = new Map<string | undefined, JsonView>();
  for (const patch of patches?.elements() ?? []) ends.set(patch.get('id')?.text(), patch);
  for (const run of posts.elements()) yield [run, ends.get(run.get('id')?.text())];
}

/** Yields the ends of runs that began in another batch. */
export function* endsOnly(posts: JsonView, patches: JsonView | undefined): Generator<JsonView> {
  const here = new Set(posts.elements().map((run) => run.get('id')?.text()));
  for (const patch of patches?.elements() ?? []) if (!here.has(patch.get('id')?.text())) yield patch;
}

/** An object with the members of another one added, which replace those of the same name. Null adds nothing. */
export function withMembers(json: JsonView, more: JsonView): JsonView {
  const members = new Map<string, Uint8Array>();
  for (const [key, value] of json.members()) members.set(key, value.copy());
  for (const [key, value] of more.members()) if (present(value)) members.set(key, value.copy());
  return new JsonView(objectOf([...members]));
}
