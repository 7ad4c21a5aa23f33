/** Reads the objects of a source as the description of its dialect says (dialect-spec.ts). */
import { JsonView } from '../json/json-view.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import type { Scanner } from '../json/scanner.ts';
import type { Entry, Line, Message, Origin, Rejection } from '../model/element.ts';
import { createEntryLog } from '../model/entry-log.ts';
import { stringValue } from '../model/message.ts';
import { settleReply, withoutRepeat } from '../model/reply.ts';
import { timeOf } from '../model/timestamp.ts';
import {
  type DialectReader,
  type LineObjects,
  MAX_BRANCHES,
  MAX_CONVERSATION_BYTES,
  type ReadElement,
  type ReadingOptions,
} from './dialect.ts';
import {
  type DialectSpec,
  type EntryFields,
  type ObjectPart,
  type ReadContext,
  traitsOf,
} from './dialect-spec.ts';
import { Fold } from './fold/fold.ts';
import { makeMessage, piecesOf } from './shared/build-messages.ts';
import { dropped } from './shared/carried-content.ts';
import { GatheredSessions } from './shared/gathered-sessions.ts';
import { faultOfCall, wholeMessages } from './shared/history.ts';
import { lineId } from './shared/line-id.ts';
import { NO_CHANGES, type ObjectWalk, readObjects, rejectObject, TAKEN } from './shared/line-objects.ts';
import { ReadMistakes, type ReportMistake } from './shared/read-mistakes.ts';
import { NO_TOOLS } from './shared/tool-definitions.ts';
import type { Unreadable } from './shared/unreadable.ts';
import { WaitingParts } from './shared/waiting-parts.ts';
import { WalkedObject } from './shared/walked-object.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function replyLast(messages: readonly Message[]): Pick<Entry, 'messages' | 'reply'> {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return { messages: messages, reply: undefined };
  return { messages: messages.slice(0, -1), reply: last };
}

export class SpecReader<Memory> implements DialectReader, ObjectWalk {
  readonly alone?: true;
  readonly holds?: true;
  readonly folds?: true;
  readonly makes = true;
  readonly #spec: DialectSpec<Memory>;
  readonly #mistakes: ReadMistakes;
  readonly #options: ReadingOptions;
  readonly #fold: Fold;
  readonly #gathered: GatheredSessions;
  #memory: Memory;
  readonly #scanner: Scanner;
  readonly #context: ReadContext;
  readonly #object: WalkedObject;
  readonly #waiting: WaitingParts;
  /** Whether entries are returned at once instead of being gathered (`readApart`). */
  #isApart = false;
  #onChain: ((chain: object) => void) | undefined;
  /** Rejects the source at its end. */
  #lost: Rejection | undefined;
  #line!: Line;
  #origin!: Origin;

  constructor(
    spec: DialectSpec<Memory>,
    report: ReportMistake,
    scanner: Scanner = createPlainScanner(),
    options: ReadingOptions = {},
  ) {
    this.#spec = spec;
    this.#mistakes = new ReadMistakes(spec.name, report);
    this.#options = options;
    const { maxConversation = MAX_CONVERSATION_BYTES, select = 'leaves', keepSealed = false } = options;
    const { keepsMeta = true, maxBranches = MAX_BRANCHES, cleaned } = options;
    const traits = traitsOf(spec);
    this.#fold = new Fold({ maxBytes: maxConversation, maxBranches, select, keepSealed, keepsMeta, traits });
    this.#gathered = new GatheredSessions({
      ...{ maxBytes: maxConversation, maxBranches, select, packs: spec.packs, cleaned },
    });
    this.#waiting = new WaitingParts(maxConversation);
    this.#memory = this.#remember();
    if (spec.alone) this.alone = true;
    if (spec.folds || spec.gathers) this.holds = true;
    if (spec.folds) this.folds = true;
    this.#scanner = scanner;
    this.#object = new WalkedObject(spec, scanner);
    this.#context = this.#createContext(options.userTurn);
  }

  read(line: Line): LineObjects {
    const objects = readObjects(line, this.#scanner, this);
    if (this.folds && Array.isArray(objects) && objects[0]?.kind === 'rejection') this.#fold.breakAnswers();
    return objects;
  }

  readApart(line: Line, onChain?: (chain: object) => void): LineObjects {
    if (this.#spec.folds) return [];
    this.#isApart = true;
    this.#onChain = onChain;
    try {
      const objects = readObjects(line, this.#scanner, this);
      const elements = [...objects];
      return { length: objects.length, [Symbol.iterator]: () => elements[Symbol.iterator]() };
    } finally {
      this.#isApart = false;
    }
  }

  gather(entries: readonly ReadElement[]): readonly ReadElement[] {
    if (this.#spec.gathers !== true) return entries;
    const passed = entries.filter(
      (entry) => entry.kind !== 'entry' || !this.#gather(entry, entry.alone !== true),
    );
    return [...this.#takeFinished(), ...passed];
  }

  *end(): Generator<ReadElement> {
    const lost = this.#endMemory();
    yield* this.#waiting.end((part, origin, number) => {
      this.#origin = origin;
      const read = this.#partOf(part, number);
      const own = read?.kind === 'rejection' ? this.#refusedLate(read, number) : read;
      return own?.kind === 'entry' ? oneOfSeveral(own) : own;
    });
    this.#fold.closeAll();
    this.#gathered.closeAll();
    yield* this.#takeFinished();
    if (lost !== undefined) yield lost;
  }

  #endMemory(): Rejection | undefined {
    this.#lost = this.#spec.end?.(this.#context, this.#memory) ?? this.#lost;
    return this.#lost;
  }

  forget(): void {
    this.#object.forget();
    this.#fold.forget();
    if (this.#spec.gathers === true) this.#gathered.forget();
    this.#waiting.forget();
    this.#lost = undefined;
    this.#memory = this.#remember();
  }

  #remember(): Memory {
    return this.#spec.memory?.(this.#options) as Memory;
  }

  walk(bytes: Uint8Array, at: number): number {
    return this.#object.walk(bytes, at);
  }

  entryOf(line: Line, origin: Origin, number: number): ReadElement | Iterable<ReadElement> {
    const { duplicateAt, tape } = this.#object;
    if (duplicateAt >= 0) return rejectObject(line, origin, 'duplicate-key', 'duplicate key', duplicateAt);
    this.#line = line;
    this.#origin = origin;
    if (line.beginsList === true && number === 0 && this.#spec.folds === true) this.#beginList();
    this.#fold.begin(origin);
    const read = this.#spec.read(JsonView.onTape(line.bytes, tape), this.#context, this.#memory);
    const result = read === undefined && this.#fold.isRepeat ? this.#context.drop('copied-line') : read;
    const { fault } = this.#fold;
    if (result === undefined && fault !== undefined) return this.#refuse(fault);
    const count = result === undefined ? this.#fold.finish() : 0;
    if (count === 0 && result === undefined) this.#mistakes.badResult('undefined', origin);
    if (Array.isArray(result)) return this.#several(result as readonly ObjectPart[], origin);
    const own = result === undefined ? undefined : this.#partOf(result as ObjectPart, number);
    const hasFinished = this.#fold.hasFinished || this.#gathered.hasFinished;
    if (hasFinished || count > 1) return this.#afterFinished(own, count);
    return own ?? TAKEN;
  }

  /** Rejects an object of which the fold got something that may not be written. */
  #refuse({ reason, detail }: Unreadable): ReadElement | Iterable<ReadElement> {
    const own = this.#context.reject(reason, detail);
    return this.#fold.hasFinished ? this.#afterFinished(own) : own;
  }

  /** Ends the conversations of the list before. */
  #beginList(): void {
    this.#endMemory();
    this.#fold.closeAll();
    this.#memory = this.#remember();
  }

  /**
   * Yields the conversations that have ended, then the element of the current object.
   * @param count number of conversations that have the object's place: it counts as that many lines
   */
  *#afterFinished(own: ReadElement | undefined, count = 1): Generator<ReadElement> {
    const origin = this.#origin;
    if (count > 1) yield { kind: 'repair', repair: 'split-objects', origin, count: count - 1 };
    yield* this.#takeFinished();
    if (own !== undefined) yield own;
  }

  *#takeFinished(): Generator<ReadElement> {
    if (this.#fold.hasFinished) yield* this.#fold.take(this.#origin.source);
    if (this.#gathered.hasFinished) yield* this.#gathered.take();
  }

  /** Yields the parts of an object. Each counts as a line; one without a session gets an id from its number. */
  *#several(parts: readonly ObjectPart[], origin: Origin): Generator<ReadElement> {
    if (parts.length > 1) yield { kind: 'repair', repair: 'split-objects', origin, count: parts.length - 1 };
    for (const [number, part] of parts.entries()) {
      const own = this.#partOf(part, number);
      yield* this.#afterFinished(own?.kind === 'entry' && parts.length > 1 ? oneOfSeveral(own) : own);
    }
  }

  /** The element of a part; undefined if it is held for later. */
  #partOf(part: ObjectPart, number: number): ReadElement | undefined {
    this.#mistakes.checkPart(part, this.#origin);
    if ('kind' in part) return part;
    if (part.later !== undefined && !this.#isApart && this.#waiting.hold(part, this.#origin, number))
      return undefined;
    const element = this.#finish(part, number);
    if (element.kind !== 'entry') return element;
    const { chain } = part;
    if (this.#spec.gathers !== true || this.#isApart || part.alone === true) {
      if (chain === undefined) return element;
      if (this.#isApart && part.alone !== true && this.#onChain !== undefined) {
        this.#onChain(chain);
        return element;
      }
      return { ...element, messages: wholeMessages(element.messages, chain) };
    }
    const hasId = part.sessionId !== undefined;
    return this.#gather(element, hasId, !hasId || part.joins === true, part) ? undefined : element;
  }

  /** Holds an entry for later. @returns false for a refused one, which is not held */
  #gather(
    entry: Entry,
    hasId: boolean,
    joins: boolean = !hasId,
    { chain, callId }: Pick<EntryFields, 'chain' | 'callId'> = {},
  ): boolean {
    if (entry.refused !== undefined) return false;
    this.#gathered.add(entry, { hasId, joins, chain, callId });
    return true;
  }

  /**
   * The rejection of a call that was held until the end of the source, as a session that is refused: the bytes of its line
   * are gone, and rejected lines come in the order of the log.
   */
  #refusedLate({ reason, detail }: Rejection, number: number): Entry {
    const refused = { reason, detail } as NonNullable<Entry['refused']>;
    const sessionId = lineId(this.#origin, number);
    const none = {
      timestamp: undefined,
      messages: [],
      tools: NO_TOOLS,
      reply: undefined,
      changes: NO_CHANGES,
    };
    return { kind: 'entry', origin: this.#origin, sessionId, alone: true, ...none, refused };
  }

  #finish(fields: EntryFields, number: number): ReadElement {
    const { messages, tools = NO_TOOLS, sample, meta, refused, changes = NO_CHANGES } = fields;
    if ('kind' in messages) return messages;
    if ('kind' in tools) return tools;
    const { sessionId = lineId(this.#origin, number), lacks = this.#spec.lacks } = fields;
    // optional members are assigned: spreading them took a tenth of the time to read a small object
    const entry: Writable<Entry> = {
      kind: 'entry',
      origin: this.#origin,
      sessionId,
      timestamp: fields.timestamp,
      messages,
      tools,
      reply: fields.reply,
      changes,
    };
    if (fields.alone ?? this.#spec.alone ?? fields.sessionId === undefined) entry.alone = true;
    if (lacks !== undefined) entry.lacks = lacks;
    if (this.#spec.clientRules !== undefined) entry.clientRules = this.#spec.clientRules;
    if (sample !== undefined) entry.sample = sample;
    if (meta !== undefined && meta.size > 0) entry.meta = meta;
    if (refused !== undefined) entry.refused = refused;
    const fault = faultOfCall(messages, fields.reply, fields.chain, this.#spec.copies);
    if (fault !== undefined) return this.#context.reject(fault.reason, fault.detail);
    // the empty answers of a grader's samples are kept
    if (sample !== undefined) return entry;
    return settleReply(this.#spec.gathers === true ? withoutRepeat(entry) : entry);
  }

  /** The context is shared by all objects: creating one per object took longer than reading a small object. */
  #createContext(userTurn: string | undefined): ReadContext {
    const origin = (): Origin => this.#origin;
    return {
      get origin() {
        return origin();
      },
      fold: this.#fold,
      userTurn,
      messages: () => this.#object.messages(this.#line, this.#origin),
      tools: () => this.#object.definitions(this.#line, this.#origin),
      message(json) {
        const role = json?.type === 'object' ? stringValue(json.bytes, 'role') : undefined;
        return json === undefined || role === undefined ? undefined : { bytes: json.copy(), role };
      },
      makeMessage: (role, members) => makeMessage(role, piecesOf(members)),
      replyLast,
      time: (json) => json && timeOf(json.bytes),
      reject: (reason, detail, at) => {
        this.#mistakes.checkReason(reason);
        return rejectObject(this.#line, this.#origin, reason, detail, at?.at ?? -1);
      },
      drop: (name, form) => dropped(name, this.#origin, form),
    };
  }
}

/** Marks an entry as one of several of its object, whose place they share. */
function oneOfSeveral(entry: Entry): Entry {
  const log = createEntryLog();
  log.add(entry.origin);
  return { ...entry, lines: log.take(), isGathered: true };
}
