/** Takes the shortcut (transforms/shortcut/) through sources that are one session of plain entries. */

import { earlyStages } from '../../transforms/chain.ts';
import { skipBlanks } from '../../transforms/json/scanner.ts';
import type { ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { Line, SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import { knowsEntries, ShortcutReader } from '../../transforms/shortcut/shortcut-reader.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { SourceLedger } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { hasUnknownWork, ShortcutResults } from './shortcut-results.ts';

/** Least limit on nesting with which the shortcut is taken; with a lower one, the stages read the sources. */
const MIN_DEPTH = 16;
/** Deepest nesting that shortcut.c can count. */
const MAX_DEPTH = 4096;

export class Shortcut {
  readonly #reader: ShortcutReader;
  readonly #ledger: SourceLedger;
  readonly #results: ShortcutResults;
  #blank = 0;
  /** Offset of the last line. */
  #offset = 0;
  #conversations = 0;
  /** How many of them were handed out. */
  #handedOut = 0;

  constructor(settings: TaskSettings, module: ScanMemory, ledger: SourceLedger) {
    this.#ledger = ledger;
    this.#results = new ShortcutResults(settings, ledger);
    this.#reader = new ShortcutReader(module, settings);
  }

  /** Starts a source. */
  begin(): void {
    this.#blank = this.#offset = 0;
    this.#conversations = this.#handedOut = 0;
    this.#reader.begin();
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
  takeWhole(bytes: Uint8Array): FramingCounts | undefined {
    this.begin();
    const lines = this.#reader.addAll(bytes);
    if (lines === 0 || !this.finish()) return undefined;
    const terminatorBytes = this.#reader.lineFeeds;
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
  finish(): boolean {
    this.#conversations = this.#reader.finish();
    return this.#conversations > 0;
  }

  /**
   * Hands out the next conversation.
   * @param end the end of the session
   * @returns false if it was the last one
   */
  handOut(end: SessionEnd): boolean {
    const index = this.#handedOut++;
    if (index === 0 && this.#blank > 0) this.#ledger.countFate('blank', this.#blank);
    const isLast = this.#handedOut === this.#conversations;
    const conversation = this.#reader.conversation(end.origin.source, index);
    this.#results.handOut(conversation, isLast ? end : { ...end, last: false });
    return !isLast;
  }

  #take(line: Line): boolean {
    this.#offset = line.origin.offset;
    if (this.#reader.add(line)) return true;
    if (skipBlanks(line.bytes, 0) < line.bytes.length) return false;
    this.#blank++;
    return true;
  }
}

/** Returns whether these settings allow the shortcut. */
export function mayTakeShortcut(settings: TaskSettings): boolean {
  const { shortcut, dialect, cleanup, maxDepth, only, plugIns } = settings;
  const isGoose = cleanup.length === 1 && ['auto', 'goose'].includes(cleanup[0] as string); // exchange has no other client
  const mayBeExchange = (dialect === 'auto' && plugIns.dialects.length === 0) || dialect === 'exchange';
  const canCountDepth = maxDepth >= MIN_DEPTH && maxDepth <= MAX_DEPTH;
  return (
    shortcut &&
    knowsEntries &&
    isGoose &&
    mayBeExchange &&
    canCountDepth &&
    only === undefined &&
    !settings.measures &&
    settings.minRead === undefined &&
    plugIns.stages.length === 0 &&
    !hasUnknownWork(earlyStages, settings)
  );
}
