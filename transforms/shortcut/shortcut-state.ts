/** Reads the counters and tables of shortcut.c for its last session in the memory of WebAssembly (shortcut-state.h). */

import { NO_REPLY } from '../checks/no-reply.ts';
import { notAPrefix } from '../checks/not-a-prefix.ts';
import { partingText } from '../checks/role-sequence.ts';
import { NO_CHANGES } from '../dialects/shared/line-objects.ts';
import { modelMeta, NO_META } from '../dialects/shared/logged-meta.ts';
import { type RecordShape, ShapeCounter } from '../formats/shape-counter.ts';
import { JsonView } from '../json/json-view.ts';
import { knownText } from '../json/utf8.ts';
import type { ScanMemory } from '../json/wasm-scanner.ts';
import type { EntryLog, Finding, Message, Origin } from '../model/element.ts';
import { createEntryLog } from '../model/entry-log.ts';
import { hashedPath } from '../model/hashed-path.ts';
import type { Meta } from '../model/meta.ts';
import type { ShortcutExports } from './shortcut-module.ts';
import type { LastSession } from './shortcut-session.ts';
import {
  ENTRY_LEAF,
  ENTRY_WORDS,
  FOUND_ENDED,
  FOUND_NO_REPLY,
  FOUND_NOT_PREFIX,
  FOUND_NOTES,
  FOUND_WORDS,
  NAMED_WORDS,
  SIGN_NAMES,
  STATE,
  WRITTEN_WORDS,
} from './shortcut-words.ts';

/** Consecutive entries with the same list of definitions, by its number. */
export interface NumberedRun {
  readonly list: number;
  readonly entries: number;
}

export class ShortcutState implements LastSession {
  readonly #module: ScanMemory;
  #exports: ShortcutExports;
  #words: Uint32Array = new Uint32Array(0);
  #doubles: Float64Array = new Float64Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  /** Offsets of the tables, in words. */
  #stateAt = 0;
  #entriesAt = 0;
  #runsAt = 0;

  constructor(module: ScanMemory) {
    this.#module = module;
    this.#exports = module.exports;
    this.findTables();
  }

  /** Finds the tables in the module's current instance. */
  findTables(): void {
    this.#exports = this.#module.exports;
    this.#stateAt = this.#exports.state_at() >> 2;
    this.#entriesAt = this.#exports.entries_at() >> 2;
    this.#runsAt = this.#exports.runs_at() >> 2;
  }

  /** Renews the views after the memory has grown, which replaces its buffer. */
  renewViews(): void {
    const { buffer } = this.#module;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }

  /** The whole memory; renews the views. */
  get bytes(): Uint8Array {
    this.renewViews();
    return this.#bytes;
  }

  /** A field of `STATE`. The views must have been renewed since the memory last grew. */
  field(field: number): number {
    return this.#words[this.#stateAt + field] as number;
  }

  get sessionId(): string {
    return knownText(this.#bytes, this.field(STATE.id), this.field(STATE.idEnd));
  }

  /** The messages of the record, separated by commas. */
  get record(): Uint8Array {
    return this.#bytes.subarray(this.field(STATE.out), this.field(STATE.outEnd));
  }

  /** The model of the snapshot, if the log names it. */
  get meta(): Meta {
    const [at, end] = [this.field(STATE.model), this.field(STATE.modelEnd)];
    return at === end ? NO_META : modelMeta(new JsonView(this.#bytes, at, end));
  }

  /** Nanoseconds since 1970. */
  get startedAt(): bigint {
    const low = BigInt(this.field(STATE.startedAt));
    return BigInt.asIntN(64, (BigInt(this.field(STATE.startedAt + 1)) << 32n) | low);
  }

  /** @param number of the entry, from 0 */
  originOf(source: string, number: number): Origin {
    const at = this.#entriesAt + number * ENTRY_WORDS;
    const offset = this.#doubles[(at + 2) >> 1] as number;
    return { source, line: this.#words[at] as number, offset, length: this.#words[at + 1] as number };
  }

  /** @param leaf the conversation whose entries are listed; undefined for all */
  places(source: string, leaf: number | undefined): EntryLog {
    const log = createEntryLog();
    for (let i = 0; i < this.field(STATE.entries); i++) {
      const at = this.#entriesAt + i * ENTRY_WORDS + ENTRY_LEAF;
      if (leaf === undefined || this.#words[at] === leaf) log.add(this.originOf(source, i));
    }
    return log.take();
  }

  /** Numbers of changes by their rules. */
  changes(): ReadonlyMap<string, number> {
    let all = 0;
    for (let field = STATE.info; field <= STATE.nulls; field++) all += this.field(field);
    if (all === 0) return NO_CHANGES;
    const changes = new Map<string, number>();
    const count = (rule: string, field: number): void => {
      const n = this.field(field);
      if (n > 0) changes.set(rule, n);
    };
    count('developer-role', STATE.developer);
    count('empty-assistant', STATE.emptyAssistant);
    count('goose-bootstrap', STATE.bootstrap);
    count('goose-info', STATE.info);
    count('null-fields', STATE.nulls);
    return changes;
  }

  /** The lists of tool definitions in the order of the entries. */
  runs(): readonly NumberedRun[] {
    const at = this.#runsAt;
    const count = this.field(STATE.bestRuns);
    if (count === 1) return [{ list: this.#words[at] as number, entries: this.field(STATE.bestRunEntries) }];
    return Array.from({ length: count }, (_, i) => ({
      list: this.#words[at + i * 2] as number,
      entries: i === count - 1 ? this.field(STATE.bestRunEntries) : (this.#words[at + i * 2 + 1] as number),
    }));
  }

  /** The findings about its entries. */
  findings(source: string, sessionId: string): readonly Finding[] {
    return this.#founds(false).map(([found, entry, before, earlier, later, signs]) => {
      const origin = this.originOf(source, entry);
      const kind = 'finding';
      if (found === FOUND_NO_REPLY) return { kind, sessionId, origin, ...NO_REPLY };
      const { line } = this.originOf(source, before);
      if (found === FOUND_NOT_PREFIX)
        return { kind, sessionId, origin, ...notAPrefix({ at: earlier, isReply: later === 1, line }) };
      const expected = SIGN_NAMES.get(signs & 0xff) as string;
      const next = found === FOUND_ENDED ? undefined : (SIGN_NAMES.get((signs >> 8) & 0xff) as string);
      const message = partingText({ line, expected, found: next, earlier, later });
      return { kind, sessionId, origin, rule: 'role-sequence', severity: 'ERROR', message };
    });
  }

  /** The findings about answers that the snapshot repeats: the index of the message, and bits as in `STATE.notes`. */
  get earlierNotes(): readonly (readonly [at: number, notes: number])[] {
    return this.#founds(true).map(([, , , at, notes]) => [at, notes]);
  }

  /** The words of findings, those about answers or all others. */
  #founds(areNotes: boolean): readonly FoundWords[] {
    const count = this.field(STATE.founds);
    if (count === 0) return NO_FOUNDS;
    const at = this.#exports.founds_at() >> 2;
    const all = Array.from(
      { length: count },
      (_, i) => [...this.#words.subarray(at + i * FOUND_WORDS, at + (i + 1) * FOUND_WORDS)] as FoundWords,
    );
    return all.filter(([kind]) => (kind === FOUND_NOTES) === areNotes);
  }

  get size(): number {
    return this.field(STATE.messages);
  }

  get longest(): number {
    const written = this.#exports.written_at() >> 2;
    let longest = 0;
    for (let i = 0; i < this.size; i++) {
      const at = written + i * WRITTEN_WORDS;
      longest = Math.max(longest, (this.#words[at + 1] as number) - (this.#words[at] as number));
    }
    return longest;
  }

  get endsWithModel(): boolean {
    return this.size > 0 && this.isAnswer(this.size - 1);
  }

  path(): Uint8Array | undefined {
    return hashedPath(this.#exports, this.size, (from) => this.#exports.key_chain(from));
  }

  isAnswer(index: number): boolean {
    return this.#roleAt(index) === 'assistant';
  }

  #roleAt(index: number): string {
    const at = (this.#exports.written_at() >> 2) + index * WRITTEN_WORDS;
    return ROLES[this.#words[at + 2] as number] as string;
  }

  /** Shape of the conversation. Its calls are counted correctly only if `isCertain`. */
  shape(): RecordShape {
    const named = this.#exports.named_at() >> 2;
    const counter = new ShapeCounter();
    for (let i = 0; i < this.size; i++) counter.message(this.#roleAt(i));
    for (let i = 0; i < this.field(STATE.named); i++) {
      const at = named + i * NAMED_WORDS;
      counter.call(knownText(this.#bytes, this.#words[at] as number, this.#words[at + 1] as number));
    }
    return counter.take();
  }

  messages(): readonly Message[] {
    const out = this.field(STATE.out);
    return this.#messagesIn(this.#bytes.slice(out, this.field(STATE.outEnd)), out);
  }

  shownMessages(): readonly Message[] {
    return this.#messagesIn(this.#bytes, 0);
  }

  /** @param start index of the first of these bytes in the memory */
  #messagesIn(all: Uint8Array, start: number): readonly Message[] {
    const written = this.#exports.written_at() >> 2;
    return Array.from({ length: this.field(STATE.messages) }, (_, i) => {
      const at = written + i * WRITTEN_WORDS;
      const bytes = all.subarray(
        (this.#words[at] as number) - start,
        (this.#words[at + 1] as number) - start,
      );
      return { bytes, role: ROLES[this.#words[at + 2] as number] as string };
    });
  }
}

type FoundWords = [
  kind: number,
  entry: number,
  before: number,
  earlier: number,
  later: number,
  signs: number,
];

const NO_FOUNDS: readonly FoundWords[] = [];
/** Roles as written in a record, by their numbers in shortcut.c. */
const ROLES = ['', 'system', 'system', 'user', 'assistant', 'tool', 'function'];
