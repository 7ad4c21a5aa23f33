/**
 * The inside of one line's `messages`: the session's history as it stands, copied, and what only
 * this line has (a clock in the system message, an info message, a side request).
 */
import { appendAscii, appendBytes, type ByteTape } from './byte-tape.ts';
import { endOfMessages, type History } from './history.ts';
import { appendPlainMessage, type Voice } from './messages.ts';
import type { SessionTraits } from './session-traits.ts';

/** What this line sends. */
export interface LinePlan {
  /** How many messages of the history. */
  readonly kept: number;
  /** A side request: one more user message that asks for a summary and leaves no trace. */
  readonly aside: boolean;
  readonly stamp: string;
}

/** What one line was, for the corpus' statistics. */
export interface EntryFacts {
  readonly messages: number;
  /** Bytes of the line that an earlier line of the session had at the same place. */
  readonly repeatedBytes: number;
}

/** Appends the messages and marks the history as sent. */
export const appendLineMessages = (
  line: ByteTape,
  voice: Voice,
  traits: SessionTraits,
  history: History,
  { kept, aside, stamp }: LinePlan,
): EntryFacts => {
  const end = endOfMessages(history, kept);
  const from = traits.volatileSystem ? endOfMessages(history, 1) : 0;
  if (traits.volatileSystem) {
    // The clock stands inside the text: the stored message goes without its closing `"}`.
    appendBytes(line, history.tape.bytes, 0, from - 2);
    appendAscii(line, `\\nThe current time is ${stamp}. Answer briefly."}`);
  }
  appendBytes(line, history.tape.bytes, from, end);
  const repeatedBytes = Math.max(0, Math.min(end, history.sentBytes) - from);
  history.sentBytes = Math.max(history.sentBytes, end);
  const sayAsUser = (text: string): void => {
    appendAscii(line, voice.style.comma);
    appendPlainMessage(line, voice, 'user', () => appendAscii(line, text));
  };
  if (aside) sayAsUser(`Summarise what happened until ${stamp}`);
  if (traits.infoMessages) {
    sayAsUser(`<info-msg>\\nIt is currently ${stamp}\\nWorking directory: /srv/agent\\n</info-msg>`);
  }
  return { messages: kept + (aside ? 1 : 0) + (traits.infoMessages ? 1 : 0), repeatedBytes };
};
