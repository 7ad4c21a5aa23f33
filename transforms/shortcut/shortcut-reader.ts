/**
 * Reads the lines of a session into its conversation in one pass (json/wasm/shortcut.c). Handles only entries of the dialect
 * `exchange` with the default cleanup, which most gateways write. It replaces the stages from parse to snapshot-select,
 * and the checks that have nothing to report. If a line or a session has anything that it cannot handle (an "odd"
 * line), the stages read the session instead.
 */

import { checks } from '../checks/index.ts';
import { roleSign } from '../checks/role-trace.ts';
import { type FoldSelect, MAX_CONVERSATION_BYTES } from '../dialects/dialect.ts';
import { messageWithoutBilling } from '../dialects/shared/billing-line.ts';
import { comparedMessages } from '../dialects/shared/system-times.ts';
import { createToolsReader, NO_TOOLS, type ToolsReader } from '../dialects/shared/tool-definitions.ts';
import { unreadContent } from '../dialects/shared/unread-content.ts';
import { LF } from '../json/bytes.ts';
import { createScanner, type ScanMemory, SLACK_BYTES } from '../json/wasm-scanner.ts';
import type { Line, Message, ToolDefinition } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { timeIn } from '../model/timestamp.ts';
import { wordSet } from '../model/words.ts';
import emptyAssistant from '../rules/empty-assistant.ts';
import { detectDialect } from '../stages/choose-dialect.ts';
import { messageCleaner, rulesOf } from '../stages/cleanup.ts';
import type { ShortcutExports, ShortcutHost } from './shortcut-module.ts';
import { ShortcutSession } from './shortcut-session.ts';
import { ShortcutState } from './shortcut-state.ts';
import { ShortcutTools, type ToolRun } from './shortcut-tools.ts';
import { DROPPED, EMPTY, ODD, REPLACED, SIGNS, STATE } from './shortcut-words.ts';

/** Checks that shortcut.c implements. */
export const KNOWN_CHECKS: ReadonlySet<string> = wordSet(`
  as-read damaged-tail inline-tags known-roles legacy-function-call line-lost no-record no-reply not-a-prefix
  protocol-open repeated-answer repeated-tool-call role-sequence structure tool-calls tool-results truncated
`);
const KNOWN_RULES: ReadonlySet<string> = wordSet('empty-assistant goose-bootstrap goose-info goose-title');

/** Whether shortcut.c implements all checks. If not, its conversations go through the stages after snapshot-select. */
export const knowsChecks: boolean = checks.every(({ name }) => KNOWN_CHECKS.has(name));

/**
 * Whether shortcut.c implements the checks of entries and the rules of the default cleanup, which work before there is a
 * conversation. If not, the stages read everything.
 */
export const knowsEntries: boolean =
  checks.every(({ on, name }) => on !== 'entry' || KNOWN_CHECKS.has(name)) &&
  rulesOf(['goose']).every(({ name }) => KNOWN_RULES.has(name));

/** The result for a line in a source of many sessions: `waits` if it is the first line of another session. */
export type PackedLine = 'taken' | 'waits' | 'odd';
const PACKED_LINES: readonly PackedLine[] = ['odd', 'taken', 'waits'];

export interface ShortcutOptions {
  readonly maxDepth: number;
  readonly maxElements: number;
  /** Most messages of an entry, its reply included; undefined for no limit. */
  readonly maxMessages: number | undefined;
  /** Whether an entry must be later than the one before it. */
  readonly strictTime: boolean;
  /** The dialect that the user named, or `auto`. */
  readonly dialect: string;
  /** With `leaves`, a session may have several conversations. */
  readonly select?: FoldSelect | undefined;
  /** Bytes that they may hold. */
  readonly maxConversation?: number | undefined;
}

/** Bytes that the conversations of a session may hold: in a source of many sessions, all of them are handed out at once. */
const MAX_LEAVES_BYTES = 16 * 1024 * 1024;

const NO_LIMIT = 2 ** 32 - 1;
const NO_TIME = -(2n ** 63n);
const MAX_TIME = 2n ** 63n;
/** With more lists of definitions than this, all are forgotten when a session begins. */
const MAX_DEFINITIONS = 64;

const cleaned = messageCleaner(['goose']);

/** Whether the conversations of a session are told apart by another text than this system message has. */
function isComparedOtherwise(message: Message): boolean {
  const list = [message];
  return messageWithoutBilling(message) !== message || comparedMessages(list) !== list;
}

export class ShortcutReader implements ShortcutHost {
  readonly #module: ScanMemory;
  readonly #state: ShortcutState;
  readonly #options: ShortcutOptions;
  readonly #tools: ToolsReader;
  readonly #knownTools = new ShortcutTools();
  /** The lists of definitions read so far, numbered from 1. */
  #definitions: (readonly ToolDefinition[])[] = [];
  #numbers = new Map<readonly ToolDefinition[], number>();
  #exports: ShortcutExports;
  #entries = 0;

  constructor(module: ScanMemory, options: ShortcutOptions) {
    this.#module = module;
    this.#options = options;
    this.#exports = module.exports;
    this.#state = new ShortcutState(module);
    this.#tools = createToolsReader(createScanner(options.maxDepth, options.maxElements), 2);
  }

  begin(): void {
    const { exports } = this.#module;
    if (exports !== this.#exports) {
      this.#exports = exports;
      this.#state.findTables();
      this.#forgetTools();
    } else if (this.#definitions.length > MAX_DEFINITIONS) this.#forgetTools();
    this.#module.setHost(this);
    const { maxDepth, maxElements, maxMessages = NO_LIMIT, strictTime } = this.#options;
    exports.begin(
      maxDepth,
      maxElements,
      maxMessages,
      Number(strictTime),
      this.#maxLeavesBytes,
      this.#module.arenaEnd,
    );
    this.#entries = 0;
    this.#state.renewViews();
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

  /** Half of the limit: tools of a namespace are longer than logged, because their names are prefixed with its name. */
  get #maxLeavesBytes(): number {
    const { select, maxConversation = MAX_CONVERSATION_BYTES } = this.#options;
    return select === 'leaves' ? Math.max(1, Math.min(MAX_LEAVES_BYTES, Math.floor(maxConversation / 2))) : 0;
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
    if (this.#definitions.length <= MAX_DEFINITIONS) return this.#exports.turn() !== 0;
    this.begin();
    return this.addPacked(waiting) === 'taken';
  }

  get sessionId(): string {
    this.#state.renewViews();
    return this.#state.sessionId;
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
    return this.#state.field(STATE.lineFeeds);
  }

  /** Ends the session. @returns the number of its conversations; 0 if it is odd or has no entries */
  finish(): number {
    if (this.#exports.finish() === 0) return 0;
    this.#state.renewViews();
    const leaves = this.#state.field(STATE.leaves);
    return leaves === 0 ? 1 : this.#areNamed ? leaves : 0;
  }

  /** Whether all tools have names, without which those of a conversation's entries cannot be combined. */
  get #areNamed(): boolean {
    return this.#definitions.every((list) => list.every(({ name }) => name !== undefined));
  }

  /** @param index of a conversation of the session that has ended */
  conversation(source: string, index: number): ShortcutSession {
    const state = this.#state;
    const isLeaf = state.field(STATE.leaves) > 0;
    if (isLeaf) this.#exports.leaf(index);
    const loggedId = state.sessionId;
    const sessionId = index === 0 ? loggedId : `${loggedId}#${index + 1}`;
    return new ShortcutSession({
      sessionId,
      origin: state.originOf(source, state.field(STATE.snapshot)),
      startedAt: state.startedAt,
      leaf: isLeaf ? state.field(STATE.leaf) : undefined,
      entries: state.field(isLeaf ? STATE.leafEntries : STATE.entries),
      superseded: state.field(STATE.superseded),
      truncated: state.field(STATE.truncated),
      changes: state.changes(),
      doubts: state.field(STATE.doubts),
      notes: state.field(STATE.notes),
      earlierNotes: state.earlierNotes,
      findings: index === 0 ? state.findings(source, loggedId) : [],
      meta: state.meta,
      tools: this.#knownTools.of(this.#runs()),
      turns: {
        toolCalls: state.field(STATE.toolCalls),
        clientTurns: state.field(STATE.clientTurns),
        assistantTurns: state.field(STATE.assistantTurns),
        assistantTurnsWithTools: state.field(STATE.assistantTurnsWithTools),
      },
      bytes: state.record,
      source: state,
    });
  }

  judgeRow(at: number, length: number): number {
    const bytes = this.#state.bytes.subarray(at, at + length);
    const message: Message = { bytes, role: stringValue(bytes, 'role') as string };
    const code = SIGNS.get(roleSign(message));
    if (code === undefined || unreadContent(message) !== undefined) return ODD;
    if (this.#options.select === 'leaves' && isComparedOtherwise(message)) return ODD;
    const sign = code << 16;
    const result = cleaned(message);
    if (result === undefined) return emptyAssistant.suspects(message) ? sign | EMPTY : sign;
    if (result.message === undefined) return sign | DROPPED;
    const { bytes: text } = result.message;
    const room = this.#state.field(STATE.top) + text.length + SLACK_BYTES;
    if (room + text.length + SLACK_BYTES > this.#module.arenaEnd) return ODD;
    this.#state.bytes.set(text, room);
    return this.#exports.message(room, room + text.length) === 0 ? ODD : sign | REPLACED;
  }

  readTools(at: number, end: number): number {
    const after = this.#tools.read(this.#state.bytes.subarray(at, end), 0);
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
    const time = timeIn(this.#state.bytes, at, end) ?? NO_TIME;
    return time > NO_TIME && time < MAX_TIME ? time : NO_TIME;
  }

  /** Whether the first entry is of the dialect `exchange`, which is certain if it has no other members. */
  #isExchange(bytes: Uint8Array): boolean {
    if (this.#options.dialect !== 'auto') return true;
    this.#state.renewViews();
    if (this.#state.field(STATE.otherMembers) === 0) return true;
    const end = bytes.indexOf(LF);
    return detectDialect(end < 0 ? bytes : bytes.subarray(0, end))?.name === 'exchange';
  }

  #runs(): readonly ToolRun[] {
    return this.#state.runs().map(({ list, entries }) => ({ definitions: this.#toolsOf(list), entries }));
  }
}
