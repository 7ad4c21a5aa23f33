/**
 * Keeps the messages of a session serialised and joined, ready to be copied into the next line. Tracks which bytes were already in an
 * earlier line; the others count as "distinct".
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

/** Adds one message and returns the offset of its first byte. */
export const addMessage = (history: History, append: (tape: ByteTape) => void): number => {
  if (history.starts.length > 0) appendAscii(history.tape, history.comma);
  const start = history.tape.length;
  history.starts.push(start);
  append(history.tape);
  return start;
};

/** Returns the offset after the first `count` messages, before the comma that follows them. */
export const endOfMessages = (history: History, count: number): number => {
  const next = history.starts[count];
  if (next === undefined) return history.tape.length;
  return count === 0 ? 0 : next - history.comma.length;
};

/** Drops all but the first `count` messages. */
export const keepMessages = (history: History, count: number): void => {
  history.tape.length = endOfMessages(history, count);
  history.starts.length = Math.min(history.starts.length, count);
  history.sentBytes = Math.min(history.sentBytes, history.tape.length);
};

/** Describes which messages a line contains. */
export interface LinePlan {
  /** Number of messages taken from the history. */
  readonly kept: number;
  /** Whether the line is a side request: it has one more user message, which asks for a summary and is not added to the history. */
  readonly aside: boolean;
  readonly stamp: string;
}

/** Facts about one line, for the statistics. */
export interface EntryFacts {
  readonly messages: number;
  /** Bytes that repeat an earlier line of the session at the same position. */
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
    // The text must end with the current time, so the stored message is copied without its closing `"}`.
    appendBytes(line, history.tape.bytes, 0, from - 2);
    appendAscii(line, `\\nThe current time is ${stamp}. Answer briefly."}`);
  }
  appendBytes(line, history.tape.bytes, from, end);
  const repeatedBytes = Math.max(0, Math.min(end, history.sentBytes) - from);
  history.sentBytes = Math.max(history.sentBytes, end);
  const appendUserText = (text: string): void => {
    appendAscii(line, voice.style.comma);
    appendPlainMessage(line, voice, 'user', () => appendAscii(line, text));
  };
  if (aside) appendUserText(`Summarise what happened until ${stamp}`);
  if (traits.infoMessages) {
    appendUserText(`<info-msg>\\nIt is currently ${stamp}\\nWorking directory: /srv/agent\\n</info-msg>`);
  }
  return { messages: kept + (aside ? 1 : 0) + (traits.infoMessages ? 1 : 0), repeatedBytes };
};
