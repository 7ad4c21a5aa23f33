/**
 * Folds the lines of a session into its conversation in one pass (json/wasm/fold.c). Handles only entries of the
 * dialect
 * `exchange` with the default cleanup, which most gateways write. It replaces the stages from parse to snapshot-select,
 * and the checks that have nothing to report. If a line or a session has anything that it cannot handle (an "odd"
 * line), the stages read the session instead.
 */

import { checks } from '../checks/index.ts';
import { NO_REPLY } from '../checks/no-reply.ts';
import { partingText } from '../checks/role-sequence.ts';
import { roleSign } from '../checks/role-trace.ts';
import { NO_CHANGES } from '../dialects/shared/line-objects.ts';
import { createToolsReader, NO_TOOLS, type ToolsReader } from '../dialects/shared/tool-definitions.ts';
import { LF } from '../json/bytes.ts';
import { createScanner } from '../json/scanners.ts';
import { knownText } from '../json/utf8.ts';
import { type ScanMemory, SLACK_BYTES } from '../json/wasm-scanner.ts';
import type { EntryLog, Finding, Line, Message, Origin, ToolDefinition } from '../model/element.ts';
import { createEntryLog } from '../model/entry-log.ts';
import { stringValue } from '../model/message.ts';
import { type RecordShape, ShapeCounter } from '../model/record-shape.ts';
import { timeIn } from '../model/timestamp.ts';
import emptyAssistant from '../rules/empty-assistant.ts';
import { detectDialect } from '../stages/choose-dialect.ts';
import { messageCleaner, rulesOf } from '../stages/cleanup.ts';
import type { FoldExports, FoldHost } from './fold-module.ts';
import {
  DROPPED,
  EMPTY,
  ENTRY_WORDS,
  FOUND_ENDED,
  FOUND_NO_REPLY,
  FOUND_WORDS,
  NAMED_WORDS,
  ODD,
  REPLACED,
  SIGN_NAMES,
  SIGNS,
  STATE,
  WRITTEN_WORDS,
} from './fold-words.ts';
import { FoldedSession, type FoldedSource } from './folded-session.ts';
import { FoldedTools, type ToolRun } from './folded-tools.ts';

/** Checks and rules that fold.c implements. If there are others, the fold is not used. */
const KNOWN_CHECKS: ReadonlySet<string> = new Set([
  'as-read',
  'damaged-tail',
  'inline-tags',
  'legacy-function-call',
  'no-record',
  'no-reply',
  'protocol-open',
  'repeated-tool-call',
  'role-sequence',
  'structure',
  'tool-calls',
  'tool-results',
  'truncated',
]);
const KNOWN_RULES: ReadonlySet<string> = new Set([
  'empty-assistant',
  'goose-bootstrap',
  'goose-info',
  'goose-title',
]);

/** Whether fold.c implements all checks and the rules of the default cleanup. */
export const implementsAll: boolean =
  checks.every(({ name }) => KNOWN_CHECKS.has(name)) &&
  rulesOf(['goose']).every(({ name }) => KNOWN_RULES.has(name));

/** The result for a line in a source of many sessions: `waits` if it is the first line of another session. */
export type PackedLine = 'taken' | 'waits' | 'odd';
const PACKED_LINES: readonly PackedLine[] = ['odd', 'taken', 'waits'];

export interface FoldOptions {
  readonly maxDepth: number;
  readonly maxElements: number;
  /** The dialect that the user named, or `auto`. */
  readonly dialect: string;
}

const NO_TIME = -(2n ** 63n);
const MOST_TIME = 2n ** 63n;
/** With more lists of definitions than this, all are forgotten when a session begins. */
const MOST_DEFINITIONS = 64;

const cleaned = messageCleaner(['goose']);

export class SessionFold implements FoldHost, FoldedSource {
  readonly #module: ScanMemory;
  readonly #options: FoldOptions;
  readonly #tools: ToolsReader;
  readonly #knownTools = new FoldedTools();
  /** The lists of definitions read so far, numbered from 1. */
  #definitions: (readonly ToolDefinition[])[] = [];
  #numbers = new Map<readonly ToolDefinition[], number>();
  #exports: FoldExports;
  #words: Uint32Array = new Uint32Array(0);
  #doubles: Float64Array = new Float64Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  /** Offsets of the tables, in words. */
  #stateAt = 0;
  #entriesAt = 0;
  #runsAt = 0;
  #entries = 0;

  constructor(module: ScanMemory, options: FoldOptions) {
    this.#module = module;
    this.#options = options;
    this.#exports = module.exports;
    this.#findTables();
    this.#tools = createToolsReader(createScanner('auto', options.maxDepth, options.maxElements), 2);
  }

  #findTables(): void {
    this.#stateAt = this.#exports.state_at() >> 2;
    this.#entriesAt = this.#exports.entries_at() >> 2;
    this.#runsAt = this.#exports.runs_at() >> 2;
  }

  begin(): void {
    const { exports } = this.#module;
    if (exports !== this.#exports) {
      this.#exports = exports;
      this.#findTables();
      this.#forgetTools();
    } else if (this.#definitions.length > MOST_DEFINITIONS) this.#forgetTools();
    this.#module.setHost(this);
    const { maxDepth, maxElements } = this.#options;
    exports.begin(maxDepth, maxElements, this.#module.arenaEnd);
    this.#entries = 0;
    this.#renewViews();
  }

  /**
   * Adds the next line of the session. Its bytes must be in the memory of WebAssembly.
   * @returns false if the line is odd: the stages have to read the session
   */
  add({ bytes, origin, created }: Line): boolean {
    if (created !== undefined || bytes.buffer !== this.#module.buffer) return false;
    const at = bytes.byteOffset;
    if (this.#exports.line(at, at + bytes.length, origin.line, origin.offset) === 0) return false;
    this.#entries++;
    return this.#entries > 1 || this.#isExchange(bytes);
  }

  /**
   * Adds the next line of a source of many sessions. Its bytes must be in the memory of WebAssembly.
   * @returns `waits` if the line begins another session: call `finish`, then `turn`; `odd` if the stages have to read
   * the session
   */
  addPacked(line: Line): PackedLine {
    const { bytes, origin } = line;
    if (bytes.buffer !== this.#module.buffer) return 'odd';
    const at = bytes.byteOffset;
    const found = this.#exports.packed_line(at, at + bytes.length, origin.line, origin.offset);
    if (found !== 0) this.#entries++;
    if (found === 1 && this.#entries === 1 && !this.#isExchange(bytes)) return 'odd';
    return PACKED_LINES[found] as PackedLine;
  }

  /**
   * Starts a session with the waiting line.
   * @returns false if the line is odd
   */
  turn(waiting: Line): boolean {
    if (this.#definitions.length <= MOST_DEFINITIONS) return this.#exports.turn() !== 0;
    this.begin();
    return this.addPacked(waiting) === 'taken';
  }

  get sessionId(): string {
    this.#renewViews();
    return knownText(this.#bytes, this.#state(STATE.id), this.#state(STATE.idEnd));
  }

  /**
   * Adds all lines of a source that is in the memory of WebAssembly.
   * @returns the number of lines; 0 if one is odd or blank
   */
  addAll(bytes: Uint8Array): number {
    if (bytes.buffer !== this.#module.buffer) return 0;
    const at = bytes.byteOffset;
    const lines = this.#exports.lines(at, at + bytes.length);
    if (lines === 0) return 0;
    return this.#isExchange(bytes) ? lines : 0;
  }

  /** After `addAll`: the number of lines that end in a line feed. */
  get lineFeeds(): number {
    return this.#state(STATE.lineFeeds);
  }

  /** Ends the session. Undefined if it is odd or has no entries. */
  finish(source: string): FoldedSession | undefined {
    if (this.#exports.finish() === 0) return undefined;
    this.#renewViews();
    const { sessionId } = this;
    return new FoldedSession({
      sessionId,
      origin: this.#originOf(source, this.#state(STATE.snapshot)),
      startedAt: this.#startedAt(),
      entries: this.#state(STATE.entries),
      superseded: this.#state(STATE.superseded),
      truncated: this.#state(STATE.truncated),
      changes: this.#changes(),
      doubts: this.#state(STATE.doubts),
      notes: this.#state(STATE.notes),
      findings: this.#findings(source, sessionId),
      tools: this.#knownTools.of(this.#runs()),
      turns: {
        toolCalls: this.#state(STATE.toolCalls),
        clientTurns: this.#state(STATE.clientTurns),
        assistantTurns: this.#state(STATE.assistantTurns),
        assistantTurnsWithTools: this.#state(STATE.assistantTurnsWithTools),
      },
      bytes: this.#bytes.subarray(this.#state(STATE.out), this.#state(STATE.outEnd)),
      source: this,
    });
  }

  judgeRow(at: number, length: number): number {
    this.#renewViews();
    const bytes = this.#bytes.subarray(at, at + length);
    const message: Message = { bytes, role: stringValue(bytes, 'role') as string };
    const code = SIGNS[roleSign(message)];
    if (code === undefined) return ODD;
    const sign = code << 16;
    const result = cleaned(message);
    if (result === undefined) return emptyAssistant.suspects(message) ? sign | EMPTY : sign;
    if (result.message === undefined) return sign | DROPPED;
    const { bytes: text } = result.message;
    const room = this.#state(STATE.top) + text.length + SLACK_BYTES;
    if (room + text.length + SLACK_BYTES > this.#module.arenaEnd) return ODD;
    this.#bytes.set(text, room);
    return this.#exports.message(room, room + text.length) === 0 ? ODD : sign | REPLACED;
  }

  readTools(at: number, end: number): number {
    this.#renewViews();
    const after = this.#tools.read(this.#bytes.subarray(at, end), 0);
    const { definitions } = this.#tools;
    if (after < 0 || definitions === undefined) return 0;
    this.#exports.tools_end(at + after);
    let number = this.#numbers.get(definitions);
    if (number === undefined) {
      number = this.#definitions.push(definitions);
      this.#numbers.set(definitions, number);
    }
    return number;
  }

  #forgetTools(): void {
    this.#definitions = [];
    this.#numbers = new Map();
    this.#exports.forget_tools();
  }

  #toolsOf(number: number): readonly ToolDefinition[] {
    return this.#definitions[number - 1] ?? NO_TOOLS;
  }

  readTime(at: number, end: number): bigint {
    this.#renewViews();
    const time = timeIn(this.#bytes, at, end) ?? NO_TIME;
    return time > NO_TIME && time < MOST_TIME ? time : NO_TIME;
  }

  /** Whether the first entry is of the dialect `exchange`, which is certain if it has no other members. */
  #isExchange(bytes: Uint8Array): boolean {
    if (this.#options.dialect !== 'auto') return true;
    this.#renewViews();
    if (this.#state(STATE.otherMembers) === 0) return true;
    const end = bytes.indexOf(LF);
    return detectDialect(end < 0 ? bytes : bytes.subarray(0, end))?.name === 'exchange';
  }

  /** Renews the views after the memory has grown, which replaces its buffer. */
  #renewViews(): void {
    const { buffer } = this.#module;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }

  #state(field: number): number {
    return this.#words[this.#stateAt + field] as number;
  }

  #startedAt(): bigint {
    const low = BigInt(this.#state(STATE.startedAt));
    return BigInt.asIntN(64, (BigInt(this.#state(STATE.startedAt + 1)) << 32n) | low);
  }

  #originOf(source: string, number: number): Origin {
    const at = this.#entriesAt + number * ENTRY_WORDS;
    const offset = this.#doubles[(at + 2) >> 1] as number;
    return { source, line: this.#words[at] as number, offset, length: this.#words[at + 1] as number };
  }

  places(source: string): EntryLog {
    const log = createEntryLog();
    for (let i = 0; i < this.#state(STATE.entries); i++) log.add(this.#originOf(source, i));
    return log.take();
  }

  #changes(): ReadonlyMap<string, number> {
    let all = 0;
    for (let field = STATE.info; field <= STATE.nulls; field++) all += this.#state(field);
    if (all === 0) return NO_CHANGES;
    const changes = new Map<string, number>();
    const count = (rule: string, field: number): void => {
      const n = this.#state(field);
      if (n > 0) changes.set(rule, n);
    };
    count('developer-role', STATE.developer);
    count('empty-assistant', STATE.emptyAssistant);
    count('goose-bootstrap', STATE.bootstrap);
    count('goose-info', STATE.info);
    count('null-fields', STATE.nulls);
    return changes;
  }

  #runs(): readonly ToolRun[] {
    const at = this.#runsAt;
    const count = this.#state(STATE.bestRuns);
    if (count === 1) {
      const definitions = this.#toolsOf(this.#words[at] as number);
      return [{ definitions, entries: this.#state(STATE.bestRunEntries) }];
    }
    return Array.from({ length: count }, (_, i) => ({
      definitions: this.#toolsOf(this.#words[at + i * 2] as number),
      entries: i === count - 1 ? this.#state(STATE.bestRunEntries) : (this.#words[at + i * 2 + 1] as number),
    }));
  }

  #findings(source: string, sessionId: string): readonly Finding[] {
    const count = this.#state(STATE.founds);
    if (count === 0) return NO_FINDINGS;
    const founds = this.#exports.founds_at() >> 2;
    return Array.from({ length: count }, (_, i) => {
      const at = founds + i * FOUND_WORDS;
      const [kind, entry, before, earlier, later, signs] = this.#words.subarray(at, at + FOUND_WORDS);
      const origin = this.#originOf(source, entry as number);
      const finding = { kind: 'finding', sessionId, origin } as const;
      if (kind === FOUND_NO_REPLY) return { ...finding, ...NO_REPLY };
      const line = this.#originOf(source, before as number).line;
      const expected = SIGN_NAMES.get((signs as number) & 0xff) as string;
      const found =
        kind === FOUND_ENDED ? undefined : (SIGN_NAMES.get(((signs as number) >> 8) & 0xff) as string);
      const message = partingText({
        line,
        expected,
        found,
        earlier: earlier as number,
        later: later as number,
      });
      return { ...finding, rule: 'role-sequence', severity: 'ERROR', message };
    });
  }

  get size(): number {
    return this.#state(STATE.messages);
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
    const last = (this.#exports.written_at() >> 2) + (this.size - 1) * WRITTEN_WORDS;
    return this.size > 0 && ROLES[this.#words[last + 2] as number] === 'assistant';
  }

  /** Shape of the conversation. Its calls are counted correctly only if `isCertain`. */
  shape(): RecordShape {
    const written = this.#exports.written_at() >> 2;
    const named = this.#exports.named_at() >> 2;
    const counter = new ShapeCounter();
    for (let i = 0; i < this.#state(STATE.messages); i++)
      counter.message(ROLES[this.#words[written + i * WRITTEN_WORDS + 2] as number] as string);
    for (let i = 0; i < this.#state(STATE.named); i++) {
      const at = named + i * NAMED_WORDS;
      counter.call(knownText(this.#bytes, this.#words[at] as number, this.#words[at + 1] as number));
    }
    return counter.take();
  }

  messages(): readonly Message[] {
    const out = this.#state(STATE.out);
    const copy = this.#bytes.slice(out, this.#state(STATE.outEnd));
    const written = this.#exports.written_at() >> 2;
    return Array.from({ length: this.#state(STATE.messages) }, (_, i) => {
      const at = written + i * WRITTEN_WORDS;
      const bytes = copy.subarray((this.#words[at] as number) - out, (this.#words[at + 1] as number) - out);
      return { bytes, role: ROLES[this.#words[at + 2] as number] as string };
    });
  }
}

const NO_FINDINGS: readonly Finding[] = [];
/** Roles as written in a record, by their numbers in fold.c. */
const ROLES = ['', 'system', 'system', 'user', 'assistant', 'tool', 'function'];
