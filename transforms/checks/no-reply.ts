/** Does the entry have a reply? An entry without one is still read; its conversation ends in a request. */
import type { Entry } from '../model/element.ts';
import { type EntryCheck, type EntryWatch, type Found, NO_PLACED } from './check.ts';

const found = (message: string): Found => ({ rule: 'no-reply', severity: 'WARNING', message });
const NOTHING: readonly Found[] = [];
/** An entry without a reply. */
export const NO_REPLY: Found = found('the entry has no reply message');
const MISSING: readonly Found[] = [NO_REPLY];
const EMPTY: readonly Found[] = [
  found('the reply has no text, calls, reasoning, refusal or audio: left out'),
];

/** Even a log that never has replies can end in an empty answer, which was left out. */
function check({ reply, emptyReply, lacks }: Entry): readonly Found[] {
  if (reply !== undefined) return NOTHING;
  if (emptyReply === true) return EMPTY;
  return lacks?.includes('replies') === true ? NOTHING : MISSING;
}

function create(): EntryWatch {
  return { entry: check, sessionEnd: () => NO_PLACED };
}

const noReply: EntryCheck = {
  name: 'no-reply',
  summary: 'Entries whose response has no message, or an empty one.',
  rules: ['no-reply'],
  on: 'entry',
  create,
};

export default noReply;
