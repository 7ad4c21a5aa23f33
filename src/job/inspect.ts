/**
 * Runs the main job's chain with a tap after every stage, for `inspect` and `explain`. Like a worker, it reads one
 * source after the other; it writes nothing.
 */
import { setImmediate } from 'node:timers/promises';
import type { StreamElement } from '../../transforms/model/element.ts';
import { step } from '../../transforms/stage.ts';
import { listsInside } from '../../transforms/stages/choose-dialect.ts';
import { type ChainLink, createChain } from '../engine/chain.ts';
import { GatheredLines } from '../engine/gathered-lines.ts';
import { chainSessionsFor, sessionByFor } from '../engine/intake.ts';
import { failUsage, SourceFault } from '../errors.ts';
import { frameSource } from '../input/frame-source.ts';
import { openSource } from '../input/open-source.ts';
import { listInputs } from '../input/sources/list-inputs.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { closeStreams, takeStreams } from '../input/sources/stream-source.ts';
import type { Settings } from '../settings/settings.ts';

/** Name for the elements before the first stage: lines as they were framed. */
export const FRAMING = 'framing';

/** Receives an element that left a stage. Its bytes are valid until it returns. */
export type Tap = (stage: string, element: StreamElement) => void;

/** Fuses the chain into one function that shows each link's elements to `tap` before passing them on. */
export function tapChain(
  chain: readonly ChainLink[],
  tap: Tap,
  emit: (element: StreamElement) => void = () => undefined,
): (element: StreamElement) => void {
  const first = chain.reduceRight<(element: StreamElement) => void>(
    (next, { name, handlers }) =>
      (element) => {
        for (const output of step(handlers, element)) {
          tap(name, output);
          next(output);
        }
      },
    emit,
  );
  return (element) => {
    tap(FRAMING, element);
    first(element);
  };
}

export interface ReadThrough {
  readonly ref: SourceRef;
  readonly settings: Settings;
  /** Takes an element; a returned promise pauses the reading. */
  readonly push: (element: StreamElement) => Promise<void> | undefined;
  /** Returns whether enough elements have been seen. */
  readonly enough?: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a source up to its session-end, and returns its number of lines. Throws SourceFault. */
export async function readThrough({ ref, settings, push, enough, signal }: ReadThrough): Promise<number> {
  const reader = await openSource(ref, settings, signal);
  const gathered = sessionByFor(ref, settings) === 'id' ? new GatheredLines(settings) : undefined;
  gathered?.begin(ref.name);
  const kept = (elements: Iterable<StreamElement>): Iterable<StreamElement> =>
    gathered?.take(elements) ?? elements;
  try {
    const { maxLine, maxElements, dialect, plugIns } = settings;
    const lists = listsInside(dialect, plugIns.dialects);
    const framed = await frameSource(reader, ref.name, { maxLine, maxElements, lists });
    const { framer, read, repair } = framed;
    const pushAll = async (elements: Iterable<StreamElement>): Promise<void> => {
      for (const element of elements) {
        const full = push(element);
        if (full !== undefined) await full;
        if (enough?.() === true) return;
      }
    };
    if (repair !== undefined) await pushAll([repair]);
    for (;;) {
      signal?.throwIfAborted();
      const count = await read(framer.space());
      if (count === 0) break;
      await pushAll(kept(framer.filled(count)));
      if (enough?.() === true) return framer.counts().lines;
      await setImmediate();
    }
    await pushAll(kept(framer.end()));
    if (gathered !== undefined) await pushAll(gathered.rest((length) => new Uint8Array(length)));
    const { lines, bytes } = framer.counts();
    if (enough?.() === true) return lines;
    reader.verify();
    const origin = { source: ref.name, line: lines, offset: bytes, length: 0 };
    await push({ kind: 'session-end', origin, last: true });
    return lines;
  } finally {
    gathered?.forget();
    await reader.close();
  }
}

export interface Inspection extends Pick<ReadThrough, 'settings' | 'enough' | 'signal'> {
  /** Name of the stage, or `framing`. */
  readonly after: string;
  /** Takes an element that left it; its bytes are valid until this returns. A returned promise pauses the reading. */
  readonly see: (element: StreamElement) => Promise<void> | undefined;
}

/**
 * Passes the elements that leave a stage to `see`, in the order of the sources. A source that cannot be read is passed
 * as a rejection.
 * @returns how many sources could not be read
 */
export async function inspect(inspection: Inspection): Promise<number> {
  const { inputs } = inspection.settings;
  takeStreams(inputs);
  try {
    return await inspectSources(inspection);
  } finally {
    closeStreams(inputs);
  }
}

async function inspectSources({ settings, after, see, enough, signal }: Inspection): Promise<number> {
  checkStage(after, settings);
  let faults = 0;
  const { sources } = await listInputs(settings);
  for (const ref of sources) {
    if (enough?.() === true) break;
    let full: Promise<void> | undefined;
    const chain = createChain(settings, chainSessionsFor(ref, settings));
    const run = tapChain(chain, (stage, element) => {
      if (stage === after && enough?.() !== true) full = see(element) ?? full;
    });
    const push = (element: StreamElement): Promise<void> | undefined => {
      full = undefined;
      run(element);
      return full;
    };
    try {
      await readThrough({
        ref,
        settings,
        push,
        signal,
        ...(enough && { enough }),
      });
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      faults++;
      const { reason, message: detail } = error;
      const origin = { source: ref.name, line: 0, offset: 0, length: 0 };
      await see({ kind: 'rejection', scope: 'source', stage: 'source', reason, detail, origin });
    }
  }
  return faults;
}

function checkStage(after: string, settings: Settings): void {
  const names = [FRAMING, ...createChain(settings, 'file').map(({ name }) => name)];
  if (names.includes(after)) return;
  failUsage(`--after: '${after}' is not one of ${names.join(', ')}`);
}
