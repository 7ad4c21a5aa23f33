/**
 * One lane: reads sources one after the other, frames them, runs the chain and hands out what it found, in batches.
 * Nothing of a source counts before its last outcome, the report: a file may turn out to be broken at its end.
 */
import { setImmediate } from 'node:timers/promises';
import type { Origin, StreamElement } from '../../transforms/element.ts';
import { borrowScanMemory } from '../../transforms/json/scanners.ts';
import { SourceFault, systemCode, TurnmillError } from '../errors.ts';
import { type Framer, type FramingCounts, NO_BYTES } from '../framing/framer.ts';
import { HEAD_BYTES } from '../framing/shape.ts';
import { createSlab, shrinkSlab } from '../framing/slab.ts';
import type { SourceReader } from '../sources/reader.ts';
import type { SourceRef } from '../sources/source.ts';
import { createChain, fuseChain } from './chain.ts';
import { type Collector, createCollector } from './collector.ts';
import { FIRST_BYTES, type FramedSource, frameSource } from './frame-source.ts';
import { collectGarbage } from './heap-size.ts';
import { withStageFault } from './lane-fault.ts';
import { type Outcome, type SourceReport, weightOf } from './outcome.ts';
import { createProfile, type Profile, type ProfileFigures } from './profile.ts';
import type { LaneSettings } from './settings.ts';
import { UNWATCHED, type Watch, watchWith } from './watch.ts';

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

/** A source and its index in the listing. */
export interface LaneSource {
  readonly index: number;
  readonly ref: SourceRef;
  /** Hand out everything at its end: somebody waits for it. */
  readonly flush?: boolean;
  /** Why each worker thread died that read it before. */
  readonly deaths?: readonly string[];
}

/** A lane pauses when batches of so many bytes wait for those of other lanes. */
export const WINDOW_BYTES: number = 8 * 1024 * 1024;
const BATCH_BYTES = 128 * 1024;
/** Outcomes of one reading of `DENSE_BYTES` that weigh more than this are those of tiny lines: no more bytes are read at a time then. */
const DENSE_WEIGHT = 2 * 1024 * 1024;
const DENSE_BYTES = 64 * 1024;
/** A slab grows beyond this for a giant line. */
const GIANT_BYTES = 32 * 1024 * 1024;
/** After so many bytes the event loop gets its turn: timers, signals, messages. */
const TURN_BYTES = 8 * 1024 * 1024;
/** Rejected lines of standard input cannot be read again: up to this length they are always kept. */
const STDIN_RAW_BYTES = 1024 * 1024;

/** So many worker threads may die over a source (reliability.md, F003). */
export const MOST_DEATHS = 3;

export type SessionBy = 'file' | 'id';

export function sessionByFor(ref: SourceRef, settings: LaneSettings): SessionBy {
  return settings.sessionBy ?? (ref.path === undefined ? 'id' : 'file');
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
  let isStdin = false;
  let isDense = false; // did the last bytes give very many outcomes?
  let memberAt: SourceReader['memberAt']; // of the source that is read
  let sessionsBefore = 0; // in the sources that are over, for the limit

  const emit = (outcome: Outcome): void => {
    outcomes.push(outcome);
    weight += weightOf(outcome);
  };
  const keepRaw = (length: number): boolean =>
    settings.quarantineContent === 'raw' ? true : isStdin && length <= STDIN_RAW_BYTES;
  const { limit } = settings;
  const atLimit =
    limit === undefined ? undefined : (): boolean => sessionsBefore + collector.sessions >= limit;
  const collector: Collector = createCollector({
    keepRaw,
    memberAt: (offset) => memberAt?.(offset),
    onOutcome: emit,
    full: atLimit,
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

  /** Where the next bytes go; only some, where the last ones gave very many outcomes. */
  function roomIn(framer: Framer): Uint8Array {
    const room = framer.space();
    return isDense ? room.subarray(0, DENSE_BYTES) : room;
  }

  /** Reads on until there is a reason to pause; `waited` are the bytes that the last pause was for. Nothing here waits. */
  function feed({ framer, read, chain }: Feed, waited?: number): Pause {
    for (let count = waited ?? read(roomIn(framer)); ; count = read(roomIn(framer))) {
      if (typeof count !== 'number') return count;
      if (count === 0) return pushAll(framer.end(), chain) ? 'limited' : 'over';
      sinceTurn += count;
      if (pushAll(framer.filled(count), chain)) return 'limited';
      isDense = weight > DENSE_WEIGHT;
      if (sinceTurn >= TURN_BYTES || weight >= BATCH_BYTES) return 'batch';
    }
  }

  function countRead(reader: SourceReader): void {
    const bytes = reader.readBytes();
    readBytes += bytes - countedBytes;
    countedBytes = bytes;
  }

  async function* readSource({ index, ref, deaths }: LaneSource): AsyncGenerator<Batch> {
    isStdin = ref.path === undefined;
    memberAt = undefined;
    countedBytes = 0;
    const chain = chainFor(sessionByFor(ref, settings));
    let framer: Framer | undefined;
    let reader: SourceReader | undefined;
    let fault: SourceFault | undefined;
    let limited = false;
    try {
      refuseDeadly(deaths);
      const opened = watch.open(ref, settings, signal);
      reader = opened instanceof Promise ? await opened : opened;
      memberAt = reader.memberAt;
      const provisional = !isStdin || reader.compression !== 'none';
      emit({ kind: 'source-begin', source: index, provisional, stamp: reader.stamp });
      // of a pipe no more than is looked at: what was read of one that is refused is told
      const head = isStdin ? first.subarray(0, HEAD_BYTES) : first;
      const framed = await frameSource(
        reader,
        ref.name,
        settings.maxLineBytes,
        slab,
        head,
        settings.maxElements,
      );
      framer = watch.framer(framed.framer);
      if (framed.repair !== undefined) chain.push(framed.repair);
      const source = { framer, read: framed.read, chain };
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
      if (!limited) reader.verify();
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      fault = error;
      if (reader === undefined) emit({ kind: 'source-begin', source: index, provisional: true });
    } finally {
      if (reader !== undefined) countRead(reader);
      const closing = reader?.close();
      if (closing !== undefined) await closing;
    }
    const framing = framer?.counts() ?? NO_BYTES;
    const { lines, bytes } = framing;
    if (slab.bytes.length > GIANT_BYTES) {
      shrinkSlab(slab); // a record as long as the line is about to be made
      collectGarbage();
    }
    const end: StreamElement = {
      kind: 'session-end',
      origin: { source: ref.name, line: lines + 1, offset: bytes, length: 0 },
      last: true,
    };
    pushAll([end], chain);
    sessionsBefore += collector.sessions;
    emit(report(index, reader, framing, collector.endSource(), fault, limited));
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

/** A source whose readers die is not read again. */
function refuseDeadly(deaths: readonly string[] = []): void {
  if (deaths.length < MOST_DEATHS) return;
  const causes = [...new Set(deaths)].join(', ');
  throw new SourceFault('worker-crash', `${deaths.length} worker threads died while they read it: ${causes}`);
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
