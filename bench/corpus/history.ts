/**
 * A session's messages so far, serialised and joined, ready to be copied into the next line. It also
 * knows which of its bytes an earlier line has sent, which is what "distinct byte" means here.
 */
import { appendAscii, type ByteTape, byteTape } from './byte-tape.ts';

/** The joined messages and where each begins. */
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

/** The offset after the first `count` messages, without the comma behind them. */
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
