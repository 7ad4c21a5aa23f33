/** Reports shorter entries after the snapshot, which are not in the record: the session was rewound or compacted. */
import type { Conversation } from '../model/element.ts';
import type { ConversationCheck, Found } from './check.ts';

/** @param entries number of shorter entries after the snapshot */
export function truncatedFindings(entries: number): readonly Found[] {
  if (entries === 0) return [];
  const subject = entries === 1 ? '1 shorter entry comes' : `${entries} shorter entries come`;
  return [
    { rule: 'truncated', severity: 'WARNING', message: `${subject} after the one that made the record` },
  ];
}

const truncated: ConversationCheck = {
  name: 'truncated',
  summary: 'Sessions that end in entries with fewer messages than an earlier one.',
  rules: ['truncated'],
  on: 'conversation',
  check: ({ truncated: entries }: Conversation) => truncatedFindings(entries),
};

export default truncated;
