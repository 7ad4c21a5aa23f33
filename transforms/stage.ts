/**
 * A stage is a plain object that creates handlers, one for each kind of element that it handles. Other kinds pass
 * through; handlers keep the state of at most one session.
 */
import type { ElementOf, Kind, StreamElement } from './model/element.ts';

/** A stage's handler for each kind of element. */
export type Handlers = {
  readonly [K in Kind]?: (element: ElementOf<K>) => Iterable<StreamElement>;
};

/** Defines an option once, for flags, docs and validation. */
export interface OptionSpec<T> {
  readonly describe: string;
  readonly default: T;
  readonly choices?: readonly T[];
  /** The command takes the name of a file, whose text is the value. */
  readonly fromFile?: true;
}
export type OptionSpecs<Options extends object> = {
  readonly [K in keyof Options]-?: OptionSpec<Options[K]>;
};

/** @typeParam Options every option of the stage, as plain values. */
export interface Stage<Options extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionSpecs<Options>;
  /** Creates the handlers for one task. They see whole sources, one after the other. */
  create(options: Options): Handlers;
}

type Handler = (element: StreamElement) => Iterable<StreamElement>;

/** Output of one stage for one element. */
export function step(handlers: Handlers, element: StreamElement): Iterable<StreamElement> {
  const handler = handlers[element.kind] as Handler | undefined;
  return handler === undefined ? [element] : handler(element);
}

/** Runs handlers over elements in memory: what tests use. */
export function* apply(handlers: Handlers, elements: Iterable<StreamElement>): Generator<StreamElement> {
  for (const element of elements) yield* step(handlers, element);
}

/** The defaults of a stage's (or a plug-in's) options. */
export function defaultsOf<Options extends object>(specs: OptionSpecs<Options>): Options {
  const entries = Object.entries(specs) as [string, OptionSpec<unknown>][];
  return Object.fromEntries(entries.map(([key, spec]) => [key, spec.default])) as Options;
}

/** Several stages as one function: each element runs through all of them before the next one starts. */
export function fuse(
  stages: readonly Handlers[],
  emit: (element: StreamElement) => void,
): (element: StreamElement) => void {
  const handlersOf = new Map<Kind, readonly (Handler | undefined)[]>(); // handlers of each stage

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
