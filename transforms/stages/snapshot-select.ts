/**
 * Stage: entries -> one conversation per session. The snapshot is the last of the entries with the most messages. Keeps
 * one candidate and the distinct tool definitions, however long the session is.
 */
import { canonical } from '../model/canonical.ts';
import type { Conversation, Entry, Message, SessionEnd, SessionFate } from '../model/element.ts';
import { createToolUnion } from '../model/tool-union.ts';
import type { Handlers, Stage } from '../stage.ts';

/** Is `next` at least as complete as the best entry so far? Ties go to the later one. */
export function supersedes(next: Entry, best: Entry | undefined): boolean {
  return best === undefined || next.messages.length >= best.messages.length;
}

/** Builds the conversation of a snapshot. */
function conversationOf(
  snapshot: Entry,
  sums: Pick<Conversation, 'startedAt' | 'superseded' | 'truncated' | 'tools' | 'toolCounts'>,
): Conversation {
  const changes = new Map(snapshot.changes);
  const count = (rule: string): void => void changes.set(rule, (changes.get(rule) ?? 0) + 1);
  const logged: readonly Message[] =
    snapshot.reply === undefined ? snapshot.messages : [...snapshot.messages, snapshot.reply];
  const { origin, sessionId, sample, meta, lacks, lines, isGathered } = snapshot;
  const messages = logged.map((message) => canonical(message, count));
  const carried = {
    ...(sample !== undefined && { sample }),
    ...(meta !== undefined && { meta }),
    ...(lacks !== undefined && { lacks }),
  };
  const others = lines === undefined ? 0 : lines.count - 1;
  const folded = lines === undefined ? undefined : { folded: isGathered === true ? 0 : others };
  const gathered = isGathered === true ? { superseded: others } : undefined;
  return {
    kind: 'conversation',
    origin,
    sessionId,
    messages,
    changes,
    ...carried,
    ...folded,
    ...sums,
    ...gathered,
  };
}

/**
 * Reports the end of a session. Sets the members one by one: spreading the object would create a shape for each
 * session.
 */
function closedWith(end: SessionEnd, fate: SessionFate): SessionEnd {
  const { kind, origin, last, alone, dialect, sessionId, entries } = end;
  return alone === true
    ? { kind, origin, last, alone, dialect, sessionId, entries, fate }
    : { kind, origin, last, dialect, sessionId, entries, fate };
}

function create(): Handlers {
  const tools = createToolUnion();
  let best: Entry | undefined;
  let startedAt: bigint | undefined;
  let superseded = 0;
  let truncated = 0;
  let rejected = false;
  let otherLines = false; // are there lines that are neither blank nor validated entries?

  function reset(): void {
    best = startedAt = undefined;
    superseded = truncated = 0;
    rejected = otherLines = false;
    tools.reset();
  }

  function fate(): SessionFate {
    if (rejected) return 'rejected';
    if (best !== undefined) return 'written';
    return otherLines ? 'empty' : 'none';
  }

  return {
    entry(entry) {
      startedAt ??= entry.timestamp;
      tools.add(entry.tools);
      if (supersedes(entry, best)) {
        superseded += truncated + (best === undefined ? 0 : 1);
        truncated = 0;
        best = entry;
        tools.commit();
      } else truncated++;
      return [];
    },
    fate(fate) {
      startedAt ??= fate.timestamp;
      otherLines ||= fate.fate !== 'blank';
      return [fate];
    },
    rejection(rejection) {
      if (rejection.scope === 'session') {
        rejected = true;
        best = undefined;
      } else otherLines = true;
      return [rejection];
    },
    *'session-end'(end) {
      const closed = closedWith(end, fate());
      if (best !== undefined && !rejected) {
        const counts = { startedAt, superseded, truncated };
        yield conversationOf(best, { ...counts, tools: tools.definitions(), toolCounts: tools.counts() });
      }
      reset();
      yield closed;
    },
  };
}

export const snapshotSelect: Stage = {
  name: 'snapshot-select',
  summary: 'Keeps the last longest snapshot of each session, with its reply and the tools seen up to it.',
  options: {},
  create,
};
