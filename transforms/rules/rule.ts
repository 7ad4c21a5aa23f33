/** The types of cleanup rules. Each rule is one file; `npm run gen` puts it into the registry. */
import type { Entry, Message } from '../model/element.ts';

interface Named {
  /** File name = registry name = value of `--cleanup`. */
  readonly name: string;
  readonly summary: string;
}

/** Handles a single message: returns the same one to keep it, another one to replace it, undefined to drop it. */
export interface MessageRule extends Named {
  readonly on: 'message';
  readonly apply: (message: Message) => Message | undefined;
}

/** Drops a message depending on itself and the one that follows it. */
export interface PairRule extends Named {
  readonly on: 'pair';
  /** Whether the message may be dropped, depending on the next one. */
  readonly suspects: (message: Message) => boolean;
  readonly drops: (message: Message, next: Message) => boolean;
}

/** Drops a whole entry, after the other rules have cleaned its messages. */
export interface EntryRule extends Named {
  readonly on: 'entry';
  readonly drops: (entry: Entry) => boolean;
}

export type Rule = MessageRule | PairRule | EntryRule;
