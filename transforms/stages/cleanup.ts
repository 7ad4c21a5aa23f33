/**
 * Stage: entry -> entry. Applies the enabled rules: first those for messages, in the order of `ruleSets`, then those
 * for whole entries. Counts every change by rule.
 */

import { noted } from '../dialects/shared/reading-notes.ts';
import { perObject } from '../json/notes.ts';
import type { Entry, Message, ReadingNote, StreamElement } from '../model/element.ts';
import { fatesOf } from '../model/entry-log.ts';
import { rules } from '../rules/index.ts';
import type { EntryRule, MessageRule, PairRule, Rule } from '../rules/rule.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';

export interface CleanupOptions {
  /** Names of rules or of rule sets; empty for none. */
  readonly cleanup: readonly string[];
}

const GOOSE = ['goose-info', 'goose-bootstrap', 'empty-assistant', 'goose-title'];
/** The set that also has the rules of the client whose log is read (`Entry.clientRules`). */
export const AUTO = 'auto';

/** Sets of rules, in the order in which the rules are applied. */
export const ruleSets: ReadonlyMap<string, readonly string[]> = new Map([
  [AUTO, GOOSE],
  ['goose', GOOSE],
]);

const options: OptionSpecs<CleanupOptions> = {
  cleanup: {
    describe: `Cleanup rules, by name or set: ${[...ruleSets.keys(), ...rules.map((rule) => rule.name)].join(', ')}`,
    default: [AUTO],
  },
};

/** The rules with these names, each once, in the order of `ruleSets`. @throws RangeError for an unknown name */
export function rulesOf(names: readonly string[]): readonly Rule[] {
  const wanted = new Set(names.flatMap((name) => ruleSets.get(name) ?? [name]));
  for (const name of wanted)
    if (!rules.some((rule) => rule.name === name)) throw new RangeError(`unknown cleanup rule '${name}'`);
  const order = [...ruleSets.values()].flat();
  return rules
    .filter((rule) => wanted.has(rule.name))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** The result of the rules for one message: the message to keep, if any, and the rules that changed it, in order. */
export interface Cleaned {
  readonly message: Message | undefined;
  readonly changedBy: readonly string[];
}

const NO_RULES: readonly string[] = [];

function cleanMessage(message: Message, messageRules: readonly MessageRule[]): Cleaned | undefined {
  const changedBy: string[] = [];
  let current: Message | undefined = message;
  for (const rule of messageRules) {
    const result: Message | undefined = rule.apply(current);
    if (result === current) continue;
    changedBy.push(rule.name);
    current = result;
    if (current === undefined) break;
  }
  return changedBy.length === 0 ? undefined : { message: current, changedBy };
}

/**
 * Returns a function that applies the named rules for single messages; it returns undefined if none changes the
 * message.
 */
export function messageCleaner(names: readonly string[]): (message: Message) => Cleaned | undefined {
  const messageRules = rulesOf(names).filter((rule): rule is MessageRule => rule.on === 'message');
  return (message) => cleanMessage(message, messageRules);
}

/**
 * Returns a function that applies the named rules for messages to a list, which is the same if none changes it.
 * `from`: index from which one may.
 */
export function listCleaner(
  names: readonly string[],
): (messages: readonly Message[], from: number) => readonly Message[] {
  const { clean, concerns, pairRules } = cleaningWith(rulesOf(names));
  return (messages, from) => {
    let at = from;
    while (at < messages.length && !concerns(messages[at] as Message)) at++;
    if (at === messages.length) return messages;
    let list = messages.flatMap((message) => (clean(message) ?? { message }).message ?? []);
    for (const rule of pairRules) list = list.filter((message, i) => !isDropped(message, list[i + 1], rule));
    return list;
  };
}

/** The rules for messages. The functions cache their result for each message. */
interface MessageCleaning {
  readonly pairRules: readonly PairRule[];
  readonly clean: (message: Message) => Cleaned | undefined;
  /** Whether a rule may change an entry because of this message. */
  readonly concerns: (message: Message) => boolean;
}

/** By the names of the rules, so that all chains of a thread share the cached results. */
const known = new Map<string, MessageCleaning>();

function cleaningWith(enabled: readonly Rule[]): MessageCleaning {
  const key = enabled.map((rule) => rule.name).join();
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const pairRules = enabled.filter((rule): rule is PairRule => rule.on === 'pair');
  const clean = perObject(messageCleaner(enabled.map((rule) => rule.name)));
  const isSuspect = (message: Message): boolean => pairRules.some((rule) => rule.suspects(message));
  const concerns = perObject((message: Message) => clean(message) !== undefined || isSuspect(message));
  const cleaning = { pairRules, clean, concerns };
  known.set(key, cleaning);
  return cleaning;
}

/** The names of the rules for an entry: with `auto` also those of its client. */
const namesFor = (names: readonly string[], { clientRules = NO_RULES }: Entry): readonly string[] =>
  clientRules.length > 0 && names.includes(AUTO) ? [...names, ...clientRules] : names;

/** Applies a list of rules to entries. */
class EntryCleaner {
  readonly #entryRules: readonly EntryRule[];
  readonly #cleaning: MessageCleaning;

  constructor(names: readonly string[]) {
    const enabled = rulesOf(names);
    this.#entryRules = enabled.filter((rule): rule is EntryRule => rule.on === 'entry');
    this.#cleaning = cleaningWith(enabled);
  }

  take(entry: Entry): readonly StreamElement[] {
    const cleaned = this.#clean(entry);
    const dropping = this.#entryRules.find((rule) => rule.drops(cleaned));
    return dropping === undefined ? [cleaned] : [...fatesOf(entry, `dropped:${dropping.name}`)];
  }

  #clean(entry: Entry): Entry {
    const { clean, concerns, pairRules } = this.#cleaning;
    if (!entry.messages.some(concerns)) return entry;
    const changes = new Map(entry.changes);
    let isChanged = false;
    const count = (rule: string): void => {
      isChanged = true;
      changes.set(rule, (changes.get(rule) ?? 0) + 1);
    };
    const list = new KeptMessages();
    for (const message of entry.messages) {
      const { message: kept, changedBy } = clean(message) ?? { message, changedBy: NO_RULES };
      changedBy.forEach(count);
      if (kept === undefined) list.drop(message);
      else list.keep(kept);
    }
    const reply = list.end(entry.reply);
    let { messages } = list;
    for (const rule of pairRules) messages = dropPairs(messages, rule, count);
    return isChanged ? { ...entry, messages, reply, changes } : entry;
  }
}

function create({ cleanup: names }: CleanupOptions): Handlers {
  if (rulesOf(names).length === 0) return {};
  const plain = new EntryCleaner(names);
  const ofClients = new Map<readonly string[], EntryCleaner>();
  const cleanerOf = (entry: Entry): EntryCleaner => {
    const { clientRules } = entry;
    if (clientRules === undefined) return plain;
    let cleaner = ofClients.get(clientRules);
    if (cleaner === undefined) {
      cleaner = new EntryCleaner(namesFor(names, entry));
      ofClients.set(clientRules, cleaner);
    }
    return cleaner;
  };
  return { entry: (entry) => cleanerOf(entry).take(entry) };
}

function isDropped(message: Message, next: Message | undefined, rule: PairRule): boolean {
  return next !== undefined && rule.suspects(message) && rule.drops(message, next);
}

/** Applies the rules for messages like the stage, and returns what they do to each message, in order. */
export function traceCleanup(entry: Entry, { cleanup: names }: CleanupOptions): readonly Cleaned[] {
  const { messages } = entry;
  const { clean, pairRules } = cleaningWith(rulesOf(namesFor(names, entry)));
  const traced = messages.map((message) => {
    const { message: kept, changedBy } = clean(message) ?? { message, changedBy: NO_RULES };
    return { message: kept, changedBy: [...changedBy] };
  });
  for (const rule of pairRules) {
    const left = traced.filter((one) => one.message !== undefined);
    const dropped = left.filter((one, i) => isDropped(one.message as Message, left[i + 1]?.message, rule));
    for (const one of dropped) {
      one.message = undefined;
      one.changedBy.push(rule.name);
    }
  }
  return traced;
}

/** The messages that are kept. The notes of a dropped message go to the next one, so that its findings are reported. */
class KeptMessages {
  readonly messages: Message[] = [];
  #notes: readonly ReadingNote[] = [];

  keep(message: Message): void {
    this.messages.push(noted(message, this.#notes));
    this.#notes = [];
  }

  drop({ notes }: Message): void {
    if (notes !== undefined) this.#notes = [...this.#notes, ...notes];
  }

  /** Returns the reply. It gets the notes of the last messages; without a reply, the message before them does. */
  end(reply: Message | undefined): Message | undefined {
    const last = this.messages.pop();
    if (last !== undefined) this.messages.push(reply === undefined ? noted(last, this.#notes) : last);
    return reply && noted(reply, this.#notes);
  }
}

/** Drops messages by a pair rule. Each is compared with the next one of the list before anything was dropped. */
function dropPairs(messages: readonly Message[], rule: PairRule, count: (rule: string) => void): Message[] {
  const list = new KeptMessages();
  for (const [i, message] of messages.entries()) {
    if (isDropped(message, messages[i + 1], rule)) {
      list.drop(message);
      count(rule.name);
    } else list.keep(message);
  }
  return list.messages;
}

export const cleanup: Stage<CleanupOptions> = {
  name: 'cleanup',
  summary: 'Removes texts that a client added to the log and that are not part of the conversation.',
  options,
  takes: 'entry',
  create,
};
