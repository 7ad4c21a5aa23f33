/**
 * The messages of a session so far, serialised and joined, ready to be copied into the next line. Tracks which bytes an earlier line has
 * sent: the others are "distinct".
 */
import { appendAscii, appendBytes, type ByteTape, byteTape } from './json-style.ts';
import { appendPlainMessage } from './messages.ts';
import type { SessionTraits } from './session-traits.ts';
import type { Voice } from './voice.ts';

/** The joined messages and the offset of each. */
export interface History {
  readonly tape: ByteTape;
  readonly starts: number[];
  readonly comma: string;
  /** Bytes before this offset were in an earlier line of the session. */
  sentBytes: number;
}

export const emptyHistory = (comma: string): History => ({
  tape: byteTape(64 * 1024),
  starts: [],
  comma,
  sentBytes: 0,
});

/** Adds one message and returns where its bytes begin. */
export const addMessage = (history: History, append: (tape: ByteTape) => void): number => {
  if (history.starts.length > 0) appendAscii(history.tape, history.comma);
  const start = history.tape.length;
  history.starts.push(start);
  append(history.tape);
  return start;
};

/** The offset after the first `count` messages, without the comma after them. */
export const endOfMessages = (history: History, count: number): number => {
  const next = history.starts[count];
  if (next === undefined) return history.tape.length;
  return count === 0 ? 0 : next - history.comma.length;
};

/** Forgets all but the first `count` messages. */
export const keepMessages = (history: History, count: number): void => {
  history.tape.length = endOfMessages(history, count);
  history.starts.length = Math.min(history.starts.length, count);
  history.sentBytes = Math.min(history.sentBytes, history.tape.length);
};

/** The messages that this line sends. */
export interface LinePlan {
  /** Number of messages of the history. */
  readonly kept: number;
  /** A side request: one more user message, which asks for a summary and is not kept in the history. */
  readonly aside: boolean;
  readonly stamp: string;
}

/** Facts about one line, for the statistics. */
export interface EntryFacts {
  readonly messages: number;
  /** Bytes that an earlier line of the session has at the same place. */
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
    // The text contains the clock, so the stored message is written without its closing `"}`.
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
