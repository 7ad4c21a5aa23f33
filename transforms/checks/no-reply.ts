/** Reports entries without a reply. Their conversations end in a request. */
import type { Entry } from '../model/element.ts';
import { type EntryCheck, type Found, NO_PLACED } from './check.ts';

const found = (message: string): Found => ({ rule: 'no-reply', severity: 'WARNING', message });
const NOTHING: readonly Found[] = [];
/** The finding for an entry without a reply, also for the shortcut. */
export const NO_REPLY: Found = found('the entry has no reply message');
const MISSING: readonly Found[] = [NO_REPLY];
const EMPTY: readonly Found[] = [found('the reply has no text, calls, refusal or audio: left out')];

/** Empty replies are reported even for logs that otherwise have none. */
function check({ reply, emptyReply, lacks }: Entry): readonly Found[] {
  if (reply !== undefined) return NOTHING;
  if (emptyReply === true) return EMPTY;
  return lacks?.includes('replies') === true ? NOTHING : MISSING;
}

const noReply: EntryCheck = {
  name: 'no-reply',
  summary: 'Entries whose response has no message, or an empty one.',
  rules: ['no-reply'],
  on: 'entry',
  create: () => ({ entry: check, sessionEnd: () => NO_PLACED }),
};

export default noReply;
