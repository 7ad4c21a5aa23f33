/**
 * Reads one source after the other: opens it, frames it, passes its lines to the intake and reports on it. It reads as
 * far as it can without waiting; the caller awaits the pauses and yields the deliveries.
 */

import type { ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { StreamElement } from '../../transforms/model/element.ts';
import { SourceFault } from '../errors.ts';
import type { FramedSource } from '../input/frame-source.ts';
import { type Framer, NO_BYTES } from '../input/framing/framer.ts';
import { createSlab, type Slab, shrinkSlab } from '../input/framing/slab.ts';
import type { SourceReader } from '../input/source-reader.ts';
import { isStdin } from '../input/sources/source.ts';
import type { SourceBegin } from '../ledger/result.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { bugFault } from './bug-fault.ts';
import type { DeliveryBuilder } from './delivery.ts';
import type { Watch } from './instrument.ts';
import { Intake } from './intake.ts';
import { SmallFiles } from './small-files.ts';
import { SourceOpener, type SourceOpenerOptions } from './source-opener.ts';
import { allOf, type Ended, type OpenSource, type ReadSource, reportOf } from './source-report.ts';
import { NONE_UPCOMING, type TaskSource, type Upcoming } from './task.ts';

/** Weight of the results at which a delivery is due. */
export const DELIVERY_BYTES: number = 128 * 1024;
/** Only a giant line makes the slab grow beyond this. */
const GIANT_BYTES = 32 * 1024 * 1024;
/** Bytes after which the event loop gets a turn, for timers, signals and messages, and the heap is looked at. */
const TURN_BYTES = 8 * 1024 * 1024;
/** A source whose lines make the slab grow beyond this does not take the shortcut. */
const MAX_SHORTCUT_BYTES = 16 * 1024 * 1024;
/** If the lines of a read are shorter than this on average, the next read takes at most `DENSE_BYTES`. */
const TINY_BYTES = 1024;
const DENSE_BYTES = 64 * 1024;
const DENSE_TURN_BYTES = 256 * 1024;

type RereadableSource = Required<Pick<SourceReader, 'again'>>;

/** The end of a source, in steps, and why it is rejected, if it is. */
interface Ending {
  readonly steps: Iterator<void, Ended>;
  readonly fault: SourceFault | undefined;
}

/** Why reading pauses: a delivery is due, the source has ended, or a promise has to settle first. */
export type Pause = 'delivery' | 'over' | Promise<void>;

export interface SourceRunOptions extends Pick<SourceOpenerOptions, 'settings' | 'watch' | 'signal'> {
  /** Memory for the slab, shared with the shortcut; undefined if the slab allocates its own. */
  readonly memory: ScanMemory | undefined;
  readonly delivery: DeliveryBuilder;
  /** Lists the sources to prefetch; undefined for none. */
  readonly upcoming?: Upcoming | undefined;
  /** Called before a line is read for which the slab has to grow. */
  readonly onGiantLine?: (() => void) | undefined;
}

export class SourceRun {
  readonly #settings: TaskSettings;
  readonly #watch: Watch;
  readonly #delivery: DeliveryBuilder;
  readonly #slab: Slab;
  readonly #opener: SourceOpener;
  readonly #intake: Intake;
  readonly #smallFiles: SmallFiles;
  /** Whether the last source took the shortcut. If not, the next one is not read whole either: neighbouring logs are alike. */
  #tookShortcut = true;
  /** Whether the last long read had very many lines, or may have: it is the first one. */
  #isDense = true;
  /** Decompressed bytes since the event loop last had a turn. */
  #sinceTurn = 0;

  // state of the current source
  #open: OpenSource | undefined;
  #read: FramedSource['read'] | undefined;
  /** Bytes that arrived asynchronously in the slab and are not framed yet. */
  #arrived: number | undefined;
  /** Elements that the framer returned at the end of the source and that are not taken yet: perhaps a whole document. */
  #rest: Iterator<StreamElement> | undefined;
  /** Error of a read or step that failed in the background; thrown by the next `read`. */
  #failure: { readonly error: unknown } | undefined;
  /** Set while the sessions of the source are being ended. */
  #ending: Ending | undefined;
  /** Whether the source is about to be read a second time. */
  #isRestarting = false;
  #isClosing = false;
  #countedBytes = 0;

  constructor(options: SourceRunOptions) {
    const { settings, watch, signal, memory, delivery, upcoming = NONE_UPCOMING, onGiantLine } = options;
    this.#settings = settings;
    this.#watch = watch;
    this.#delivery = delivery;
    this.#slab = createSlab(memory?.slab, onGiantLine);
    this.#opener = new SourceOpener({ settings, watch, signal, upcoming, slab: this.#slab });
    this.#intake = new Intake({
      settings,
      watch,
      memory,
      onResult: (result) => delivery.add(result),
      isFull: () => delivery.weight >= DELIVERY_BYTES,
    });
    this.#smallFiles = new SmallFiles({ watch, delivery, opener: this.#opener, intake: this.#intake });
  }

  /** Whether the run has reached its limit of sessions. */
  get isLimited(): boolean {
    return this.#intake.isLimited;
  }

  /** Returns whether the event loop is due a turn; if so, starts counting again. */
  takeTurn(): boolean {
    if (!this.#isTurnDue) return false;
    this.#sinceTurn = 0;
    return true;
  }

  get #isTurnDue(): boolean {
    return this.#sinceTurn >= (this.#isDense ? DENSE_TURN_BYTES : TURN_BYTES);
  }

  begin({ index, ref, deaths }: TaskSource): void {
    this.#open = { index, ref, deaths };
    this.#intake.begin(ref, deaths === undefined);
    this.#read = this.#arrived = this.#rest = this.#ending = undefined;
    this.#isRestarting = this.#isClosing = false;
    this.#countedBytes = 0;
  }

  /**
   * Reads until there is a reason to pause. Call it again after the pause, until the source has ended. Throws errors
   * that end the run.
   */
  read(): Pause {
    const open = this.#open;
    if (open === undefined) return 'over';
    try {
      if (open.reader === undefined && !this.#isClosing && this.#takeWhole(open)) return 'over';
      this.#throwFailure();
      if (this.#ending !== undefined) return this.#goOnEnding(open);
      return this.#advance(open) ?? this.#close(open);
    } catch (error) {
      const bug = open.isBroken === true ? undefined : bugFault(error);
      if (bug !== undefined) return this.#breakOff(open, bug);
      if (this.#isClosing) throw error;
      if (this.#intake.isOnShortcut && error instanceof SourceFault) return this.#leaveShortcut(open);
      if (!this.#isRestarting && this.#isRewritten(open, error)) {
        if (open.again !== true) return this.#startOver(open, open.reader as SourceReader);
        return this.#close(open, rewrittenTwice(error));
      }
      if (!(error instanceof SourceFault)) throw error;
      return this.#close(open, error);
    }
  }

  /** Ends a source in which there was a bug. It is read once more by the stages if only the shortcut has read it so far. */
  #breakOff(open: OpenSource, bug: SourceFault): Pause {
    if (this.#intake.isOnShortcut && !this.#isClosing && open.reader !== undefined)
      return this.#leaveShortcut(open);
    open.isBroken = true;
    this.#ending = undefined;
    return this.#isClosing ? this.#report(open, bug) : this.#close(open, bug);
  }

  /** Closes the current source, if there is one, because its results are no longer wanted. */
  async abandon(): Promise<void> {
    const reader = this.#open?.reader;
    this.#open = undefined;
    this.#intake.forget();
    this.#opener.close();
    if (!this.#isClosing) await reader?.close();
  }

  /** Takes the next step: opens, frames or reads. @returns undefined at the end of the source */
  #advance(open: OpenSource): Pause | undefined {
    if (open.reader === undefined) {
      const opened = this.#opener.open(open);
      if (opened instanceof Promise) return this.#later(opened, (reader) => this.#beginReading(open, reader));
      this.#beginReading(open, opened);
    }
    const reader = open.reader as SourceReader;
    if (open.framer === undefined) {
      const framed = this.#opener.frame(reader, open.ref);
      if (framed instanceof Promise) return this.#later(framed, (source) => this.#beginFraming(open, source));
      this.#beginFraming(open, framed);
    }
    const pause = this.#feed(open.framer as unknown as Framer, this.#read as FramedSource['read']);
    if (pause instanceof Promise) {
      return this.#later(pause, (count) => {
        this.#arrived = count;
      });
    }
    if (pause === 'delivery') {
      this.#countRead(reader);
      return pause;
    }
    if (pause === 'odd' || !this.#intake.close()) return this.#leaveShortcut(open);
    open.isLimited = pause === 'limited';
    if (!open.isLimited) reader.verify(this.#settings.takesBack);
    return undefined;
  }

  /** Reads the source again from its start, through the stages. It has no results so far. */
  #leaveShortcut(open: OpenSource): Pause {
    const reader = open.reader as SourceReader;
    open.framer = this.#arrived = this.#rest = undefined;
    this.#intake.leaveShortcut();
    const rewound = reader.rewind?.();
    if (rewound === undefined) return this.read();
    return this.#later(rewound, () => this.#intake.readFrom(reader));
  }

  /** Continues when the promise settles. If it rejects, the next `read` throws. */
  #later<T>(promise: Promise<T>, use: (value: T) => void): Promise<void> {
    return promise.then(use).catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }

  #beginReading(open: OpenSource, reader: SourceReader): void {
    open.reader = reader;
    this.#isRestarting = false;
    this.#intake.readFrom(reader);
    this.#delivery.add(this.#beginOf(open, reader));
  }

  #beginOf({ index, ref, again }: OpenSource, { compression, identity }: SourceReader): SourceBegin {
    const provisional = !isStdin(ref) || compression !== 'none' || this.#settings.minRead !== undefined;
    const reopens = this.#intake.mayReopen ? ({ mayReopen: true } as const) : {};
    return { kind: 'source-begin', source: index, provisional, ...reopens, identity, again };
  }

  #beginFraming(open: OpenSource, framed: FramedSource): void {
    open.framer = this.#watch.framer(framed.framer);
    this.#read = framed.read;
    this.#intake.open(framed, open.reader?.rewind !== undefined);
  }

  /** Takes the road of small files. @returns false if the source has to be opened like any other file */
  #takeWhole(open: OpenSource): boolean {
    const whole = this.#tookShortcut ? this.#smallFiles.take(open) : undefined;
    if (whole === undefined) return false;
    this.#sinceTurn += whole.ended.framing.bytes;
    this.#reportOn(whole.source, whole.ended, whole.fault);
    return true;
  }

  #feed(
    framer: Framer,
    read: FramedSource['read'],
  ): Promise<number> | 'delivery' | 'limited' | 'odd' | 'over' {
    const going = this.#intake.goOn();
    if (going !== undefined) return going === 'full' ? 'delivery' : going;
    if (this.#rest !== undefined) return this.#takeRest(this.#rest);
    const arrived = this.#arrived;
    this.#arrived = undefined;
    for (let count = arrived ?? read(this.#roomIn(framer)); ; count = read(this.#roomIn(framer))) {
      if (typeof count !== 'number') return count;
      if (count === 0) return this.#takeRest(this.#lastOf(framer));
      this.#sinceTurn += count;
      const before = framer.counts().lines;
      const stopped = this.#intake.take(framer.filled(count));
      if (stopped !== undefined) return stopped === 'full' ? 'delivery' : stopped;
      if (this.#slab.bytes.length > MAX_SHORTCUT_BYTES && this.#intake.outgrow() !== undefined) return 'odd';
      if (count >= DENSE_BYTES) this.#isDense = (framer.counts().lines - before) * TINY_BYTES > count;
      if (this.#isTurnDue || this.#delivery.weight >= DELIVERY_BYTES) return 'delivery';
    }
  }

  /** The last elements of the source, with those that were gathered: the slab holds nothing else then. */
  #lastOf(framer: Framer): Iterator<StreamElement> {
    const roomFor = (bytes: number): Uint8Array => {
      if (bytes > this.#slab.bytes.length) this.#slab.resize(bytes);
      return this.#slab.bytes.subarray(0, bytes);
    };
    return this.#intake.withGathered(framer.end(), roomFor);
  }

  /** Takes the last elements one by one, until a delivery is due. */
  #takeRest(rest: Iterator<StreamElement>): 'delivery' | 'limited' | 'odd' | 'over' {
    this.#rest = rest;
    for (let { done, value } = rest.next(); done !== true; { done, value } = rest.next()) {
      const stopped = this.#intake.take([value]);
      if (stopped !== undefined) return stopped === 'full' ? 'delivery' : stopped;
      this.#sinceTurn += value.origin.length;
      if (this.#isTurnDue || this.#delivery.weight >= DELIVERY_BYTES) return 'delivery';
    }
    this.#rest = undefined;
    return 'over';
  }

  /** Returns the space in the slab for the next read. */
  #roomIn(framer: Framer): Uint8Array {
    const room = framer.space();
    return this.#isDense ? room.subarray(0, DENSE_BYTES) : room;
  }

  #countRead(reader: SourceReader): void {
    const fresh = Math.max(0, reader.readBytes() - this.#countedBytes); // 0 while a source is read again
    this.#delivery.countRead(fresh);
    this.#countedBytes += fresh;
  }

  /** Returns whether the source may have been rewritten while it was read, and can be read once more. */
  #isRewritten({ reader }: OpenSource, error: unknown): boolean {
    if (!(error instanceof SourceFault) || this.#settings.takesBack !== true) return false;
    return reader?.again !== undefined && reader.isTouched?.() === true;
  }

  /** Reads the source again from its start, and withdraws its results so far. */
  #startOver(open: OpenSource, reader: SourceReader): Pause {
    this.#countRead(reader);
    this.#intake.drop('changed-while-read');
    allOf(this.#endSource(open));
    this.#intake.forget();
    open.framer = this.#rest = undefined;
    open.again = this.#isRestarting = true;
    return this.#later((reader as RereadableSource).again(), (again) => this.#beginReading(open, again));
  }

  /** Closes the source and reports on it. @param fault why the source is rejected, if it is */
  #close(open: OpenSource, fault?: SourceFault): Pause {
    this.#isClosing = true;
    const { reader } = open;
    if (reader === undefined)
      this.#delivery.add({ kind: 'source-begin', source: open.index, provisional: true });
    else this.#countRead(reader);
    const closing = reader?.close();
    if (closing instanceof Promise) return this.#later(closing, () => this.#report(open, fault));
    return this.#report(open, fault);
  }

  #report(open: OpenSource, fault: SourceFault | undefined): Pause {
    if (fault !== undefined) this.#intake.drop(fault.reason);
    this.#ending = { steps: this.#endSource(open), fault };
    return this.#goOnEnding(open);
  }

  /** Ends the sessions of the source until a delivery is due, then reports on it. */
  #goOnEnding(open: OpenSource): Pause {
    const { steps, fault } = this.#ending as Ending;
    const step = steps.next();
    if (step.done !== true) {
      this.#sinceTurn += DELIVERY_BYTES; // nothing is read meanwhile, but the event loop must get its turn
      return 'delivery';
    }
    this.#ending = undefined;
    this.#reportOn(open, step.value, fault ?? this.#intake.refused);
    return 'over';
  }

  #reportOn(source: ReadSource, ended: Ended, fault?: SourceFault): void {
    this.#tookShortcut = this.#intake.isOnShortcut;
    this.#intake.count(ended);
    this.#delivery.add(reportOf(source, ended, fault));
    this.#open = undefined;
  }

  /** The steps that end the sessions of a source; the last one returns the account of its lines. */
  #endSource({ framer, isBroken }: OpenSource): Iterator<void, Ended> {
    if (this.#slab.bytes.length > GIANT_BYTES) {
      shrinkSlab(this.#slab); // makes room for a record as long as the line
      globalThis.gc?.(); // only if the host exposes it, as the command does
    }
    const framing = framer?.counts() ?? NO_BYTES;
    return isBroken === true ? endedAt(this.#intake.fail(framing)) : this.#intake.end(framing);
  }
}

const endedAt = (value: Ended): Iterator<void, Ended> => ({ next: () => ({ done: true, value }) });

/**
 * Returns the fault of a source that was rewritten during its second reading too. It replaces the error that was found,
 * which may come from a mixture of two versions.
 */
function rewrittenTwice(cause: unknown): SourceFault {
  const detail = 'it was changed while it was read, read again from its start, and changed again';
  return new SourceFault('changed-while-read', detail, cause);
}
