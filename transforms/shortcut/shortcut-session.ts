/** A session that took the shortcut: counts and findings at once, its record and its conversation when they are needed. */

import { noteFindings } from '../checks/as-read.ts';
import { openEndFindings } from '../checks/protocol-open.ts';
import { truncatedFindings } from '../checks/truncated.ts';
import { type AnswerNotes, withAnswerNotes } from '../dialects/shared/answer-notes.ts';
import { answerNotes, noted, REASONING_LEFT_OUT } from '../dialects/shared/reading-notes.ts';
import type { RecordShape } from '../formats/shape-counter.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, EntryLog, Finding, Message, Origin, ReadingNote } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { type ToolUsage, usageOf } from '../model/tool-usage.ts';
import type { SessionTools } from './shortcut-tools.ts';

/** The shortcut's view of its last session, valid until the next one begins. */
export interface LastSession {
  /** Copies of its messages. */
  messages(): readonly Message[];
  /** The messages themselves, valid until the next session begins. */
  shownMessages(): readonly Message[];
  /** The hashes of its messages, as path-hashes.ts computes them; undefined if a message is odd. */
  path(): Uint8Array | undefined;
  isAnswer(index: number): boolean;
  readonly size: number;
  /** Length in bytes of its longest message. */
  readonly longest: number;
  /** Whether its last message is the model's. With `DOUBT_OPEN`, that message has calls. */
  readonly endsWithModel: boolean;
  shape(): RecordShape;
  /** @param leaf the conversation whose entries are listed; undefined for all */
  places(source: string, leaf: number | undefined): EntryLog;
}

interface Facts {
  readonly sessionId: string;
  /** Line of the snapshot. */
  readonly origin: Origin;
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
  /** Its number, if it is one of several conversations of a session. */
  readonly leaf: number | undefined;
  readonly entries: number;
  readonly superseded: number;
  readonly truncated: number;
  readonly changes: ReadonlyMap<string, number>;
  /** Bits of `DOUBT_...`: what the shortcut cannot decide, so that the conversation has to be looked at; 0 for nothing. */
  readonly doubts: number;
  /** Bits of `CUT` to `LEFT_OUT`: findings about the snapshot's answer; 0 for none. */
  readonly notes: number;
  /** The same about earlier answers, by the index of the message. */
  readonly earlierNotes: readonly (readonly [at: number, notes: number])[];
  readonly findings: readonly Finding[];
  /** Metadata of the snapshot, of which only the model is read. */
  readonly meta: Meta;
  readonly tools: SessionTools;
  readonly turns: Omit<ToolUsage, 'definitions'>;
  /** The messages of the record, separated by commas. Valid until the next session begins. */
  readonly bytes: Uint8Array;
  readonly source: LastSession;
}

/** Bits of `doubts`: the checks, the use of tools, the end of the conversation (shortcut-state.h). */
const DOUBT_CHECKS = 1;
const DOUBT_USAGE = 2;
const DOUBT_OPEN = 4;

/** Bits of `notes`: the answer was cut or filtered, the response is an error or has other choices (shortcut-state.h). */
const CUT = 1;
const FILTERED = 2;
const FAILED = 4;
const OTHERS = 8;
/** The answer had reasoning, which the snapshot does not repeat. */
const LEFT_OUT = 16;

function notesOf(bits: number): readonly ReadingNote[] {
  const finish = (bits & CUT) !== 0 ? 'length' : (bits & FILTERED) !== 0 ? 'content_filter' : undefined;
  const notes = answerNotes(finish, (bits & FAILED) !== 0, (bits & OTHERS) !== 0 ? 2 : 1);
  return (bits & LEFT_OUT) === 0 ? notes : [...notes, REASONING_LEFT_OUT];
}

const NO_FINDINGS: readonly Finding[] = [];
const HEAD = encode('{"messages":[');

const BLOCK_BYTES = 64 * 1024;
/** Records of at least this size get their own block. */
const OWN_FROM_BYTES = 16 * 1024;
let block = new Uint8Array(0);
let used = 0;

/**
 * Returns memory for a record. Small records share blocks, because an allocation takes as long as copying 4 KB; a block
 * is freed with the batch of results that uses it.
 */
function roomFor(length: number): Uint8Array {
  if (length >= OWN_FROM_BYTES) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  if (used + length > block.length) {
    block = new Uint8Array(BLOCK_BYTES);
    used = 0;
  }
  used += length;
  return block.subarray(used - length, used);
}

export class ShortcutSession {
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  /** Whether `findings` is what the checks would report about the conversation. */
  get isCertain(): boolean {
    return (this.facts.doubts & DOUBT_CHECKS) === 0 && this.facts.tools.areFine;
  }

  /** Whether it is one of several conversations of a session. */
  get isLeaf(): boolean {
    return this.facts.leaf !== undefined;
  }

  hasMessageOver(most: number): boolean {
    const { bytes, source } = this.facts;
    return bytes.length > most && source.longest > most;
  }

  /** The findings of the checks on the conversation, if `isCertain`. */
  findings(): readonly Finding[] {
    const { doubts, notes, origin, sessionId, truncated, source } = this.facts;
    const earlier = this.#earlierNotes;
    if ((doubts & DOUBT_OPEN) === 0 && notes === 0 && truncated === 0 && earlier.length === 0)
      return NO_FINDINGS;
    const onEarlier = earlier.flatMap(([at, list]) => noteFindings(list, at));
    const onReply = noteFindings(notesOf(notes), source.size - 1);
    const open = (doubts & DOUBT_OPEN) === 0 ? [] : openEndFindings(source.size, source.endsWithModel);
    return [...onEarlier, ...onReply, ...open, ...truncatedFindings(truncated)].map((found) => ({
      kind: 'finding',
      sessionId,
      origin,
      ...found,
    }));
  }

  get #earlierNotes(): readonly AnswerNotes[] {
    return this.facts.earlierNotes.map(([at, bits]) => [at, notesOf(bits)]);
  }

  /** The record in the format `chat`. */
  record(): Uint8Array {
    const { bytes, tools } = this.facts;
    const record = roomFor(HEAD.length + bytes.length + tools.tail.length);
    record.set(HEAD);
    record.set(bytes, HEAD.length);
    record.set(tools.tail, HEAD.length + bytes.length);
    return record;
  }

  shape(): RecordShape {
    return this.facts.source.shape();
  }

  usage(): ToolUsage {
    const { turns, tools, doubts } = this.facts;
    if ((doubts & DOUBT_USAGE) !== 0) return usageOf({ ...this.conversation(), tools: tools.kept });
    const { toolCalls, clientTurns, assistantTurns, assistantTurnsWithTools } = turns;
    return { toolCalls, definitions: tools.names, clientTurns, assistantTurns, assistantTurnsWithTools };
  }

  places(): EntryLog {
    return this.facts.source.places(this.facts.origin.source, this.facts.leaf);
  }

  /** The conversation as the stage snapshot-select would pass it on. */
  conversation(): Conversation {
    const { origin, sessionId, startedAt, superseded, truncated, changes, notes, meta, tools, source } =
      this.facts;
    const messages = withAnswerNotes(source.messages(), this.#earlierNotes);
    const reply = notes === 0 ? [] : [noted(messages.at(-1) as Message, notesOf(notes))];
    return {
      kind: 'conversation',
      origin,
      sessionId,
      messages: [...messages.slice(0, messages.length - reply.length), ...reply],
      ...(meta.size > 0 && { meta }),
      ...(this.isLeaf && { folded: 0 }),
      changes,
      startedAt,
      superseded,
      truncated,
      tools: tools.distinct,
      toolCounts: tools.distinctCounts,
    };
  }
}
