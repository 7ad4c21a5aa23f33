/**
 * The fast path for a source of many sessions: standard input, and logs with `--session-by id`. It yields results
 * session by session. If a line is odd, the stages take over its session: they get its previous lines, and
 * continue until a plain line begins another session.
 */

import { QUOTE } from '../../transforms/json/bytes.ts';
import { skipBlanks } from '../../transforms/json/scanner.ts';
import { encode } from '../../transforms/json/utf8.ts';
import type { ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { Line, Origin, SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import { SessionIds } from '../../transforms/model/session-ids.ts';
import { ShortcutReader } from '../../transforms/shortcut/shortcut-reader.ts';
import { endBefore } from '../../transforms/stages/parse.ts';
import { SHORTCUT_DIALECT, type SourceLedger } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import type { SharedSource } from './chain.ts';
import { HeldLines } from './held-lines.ts';
import { ShortcutResults } from './shortcut-results.ts';

/** After this many odd lines in a row, the stages read the rest of the source. */
const MAX_ODD_LINES = 64;
const ID_KEY = encode('"session_id"');

const { indexOf } = Buffer.prototype;

/**
 * Creates the stages for a source.
 * @param begun undefined if they read it from the first line
 */
type StagesFor = (begun: SharedSource | undefined) => (element: StreamElement) => void;

export class PackedShortcut {
  readonly #reader: ShortcutReader;
  readonly #ledger: SourceLedger;
  readonly #results: ShortcutResults;
  readonly #held = new HeldLines();
  readonly #begun: SharedSource;
  #stagesFor: StagesFor | undefined;
  /** The stages, once they have read something of the source. */
  #stages: ((element: StreamElement) => void) | undefined;
  #source = '';
  /** Whether the stages are reading the open session. */
  #isWithStages = false;
  /** Whether the stages read the rest of the source. */
  #isLeft = false;
  /** Id of the session being read. */
  #sessionId: string | undefined;
  /** Id of the session that the stages are reading, as JSON; undefined if they must keep the next line too. */
  #openId: Uint8Array | undefined;
  #oddLines = 0;
  /** The last line. */
  #at: Origin | undefined;

  constructor(settings: TaskSettings, module: ScanMemory, ledger: SourceLedger) {
    this.#ledger = ledger;
    this.#results = new ShortcutResults(settings, ledger);
    this.#reader = new ShortcutReader(module, settings);
    this.#begun = {
      dialect: SHORTCUT_DIALECT,
      ended: new SessionIds(),
      opens: (id) => {
        this.#openId = id === undefined ? undefined : encode(JSON.stringify(id));
      },
    };
  }

  /** Starts a source. */
  begin(source: string, stagesFor: StagesFor): void {
    this.#source = source;
    this.#stagesFor = stagesFor;
    this.#stages = this.#sessionId = this.#openId = undefined;
    this.#isWithStages = this.#isLeft = false;
    this.#oddLines = 0;
    this.#at = undefined;
    this.#begun.ended.clear();
    this.#held.release();
    this.#reader.begin();
  }

  /** Takes elements from the framer. @returns true if that reached the limit of sessions */
  takeAll(elements: Iterable<StreamElement>): boolean {
    for (const element of elements) {
      this.#at = element.origin;
      if (!this.#isWithStages) this.#take(element);
      else if (element.kind !== 'line' || !this.#resumes(element)) this.#push(element);
      if (this.#ledger.isFull) return true;
    }
    return false;
  }

  /** The last line taken. */
  get at(): Origin | undefined {
    return this.#at;
  }

  /** Offset of the first line that a result may still refer to. */
  get offset(): number {
    return this.#held.offset ?? this.#at?.offset ?? 0;
  }

  /** Leaves the rest of the source to the stages. */
  leave(): void {
    if (!this.#isWithStages) this.#handOver();
    this.#isLeft = true;
  }

  /** Ends the source. */
  end(end: SessionEnd): void {
    if (!this.#isWithStages && this.#sessionId !== undefined) this.#close(end);
    this.#stages?.(end);
    this.#held.release();
  }

  #take(element: StreamElement): void {
    const outcome = element.kind === 'line' ? this.#reader.addPacked(element) : 'odd';
    if (outcome === 'odd') this.#takeOdd(element);
    else if (outcome === 'taken') this.#hold(element as Line);
    else this.#turn(element as Line);
  }

  #takeOdd(element: StreamElement): void {
    if (element.kind === 'line' && skipBlanks(element.bytes, 0) >= element.bytes.length) {
      this.#ledger.countFate('blank', 1);
      return;
    }
    this.#oddLines++;
    this.#handOver();
    this.#push(element);
  }

  #hold(line: Line): void {
    this.#sessionId ??= this.#reader.sessionId;
    this.#oddLines = 0;
    if (this.#held.add(line)) return;
    this.#handOver();
    this.#push(line);
  }

  /** Handles a line that begins another session. */
  #turn(line: Line): void {
    this.#close(endBefore(line.origin));
    if (this.#reader.turn(line) && !this.#begun.ended.has(this.#reader.sessionId)) this.#hold(line);
    else this.#takeOdd(line);
  }

  /** Ends the session being read. */
  #close(end: SessionEnd): void {
    const conversations = this.#reader.finish();
    if (conversations === 0) {
      this.#handOver();
      this.#push({ ...end, last: false });
      this.#isWithStages = false;
    } else {
      for (let i = 0; i < conversations; i++) {
        const last = end.last && i === conversations - 1;
        this.#results.handOut(this.#reader.conversation(this.#source, i), { ...end, last });
      }
      this.#begun.ended.add(this.#sessionId as string);
    }
    this.#held.clear();
    this.#sessionId = undefined;
  }

  /** Hands the session being read over to the stages. */
  #handOver(): void {
    if (this.#stages === undefined) {
      const isFirst = this.#sessionId === undefined && this.#begun.ended.size === 0;
      this.#stages = this.#stagesFor?.(isFirst ? undefined : this.#begun);
    }
    this.#isWithStages = true;
    this.#openId = this.#sessionId = undefined;
    for (const line of this.#held.take()) this.#push(line);
  }

  #push(element: StreamElement): void {
    // the end of the source: if sessions that were gathered follow, the stages have to find out to which one it belongs
    if (element.kind === 'line' && element.isOpen === true) this.#isLeft = true;
    this.#stages?.(element);
  }

  /** Takes a line if it begins another session than the one that the stages are reading. @returns false if it does not */
  #resumes(line: Line): boolean {
    if (this.#isLeft || this.#openId === undefined || seemsOf(this.#openId, line.bytes)) return false;
    this.#reader.begin();
    if (this.#reader.addPacked(line) !== 'taken' || !this.#isOther(this.#reader.sessionId)) {
      this.#isLeft = ++this.#oddLines >= MAX_ODD_LINES;
      return false;
    }
    this.#push(endBefore(line.origin));
    this.#isWithStages = false;
    this.#hold(line);
    return true;
  }

  #isOther(sessionId: string): boolean {
    const written = encode(JSON.stringify(sessionId));
    return Buffer.compare(written, this.#openId as Uint8Array) !== 0 && !this.#begun.ended.has(sessionId);
  }
}

/** Returns whether the line seems to belong to the session with this id: looks only at its first `session_id`. */
function seemsOf(id: Uint8Array, line: Uint8Array): boolean {
  const key = indexOf.call(line, ID_KEY);
  if (key < 0) return false;
  const start = line.indexOf(QUOTE, key + ID_KEY.length);
  return start >= 0 && Buffer.compare(line.subarray(start, start + id.length), id) === 0;
}
