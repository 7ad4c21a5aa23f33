/**
 * A stage is a plain object that creates handlers for some kinds of elements; elements of other kinds pass through.
 * Handlers keep state about at most one session.
 */
import type { ElementOf, Kind, StreamElement } from './model/element.ts';
import { checkElement, checkHandlers, iteratorOf } from './stage-input.ts';

/** The handlers of a stage by kind of element. Each returns the elements that replace its argument. */
export type Handlers = {
  readonly [K in Kind]?: (element: ElementOf<K>) => Iterable<StreamElement>;
};

/** Defines an option once, for flags, docs and validation. */
export interface OptionSpec<T> {
  readonly describe: string;
  readonly default: T;
  readonly choices?: readonly T[];
  /** The type of the value, if the default does not show it. */
  readonly takes?: 'text' | 'number' | 'list';
  /** Set if the command's flag takes the name of a file whose text is the value. */
  readonly fromFile?: true;
}
export type OptionSpecs<Options extends object> = {
  readonly [K in keyof Options]-?: OptionSpec<Options[K]>;
};

/** @typeParam Options all options of the stage, as plain values */
export interface Stage<Options extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionSpecs<Options>;
  /** The kind of element that it works on: in a pipeline, none of the kinds before it or after it may reach the stage. */
  readonly takes?: Kind;
  /** Creates the handlers for one task. They receive the elements of whole sources, one source after the other. */
  create(options: Options): Handlers;
}

/** A stage with its place in the chain. */
export interface PlacedStage<Options extends object = object> extends Stage<Options> {
  /** Name of the built-in stage that it follows: `cleanup`, `snapshot-select`, ... */
  readonly after: string;
}

/** The options of a type of stage. */
export type OptionsOf<S> = S extends Stage<infer Options> ? Options : never;

type Handler = (element: StreamElement) => Iterable<StreamElement>;

/** The output of a stage for one element. */
export function step(handlers: Handlers, element: StreamElement): Iterable<StreamElement> {
  const handler = handlers[element.kind] as Handler | undefined;
  return handler === undefined ? [element] : handler(element);
}

/** Runs handlers over elements in memory, for tests. */
export function* apply(handlers: Handlers, elements: Iterable<StreamElement>): Generator<StreamElement> {
  checkHandlers(handlers, 'apply()');
  for (const element of elements) {
    checkElement(element, 'apply()');
    yield* step(handlers, element);
  }
}

/** The default values of options. */
export function defaultsOf<Options extends object>(specs: OptionSpecs<Options>): Options {
  const entries = Object.entries(specs) as [string, OptionSpec<unknown>][];
  return Object.fromEntries(entries.map(([key, spec]) => [key, spec.default])) as Options;
}

/** Combines stages to one function: each element runs through all of them before the next one starts. */
export function fuse(
  stages: readonly Handlers[],
  emit: (element: StreamElement) => void,
): (element: StreamElement) => void {
  for (const handlers of stages) checkHandlers(handlers, 'fuse()');
  const fused = new FusedStages(stages, emit);
  return (element) => {
    checkElement(element, 'fuse()');
    fused.push(element);
  };
}

/** An output of a stage that is not taken to its end. */
interface Rest {
  readonly elements: Iterator<StreamElement>;
  /** The stage that takes them. */
  readonly next: number;
}

/**
 * Combines stages in the same way, but may stop in the middle of an element: one line, or the end of a source, may give
 * more elements than fit in memory.
 */
export class FusedStages {
  readonly #stages: readonly Handlers[];
  readonly #emit: (element: StreamElement) => void;
  readonly #isFull: () => boolean;
  readonly #handlersOf = new Map<Kind, readonly (Handler | undefined)[]>();
  /** Outputs of stages for the last element that are not taken to their end, the outer ones first. */
  readonly #rests: Rest[] = [];

  /** @param isFull whether to stop after an element was emitted */
  constructor(
    stages: readonly Handlers[],
    emit: (element: StreamElement) => void,
    isFull: () => boolean = () => false,
  ) {
    this.#stages = stages;
    this.#emit = emit;
    this.#isFull = isFull;
  }

  /** Runs an element through the stages. @returns false if it stopped: then call `goOn` before the next element */
  push(element: StreamElement): boolean {
    this.#rests.length = 0;
    this.#run(element, 0);
    return this.goOn();
  }

  /** Goes on with the last element. @returns false if it stopped again */
  goOn(): boolean {
    for (let rest = this.#rests.at(-1); rest !== undefined; rest = this.#rests.at(-1)) {
      const one = rest.elements.next();
      if (one.done === true) this.#rests.pop();
      else {
        this.#run(one.value, rest.next);
        if (this.#isFull()) return false;
      }
    }
    return true;
  }

  /** Goes on with the last element to its end. */
  finish(): void {
    while (!this.goOn());
  }

  #handlersFor(kind: Kind): readonly (Handler | undefined)[] {
    const known = this.#handlersOf.get(kind);
    if (known !== undefined) return known;
    const handlers = this.#stages.map((stage) => stage[kind] as Handler | undefined);
    this.#handlersOf.set(kind, handlers);
    return handlers;
  }

  /** Runs an element through the stages from index `from` on, up to the first output that is not a list. */
  #run(element: StreamElement, from: number): void {
    const handlers = this.#handlersFor(element.kind);
    for (let i = from; i < handlers.length; i++) {
      const handler = handlers[i];
      if (handler === undefined) continue;
      const output = handler(element);
      if (Array.isArray(output)) this.#runAll(output, i + 1);
      else this.#rests.push({ elements: iteratorOf(output, element.kind, 'a stage'), next: i + 1 });
      return;
    }
    this.#emit(element);
  }

  #runAll(elements: readonly StreamElement[], next: number): void {
    const outer = this.#rests.length;
    for (let i = 0; i < elements.length; i++) {
      this.#run(elements[i] as StreamElement, next);
      if (this.#rests.length === outer || i + 1 === elements.length) continue;
      this.#rests.splice(outer, 0, { elements: elements.slice(i + 1).values(), next });
      return;
    }
  }
}
