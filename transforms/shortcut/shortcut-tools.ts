/** Collects the tool definitions of a session that took the shortcut, as the stages snapshot-select and tool-dedupe do. */

import type { Found } from '../checks/check.ts';
import structure from '../checks/structure.ts';
import { withCommas } from '../formats/chat.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message, ToolCounts, ToolDefinition } from '../model/element.ts';
import { ToolUnion } from '../model/tool-union.ts';
import { firstByName } from '../stages/tool-dedupe.ts';

/** Consecutive entries with the same definitions. */
export interface ToolRun {
  readonly definitions: readonly ToolDefinition[];
  readonly entries: number;
}

export interface SessionTools {
  /** Distinct definitions, as in snapshot-select. */
  readonly distinct: readonly ToolDefinition[];
  readonly distinctCounts: ToolCounts;
  /** The first definition of each name, as in tool-dedupe. */
  readonly kept: readonly ToolDefinition[];
  readonly counts: ToolCounts;
  /** Bytes after the messages of a record of the format `chat`. */
  readonly tail: Uint8Array;
  /** The distinct names. */
  readonly names: readonly string[];
  /** Whether the check `structure` has nothing to report about them. */
  readonly areFine: boolean;
}

const TAIL = [encode('],"tools":['), encode(']}')] as const;
const ANY_MESSAGE: Message = { bytes: encode('{"role":"user"}'), role: 'user' };

/** Cached results for sessions with a single list of definitions, which nearly all have. */
interface Alone {
  readonly tools: SessionTools;
  readonly isNamed: boolean;
  readonly byEntries: Map<number, SessionTools>;
}

/** Results for sessions with more entries are not cached, because such sessions are rare. */
const MAX_ENTRIES = 128;

export class ShortcutTools {
  readonly #alone = new WeakMap<readonly ToolDefinition[], Alone>();

  of(runs: readonly ToolRun[]): SessionTools {
    const [run, ...others] = runs;
    if (run === undefined || others.length > 0) return toolsOf(runs);
    const { definitions, entries } = run;
    let alone = this.#alone.get(definitions);
    if (alone === undefined) {
      alone = {
        tools: toolsOf([{ definitions, entries: 1 }]),
        isNamed: definitions.every(({ name }) => name !== undefined),
        byEntries: new Map(),
      };
      this.#alone.set(definitions, alone);
    }
    if (entries === 1) return alone.tools;
    if (!alone.isNamed) return toolsOf(runs);
    const known = alone.byEntries.get(entries);
    if (known !== undefined) return known;
    const session = timesOf(alone.tools, entries, definitions.length);
    if (entries <= MAX_ENTRIES) alone.byEntries.set(entries, session);
    return session;
  }
}

/** The result for a session of `entries` entries with the same definitions. */
function timesOf(session: SessionTools, entries: number, length: number): SessionTools {
  const more = (entries - 1) * length;
  const counted = (counts: ToolCounts): ToolCounts => ({
    ...counts,
    seen: counts.seen + more,
    duplicateSame: counts.duplicateSame + more,
  });
  return { ...session, distinctCounts: counted(session.distinctCounts), counts: counted(session.counts) };
}

function toolsOf(runs: readonly ToolRun[]): SessionTools {
  const union = new ToolUnion();
  for (const { definitions, entries } of runs) for (let i = 0; i < entries; i++) union.add(definitions);
  union.commit();
  const distinct = union.definitions();
  const distinctCounts = union.counts();
  const kept = firstByName(distinct);
  const names = new Set<string>();
  for (const { name } of kept) if (name !== undefined) names.add(name);
  const checked = { messages: [ANY_MESSAGE], tools: kept } as unknown as Conversation;
  return {
    distinct,
    distinctCounts,
    kept,
    counts: {
      ...distinctCounts,
      kept: kept.length,
      duplicateConflict: distinctCounts.duplicateConflict + distinct.length - kept.length,
    },
    tail: concat([TAIL[0], ...withCommas(kept), TAIL[1]]),
    names: [...names],
    areFine: isEmpty(structure.check(checked)),
  };
}

/** Stops at the first finding: collecting 100,000 took ten times the memory of their tools. */
function isEmpty(findings: Iterable<Found>): boolean {
  for (const _ of findings) return false;
  return true;
}
