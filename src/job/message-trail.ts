/** Follows the messages of one entry through cleanup and, if it became a record, into the record. */
import { decode } from '../../transforms/json/utf8.ts';
import { canonical } from '../../transforms/model/canonical.ts';
import type { Entry, Message, WrittenRecord } from '../../transforms/model/element.ts';
import { isLoneThought } from '../../transforms/model/reply.ts';
import { type Cleaned, traceCleanup } from '../../transforms/stages/cleanup.ts';
import { hasNoMarks, isLeftOut as isCutOut } from '../../transforms/stages/cut-answers.ts';

/** Fate of a logged message. */
export interface MessageTrail {
  /** Index among the logged messages; the reply comes after all others. */
  readonly logged: number;
  /** Index among the messages that were kept; null if it was dropped. */
  readonly kept: number | null;
  /** The rules that changed or dropped it, separated by commas. */
  readonly rule?: string;
  readonly isReply?: true;
  /** JSON texts of the logged message and of the kept one, if requested. */
  readonly before?: string;
  readonly after?: string | undefined;
}

export interface TraceOptions {
  readonly cleanup: readonly string[];
  /** Whether to include the texts of the messages. */
  readonly withTexts: boolean;
}

const REASONING_RULES = ['reasoning-name', 'sealed-reasoning', 'reasoning-dropped', 'reasoning-inlined'];
const EMPTY_REPLY = 'empty-reply';
const PLACEHOLDER = 'body-placeholder';

/** Returns the fate of each message of an entry. @param record the record that the entry became, if it did */
export function traceMessages(
  logged: Entry,
  record: WrittenRecord | undefined,
  { cleanup, withTexts }: TraceOptions,
): readonly MessageTrail[] {
  const all = logged.reply === undefined ? logged.messages : [...logged.messages, logged.reply];
  const cleaned = [...traceCleanup(logged, { cleanup }), ...all.slice(logged.messages.length).map(unchanged)];
  const written = record?.conversation.messages;
  const isClients = hasNoMarks(logged);
  let kept = 0;
  return cleaned.map(({ message, changedBy }, i): MessageTrail => {
    const names = [...changedBy];
    const isLeftOut = message !== undefined && (isLoneThought(message) || isCutOut(message, isClients));
    const final =
      written === undefined || message === undefined ? message : isLeftOut ? undefined : written[kept];
    if (record !== undefined && message !== undefined) names.push(...laterRules(message, final, record));
    const before = all[i] as Message;
    return {
      logged: i,
      kept: final === undefined ? null : kept++,
      ...(names.length > 0 && { rule: names.join(', ') }),
      ...(i >= logged.messages.length && { isReply: true as const }),
      ...(withTexts && { before: decode(before.bytes), after: final && decode(final.bytes) }),
    };
  });
}

const unchanged = (message: Message): Cleaned => ({ message, changedBy: [] });

/** Returns the rules that the stages after cleanup applied. */
function laterRules(cleaned: Message, final: Message | undefined, record: WrittenRecord): readonly string[] {
  const names: string[] = [];
  const expected = canonical(cleaned, (rule) => names.push(rule));
  if (final === undefined) return [...names, isLoneThought(cleaned) ? EMPTY_REPLY : PLACEHOLDER];
  if (Buffer.compare(expected.bytes, final.bytes) === 0) return names;
  return [...names, ...REASONING_RULES.filter((rule) => record.conversation.changes.has(rule))];
}
