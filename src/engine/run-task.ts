/**
 * One lane: reads sources one after the other, frames them, runs the chain and hands out what it found, in batches.
 * Nothing of a source counts before its last outcome, the report: a file may turn out to be broken at its end.
 */

import { setImmediate } from 'node:timers/promises';
import { borrowScanMemory } from '../../transforms/json/scanners.ts';
import type { Origin, StreamElement } from '../../transforms/model/element.ts';
import { SourceFault, systemCode, TurnmillError } from '../errors.ts';
import { FIRST_BYTES, type FramedSource, frameSource } from '../input/frame-source.ts';
import { type Framer, type FramingCounts, NO_BYTES } from '../input/framing/framer.ts';
import { HEAD_BYTES } from '../input/framing/shape.ts';
import { createSlab, shrinkSlab } from '../input/framing/slab.ts';
import type { SourceReader } from '../input/open-source.ts';
import { isStdin, type SourceRef } from '../input/sources/source.ts';
import { type Outcome, type SourceReport, weightOf } from '../ledger/result.ts';
import { type Collector, createCollector } from '../ledger/source-ledger.ts';
import { createProfile, type Profile, type ProfileFigures } from '../profile.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { createChain, fuseChain } from './chain.ts';
import { UNWATCHED, type Watch, watchWith } from './instrument.ts';
import { withStageFault } from './lane-fault.ts';
import type { LaneSource } from './task.ts';

/** What a lane hands out at a time. */
export interface Batch {
  readonly outcomes: readonly Outcome[];
  /** Bytes of the sources that were read since the last batch. */
  readonly readBytes: number;
  /** Does it end with the report of a source that was to be flushed? */
  readonly flushed: boolean;
  /** Since the last batch, of a lane with a profile of its own. */
  readonly profile?: ProfileFigures;
}

/** A lane pauses when batches of so many bytes wait for those of other lanes. */
export const WINDOW_BYTES: number = 8 * 1024 * 1024;
const BATCH_BYTES = 128 * 1024;
/** A slab grows beyond this for a giant line. */
const GIANT_BYTES = 32 * 1024 * 1024;
/** After so many bytes the event loop gets its turn: timers, signals, messages. */
const TURN_BYTES = 8 * 1024 * 1024;
/** Rejected lines of standard input and of streams cannot be read again: up to this length they are always kept. */
const ONCE_RAW_BYTES = 1024 * 1024;

/** So many worker threads may die over a source. */
export const MOST_DEATHS = 3;

export type SessionBy = 'file' | 'id';

export function sessionByFor(ref: SourceRef, settings: LaneSettings): SessionBy {
  return settings.sessionBy ?? (isStdin(ref) ? 'id' : 'file');
}

interface Chain {
  push(element: StreamElement): void;
}

/** What the lines of a source come from, and where they go. */
interface Feed {
  readonly framer: Framer;
  readonly read: FramedSource['read'];
  readonly chain: Chain;
}

type RereadableSource = Required<Pick<SourceReader, 'again'>>;

/** A source that is over. */
interface Ended {
  readonly framing: FramingCounts;
  readonly sessions: number;
  readonly books: ReturnType<Collector['endSource']>;
}

/** Why the reading of a source pauses: bytes are waited for, a batch is to be handed out, or it has ended. */
type Pause = Promise<number> | 'batch' | 'limited' | 'over';

type LaneSources = Iterable<LaneSource> | AsyncIterable<LaneSource>;

/** @param profile of the thread; when it is asked for, a lane that has the thread for itself makes one */
export function runLane(
  sources: LaneSources,
  settings: LaneSettings,
  signal?: AbortSignal,
  profile?: Profile,
): AsyncGenerator<Batch> {
  if (!settings.profile) return readSources(sources, settings, UNWATCHED, signal);
  const clock = profile ?? createProfile('wait');
  const waited = clock.eachLater('wait', sources);
  const batches = clock.eachLater('other', readSources(waited, settings, watchWith(clock), signal));
  return profile === undefined ? withFigures(batches, clock) : batches;
}

async function* withFigures(batches: AsyncIterable<Batch>, profile: Profile): AsyncGenerator<Batch> {
  for await (const batch of batches) yield { ...batch, profile: profile.take() };
}

async function* readSources(
  sources: LaneSources,
  settings: LaneSettings,
  watch: Watch,
  signal?: AbortSignal,
): AsyncGenerator<Batch> {
  const memory = borrowScanMemory(settings.scanner);
  const slab = createSlab(memory?.slab);
  const first = Buffer.allocUnsafe(FIRST_BYTES); // of a source, until they are framed
  const chains = new Map<SessionBy, Chain>();
  let outcomes: Outcome[] = [];
  let weight = 0;
  let readBytes = 0;
  let sinceTurn = 0; // decompressed bytes since the event loop had its turn
  let countedBytes = 0; // of the source that is read, in `readBytes`
  let isReadOnce = false; // is it standard input or a stream?
  let mayReopen = false; // sessions of the source that is read
  let memberAt: SourceReader['memberAt']; // of the source that is read
  let sessionsBefore = 0; // in the sources that are over, for the limit

  const emit = (outcome: Outcome): void => {
    outcomes.push(outcome);
    weight += weightOf(outcome);
  };
  const keepRaw = (length: number): boolean =>
    settings.quarantineContent === 'raw' ? true : isReadOnce && length <= ONCE_RAW_BYTES;
  const { limit } = settings;
  const atLimit =
    limit === undefined ? undefined : (): boolean => sessionsBefore + collector.sessions >= limit;
  const collector: Collector = createCollector({
    keepRaw,
    memberAt: (offset) => memberAt?.(offset),
    onOutcome: emit,
    full: atLimit,
    mayReopen: () => mayReopen,
  });

  function chainFor(sessionBy: SessionBy): Chain {
    const made = chains.get(sessionBy) ?? {
      push: fuseChain(
        watch.chain(withStageFault(createChain(settings, sessionBy))),
        watch.accept(collector.accept),
      ),
    };
    chains.set(sessionBy, made);
    return made;
  }

  function take(flushed = false): Batch {
    const batch = { outcomes, readBytes, flushed };
    outcomes = [];
    weight = readBytes = 0;
    return batch;
  }

  /** Pushes elements through the chain; true when the limit of sessions was reached among them. */
  function pushAll(elements: Iterable<StreamElement>, chain: Chain): boolean {
    let at: StreamElement | undefined;
    try {
      for (at of elements) {
        chain.push(at);
        if (atLimit?.() === true) return true;
      }
    } catch (error) {
      throw at === undefined ? error : struckAt(at.origin, error);
    }
    if (at !== undefined) memberAt?.(at.origin.offset); // nobody asks for what is before it
    return false;
  }

  /** Reads on until there is a reason to pause; `waited` are the bytes that the last pause was for. Nothing here waits. */
  function feed({ framer, read, chain }: Feed, waited?: number): Pause {
    for (let count = waited ?? read(framer.space()); ; count = read(framer.space())) {
      if (typeof count !== 'number') return count;
      if (count === 0) return pushAll(framer.end(), chain) ? 'limited' : 'over';
      sinceTurn += count;
      if (pushAll(framer.filled(count), chain)) return 'limited';
      if (sinceTurn >= TURN_BYTES || weight >= BATCH_BYTES) return 'batch';
    }
  }

  function countRead(reader: SourceReader): void {
    const fresh = Math.max(0, reader.readBytes() - countedBytes); // none, as long as it is read again
    readBytes += fresh;
    countedBytes += fresh;
  }

  /** What a reader's lines come from, from its first byte. Throws SourceFault. */
  async function frame(reader: SourceReader, ref: SourceRef): Promise<Feed> {
    // of what is read once no more than is looked at: what was read of one that is refused is told
    const head = isReadOnce ? first.subarray(0, HEAD_BYTES) : first;
    const { maxLineBytes, maxElements } = settings;
    const framed = await frameSource(reader, ref.name, maxLineBytes, slab, head, maxElements);
    const chain = chainFor(sessionByFor(ref, settings));
    if (framed.repair !== undefined) chain.push(framed.repair);
    return { framer: watch.framer(framed.framer), read: framed.read, chain };
  }

  /** Ends its sessions, and returns what its lines and entries came to. */
  function endSource(ref: SourceRef, framer: Framer | undefined): Ended {
    const framing = framer?.counts() ?? NO_BYTES;
    const { lines, bytes } = framing;
    if (slab.bytes.length > GIANT_BYTES) {
      shrinkSlab(slab); // a record as long as the line is about to be made
      globalThis.gc?.(); // where the host exposes it, as the command does
    }
    const end: StreamElement = {
      kind: 'session-end',
      origin: { source: ref.name, line: lines + 1, offset: bytes, length: 0 },
      last: true,
    };
    pushAll([end], chainFor(sessionByFor(ref, settings)));
    const { sessions } = collector;
    return { framing, sessions, books: collector.endSource() };
  }

  async function* readSource({ index, ref, deaths }: LaneSource): AsyncGenerator<Batch> {
    isReadOnce = ref.path === undefined;
    mayReopen = sessionByFor(ref, settings) === 'id';
    memberAt = undefined;
    countedBytes = 0;
    let reader: SourceReader | undefined;
    let framer: Framer | undefined;
    let fault: SourceFault | undefined;
    let limited = false;
    let again: true | undefined;
    try {
      refuseDeadly(deaths);
      const opened = watch.open(ref, settings, signal);
      reader = opened instanceof Promise ? await opened : opened;
      const reopens = mayReopen ? ({ mayReopen } as const) : {};
      for (let isOver = false; !isOver; ) {
        memberAt = reader.memberAt;
        const provisional = !isStdin(ref) || reader.compression !== 'none';
        const begun = { source: index, provisional, ...reopens, stamp: reader.stamp, again } as const;
        emit({ kind: 'source-begin', ...begun });
        try {
          const source = await frame(reader, ref);
          framer = source.framer;
          let pause = feed(source);
          while (pause !== 'over' && pause !== 'limited') {
            if (pause instanceof Promise) pause = feed(source, await pause);
            else {
              countRead(reader);
              if (sinceTurn >= TURN_BYTES) {
                sinceTurn = 0;
                await setImmediate();
              }
              yield take();
              pause = feed(source);
            }
          }
          limited = pause === 'limited';
          if (!limited) reader.verify(settings.takesBack);
          isOver = true;
        } catch (error) {
          if (!isRewritten(reader, error)) throw error;
          if (again === true) throw rewrittenTwice(error);
          countRead(reader);
          endSource(ref, framer); // what comes of it is taken back
          framer = undefined;
          reader = await reader.again();
          again = true;
        }
      }
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      fault = error;
      if (reader === undefined) emit({ kind: 'source-begin', source: index, provisional: true });
    } finally {
      if (reader !== undefined) countRead(reader);
      const closing = reader?.close();
      if (closing !== undefined) await closing;
    }
    const { framing, sessions, books } = endSource(ref, framer);
    sessionsBefore += sessions;
    emit(report(index, reader, framing, books, fault, limited));
  }

  /** May what is wrong with the source come of its being rewritten while it was read, and can it be read once more? */
  function isRewritten(reader: SourceReader, error: unknown): reader is SourceReader & RereadableSource {
    if (!(error instanceof SourceFault) || settings.takesBack !== true) return false;
    return reader.again !== undefined && reader.isTouched?.() === true;
  }

  try {
    for await (const source of sources) {
      if (atLimit?.() === true) break;
      yield* readSource(source);
      if (weight >= BATCH_BYTES || source.flush === true) yield take(source.flush);
    }
    yield take();
  } finally {
    memory?.giveBack();
  }
}

/** A bug in the chain, with the place in the logs where it struck: its stack alone would tell nobody which line to look at. */
function struckAt({ source, line, offset }: Origin, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceFault || error instanceof TurnmillError)
    return error;
  error.stack = `${error.stack}\n    while ${source} was read, line ${line}, byte ${offset}`;
  return error;
}

/** Whatever was found wrong in it may be half of one version and half of another. */
function rewrittenTwice(cause: unknown): SourceFault {
  const detail = 'it was changed while it was read, read again from its start, and changed again';
  return new SourceFault('changed-while-read', detail, cause);
}

/** A source whose readers die is not read again. */
function refuseDeadly(deaths: readonly string[] = []): void {
  if (deaths.length < MOST_DEATHS) return;
  const causes = [...new Set(deaths)].join(', ');
  throw new SourceFault('worker-crash', `${deaths.length} worker threads died while reading it: ${causes}`);
}

function report(
  source: number,
  reader: SourceReader | undefined,
  framing: FramingCounts,
  books: Pick<SourceReport, 'lines' | 'fates' | 'repairs'>,
  fault: SourceFault | undefined,
  limited: boolean,
): SourceReport {
  const { lines, fates, repairs } = books;
  const blank = fates.every(([fate]) => fate === 'blank');
  const misnamed = fault === undefined && reader?.misnamed === true;
  return {
    kind: 'source',
    source,
    status: fault === undefined ? (limited ? 'limited' : blank ? 'empty' : 'read') : 'rejected',
    rejection: fault && { reason: fault.reason, detail: fault.message, ...answerOf(fault) },
    compression: reader?.compression ?? 'none',
    packed: reader?.packed,
    proof: reader?.proof?.(),
    readBytes: reader?.readBytes() ?? 0,
    framing,
    lines,
    fates,
    repairs: misnamed ? [...repairs, ['wrong-extension', 1]] : repairs,
  };
}

/** What the system answered, where a call of it failed. */
function answerOf({ cause }: SourceFault): { readonly code?: string } {
  const code =
    (cause as NodeJS.ErrnoException | undefined)?.syscall === undefined ? undefined : systemCode(cause);
  return code === undefined ? {} : { code };
}
