/** The layout of the shortcut's state in the memory of WebAssembly, in words of 32 bits. shortcut-state.h defines it. */

/** Offsets of the fields of `state`. */
export const STATE = {
  entries: 0,
  superseded: 1,
  truncated: 2,
  snapshot: 3,
  info: 4,
  bootstrap: 5,
  emptyAssistant: 6,
  developer: 7,
  nulls: 8,
  bestRuns: 9,
  bestRunEntries: 10,
  founds: 11,
  doubts: 12,
  toolCalls: 13,
  clientTurns: 14,
  assistantTurns: 15,
  assistantTurnsWithTools: 16,
  messages: 17,
  out: 18,
  outEnd: 19,
  id: 20,
  idEnd: 21,
  otherMembers: 22,
  lineFeeds: 23,
  named: 24,
  top: 25,
  notes: 26,
  model: 27,
  modelEnd: 28,
  leaves: 29,
  leaf: 30,
  leafEntries: 31,
  startedAt: 32,
} as const;
/** Sizes of an entry, of a finding, of a written message and of a call's name. */
export const ENTRY_WORDS: number = 12;
/** Offset in an entry: the conversation that it belongs to, with `--select leaves`. */
export const ENTRY_LEAF: number = 9;
export const FOUND_WORDS: number = 6;
export const WRITTEN_WORDS: number = 3;
export const NAMED_WORDS: number = 2;

/** Kinds of findings about entries. */
export const FOUND_NO_REPLY: number = 1;
export const FOUND_ENDED: number = 3;
export const FOUND_NOT_PREFIX: number = 4;
/** Findings about an earlier answer of the conversation. */
export const FOUND_NOTES: number = 5;

/** Bits of the result of `judgeRow`; the sign of the role begins at bit 16. */
export const DROPPED: number = 1 << 5;
export const EMPTY: number = 1 << 6;
export const REPLACED: number = 1 << 7;
export const ODD: number = 1 << 8;

/** Codes of the role signs (checks/role-trace.ts). */
export const SIGNS: ReadonlyMap<string, number> = new Map([
  ...([
    ['S', 0x53],
    ['T', 0x54],
    ['U', 0x55],
    ['R', 0x52],
  ] as const),
  ...([
    ['A', 0],
    ['Ac', 1],
    ['At', 2],
    ['Act', 3],
  ] as const),
]);
export const SIGN_NAMES: ReadonlyMap<number, string> = new Map(
  [...SIGNS].map(([name, code]) => [code, name]),
);
