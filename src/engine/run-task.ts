/**
 * Runs a task: reads its sources one after the other, frames them, runs the chain and hands out results in batches. A file may
 * turn out to be broken at its end, so nothing of a source counts before its last result, the report.
 */

import { setImmediate } from 'node:timers/promises';
import { borrowScanMemory } from '../../transforms/json/scanners.ts';
import type { Origin, StreamElement } from '../../transforms/model/element.ts';
import { SourceFault, TurnmillError } from '../errors.ts';
import { FIRST_BYTES, type FramedSource, frameSource } from '../input/frame-source.ts';
import { type Framer, NO_BYTES } from '../input/framing/framer.ts';
import { HEAD_BYTES } from '../input/framing/shape.ts';
import { createSlab, type Slab, shrinkSlab } from '../input/framing/slab.ts';
import type { SourceReader } from '../input/open-source.ts';
import { isStdin, type SourceRef } from '../input/sources/source.ts';
import { type Outcome, type SourceBegin, weightOf } from '../ledger/result.ts';
import { SourceLedger } from '../ledger/source-ledger.ts';
import { createProfile, type Profile, type ProfileFigures } from '../profile.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { createChain, fuseChain } from './chain.ts';
import { UNWATCHED, type Watch, watchWith } from './instrument.ts';
import { type Ended, type OpenSource, reportOf } from './source-report.ts';
import type { LaneSource } from './task.ts';

/** Results that are handed out together. */
export interface Batch {
  readonly outcomes: readonly Outcome[];
  /** Bytes read from the sources since the last batch. */
  readonly readBytes: number;
  /** Does it end with the report of a source that has `flush`? */
  readonly flushed: boolean;
  /** Since the last batch, when the thread is profiled. */
  readonly profile?: ProfileFigures;
}

/** A worker pauses when batches of this size are unread. */
export const WINDOW_BYTES: number = 8 * 1024 * 1024;
const BATCH_BYTES = 128 * 1024;
/** Only a giant line makes the slab grow beyond this. */
const GIANT_BYTES = 32 * 1024 * 1024;
/** Bytes after which the event loop gets its turn: timers, signals, messages. */
const TURN_BYTES = 8 * 1024 * 1024;
/** When the results of one read weigh more than this, its lines were tiny: the next read takes `DENSE_BYTES` at most. */
const DENSE_WEIGHT = 2 * 1024 * 1024;
const DENSE_BYTES = 64 * 1024;
/** Rejected lines of standard input and of streams cannot be read again, so they are kept up to this length. */
const ONCE_RAW_BYTES = 1024 * 1024;

/** Worker threads that may die over a source before it is rejected. */
export const MOST_DEATHS = 3;

export type SessionBy = 'file' | 'id';

export function sessionByFor(ref: SourceRef, settings: LaneSettings): SessionBy {
  return settings.sessionBy ?? (isStdin(ref) ? 'id' : 'file');
}

interface Chain {
  push(element: StreamElement): void;
}

/** Where the lines of a source come from, and where they go. */
interface Feed {
  readonly framer: Framer;
  readonly read: FramedSource['read'];
  readonly chain: Chain;
}

type RereadableSource = Required<Pick<SourceReader, 'again'>>;

/** Why reading pauses: more bytes have to come, a batch is due, the limit of sessions is reached, or the source is over. */
type Pause = Promise<number> | 'batch' | 'limited' | 'over';

type LaneSources = Iterable<LaneSource> | AsyncIterable<LaneSource>;

/** @param profile of this thread; without it, a profiled task makes its own and adds its figures to the batches */
export function runLane(
  sources: LaneSources,
  settings: LaneSettings,
  signal?: AbortSignal,
  profile?: Profile,
): AsyncGenerator<Batch> {
  if (!settings.profile) return new TaskRunner(settings, UNWATCHED, signal).run(sources);
  const clock = profile ?? createProfile('wait');
  const waited = clock.eachLater('wait', sources);
  const runner = new TaskRunner(settings, watchWith(clock), signal);
  const batches = clock.eachLater('other', runner.run(waited));
  return profile === undefined ? withFigures(batches, clock) : batches;
}

async function* withFigures(batches: AsyncIterable<Batch>, profile: Profile): AsyncGenerator<Batch> {
  for await (const batch of batches) yield { ...batch, profile: profile.take() };
}

/** Reads sources one after the other and hands out their results in batches. */
class TaskRunner {
  readonly #settings: LaneSettings;
  readonly #watch: Watch;
  readonly #signal: AbortSignal | undefined;
  readonly #memory: ReturnType<typeof borrowScanMemory>;
  readonly #slab: Slab;
  /** The first bytes of a source, until they are framed. */
  readonly #first = Buffer.allocUnsafe(FIRST_BYTES);
  readonly #chains = new Map<SessionBy, Chain>();
  readonly #ledger: SourceLedger;
  /** Undefined when the run has no limit of sessions. */
  readonly #atLimit: (() => boolean) | undefined;
  #outcomes: Outcome[] = [];
  #weight = 0;
  /** The last read gave very many results. */
  #isDense = false;
  #readBytes = 0;
  /** Decompressed bytes since the event loop had its turn. */
  #sinceTurn = 0;
  /** Bytes of the present source that are in `#readBytes`, or were in that of an earlier batch. */
  #countedBytes = 0;
  /** Is the present source standard input or a stream? */
  #isReadOnce = false;
  /** May a session of the present source come back? */
  #mayReopen = false;
  /** Of the present source. */
  #memberAt: SourceReader['memberAt'];
  /** In the sources that are over; counts towards the limit. */
  #sessionsBefore = 0;

  constructor(settings: LaneSettings, watch: Watch, signal: AbortSignal | undefined) {
    this.#settings = settings;
    this.#watch = watch;
    this.#signal = signal;
    this.#memory = borrowScanMemory(settings.scanner);
    this.#slab = createSlab(this.#memory?.slab);
    const { limit } = settings;
    if (limit !== undefined) this.#atLimit = () => this.#sessionsBefore + this.#ledger.sessions >= limit;
    this.#ledger = new SourceLedger({
      keepRaw: (length) =>
        settings.quarantineContent === 'raw' || (this.#isReadOnce && length <= ONCE_RAW_BYTES),
      memberAt: (offset) => this.#memberAt?.(offset),
      onOutcome: (outcome) => this.#emit(outcome),
      full: this.#atLimit,
      mayReopen: () => this.#mayReopen,
    });
  }

  async *run(sources: LaneSources): AsyncGenerator<Batch> {
    try {
      for await (const source of sources) {
        if (this.#atLimit?.() === true) break;
        yield* this.#runSource(source);
        if (this.#weight >= BATCH_BYTES || source.flush === true) yield this.#take(source.flush);
      }
      yield this.#take();
    } finally {
      this.#memory?.giveBack();
    }
  }

  #emit(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#weight += weightOf(outcome);
  }

  #take(flushed = false): Batch {
    const batch = { outcomes: this.#outcomes, readBytes: this.#readBytes, flushed };
    this.#outcomes = [];
    this.#weight = this.#readBytes = 0;
    return batch;
  }

  async *#runSource({ index, ref, deaths }: LaneSource): AsyncGenerator<Batch> {
    this.#isReadOnce = ref.path === undefined;
    this.#mayReopen = sessionByFor(ref, this.#settings) === 'id';
    this.#memberAt = undefined;
    this.#countedBytes = 0;
    const open: OpenSource = { index, ref };
    let fault: SourceFault | undefined;
    try {
      refuseDeadly(deaths);
      const opened = this.#watch.open(ref, this.#settings, this.#signal);
      open.reader = opened instanceof Promise ? await opened : opened;
      while (!(yield* this.#readOnce(open, open.reader)))
        open.reader = await this.#startOver(open, open.reader);
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      fault = error;
      if (open.reader === undefined) this.#emit({ kind: 'source-begin', source: index, provisional: true });
    } finally {
      if (open.reader !== undefined) this.#countRead(open.reader);
      const closing = open.reader?.close();
      if (closing !== undefined) await closing;
    }
    const ended = this.#endSource(open);
    this.#sessionsBefore += ended.sessions;
    this.#emit(reportOf(open, ended, fault));
  }

  /**
   * Reads a source from its first byte to its end, or to the limit of sessions.
   * @returns false when it was rewritten meanwhile and has to be read once more
   */
  async *#readOnce(open: OpenSource, reader: SourceReader): AsyncGenerator<Batch, boolean> {
    this.#memberAt = reader.memberAt;
    this.#emit(this.#begin(open, reader));
    try {
      const source = await this.#frame(reader, open.ref);
      open.framer = source.framer;
      let pause = this.#feed(source);
      while (pause !== 'over' && pause !== 'limited') {
        if (pause instanceof Promise) pause = this.#feed(source, await pause);
        else {
          this.#countRead(reader);
          if (this.#sinceTurn >= TURN_BYTES) {
            this.#sinceTurn = 0;
            await setImmediate();
          }
          yield this.#take();
          pause = this.#feed(source);
        }
      }
      open.isLimited = pause === 'limited';
      if (!open.isLimited) reader.verify(this.#settings.takesBack);
      return true;
    } catch (error) {
      if (!this.#isRewritten(reader, error)) throw error;
      if (open.again === true) throw rewrittenTwice(error);
      return false;
    }
  }

  #begin({ index, ref, again }: OpenSource, { compression, stamp }: SourceReader): SourceBegin {
    const provisional = !isStdin(ref) || compression !== 'none';
    const reopens = this.#mayReopen ? ({ mayReopen: true } as const) : {};
    return { kind: 'source-begin', source: index, provisional, ...reopens, stamp, again };
  }

  /** Was the source perhaps rewritten while it was read, and can it be read once more? */
  #isRewritten(reader: SourceReader, error: unknown): boolean {
    if (!(error instanceof SourceFault) || this.#settings.takesBack !== true) return false;
    return reader.again !== undefined && reader.isTouched?.() === true;
  }

  /** Returns a reader that begins again. The results so far will be taken back. */
  #startOver(open: OpenSource, reader: SourceReader): Promise<SourceReader> {
    this.#countRead(reader);
    this.#endSource(open);
    open.framer = undefined;
    open.again = true;
    return (reader as RereadableSource).again();
  }

  /** Opens the framer of a source at its first byte. Throws SourceFault. */
  async #frame(reader: SourceReader, ref: SourceRef): Promise<Feed> {
    // what can be read only once is looked at no further than needed: the bytes read of a rejected source are reported
    const head = this.#isReadOnce ? this.#first.subarray(0, HEAD_BYTES) : this.#first;
    const { maxLineBytes, maxElements } = this.#settings;
    const framed = await frameSource(reader, ref.name, maxLineBytes, this.#slab, head, maxElements);
    const chain = this.#chainFor(ref);
    if (framed.repair !== undefined) chain.push(framed.repair);
    return { framer: this.#watch.framer(framed.framer), read: framed.read, chain };
  }

  #chainFor(ref: SourceRef): Chain {
    const sessionBy = sessionByFor(ref, this.#settings);
    const known = this.#chains.get(sessionBy);
    if (known !== undefined) return known;
    const links = this.#watch.chain(createChain(this.#settings, sessionBy));
    const chain = {
      push: fuseChain(
        links,
        this.#watch.accept((element) => this.#ledger.accept(element)),
      ),
    };
    this.#chains.set(sessionBy, chain);
    return chain;
  }

  /** Reads on until there is a reason to pause. Never waits. @param waited the bytes that the last pause was for */
  #feed({ framer, read, chain }: Feed, waited?: number): Pause {
    for (let count = waited ?? read(this.#roomIn(framer)); ; count = read(this.#roomIn(framer))) {
      if (typeof count !== 'number') return count;
      if (count === 0) return this.#pushAll(framer.end(), chain) ? 'limited' : 'over';
      this.#sinceTurn += count;
      if (this.#pushAll(framer.filled(count), chain)) return 'limited';
      this.#isDense = this.#weight > DENSE_WEIGHT;
      if (this.#sinceTurn >= TURN_BYTES || this.#weight >= BATCH_BYTES) return 'batch';
    }
  }

  /** Where the next bytes go. */
  #roomIn(framer: Framer): Uint8Array {
    const room = framer.space();
    return this.#isDense ? room.subarray(0, DENSE_BYTES) : room;
  }

  /** Pushes elements through the chain. Returns true when the limit of sessions was reached among them. */
  #pushAll(elements: Iterable<StreamElement>, chain: Chain): boolean {
    const atLimit = this.#atLimit;
    let at: StreamElement | undefined;
    try {
      for (at of elements) {
        chain.push(at);
        if (atLimit?.() === true) return true;
      }
    } catch (error) {
      throw at === undefined ? error : withPlace(at.origin, error);
    }
    if (at !== undefined) this.#memberAt?.(at.origin.offset); // earlier members can be forgotten
    return false;
  }

  #countRead(reader: SourceReader): void {
    const fresh = Math.max(0, reader.readBytes() - this.#countedBytes); // 0 while a source is read again
    this.#readBytes += fresh;
    this.#countedBytes += fresh;
  }

  /** Ends the sessions of a source and returns the account of its lines. */
  #endSource({ ref, framer }: OpenSource): Ended {
    const framing = framer?.counts() ?? NO_BYTES;
    const { lines, bytes } = framing;
    if (this.#slab.bytes.length > GIANT_BYTES) {
      shrinkSlab(this.#slab); // a record as long as the line is about to be made
      globalThis.gc?.(); // where the host exposes it, as the command does
    }
    const end: StreamElement = {
      kind: 'session-end',
      origin: { source: ref.name, line: lines + 1, offset: bytes, length: 0 },
      last: true,
    };
    this.#pushAll([end], this.#chainFor(ref));
    const { sessions } = this.#ledger;
    return { framing, sessions, books: this.#ledger.endSource() };
  }
}

/** Adds the place in the logs to the stack of a bug in the chain. */
function withPlace({ source, line, offset }: Origin, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceFault || error instanceof TurnmillError)
    return error;
  error.stack = `${error.stack}\n    while ${source} was read, line ${line}, byte ${offset}`;
  return error;
}

/** The fault of a source that was rewritten during its second reading too: what was found wrong may be a mixture of two versions. */
function rewrittenTwice(cause: unknown): SourceFault {
  const detail = 'it was changed while it was read, read again from its start, and changed again';
  return new SourceFault('changed-while-read', detail, cause);
}

/** Throws when the source has killed too many worker threads. */
function refuseDeadly(deaths: readonly string[] = []): void {
  if (deaths.length < MOST_DEATHS) return;
  const causes = [...new Set(deaths)].join(', ');
  throw new SourceFault('worker-crash', `${deaths.length} worker threads died while reading it: ${causes}`);
}
