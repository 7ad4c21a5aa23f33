/**
 * Stage: entries -> conversations. With `last`, the snapshot of a session becomes its conversation: the last of the entries
 * with the most messages. Holds only the best entry so far and the distinct tool definitions, however long the session is.
 * With `leaves`, each entry that no other one continues becomes a conversation.
 */
import { FOLD_SELECTIONS, type FoldSelect, MAX_CONVERSATION_BYTES } from '../dialects/dialect.ts';
import { EarlierAnswers, withAnswerNotes } from '../dialects/shared/answer-notes.ts';
import { messageWithoutBilling } from '../dialects/shared/billing-line.ts';
import {
  type CallPath,
  elementsOf,
  GatheredIndex,
  GatheredSession,
} from '../dialects/shared/gathered-session.ts';
import { comparedMessages } from '../dialects/shared/system-times.ts';
import { perObject } from '../json/notes.ts';
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
import { fatesOf } from '../model/entry-log.ts';
import { type Path, pathOf, sharedLength } from '../model/path-hashes.ts';
import { rejectSession } from '../model/rejection.ts';
import { withoutRepeat } from '../model/reply.ts';
import { supersedes } from '../model/supersedes.ts';
import { ToolUnion } from '../model/tool-union.ts';
import type { Handlers, Stage } from '../stage.ts';
import { NOT_SELECTED } from './select-sessions.ts';

const STAGE = 'snapshot-select';
const NOTHING: readonly StreamElement[] = [];
/** Weight of an entry up to which its objects take more room than its text. */
const MAX_PACKED = 8 * 1024;
/** Hash of the path without messages. */
const EMPTY_PATH = '';

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
    ...(meta !== undefined && meta.size > 0 && { meta }),
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
  readonly #answers = new EarlierAnswers();
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
    if (entry.alone !== true && entry.reply !== undefined)
      this.#answers.add(entry.reply, entry.messages.length);
    if (supersedes(entry, this.#best)) {
      this.#superseded += this.#truncated + (this.#best === undefined ? 0 : linesOf(this.#best));
      this.#truncated = 0;
      this.#best = entry;
      this.#tools.commit();
    } else this.#truncated += linesOf(entry);
    return NOTHING;
  }

  /** Whether the entry would be written if the session ended here. */
  isBest(entry: Entry): boolean {
    return this.#best === entry;
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
    if (this.#best !== undefined && !this.#isRejected)
      yield conversationOf(this.#noted(this.#best), this.#sums());
    this.reset();
    yield closed;
  }

  /** With the findings about the answers of other entries that it repeats. */
  #noted(best: Entry): Entry {
    const messages = withAnswerNotes(best.messages, this.#answers.in(best.messages));
    return messages === best.messages ? best : { ...best, messages };
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

  /** Starts the next session. */
  reset(): void {
    this.#best = this.#startedAt = undefined;
    this.#superseded = this.#truncated = 0;
    this.#isRejected = this.#hasOtherLines = false;
    this.#tools.reset();
    this.#answers.clear();
  }
}

const unbilled = perObject(messageWithoutBilling);

/** An entry as the dialects read it of which all conversations are written: without a line that differs in each request, and with its answer once. */
function comparable(entry: Entry): Entry {
  const { messages } = entry;
  const isBilled = messages.some((one) => one.role === 'system' && unbilled(one) !== one);
  return withoutRepeat(isBilled ? { ...entry, messages: messages.map(unbilled) } : entry);
}

/** The current session, of which all conversations are written. */
class Leaves {
  readonly #maxBytes: number;
  /** Ids of the conversations that are kept; undefined for all. */
  readonly #kept: ReadonlySet<string> | undefined;
  readonly #selection = new Selection();
  /** Undefined if it has no entries, is a conversation already, or is rejected. */
  #session: GatheredSession | undefined;
  readonly #paths = new RecentPaths();
  /** Last hash of the path of the entry that `last` would write. */
  #end: string | undefined;
  #isTooLong = false;

  constructor(maxBytes: number, only: readonly string[] | undefined) {
    this.#maxBytes = maxBytes;
    this.#kept = only && new Set(only);
  }

  entry(logged: Entry): readonly StreamElement[] {
    if (this.#isTooLong) return NOTHING;
    const entry = logged.alone === true ? logged : comparable(logged);
    this.#selection.entry(entry);
    if (entry.alone === true) return NOTHING;
    this.#session ??= new GatheredSession(entry.sessionId, 0, new GatheredIndex(MAX_PACKED));
    const path = this.#pathOf(entry);
    if (this.#selection.isBest(entry)) this.#end = path.hashes.at(-1);
    this.#session.add(entry, path, {}, Number.POSITIVE_INFINITY);
    const { weight, leaves } = this.#session;
    return weight > this.#maxBytes && leaves.size > 1 ? this.#refuse(entry) : NOTHING;
  }

  /** The path begins with the empty one, so that an entry without messages is the beginning of all others. */
  #pathOf({ messages, reply }: Entry): CallPath {
    const listed = reply === undefined ? messages : [...messages, reply];
    const { hashes, continued } = this.#paths.take(comparedMessages(listed));
    const all = (): readonly string[] => [EMPTY_PATH, ...hashes];
    const before = hashes[continued - 1];
    return { before, hashes: before === undefined ? all() : hashes.slice(continued), answeredAt: -1, all };
  }

  #refuse({ origin, sessionId }: Entry): readonly StreamElement[] {
    const detail = 'its conversations hold more than --max-conversation';
    const rejection = rejectSession(STAGE, origin, sessionId, 'conversation-too-long', detail);
    this.rejection(rejection);
    this.#isTooLong = true;
    return [rejection];
  }

  fate(fate: Fate): void {
    this.#selection.fate(fate);
  }

  rejection(rejection: Rejection): void {
    this.#selection.rejection(rejection);
    if (rejection.scope === 'session') this.#session = undefined;
  }

  /**
   * Yields the conversations and their ends. If all entries are the beginning of one, that is the session itself, as with
   * `last`; else each is a session with its own id.
   */
  *end(end: SessionEnd): Generator<Conversation | Fate | SessionEnd> {
    const session = this.#session;
    const isOne = session === undefined || (this.#isOne(session) && this.#isKept(session.id));
    this.#session = this.#end = undefined;
    this.#paths.clear();
    this.#isTooLong = false;
    if (isOne) yield* this.#selection.end(end);
    else yield* this.#each(session, end);
  }

  #isOne({ leaves }: GatheredSession): boolean {
    const [only] = leaves;
    return leaves.size === 1 && only?.end === this.#end;
  }

  #isKept(id: string): boolean {
    return this.#kept?.has(id) !== false;
  }

  *#each(
    session: GatheredSession,
    { kind, origin, last, dialect }: SessionEnd,
  ): Generator<Conversation | Fate | SessionEnd> {
    this.#selection.reset();
    let left = session.leaves.size;
    for (const entry of elementsOf(session, 'leaves')) {
      if (entry.kind !== 'entry') continue;
      const { sessionId, lines } = entry;
      const isKept = this.#isKept(sessionId);
      if (isKept) this.#selection.entry(entry);
      else yield* this.#drop(entry);
      const isLast = last && --left === 0;
      const entries = isKept ? lines : undefined;
      yield* this.#selection.end({ kind, origin, last: isLast, alone: true, dialect, sessionId, entries });
    }
  }

  *#drop(entry: Entry): Generator<Fate> {
    for (const fate of fatesOf(entry, NOT_SELECTED)) {
      this.#selection.fate(fate);
      yield fate;
    }
  }
}

export interface SelectOptions {
  /** `last` by default. */
  readonly select?: FoldSelect | undefined;
  /** Bytes that the conversations of a session may hold. */
  readonly maxConversation?: number;
  /** Ids of the conversations to keep, with `leaves`; undefined for all. */
  readonly only?: readonly string[] | undefined;
}

function create({ select, maxConversation = MAX_CONVERSATION_BYTES, only }: SelectOptions): Handlers {
  const selection = select === 'leaves' ? new Leaves(maxConversation, only) : new Selection();
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

export const snapshotSelect: Stage<SelectOptions> = {
  name: STAGE,
  summary: 'Keeps the last of the longest entries of a session with the tools up to it, or all its branches.',
  options: {
    select: {
      describe: 'Keep all conversations of a session (leaves), or only the last of the longest entries',
      default: undefined,
      choices: FOLD_SELECTIONS,
    },
    maxConversation: {
      describe: 'Reject a session of whose entries the conversations hold more than SIZE',
      default: MAX_CONVERSATION_BYTES,
    },
    only: {
      describe: 'Keep only the conversations with these ids (with leaves)',
      default: undefined,
      takes: 'list',
    },
  },
  takes: 'entry',
  create,
};

const MAX_PATHS = 4;

/** The paths of the conversations that were continued last: calls of several agents alternate. */
export class RecentPaths {
  #paths: Path[] = [];

  /** @returns the hashes of a path; how many of them are those of a whole path before, if there are more */
  take(messages: readonly Message[]): { readonly hashes: readonly string[]; readonly continued: number } {
    let [nearest, most] = [-1, 0];
    for (const [i, path] of this.#paths.entries()) {
      const shared = sharedLength(messages, path);
      if (shared > most) [nearest, most] = [i, shared];
    }
    const known = this.#paths[nearest] ?? this.#paths[0];
    const path = pathOf(messages, known, most);
    const length = known?.hashes.length ?? 0;
    const continues =
      length > 0 && length < messages.length && path.hashes[length - 1] === known?.hashes.at(-1);
    if (continues) this.#paths.splice(Math.max(nearest, 0), 1);
    else if (this.#paths.length === MAX_PATHS) this.#paths.pop();
    this.#paths.unshift(path);
    return { hashes: path.hashes, continued: continues ? length : 0 };
  }

  clear(): void {
    this.#paths = [];
  }
}
