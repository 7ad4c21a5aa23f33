/**
 * The oracle: computes in memory the result that turnmill must have for a folder, as plain data: records per group, fates per line and per
 * source, tool usage rows.
 */
import { type Entry, toEntry } from './entry.ts';
import { type Finding, findingsOf } from './findings.ts';
import { type GroupBy, groupOf } from './group.ts';
import { type ReadLine, readLines } from './lines.ts';
import { type Conversation, convertSession, type SessionResult } from './session.ts';
import { excludedFiles, readSources } from './sources.ts';
import { uniteTools } from './tools.ts';
import { arr, get, hasBareNumber, type ObjectTree, obj, type Tree } from './tree.ts';
import { type UsageRow, usageRows } from './usage.ts';
import { writeMessage } from './write-messages.ts';

export type OracleSettings = {
  readonly inline: boolean;
  readonly sessionBy: 'file' | 'id';
  readonly groupBy: GroupBy;
  readonly cleanup: boolean;
};

export type OracleRecord = {
  readonly source: string;
  readonly sessionId: string;
  readonly tree: ObjectTree;
};
export type LineFate = { readonly line: number; readonly object: number; readonly fate: string };
export type OracleSource = {
  readonly path: string;
  readonly rejected: string | undefined;
  readonly lines: readonly LineFate[];
  readonly fates: ReadonlyMap<string, number>;
  /** Replies that got a role. */
  readonly replyRoles: number;
};
export type OracleResult = {
  readonly groups: ReadonlyMap<string, readonly OracleRecord[]>;
  readonly sources: readonly OracleSource[];
  /** Paths of the files that are not named like logs. */
  readonly excluded: readonly string[];
  readonly usage: readonly UsageRow[];
  readonly findings: readonly Finding[];
  readonly exitCode: 0 | 3;
};

/** One object of a line; its fate is set when its session is converted. */
type Slot = { readonly line: number; readonly object: number; fate: string; readonly entry?: Entry };

/** Would a bare NaN or Infinity become part of a record, or is it the timestamp? */
function readsBareNumber(tree: Tree, entry: Entry): boolean {
  const emitted = uniteTools([entry]).map((tool) => tool.emitted);
  const read = [get(tree, 'timestamp'), ...entry.messages, ...emitted, entry.reply];
  return read.some((one) => one !== undefined && hasBareNumber(one));
}

/** A line with bare numbers is read if it has entries and none of them depends on such a number. */
function isSpoiled(trees: readonly Tree[]): boolean {
  if (!trees.some(hasBareNumber)) return false;
  const entries = trees.map((tree) => ({ tree, entry: toEntry(tree) }));
  const read = entries.flatMap(({ tree, entry }) => (typeof entry === 'string' ? [] : [{ tree, entry }]));
  return read.length === 0 || read.some(({ tree, entry }) => readsBareNumber(tree, entry));
}

function slotsOf(read: ReadLine): readonly Slot[] {
  if (read.kind === 'blank') return [{ line: read.line, object: 0, fate: 'blank' }];
  if (read.kind === 'rejected') {
    return [{ line: read.line, object: 0, fate: `rejected:${read.reason}` }];
  }
  if (isSpoiled(read.trees)) return [{ line: read.line, object: 0, fate: 'rejected:invalid-json' }];
  return read.trees.map((tree, object) => {
    const entry = toEntry(tree);
    return typeof entry === 'string'
      ? { line: read.line, object, fate: `rejected:${entry}` }
      : { line: read.line, object, fate: '', entry };
  });
}

type Filled = Slot & { readonly entry: Entry };
type Session = { readonly id: string; readonly slots: readonly Filled[]; readonly reopened: boolean };

function sessionsOf(slots: readonly Slot[], sessionBy: 'file' | 'id'): readonly Session[] {
  const valid = slots.filter((slot): slot is Filled => slot.entry !== undefined);
  if (sessionBy === 'file') return valid.length > 0 ? [{ id: '', slots: valid, reopened: false }] : [];
  const sessions: { id: string; slots: Filled[]; reopened: boolean }[] = [];
  for (const slot of valid) {
    const id = slot.entry.sessionId;
    const last = sessions.at(-1);
    if (last?.id === id) last.slots.push(slot);
    else sessions.push({ id, slots: [slot], reopened: sessions.some((s) => s.id === id) });
  }
  return sessions;
}

/** A session that came back later: its complete first part is rejected too. */
function takenBack(result: SessionResult): SessionResult {
  if (result.conversation === undefined) return result;
  const fates = result.fates.map((fate) =>
    fate.startsWith('dropped:') ? fate : 'rejected:session-reopened',
  );
  return { fates, rejected: 'session-reopened', conversation: undefined };
}

function recordTree(conversation: Conversation, inline: boolean): ObjectTree {
  const messages = arr(conversation.messages.map((m) => writeMessage(m, inline)));
  const tools = arr(conversation.tools.map((tool) => tool.emitted));
  return obj([
    { key: 'messages', value: messages },
    { key: 'tools', value: tools },
  ]);
}

function sourceResult(path: string, rejected: string | undefined, slots: readonly Slot[]) {
  const fates = new Map<string, number>();
  for (const { fate } of slots) fates.set(fate, (fates.get(fate) ?? 0) + 1);
  const lines = slots.map(({ line, object, fate }) => ({ line, object, fate }));
  const replyRoles = slots.filter(({ entry }) => entry?.roleAdded === true).length;
  return { path, rejected, lines, fates, replyRoles };
}

export function runOracle(root: string, settings: OracleSettings): OracleResult {
  const groups = new Map<string, OracleRecord[]>();
  const conversations = new Map<string, Conversation[]>();
  const sources: OracleSource[] = [];
  const findings: Finding[] = [];
  for (const { path, bytes } of readSources(root)) {
    const slots = bytes === undefined ? [] : readLines(bytes).flatMap(slotsOf);
    const sessions = sessionsOf(slots, settings.sessionBy);
    const converted = sessions.map(({ slots: own, reopened }) =>
      convertSession(
        own.map((slot) => slot.entry),
        settings.cleanup,
        reopened,
      ),
    );
    const cameBack = new Set(
      sessions.filter((_, i) => converted[i]?.rejected === 'session-reopened').map(({ id }) => id),
    );
    for (const [i, session] of sessions.entries()) {
      const entries = session.slots.map((slot) => slot.entry);
      const alone = converted[i] as SessionResult;
      const result = cameBack.has(session.id) ? takenBack(alone) : alone;
      session.slots.forEach((slot, i) => {
        slot.fate = result.fates[i] ?? '';
      });
      findings.push(...findingsOf(path, result));
      if (result.conversation === undefined) continue;
      const { sessionId } = result.conversation;
      const group = groupOf(path, entries[0]?.ns ?? 0n, settings.groupBy);
      const tree = recordTree(result.conversation, settings.inline);
      groups.set(group, [...(groups.get(group) ?? []), { source: path, sessionId, tree }]);
      conversations.set(group, [...(conversations.get(group) ?? []), result.conversation]);
    }
    if (slots.every((s) => s.entry === undefined) && slots.some((s) => s.fate !== 'blank')) {
      findings.push({ rule: 'no-record', source: path, session: '' });
    }
    sources.push(sourceResult(path, bytes === undefined ? 'corrupt-gzip' : undefined, slots));
  }
  const rejected = sources.some(
    (s) => s.rejected !== undefined || [...s.fates.keys()].some((f) => f.startsWith('rejected:')),
  );
  const usage = usageRows(conversations, settings.groupBy);
  return { groups, sources, excluded: excludedFiles(root), usage, findings, exitCode: rejected ? 3 : 0 };
}
