/**
 * Does each entry go on from the one before it? Its role trace must begin with the trace of its
 * predecessor; where it does not, the log was compacted or rewound, or holds a second agent's requests.
 */
import type { Entry, Message } from '../model/element.ts';
import type { EntryCheck, EntryWatch, Found } from './check.ts';
import { type Parting, partingOf, roleSign } from './role-trace.ts';
import { shownName } from './shown-name.ts';

/** The sign of a role; of a role without one its name. */
function shown(message: Message): string {
  const sign = roleSign(message);
  return sign.startsWith('"') ? shownName(message.role) : sign;
}

function describe(before: Entry, { messages }: Entry, { earlier, later }: Parting): string {
  const had = shown(before.messages[earlier] as Message);
  const there = `the entry before it (line ${before.origin.line}) has ${had} in messages[${earlier}]`;
  const found = messages[later];
  if (found === undefined) return `the entry ends before messages[${later}], ${there}`;
  return `messages[${later}] is ${shown(found)}, ${there}`;
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
    },
  };
}

const roleSequence: EntryCheck = {
  name: 'role-sequence',
  summary:
    'Entries whose roles do not continue those of the entry before: compaction, a rewind, a second agent.',
  rules: ['role-sequence'],
  on: 'entry',
  create,
};

export default roleSequence;
