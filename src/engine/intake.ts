/**
 * Turns the framed elements of sources into results, one source after the other: plain sessions take the shortcut,
 * runs all others through the stages, and accounts for both in the source ledger.
 */

import type { ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { Origin, SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import type { FusedStages } from '../../transforms/stage.ts';
import { SourceFault, type SourceReason, TurnmillError } from '../errors.ts';
import type { FramedSource } from '../input/frame-source.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import { isFolder } from '../input/open-folder.ts';
import type { SourceReader } from '../input/source-reader.ts';
import { isObject, isStdin, type SourceRef } from '../input/sources/source.ts';
import { Redactor } from '../ledger/redactor.ts';
import type { Result } from '../ledger/result.ts';
import { SourceLedger } from '../ledger/source-ledger.ts';
import { hasPlugIns } from '../settings/plug-ins.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { keepsPaths } from '../settings/split-shares.ts';
import { type ChainSessions, createChain, fuseChain, type SharedSource } from './chain.ts';
import { GatheredLines } from './gathered-lines.ts';
import type { Watch } from './instrument.ts';
import type { ReadAt, RoomFor } from './line-sorter.ts';
import { PackedShortcut } from './packed-shortcut.ts';
import { mayTakeShortcut, Shortcut } from './shortcut.ts';
import type { Ended } from './source-report.ts';

/** Rejected lines of standard input and of streams are kept up to this length, because they cannot be read again. */
const ONCE_RAW_BYTES = 1024 * 1024;

/** Its name in a profile. */
const SHORTCUT = 'shortcut';

export function sessionByFor(ref: SourceRef, { sessionBy }: TaskSettings): 'file' | 'run' | 'id' {
  if (sessionBy === undefined || sessionBy === 'folder') return isStdin(ref) ? 'run' : 'file';
  return sessionBy;
}

/** How the stages tell sessions apart: gathered lines reach them session by session. */
export const chainSessionsFor = (ref: SourceRef, settings: TaskSettings): ChainSessions =>
  sessionByFor(ref, settings) === 'file' ? 'file' : 'run';

/** Elements that are not taken yet, because the results so far have to be delivered first. */
interface Stopped {
  readonly elements: Iterator<StreamElement>;
  /** The element in which it stopped. */
  readonly at: StreamElement;
}

export interface IntakeOptions {
  readonly settings: TaskSettings;
  readonly watch: Watch;
  /** Memory for the shortcut; without it the stages read everything. */
  readonly memory: ScanMemory | undefined;
  readonly onResult: (result: Result) => void;
  /** Whether the results have to be delivered before there are more. */
  readonly isFull: () => boolean;
}

export class Intake {
  readonly #settings: TaskSettings;
  readonly #watch: Watch;
  readonly #ledger: SourceLedger;
  readonly #isFull: () => boolean;
  readonly #chains = new Map<ChainSessions | 'begun', FusedStages>();
  /** Undefined if nothing can take it. */
  readonly #shortcut: Shortcut | undefined;
  /** For sources of many sessions. */
  readonly #packed: PackedShortcut | undefined;
  /** Undefined if the run does not limit the number of sessions. */
  readonly #atLimit: (() => boolean) | undefined;
  #gatherer: GatheredLines | undefined;
  /** Sessions in the sources that have ended; counts towards the limit. */
  #sessionsBefore = 0;

  // state of the current source
  #ref: SourceRef | undefined;
  #stages: FusedStages | undefined;
  #stopped: Stopped | undefined;
  #isOnShortcut = false;
  /** Whether the source takes the shortcut session by session. */
  #isPacked = false;
  #isEnding = false;
  /** Whether no worker thread has died while reading the source. */
  #isSafe = false;
  #mayTakeShortcut = false;
  #mayReopen = false;
  #memberAt: SourceReader['memberAt'];
  /** Reads a plain file at a position. */
  #readAt: ReadAt | undefined;
  #refused: SourceFault | undefined;
  /** Set if the lines of the source may be gathered. */
  #gathered: GatheredLines | undefined;
  /** Why gathered lines of the source are rejected, if they are. */
  #dropped: SourceReason | undefined;

  constructor({ settings, watch, memory, onResult, isFull }: IntakeOptions) {
    this.#isFull = isFull;
    this.#settings = settings;
    this.#watch = watch;
    const { limit, quarantineContent } = settings;
    if (limit !== undefined) this.#atLimit = () => this.#sessionsBefore + this.#ledger.sessions >= limit;
    this.#ledger = new SourceLedger({
      keepRaw: (length) =>
        quarantineContent === 'raw' || (this.#ref?.path === undefined && length <= ONCE_RAW_BYTES),
      memberAt: (offset) => this.#memberAt?.(offset),
      onResult,
      full: this.#atLimit,
      seals: hasPlugIns(settings.plugIns),
      mayReopen: () => this.#mayReopen,
      paths: keepsPaths(settings),
      redactor: settings.redaction && new Redactor(settings.redaction),
    });
    if (memory !== undefined && mayTakeShortcut(settings)) {
      this.#shortcut = new Shortcut(settings, memory, this.#ledger);
      this.#packed = new PackedShortcut(settings, memory, this.#ledger);
    }
  }

  /** Whether the run has reached its limit of sessions. */
  get isLimited(): boolean {
    return this.#atLimit?.() === true;
  }

  /** Whether a session of the source may resume after its end. */
  get mayReopen(): boolean {
    return this.#mayReopen;
  }

  /** Whether the source can take the shortcut, as far as is known. */
  get canTakeShortcut(): boolean {
    return this.#mayTakeShortcut;
  }

  get isOnShortcut(): boolean {
    return this.#isOnShortcut;
  }

  /** Why a stage rejected the whole source, if one did. */
  get refused(): SourceFault | undefined {
    return this.#refused;
  }

  /** Starts the next source. @param isSafe whether no worker thread has died while reading it */
  begin(ref: SourceRef, isSafe: boolean): void {
    this.#ref = ref;
    this.#mayReopen = sessionByFor(ref, this.#settings) !== 'file';
    this.#mayTakeShortcut = this.#shortcut !== undefined && !this.#mayReopen && isSafe;
    this.#isSafe = isSafe;
    this.#isOnShortcut = this.#isPacked = this.#isEnding = false;
    this.#stages = this.#stopped = this.#memberAt = this.#refused = undefined;
    this.#gathered = this.#dropped = undefined;
  }

  /** Sets the reader that the next bytes come from. Only a plain file of this machine is read synchronously. */
  readFrom({ memberAt, readAt, compression }: SourceReader): void {
    this.#memberAt = memberAt;
    const ref = this.#ref;
    const isLocal = ref?.path !== undefined && !isObject(ref) && !isFolder(ref);
    this.#readAt = isLocal && compression === 'none' ? (readAt as ReadAt | undefined) : undefined;
  }

  /** Prepares for the framed lines or elements. @param canRewind whether they can be read again if one is odd */
  open({ isLines, repair }: FramedSource, canRewind: boolean): void {
    this.#isOnShortcut = isLines && this.#mayTakeShortcut && canRewind;
    const ref = this.#ref as SourceRef;
    this.#isPacked = isLines && this.#packed !== undefined && this.#mayReopen && this.#isSafe;
    if (this.#isOnShortcut) this.#shortcut?.begin();
    else this.#stages = this.#chainFor(ref);
    if (this.#isPacked) this.#packed?.begin(ref.name, (begun) => this.#stagesFor(begun));
    if (sessionByFor(ref, this.#settings) === 'id') {
      this.#gathered = this.#gatherer ??= new GatheredLines(this.#settings);
      this.#gathered.begin(ref.name, isLines ? this.#readAt : undefined);
    }
    if (repair !== undefined) this.#stages?.push(repair);
  }

  /**
   * Takes framed elements. Returns the reason to stop reading the source, if there is one; after `full`, call `goOn` until
   * it returns something else.
   */
  take(elements: Iterable<StreamElement>): 'full' | 'limited' | 'odd' | undefined {
    return this.#read(this.#gathered === undefined ? elements : this.#gathered.take(elements));
  }

  #read(elements: Iterable<StreamElement>): 'full' | 'limited' | 'odd' | undefined {
    if (this.#isPacked)
      return this.#takePacked(elements, this.#packed as PackedShortcut) ? 'limited' : undefined;
    const shortcut = this.#isOnShortcut ? this.#shortcut : undefined;
    if (shortcut === undefined) return this.#pushAll(elements[Symbol.iterator]());
    if (!this.#watch.within(SHORTCUT, () => shortcut.takeAll(elements))) return 'odd';
    this.#memberAt?.(shortcut.offset); // earlier members can be forgotten
    return undefined;
  }

  /** Goes on with the elements of the last `take`, if it stopped because the results had to be delivered. */
  goOn(): 'full' | 'limited' | undefined {
    const stopped = this.#stopped;
    this.#stopped = undefined;
    return stopped && this.#pushAll(stopped.elements, stopped.at);
  }

  /** Call it when the slab has grown for a giant line. @returns `odd` if the stages have to read the source again */
  outgrow(): 'odd' | undefined {
    if (this.#isPacked) this.#packed?.leave();
    return this.#isOnShortcut ? 'odd' : undefined;
  }

  /** Takes the bytes of a whole file. @returns how they were framed; undefined if the stages have to read it */
  takeWhole(bytes: Uint8Array): FramingCounts | undefined {
    const framing = this.#watch.within(SHORTCUT, () => this.#shortcut?.takeWhole(bytes));
    if (framing !== undefined) this.#watch.countWhole(framing.bytes);
    this.#isOnShortcut = framing !== undefined;
    this.#mayTakeShortcut = this.#isOnShortcut;
    return framing;
  }

  /** Ends the lines. @returns false if the stages have to read them */
  close(): boolean {
    return !this.#isOnShortcut || this.#watch.within(SHORTCUT, () => this.#shortcut?.finish() === true);
  }

  /** Prepares for reading the source again with the stages. It has no results so far. */
  leaveShortcut(): void {
    this.#isOnShortcut = this.#mayTakeShortcut = false;
  }

  /** Prepares for reading the source again; its results so far will be withdrawn. */
  forget(): void {
    this.#gatherer?.forget();
    this.#gathered = undefined;
    this.#refused = this.#stopped = undefined;
    this.#isPacked = this.#isEnding = false;
  }

  /** Drops the gathered lines of a source that is rejected. */
  drop(reason: SourceReason): void {
    if (this.#gathered === undefined) return;
    this.#gathered.forget();
    this.#dropped = reason;
  }

  /**
   * Yields the last elements of the source, and then the lines that were gathered, for `take`.
   * @param roomFor memory for a line; valid until the next one
   */
  *withGathered(last: Iterable<StreamElement>, roomFor: RoomFor): Generator<StreamElement> {
    yield* last;
    if (this.#gathered === undefined) return;
    this.#memberAt = undefined; // it forgets earlier members, but these lines are ordered by session
    yield* this.#gathered.rest(roomFor);
  }

  /**
   * Ends the sessions of the source and returns the account of its lines. Yields when the results have to be delivered:
   * a source may hold more conversations than fit in memory.
   */
  *end(framing: FramingCounts): Generator<void, Ended> {
    const { lines, bytes } = framing;
    const ref = this.#ref as SourceRef;
    const origin = { source: ref.name, line: lines, offset: bytes, length: 0 };
    const end: SessionEnd = { kind: 'session-end', origin, last: true };
    this.#isEnding = true;
    try {
      if (this.#isOnShortcut) {
        while (this.#watch.within(SHORTCUT, () => this.#shortcut?.handOut(end))) if (this.#isFull()) yield;
      } else if (this.#isPacked) this.#packed?.end(end);
      else {
        this.#stages ??= this.#chainFor(ref);
        this.#stages.finish();
        this.#stages.push(end);
      }
      while (this.#stages?.goOn() === false) yield;
    } catch (error) {
      throw withPlace(origin, error);
    }
    if (this.#dropped !== undefined) this.#ledger.rejectRest(this.#dropped, lines);
    const { sessions } = this.#ledger;
    const atLimit = this.isLimited;
    const totals = this.#ledger.endSource();
    return { framing, sessions, totals, isLimited: atLimit && totals.lines < lines };
  }

  /** Ends a source after a bug in a stage. The stages may be in any state, so the next source gets new ones. */
  fail(framing: FramingCounts): Ended {
    this.forget();
    this.#chains.clear();
    this.#stages = undefined;
    this.#isOnShortcut = false;
    this.#ledger.rejectRest('internal-error', framing.lines);
    const { sessions } = this.#ledger;
    return { framing, sessions, totals: this.#ledger.endSource() };
  }

  /** Counts the sessions of a source towards the limit, once its results are final. */
  count({ sessions }: Ended): void {
    this.#sessionsBefore += sessions;
  }

  /** @returns true if that reached the limit of sessions */
  #takePacked(elements: Iterable<StreamElement>, packed: PackedShortcut): boolean {
    let isLimited: boolean;
    try {
      isLimited = this.#watch.within(SHORTCUT, () => packed.takeAll(elements));
    } catch (error) {
      throw packed.at === undefined ? error : withPlace(packed.at, error);
    }
    this.#memberAt?.(packed.offset); // earlier members can be forgotten
    return isLimited;
  }

  /** Creates the stages for the sessions that the packed shortcut refuses. */
  #stagesFor(begun: SharedSource | undefined): (element: StreamElement) => void {
    const stages = begun === undefined ? (this.#stages as FusedStages) : this.#chainOf('begun', 'run', begun);
    this.#stages = stages;
    return (element) => {
      stages.finish();
      stages.push(element);
      if (!this.#isEnding) stages.finish();
      if (this.#refused !== undefined && !this.#isEnding) throw this.#refused;
    };
  }

  #chainFor(ref: SourceRef): FusedStages {
    const sessionBy = chainSessionsFor(ref, this.#settings);
    return this.#chainOf(sessionBy, sessionBy);
  }

  #chainOf(name: ChainSessions | 'begun', sessionBy: ChainSessions, begun?: SharedSource): FusedStages {
    const known = this.#chains.get(name);
    if (known !== undefined) return known;
    const links = this.#watch.chain(createChain(this.#settings, sessionBy, begun));
    const accept = this.#watch.accept((element) => this.#accept(element));
    const stages = fuseChain(links, accept, this.#isFull);
    this.#chains.set(name, stages);
    return stages;
  }

  #accept(element: StreamElement): void {
    if (element.kind === 'rejection' && element.scope === 'source')
      this.#refused ??= new SourceFault(element.reason as SourceReason, element.detail);
    else this.#ledger.accept(element);
  }

  /** Pushes elements through the stages. @param from the element in which they stopped, if they did */
  #pushAll(elements: Iterator<StreamElement>, from?: StreamElement): 'full' | 'limited' | undefined {
    const atLimit = this.#atLimit;
    const stages = this.#stages as FusedStages;
    let at = from;
    try {
      let isDone = from === undefined || stages.goOn();
      for (;;) {
        if (this.#refused !== undefined) throw this.#refused;
        if (at !== undefined && atLimit?.() === true) return 'limited';
        if (!isDone) {
          this.#stopped = { elements, at: at as StreamElement };
          return 'full';
        }
        const next = elements.next();
        if (next.done === true) break;
        at = next.value;
        isDone = stages.push(at);
      }
    } catch (error) {
      throw at === undefined ? error : withPlace(at.origin, error);
    }
    if (at !== undefined) this.#memberAt?.(at.origin.offset); // earlier members can be forgotten
    return undefined;
  }
}

/** Adds the position in the logs to the stack of a bug in the chain. */
function withPlace({ source, line, offset }: Origin, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SourceFault || error instanceof TurnmillError)
    return error;
  error.stack = `${error.stack}\n    while ${source} was read, line ${line}, byte ${offset}`;
  return error;
}
