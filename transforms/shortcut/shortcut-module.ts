/** The functions through which shortcut.c and its host call each other. */

import type { PathExports } from '../model/hashed-path.ts';

/** Exports of the shortcut (wasm/shortcut.c). Addresses are offsets into the memory; 0 means refused. */
export interface ShortcutExports extends PathExports {
  forget_tools(): void;
  /** @param mostLeavesBytes what the conversations of a session may hold; 0 to write only its snapshot */
  begin(
    depth: number,
    most: number,
    mostMessages: number,
    strictTime: number,
    mostLeavesBytes: number,
    endOfArena: number,
  ): void;
  line(at: number, end: number, number: number, offset: number): number;
  /** Like `line`, in a source of many sessions; 2 if it belongs to another session, and waits. */
  packed_line(at: number, end: number, number: number, offset: number): number;
  /** Starts a session with the waiting line, after the previous session was finished. */
  turn(): number;
  /** Reads all lines of a source that was read whole, and returns their number. */
  lines(at: number, end: number): number;
  finish(): number;
  /** Chooses a conversation of a session that has several. */
  leaf(index: number): number;
  /** Writes the keys of the conversation's messages from one on, and returns the number of the next one. */
  key_chain(from: number): number;
  /** Reads the message that replaces the one being judged. */
  message(at: number, end: number): number;
  /** Reports where the tool definitions end that the host was asked to read. */
  tools_end(end: number): void;
  arena_at(): number;
  state_at(): number;
  entries_at(): number;
  founds_at(): number;
  runs_at(): number;
  written_at(): number;
  named_at(): number;
}

/** Functions that the shortcut calls. */
export interface ShortcutHost {
  judgeRow(at: number, length: number): number;
  readTools(at: number, end: number): number;
  readTime(at: number, end: number): bigint;
}
