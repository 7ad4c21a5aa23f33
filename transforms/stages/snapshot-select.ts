/**
 * Stage: entries -> one conversation per session. The snapshot, which becomes the conversation, is the last of the
 * entries with the most messages. Holds only the best entry so far and the distinct tool definitions, however long the
 * session is.
 */
import { canonical } from '../model/canonical.ts';
import type {
  Conversation,
  Entry,
  Fate,
  Message,
  Rejection,
  SessionEnd,
  SessionFate,
  StreamElement,
} from '../model/element.ts';
import { supersedes } from '../model/supersedes.ts';
import { ToolUnion } from '../model/tool-union.ts';
import type { Handlers, Stage } from '../stage.ts';

/** Facts about the session as a whole. */
type Sums = Pick<Conversation, 'startedAt' | 'superseded' | 'truncated' | 'tools' | 'toolCounts'>;

function conversationOf(snapshot: Entry, sums: Sums): Conversation {
  const changes = new Map(snapshot.changes);
  const count = (rule: string): void => void changes.set(rule, (changes.get(rule) ?? 0) + 1);
  const logged: readonly Message[] =
    snapshot.reply === undefined ? snapshot.messages : [...snapshot.messages, snapshot.reply];
  const { origin, sessionId, alone, sample, meta, lacks, lines, isGathered, root } = snapshot;
  const messages = logged.map((message) => canonical(message, count));
  const carried = {
    ...(sample !== undefined && { sample }),
    ...(meta !== undefined && { meta }),
    ...(lacks !== undefined && { lacks }),
    ...(root !== undefined && { root }),
  };
  const others = lines === undefined ? 0 : lines.count - 1;
  const isWhole = lines !== undefined && alone === true;
  const folded = isWhole ? { folded: isGathered === true ? 0 : others } : undefined;
  const gathered = isGathered === true ? { superseded: sums.superseded + others } : undefined;
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

/** The end of a session with its fate. Lists the members: V8 would create a hidden class for each spread object. */
function closedWith(end: SessionEnd, fate: SessionFate): SessionEnd {
  const { kind, origin, last, alone, isFolded, dialect, sessionId, entries } = end;
  return alone === true
    ? { kind, origin, last, alone, isFolded, dialect, sessionId, entries, fate }
    : { kind, origin, last, dialect, sessionId, entries, fate };
}

/** Number of calls of an entry: more than one if it was gathered. */
const linesOf = ({ lines, isGathered }: Entry): number => (isGathered === true ? (lines?.count ?? 1) : 1);

/** The current session. */
class Selection {
  readonly #tools = new ToolUnion();
  #best: Entry | undefined;
  #startedAt: bigint | undefined;
  #superseded = 0;
  #truncated = 0;
  #isRejected = false;
  /** Whether lines were dropped or rejected. */
  #hasOtherLines = false;

  entry(entry: Entry): readonly StreamElement[] {
    this.#startedAt ??= entry.timestamp;
    this.#tools.add(entry.tools);
    if (supersedes(entry, this.#best)) {
      this.#superseded += this.#truncated + (this.#best === undefined ? 0 : linesOf(this.#best));
      this.#truncated = 0;
      this.#best = entry;
      this.#tools.commit();
    } else this.#truncated += linesOf(entry);
    return NOTHING;
  }

  fate(fate: Fate): void {
    this.#startedAt ??= fate.timestamp;
    this.#hasOtherLines ||= fate.fate !== 'blank';
  }

  rejection({ scope }: Rejection): void {
    if (scope === 'session') {
      this.#isRejected = true;
      this.#best = undefined;
    } else this.#hasOtherLines = true;
  }

  /** Yields the conversation of the session, if it has one, and its end; then starts the next session. */
  *end(end: SessionEnd): Generator<Conversation | SessionEnd> {
    const closed = closedWith(end, this.#fate());
    if (this.#best !== undefined && !this.#isRejected) yield conversationOf(this.#best, this.#sums());
    this.#reset();
    yield closed;
  }

  #fate(): SessionFate {
    if (this.#isRejected) return 'rejected';
    if (this.#best !== undefined) return 'written';
    return this.#hasOtherLines ? 'empty' : 'none';
  }

  #sums(): Sums {
    return {
      startedAt: this.#startedAt,
      superseded: this.#superseded,
      truncated: this.#truncated,
      tools: this.#tools.definitions(),
      toolCounts: this.#tools.counts(),
    };
  }

  #reset(): void {
    this.#best = this.#startedAt = undefined;
    this.#superseded = this.#truncated = 0;
    this.#isRejected = this.#hasOtherLines = false;
    this.#tools.reset();
  }
}

const NOTHING: readonly StreamElement[] = [];

function create(): Handlers {
  const selection = new Selection();
  return {
    entry: (entry) => selection.entry(entry),
    fate(fate) {
      selection.fate(fate);
      return [fate];
    },
    rejection(rejection) {
      selection.rejection(rejection);
      return [rejection];
    },
    'session-end': (end) => selection.end(end),
  };
}

export const snapshotSelect: Stage = {
  name: 'snapshot-select',
  summary: 'Keeps the last of the longest entries of each session, with its reply and the tools up to it.',
  options: {},
  takes: 'entry',
  create,
};
