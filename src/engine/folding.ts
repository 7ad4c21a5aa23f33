/** The fast path of a task: folds sources that are one session of plain entries (transforms/fold/). */

import type { FoldedSession } from '../../transforms/fold/folded-session.ts';
import { implementsAll, SessionFold } from '../../transforms/fold/session-fold.ts';
import { skipBlanks } from '../../transforms/json/scanner.ts';
import type { ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { Line, SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { SourceLedger } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { FoldedResults } from './folded-results.ts';

/** Least limit on nesting that is folded; with a lower one, the stages read the sources. */
const LEAST_DEPTH = 16;
/** Deepest nesting that fold.c can count. */
const MOST_DEPTH = 4096;

export class Folding {
  readonly #fold: SessionFold;
  readonly #ledger: SourceLedger;
  readonly #results: FoldedResults;
  #blank = 0;
  /** Offset of the last line. */
  #offset = 0;
  #folded: FoldedSession | undefined;

  constructor(settings: TaskSettings, module: ScanMemory, ledger: SourceLedger) {
    this.#ledger = ledger;
    this.#results = new FoldedResults(settings, ledger);
    this.#fold = new SessionFold(module, settings);
  }

  /** Starts a source. */
  begin(): void {
    this.#blank = this.#offset = 0;
    this.#folded = undefined;
    this.#fold.begin();
  }

  /** Takes elements from the framer. @returns false if the stages have to read the whole source instead */
  takeAll(elements: Iterable<StreamElement>): boolean {
    for (const element of elements) if (element.kind !== 'line' || !this.#take(element)) return false;
    return true;
  }

  /** Offset of the last line. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Takes a source that was read whole. @returns how it was framed, or undefined if the stages have to read it instead
   */
  takeWhole(bytes: Uint8Array, source: string): FramingCounts | undefined {
    this.begin();
    const lines = this.#fold.addAll(bytes);
    if (lines === 0 || !this.finish(source)) return undefined;
    const terminatorBytes = this.#fold.lineFeeds;
    return {
      bytes: bytes.length,
      bomBytes: 0,
      lineBytes: bytes.length - terminatorBytes,
      terminatorBytes,
      lines,
      crlf: 0,
      noFinalNewline: terminatorBytes < lines,
    };
  }

  /** Ends the source. @returns false if the stages have to read it instead */
  finish(source: string): boolean {
    this.#folded = this.#fold.finish(source);
    return this.#folded !== undefined;
  }

  /** Hands out the results. @param end the end of the session */
  handOut(end: SessionEnd): void {
    if (this.#blank > 0) this.#ledger.countFate('blank', this.#blank);
    this.#results.handOut(this.#folded as FoldedSession, end);
  }

  #take(line: Line): boolean {
    this.#offset = line.origin.offset;
    if (this.#fold.add(line)) return true;
    if (skipBlanks(line.bytes, 0) < line.bytes.length) return false;
    this.#blank++;
    return true;
  }
}

/** Returns whether sessions can be folded with these settings. */
export function isFoldable(settings: TaskSettings): boolean {
  const { dialect, cleanup, maxDepth, maxMessages, only, limit, profile, plugIns } = settings;
  const isDefault = cleanup.length === 1 && cleanup[0] === 'goose' && maxMessages === undefined;
  const mayBeExchange = (dialect === 'auto' && plugIns.dialects.length === 0) || dialect === 'exchange';
  const canCountDepth = maxDepth >= LEAST_DEPTH && maxDepth <= MOST_DEPTH;
  return (
    implementsAll &&
    isDefault &&
    mayBeExchange &&
    canCountDepth &&
    only === undefined &&
    limit === undefined &&
    !profile &&
    plugIns.stages.length === 0
  );
}
