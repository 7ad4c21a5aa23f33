/** A session that was folded: its facts, and its conversation for those who want to look at the messages. */

import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, EntryLog, Finding, Message, Origin } from '../model/element.ts';
import type { ToolUsage } from '../model/tool-usage.ts';
import type { SessionTools } from './folded-tools.ts';

export type FoldedMessages = readonly Message[];

interface Facts {
  readonly sessionId: string;
  /** Of the snapshot. */
  readonly origin: Origin;
  /** Ns since 1970. */
  readonly startedAt: bigint;
  readonly entries: number;
  readonly superseded: number;
  readonly truncated: number;
  readonly changes: ReadonlyMap<string, number>;
  /** Bits: the checks and reports that may have something to say; 0: none has. */
  readonly doubts: number;
  /** About entries. */
  readonly findings: readonly Finding[];
  readonly tools: SessionTools;
  readonly turns: Omit<ToolUsage, 'definitions'>;
  /** The messages of the record, with commas between them. Valid until the next session begins. */
  readonly bytes: Uint8Array;
  /** The same as messages that own their bytes. */
  readonly messages: () => FoldedMessages;
  /** The places of its entries. */
  readonly places: () => EntryLog;
}

const HEAD = encode('{"messages":[');

export class FoldedSession {
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  /** Is it certain that no check has anything to say about the conversation? */
  get isFine(): boolean {
    return this.facts.doubts === 0 && this.facts.tools.areFine;
  }

  /** Its record in the format `chat`. */
  record(): Uint8Array {
    return concat([HEAD, this.facts.bytes, this.facts.tools.tail]);
  }

  usage(): ToolUsage {
    return { ...this.facts.turns, definitions: this.facts.tools.names };
  }

  /** As it leaves snapshot-select. */
  conversation(): Conversation {
    const { origin, sessionId, startedAt, superseded, truncated, changes, tools, messages } = this.facts;
    return {
      kind: 'conversation',
      origin,
      sessionId,
      messages: messages(),
      changes,
      startedAt,
      superseded,
      truncated,
      tools: tools.distinct,
      toolCounts: tools.distinctCounts,
    };
  }
}
