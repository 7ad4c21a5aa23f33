/**
 * Reports entries that do not continue the previous one: its role trace is not a prefix of theirs. The log was then
 * compacted or rewound, or has requests of a second agent.
 */
import type { Entry, Message } from '../model/element.ts';
import { type EntryCheck, type EntryWatch, type Found, NO_PLACED } from './check.ts';
import { type Parting, partingOf, roleSign } from './role-trace.ts';
import { shownName } from './shown-name.ts';

/** Abbreviation of a role; its name if it has none. */
function shown(message: Message): string {
  const sign = roleSign(message);
  return sign.startsWith('"') ? shownName(message.role) : sign;
}

/** Where a trace diverges from that of the previous entry. */
export interface PartingPlace {
  /** Line of the previous entry. */
  readonly line: number;
  /** Sign of that entry's `messages[earlier]`. */
  readonly expected: string;
  readonly earlier: number;
  /** Sign of this entry's `messages[later]`; undefined if the entry ends before it. */
  readonly found: string | undefined;
  readonly later: number;
}

export function partingText({ line, expected, earlier, found, later }: PartingPlace): string {
  const previous = `the entry before it (line ${line}) has ${expected} in messages[${earlier}]`;
  if (found === undefined) return `the entry ends before messages[${later}], ${previous}`;
  return `messages[${later}] is ${found}, ${previous}`;
}

function describe(before: Entry, { messages }: Entry, { earlier, later }: Parting): string {
  const expected = shown(before.messages[earlier] as Message);
  const message = messages[later];
  const found = message && shown(message);
  return partingText({ line: before.origin.line, expected, earlier, found, later });
}

function create(): EntryWatch {
  let before: Entry | undefined;
  return {
    entry(entry): readonly Found[] {
      const earlier = before;
      before = entry;
      if (earlier === undefined) return [];
      const parting = partingOf(earlier.messages, entry.messages);
      if (parting === undefined) return [];
      return [{ rule: 'role-sequence', severity: 'ERROR', message: describe(earlier, entry, parting) }];
    },
    sessionEnd() {
      before = undefined;
      return NO_PLACED;
    },
  };
}

const roleSequence: EntryCheck = {
  name: 'role-sequence',
  summary:
    'Entries whose roles do not continue those of the previous entry: compaction, a rewind, a second agent.',
  rules: ['role-sequence'],
  on: 'entry',
  ofLast: true,
  create,
};

export default roleSequence;
