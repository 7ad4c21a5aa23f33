/**
 * Sorts calls of interleaved sessions into conversations. Each call repeats the conversation so far, so only the place
 * of a call that another one continues is held; calls that no other one continues become conversations at the end of
 * the source. A call without a session id joins the session whose conversation it continues.
 */
import type { Entry, Message } from '../../model/element.ts';
import { createEntryLog } from '../../model/entry-log.ts';
import { extendPath, type Path, pathOf, sharedLength } from '../../model/path-hashes.ts';
import { SessionIds } from '../../model/session-ids.ts';
import type { FoldSelect, ReadElement, ReadingOptions } from '../dialect.ts';
import {
  type CallPath,
  elementsOf,
  GatheredIndex,
  GatheredSession,
  isSilent,
  type Joining,
} from './gathered-session.ts';
import { type CallChain, isSameList } from './history.ts';
import { comparedMessages } from './system-times.ts';

export interface GatherOptions {
  /** Bytes that open sessions may hold in total; beyond that, the session that was idle the longest is written. */
  readonly maxBytes: number;
  /** Conversations of a session that continue the same calls in different ways; all others are written in any number. */
  readonly maxBranches: number;
  /** `last`: only the longest conversation of each session; of equally long ones the last. */
  readonly select: FoldSelect;
  /** Returns messages as cleanup leaves them: without the texts that a client adds to each request. */
  readonly cleaned?: ReadingOptions['cleaned'];
  /** Whether its calls share no messages, so that those that were not continued are held as bytes. */
  readonly packs?: boolean | undefined;
}

/** Index of the first answer; the number of messages if there is none. */
function answerIn(messages: readonly Message[]): number {
  const at = messages.findIndex(({ role }) => role === 'assistant');
  return at < 0 ? messages.length : at;
}

const asLogged = (messages: readonly Message[]): readonly Message[] => messages;

export class GatheredSessions {
  readonly #options: GatherOptions;
  /** Returns messages as cleanup leaves them, and as they are compared. */
  readonly #clean: NonNullable<GatherOptions['cleaned']>;
  readonly #compared: NonNullable<GatherOptions['cleaned']>;
  /** Open sessions by each of their ids: equal calls in separate traces form one session that has all their ids. */
  #open = new Map<string, GatheredSession>();
  /** The sessions in `#open`; the one that was idle the longest is first. */
  #idle = new Set<GatheredSession>();
  /** The last one of them. */
  #latest: GatheredSession | undefined;
  /** Ids of the sessions that were written before the end of the source. */
  readonly #ended = new SessionIds();
  #index: GatheredIndex;
  /** The session of the last call, if it has no id: only the next call may continue it. */
  #nameless: GatheredSession | undefined;
  /** The last call's messages after cleanup, most of which the next call repeats, and their hashes as they are compared. */
  #cleaned: readonly Message[] = [];
  #path: Path | undefined;
  /** Calls that were not added, and sessions that have ended. */
  #finished: (Entry | GatheredSession)[] = [];
  #held = 0;
  #sessions = 0;

  constructor(options: GatherOptions) {
    this.#options = options;
    this.#clean = options.cleaned ?? asLogged;
    this.#compared = (messages, from) => comparedMessages(this.#clean(messages, from));
    this.#index = this.#newIndex();
  }

  add(entry: Entry, { hasId = true, joins = !hasId, chain, callId }: Joining = {}): void {
    const { sessionId: id } = entry;
    if (hasId && this.#ended.has(id)) {
      this.#finished.push(refusedCall(entry, REOPENED));
      return;
    }
    const path = this.#pathOf(entry, chain);
    const known = hasId ? this.#open.get(id) : undefined;
    const earlier = known === undefined && joins ? this.#earlier(path, entry) : undefined;
    const session = known ?? earlier ?? new GatheredSession(id, this.#sessions++, this.#index);
    if (this.#nameless !== undefined && this.#nameless !== session) this.#close(this.#nameless);
    if (hasId) {
      session.ids.add(id);
      this.#open.set(id, session);
    }
    this.#nameless = session.ids.size === 0 ? session : undefined;
    if (session.ids.size > 0 && session !== this.#latest) {
      this.#idle.delete(session);
      this.#idle.add(session);
      this.#latest = session;
    }
    const before = session.weight;
    const { maxBranches, select } = this.#options;
    const most = select === 'last' ? Number.POSITIVE_INFINITY : maxBranches;
    if (!session.add(entry, path, { chain, callId }, most)) this.#finished.push(refusedCall(entry, BEYOND));
    this.#held += session.weight - before;
    for (const oldest of this.#idle) {
      if (this.#held <= this.#options.maxBytes) break;
      for (const one of oldest.ids) this.#ended.add(one);
      this.#close(oldest);
    }
  }

  #pathOf(entry: Entry, chain: CallChain | undefined): CallPath {
    const { messages, reply } = entry;
    const listed = reply === undefined ? messages : [...messages, reply];
    if (chain?.before === undefined) {
      // a message that cleanup left before is left again, unless it is dropped because of the next one
      const shared = sharedLength(listed, { messages: this.#cleaned });
      this.#cleaned = this.#clean(listed, Math.max(shared - 1, 0));
      const compared = comparedMessages(this.#cleaned);
      this.#path = pathOf(compared, this.#path, compared === listed ? shared : undefined);
      const { hashes } = this.#path;
      return { before: undefined, hashes, answeredAt: answerIn(compared), all: () => hashes };
    }
    const { at, before, own } = chain;
    const system = comparedMessages(messages.slice(0, at));
    const start = before.endAfter(system, this.#compared);
    const added = listed.slice(at);
    const compared = this.#compared(added, 0);
    const { hashes, end } = extendPath(start, compared);
    if (isSameList(own?.addedMessages, added)) own?.setEnd(system, end);
    return {
      before: start.hash,
      hashes,
      answeredAt: before.hasAnswer ? -1 : answerIn(compared),
      all: () => pathOf([...this.#compared(system, 0), ...before.list(this.#compared), ...compared]).hashes,
    };
  }

  /** The session of the longest answered conversation that a path begins with, or of the last call if that failed and this one repeats it. */
  #earlier(path: CallPath, entry: Entry): GatheredSession | undefined {
    const { before, hashes, answeredAt } = path;
    if (this.#nameless?.hasOnly(path) === true) return this.#nameless;
    for (let i = hashes.length - 1; i >= Math.max(answeredAt, 0); i--) {
      const session = this.#index.ends.get(hashes[i] as string);
      if (session !== undefined) return session;
    }
    const continued = answeredAt < 0 && before !== undefined ? this.#index.ends.get(before) : undefined;
    return continued ?? this.#twinOf(entry, hashes);
  }

  /** The session of a call with the same messages, if one of the two has the answer: some tracers log a streamed call twice. */
  #twinOf(entry: Entry, hashes: readonly string[]): GatheredSession | undefined {
    if (entry.reply === undefined)
      return isSilent(entry) ? this.#index.asked.get(hashes.at(-1) ?? '') : undefined;
    const question = hashes.at(-2) ?? '';
    const session = this.#index.ends.get(question);
    const isTwin = [...(session?.leaves ?? [])].some((leaf) => leaf.end === question && isSilent(leaf.entry));
    return isTwin ? session : undefined;
  }

  closeAll(): void {
    const open = new Set(this.#idle);
    if (this.#nameless !== undefined) open.add(this.#nameless);
    for (const session of [...open].sort((a, b) => a.number - b.number)) this.#close(session);
    this.#nameless = this.#path = undefined;
    this.#cleaned = [];
  }

  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /** Yields the elements of sessions that have ended. Each conversation is listed when it is taken. */
  *take(): Generator<ReadElement> {
    const finished = this.#finished.reverse();
    this.#finished = [];
    for (let one = finished.pop(); one !== undefined; one = finished.pop())
      if (one instanceof GatheredSession) yield* elementsOf(one, this.#options.select);
      else yield one;
  }

  forget(): void {
    // new ones, because a cleared map keeps what it had until the next full collection
    this.#open = new Map();
    this.#idle = new Set();
    this.#index = this.#newIndex();
    this.#ended.clear();
    this.#nameless = this.#latest = this.#path = undefined;
    this.#cleaned = [];
    this.#finished = [];
    this.#held = 0;
  }

  #newIndex(): GatheredIndex {
    return new GatheredIndex(this.#options.packs === true ? Number.POSITIVE_INFINITY : 0);
  }

  #close(session: GatheredSession): void {
    if (session === this.#latest) this.#latest = undefined;
    for (const id of session.ids) this.#open.delete(id);
    this.#idle.delete(session);
    session.close();
    this.#held -= session.weight;
    this.#finished.push(session);
  }
}

const REOPENED = {
  reason: 'session-reopened',
  detail: 'the session with this id was already written, because it was idle when memory ran short',
} as const;
const BEYOND = {
  reason: 'too-many-branches',
  detail: 'the session has more branches than --max-branches; the first ones are written',
} as const;

function refusedCall(entry: Entry, refused: NonNullable<Entry['refused']>): Entry {
  const log = createEntryLog();
  log.add(entry.origin);
  return { ...entry, messages: [], reply: undefined, alone: true, lines: log.take(), refused };
}
