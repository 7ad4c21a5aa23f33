/**
 * A stage is a plain object that creates handlers for some kinds of elements; elements of other kinds pass through.
 * Handlers keep state about at most one session.
 */
import type { ElementOf, Kind, StreamElement } from './model/element.ts';

/** The handlers of a stage by kind of element. Each returns the elements that replace its argument. */
export type Handlers = {
  readonly [K in Kind]?: (element: ElementOf<K>) => Iterable<StreamElement>;
};

/** Defines an option once, for flags, docs and validation. */
export interface OptionSpec<T> {
  readonly describe: string;
  readonly default: T;
  readonly choices?: readonly T[];
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
  /** Creates the handlers for one task. They receive the elements of whole sources, one source after the other. */
  create(options: Options): Handlers;
}

type Handler = (element: StreamElement) => Iterable<StreamElement>;

/** The output of a stage for one element. */
export function step(handlers: Handlers, element: StreamElement): Iterable<StreamElement> {
  const handler = handlers[element.kind] as Handler | undefined;
  return handler === undefined ? [element] : handler(element);
}

/** Runs handlers over elements in memory, for tests. */
export function* apply(handlers: Handlers, elements: Iterable<StreamElement>): Generator<StreamElement> {
  for (const element of elements) yield* step(handlers, element);
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
  const handlersOf = new Map<Kind, readonly (Handler | undefined)[]>(); // one for each stage

  function handlersFor(kind: Kind): readonly (Handler | undefined)[] {
    const known = handlersOf.get(kind);
    if (known !== undefined) return known;
    const handlersOfKind = stages.map((handlers) => handlers[kind] as Handler | undefined);
    handlersOf.set(kind, handlersOfKind);
    return handlersOfKind;
  }

  /** Runs an element through the stages from index `from` on. */
  function run(element: StreamElement, from: number): void {
    const handlers = handlersFor(element.kind);
    for (let i = from; i < handlers.length; i++) {
      const handler = handlers[i];
      if (handler === undefined) continue;
      const output = handler(element);
      if (Array.isArray(output))
        for (let k = 0; k < output.length; k++) run(output[k] as StreamElement, i + 1);
      else for (const one of output) run(one, i + 1);
      return;
    }
    emit(element);
  }

  return (element) => run(element, 0);
}
