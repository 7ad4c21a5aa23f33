/** Has the entry a reply (conversion.md §2)? Without one it is read all the same; its conversation ends in a request. */
import type { EntryCheck, EntryWatch, Found } from './check.ts';

const FOUND: readonly Found[] = [
  { rule: 'no-reply', severity: 'WARNING', message: 'the entry has no reply message' },
];

function create(): EntryWatch {
  return { entry: ({ reply }) => (reply === undefined ? FOUND : []), sessionEnd() {} };
}

const noReply: EntryCheck = {
  name: 'no-reply',
  summary: 'Entries whose response holds no message.',
  rules: ['no-reply'],
  on: 'entry',
  create,
};

export default noReply;
