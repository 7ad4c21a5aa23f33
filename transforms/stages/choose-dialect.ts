/**
 * Chooses the dialect of a source by its first objects. Holds lines that no dialect recognises until one is recognised,
 * up to 64 lines or 256 KiB.
 */

import type { Detected, Dialect, ObjectMembers } from '../dialects/dialect.ts';
import { dialects } from '../dialects/index.ts';
import { BareNumbers } from '../json/bare-numbers.ts';
import { OPEN_OBJECT } from '../json/bytes.ts';
import { copyOf } from '../json/keep.ts';
import { walkMembers } from '../json/members.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import { knownText } from '../json/utf8.ts';
import type { Line, Rejection } from '../model/element.ts';
import { rejectLine } from '../model/rejection.ts';
import { unreadLogAdvice } from './unread-logs.ts';

const MAX_HELD_LINES = 64;
const MAX_HELD_BYTES = 256 * 1024;

/**
 * The order in which the dialects are tried: those that require the most members come first, because their objects may
 * also be those of others. An observation with the messages of its request is also a call, and a call with an
 * `expected` answer is also a sample.
 */
const TRIED: readonly string[] = [
  ...['atif', 'codex', 'claude-code', 'sts', 'pi', 'gemini-cli', 'goose', 'inspect', 'opencode', 'openhands'],
  ...['cline', 'runs', 'spans', 'batches', 'streams', 'calls', 'responses', 'anthropic', 'astracodex'],
  ...['samples', 'messages', 'exchange'],
];
const rank = ({ name }: Dialect): number => TRIED.indexOf(name);
const sorted = dialects.toSorted((a, b) => rank(a) - rank(b));
const certain = dialects.filter(({ isCertain }) => isCertain !== undefined);

/** The dialect that rejects lines which contain no object, before the dialect of the source is known. */
export const native = sorted.at(-1) as Dialect;

/** @throws TypeError for a dialect that cannot read */
export function checkDialects(given: readonly (Partial<Dialect> | null)[]): void {
  const bad = given.findIndex(
    (one) =>
      typeof one?.name !== 'string' || ![one.detect, one.create].every((it) => typeof it === 'function'),
  );
  if (bad >= 0) throw new TypeError(`dialects[${bad}] is not a dialect: create it with defineDialect`);
}

/** The members of the first object in a line; undefined if the line does not begin with a valid object. */
function firstObject(line: Uint8Array, scanner: Scanner): ObjectMembers | undefined {
  const first = skipBlanks(line, 0);
  if (line[first] !== OPEN_OBJECT) return undefined;
  const members = new Map<string, Uint8Array>();
  const end = walkMembers(line, first, scanner, (start, keyEnd, value) => {
    const valueEnd = scanner.value(line, value, 1);
    if (valueEnd >= 0) members.set(knownText(line, start, keyEnd), line.subarray(value, valueEnd));
    return valueEnd;
  });
  return end < 0 ? undefined : members;
}

/** A later object decides. */
interface Undecided {
  /** The dialect if that object is of no other one. */
  readonly unless: Dialect | undefined;
  /** Whether it need not be the next object of the dialect. */
  readonly isPatient?: boolean;
}

const isDecided = (found: Dialect | Undecided | undefined): found is Dialect =>
  found !== undefined && !('unless' in found);

/** The first of the dialects that recognises an object. */
function asked(members: ObjectMembers, among: readonly Dialect[]): Dialect | Undecided | undefined {
  for (const dialect of among) {
    const answer: boolean | Detected = dialect.detect(members);
    if (answer === 'ask-next') return { unless: undefined };
    if (answer === 'unless-next') return { unless: dialect };
    if (answer === 'unless-later') return { unless: dialect, isPatient: true };
    if (answer === true || answer === 'yes') return dialect;
  }
  return undefined;
}

/** The dialect of an object; undefined if no dialect recognises it. */
function dialectOf(members: ObjectMembers, more: readonly Dialect[]): Dialect | Undecided | undefined {
  const own = asked(members, more);
  if (own !== undefined) return own;
  return certain.find((dialect) => dialect.isCertain?.(members)) ?? asked(members, sorted);
}

/** The dialect of a source whose first object is in `line`; undefined if that object does not decide it. */
export function detectDialect(line: Uint8Array): Dialect | undefined {
  const members = firstObject(line, createPlainScanner());
  const found = members && dialectOf(members, []);
  return isDecided(found) ? found : found?.unless;
}

/** Whether a dialect recognises an object, alone or with the next one. */
export function mayBeOfDialect(object: Uint8Array, scanner: Scanner, more: readonly Dialect[]): boolean {
  const members = firstObject(object, scanner);
  return members !== undefined && dialectOf(members, more) !== undefined;
}

/** Whether an object is an ordinary line of a dialect, whatever else it may be. */
export function isOfDialect(object: Uint8Array, scanner: Scanner, dialect: Dialect): boolean {
  const members = firstObject(object, scanner);
  const answer = members !== undefined && dialect.detect(members);
  return answer === true || answer === 'yes' || answer === 'unless-next' || answer === 'unless-later';
}

/** Recognises documents with a list whose elements a dialect reads one by one (`Dialect.inside`). */
export interface ListsInside {
  /** Names of members that may hold such a list. */
  readonly members: ReadonlySet<string>;
  /** Whether the dialect of a document that begins with `head` reads the elements of `member` one by one. */
  opens(member: string, head: Uint8Array): boolean;
}

/**
 * @param chosen name of the dialect that the user chose; `auto` for any
 * @param more dialects besides the built-in ones
 */
export function listsInside(chosen: string = 'auto', more: readonly Dialect[] = []): ListsInside {
  const known = [...more, ...sorted].filter(({ name }) => chosen === 'auto' || name === chosen);
  const members = new Set(known.flatMap(({ inside }) => inside ?? []));
  const scanner = createPlainScanner();
  return {
    members,
    opens(member, head) {
      const words = new BareNumbers(head);
      words.putTexts(head);
      const first = firstObject(head, scanner);
      const dialect = chosen === 'auto' ? first && dialectOf(first, more) : known[0];
      words.putWords(head);
      return isDecided(dialect) && dialect.inside === member;
    },
  };
}

export class DialectChooser {
  readonly #scanner: Scanner;
  readonly #more: readonly Dialect[];
  #held: Line[] = [];
  /** Keys of the first object that no dialect recognised. */
  #keys: readonly string[] = [];
  /** Advice for the user, if a held line is of a known log that no dialect reads. */
  #advice: string | undefined;
  #heldBytes = 0;
  /** The dialect of the held lines if no later one decides. */
  #unless: Dialect | undefined;

  constructor(scanner: Scanner, more: readonly Dialect[]) {
    this.#scanner = scanner;
    this.#more = more;
  }

  /**
   * Chooses the dialect by the next line.
   * @param mayHold whether the line may be held until a later one is recognised
   * @returns the dialect; `held` if the line is held; `unknown` if it is one line too many to be held; undefined if it
   * is neither recognised nor held
   */
  choose(line: Line, mayHold = true): Dialect | 'held' | 'unknown' | undefined {
    const members = firstObject(line.bytes, this.#scanner);
    if (members === undefined && this.#held.length === 0) {
      const known = [...this.#more, ...sorted].find(({ detectLine }) => detectLine?.(line.bytes) === true);
      if (known !== undefined) return known;
    }
    const found = members && dialectOf(members, this.#more);
    if (isDecided(found)) return found;
    const { unless, isPatient = false } = found ?? {};
    if (unless !== undefined && ((unless === this.#unless && !isPatient) || !mayHold)) return unless;
    if (!mayHold || (members === undefined && this.#held.length === 0)) return undefined;
    if (members !== undefined && this.#keys.length === 0) this.#keys = [...members.keys()];
    this.#advice ??= members && unreadLogAdvice(members);
    const bytes = this.#heldBytes + line.bytes.length;
    if (this.#held.length >= MAX_HELD_LINES || bytes > MAX_HELD_BYTES)
      return this.#unless ?? unless ?? 'unknown';
    this.#held.push({ ...line, bytes: copyOf(line.bytes) });
    this.#heldBytes = bytes;
    this.#unless ??= unless;
    return 'held';
  }

  get holds(): boolean {
    return this.#held.length > 0;
  }

  /** The dialect of the held lines, if there are no more; undefined if it is unknown. */
  get last(): Dialect | undefined {
    return this.#unless;
  }

  /** Rejects the held lines, then `last`, then the source as a whole. */
  *refuse(last?: Line): Generator<Rejection> {
    const { reason, detail } = whyUnknown(this.#keys, this.#advice, [...this.#more, ...sorted]);
    const lines = [...this.take(), ...(last === undefined ? [] : [last])];
    for (const line of lines) yield rejectLine('parse', line, 'bad-event', detail);
    const { origin } = lines.at(-1) as Line;
    yield { kind: 'rejection', scope: 'source', stage: 'parse', reason, detail, origin };
  }

  /** Returns the held lines and forgets them. */
  take(): readonly Line[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#keys = [];
    this.#advice = this.#unless = undefined;
    return held;
  }
}

interface Unknown {
  readonly reason: 'preference-pairs' | 'unknown-dialect' | 'known-but-unread';
  readonly detail: string;
}

/** Keys of preference pairs (TRL, OpenAI), of compared conversations, and of answers with a label. */
const PREFERENCES = ['chosen', 'rejected', 'preferred_output', 'non_preferred_output'];
const COMPARED = ['conversation_a', 'conversation_b'];
const LABELLED = ['prompt', 'completion', 'label'];

const MAX_KEYS = 8;
const PLAIN_KEY = /^[\w.-]{1,40}$/;

/** Says why a source is unknown: names its keys, and the dialect of whose marks it has the largest share. */
function whyUnknown(keys: readonly string[], advice: string | undefined, known: readonly Dialect[]): Unknown {
  if (PREFERENCES.some((key) => keys.includes(key)))
    return { reason: 'preference-pairs', detail: 'its lines are pairs of a chosen and a rejected answer' };
  if (COMPARED.every((key) => keys.includes(key)))
    return { reason: 'preference-pairs', detail: 'its lines are pairs of conversations that were compared' };
  if (LABELLED.every((key) => keys.includes(key)))
    return { reason: 'preference-pairs', detail: 'its lines are answers that are labelled as good or bad' };
  if (advice !== undefined) return { reason: 'known-but-unread', detail: advice };
  const found =
    keys.length === 0 ? 'its objects are empty' : `no dialect has objects with the keys ${shownKeys(keys)}`;
  const near = nearest(keys, known);
  return { reason: 'unknown-dialect', detail: near === undefined ? found : `${found}; nearest: ${near}` };
}

function shownKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => (PLAIN_KEY.test(key) ? key : 'another key'));
  const more = keys.length > MAX_KEYS ? `, and ${keys.length - MAX_KEYS} more` : '';
  return `${shown.join(', ')}${more}`;
}

/** Rejects a source that gave no conversation, although an object in it, with these keys, carries content. */
export function rejectUnread(line: Line, keys: readonly string[]): Rejection {
  const members = firstObject(line.bytes, createPlainScanner());
  const advice = members && unreadLogAdvice(members);
  const [reason, detail] =
    advice === undefined
      ? [
          'nothing-read',
          `nothing was read, but its objects carry content; they have the keys ${shownKeys(keys)}`,
        ]
      : ['known-but-unread', advice];
  return { kind: 'rejection', scope: 'source', stage: 'parse', reason, detail, origin: line.origin };
}

/** Marks of dialects that objects of many other programs have too: alone they say nothing about the dialect. */
const COMMON_KEYS: ReadonlySet<string> = new Set([
  ...['type', 'id', 'version', 'schema_version', 'status', 'source', 'timestamp'],
  ...['info', 'plan', 'message', 'content', 'action', 'args'],
]);

/** The dialect that has the most of the keys, at least one of them uncommon; undefined if there is none. */
function nearest(keys: readonly string[], known: readonly Dialect[]): string | undefined {
  let best: { readonly share: number; readonly text: string } | undefined;
  for (const { name, marks = [] } of known) {
    const missing = marks.filter((mark) => !keys.includes(mark));
    const share = marks.length === 0 ? 0 : 1 - missing.length / marks.length;
    const isTypical = marks.some((mark) => keys.includes(mark) && !COMMON_KEYS.has(mark));
    if (!isTypical || share <= (best?.share ?? 0)) continue;
    best = { share, text: missing.length === 0 ? name : `${name}, without ${missing.join(' and ')}` };
  }
  return best?.text;
}
