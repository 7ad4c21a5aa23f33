/**
 * Turns a session into a conversation: cleanup, validation, truncation, the snapshot and the fate of every entry. An entry dropped by
 * goose-title keeps that fate and is not validated.
 */
import { cleanEntry } from './cleanup.ts';
import { type Entry, isLoneThought } from './entry.ts';
import { type Tool, uniteTools } from './tools.ts';
import type { ObjectTree } from './tree.ts';

export type Conversation = {
  readonly sessionId: string;
  readonly messages: readonly ObjectTree[];
  readonly tools: readonly Tool[];
  /** The validated entries in order, for the findings. */
  readonly entries: readonly Entry[];
};

export type SessionResult = {
  readonly fates: readonly string[];
  readonly rejected: string | undefined;
  readonly conversation: Conversation | undefined;
};

function violation(entries: readonly Entry[]): string | undefined {
  for (let i = 1; i < entries.length; i++) {
    const [previous, entry] = [entries[i - 1], entries[i]];
    if (previous === undefined || entry === undefined) continue;
    if (entry.sessionId !== previous.sessionId) return 'session-id-mismatch';
    if (entry.ns <= previous.ns) return 'timestamp-not-increasing';
  }
  return undefined;
}

function conversationOf(entries: readonly Entry[], snapshotAt: number): Conversation | undefined {
  const snapshot = entries[snapshotAt];
  if (snapshot === undefined) return undefined;
  const messages = snapshot.reply ? [...snapshot.messages, snapshot.reply] : snapshot.messages;
  return {
    sessionId: snapshot.sessionId,
    messages: messages.filter((message) => !isLoneThought(message)),
    tools: uniteTools(entries.slice(0, snapshotAt + 1)),
    entries,
  };
}

/** `reopened` rejects the session before anything else is checked. */
export function convertSession(
  entries: readonly Entry[],
  cleanup: boolean,
  reopened: boolean,
): SessionResult {
  const cleaned = entries.map((entry) => (cleanup ? cleanEntry(entry) : entry));
  const left = cleaned.filter((entry) => entry !== undefined);
  const rejected = reopened && left.length > 0 ? 'session-reopened' : violation(left);
  const most = left.reduce((max, entry) => Math.max(max, entry.messages.length), 0);
  const snapshotAt = left.findLastIndex((entry) => entry.messages.length === most);
  let at = -1;
  const fates = cleaned.map((entry) => {
    if (entry === undefined) return 'dropped:goose-title';
    at++;
    if (rejected !== undefined) return `rejected:${rejected}`;
    if (at === snapshotAt) return 'snapshot';
    return at < snapshotAt ? 'superseded' : 'truncated';
  });
  const conversation = rejected === undefined ? conversationOf(left, snapshotAt) : undefined;
  return { fates, rejected, conversation };
}
