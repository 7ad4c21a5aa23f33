/**
 * Rule `unread-text`: a dialect found words in a member that it does not know, or copied a content of an unknown form, so
 * the record would lack something that was said. Every format rejects the session, those of plug-ins too, unless `--on-finding unread-text=keep` is set.
 */
import { unreadContent } from '../dialects/shared/unread-content.ts';
import type { Conversation, ReadingNote } from '../model/element.ts';

export const UNREAD_TEXT = 'unread-text';

/** The first finding about unread words in a conversation; undefined if there is none. */
export function findUnread({ messages }: Conversation): ReadingNote | undefined {
  for (const message of messages) {
    const found = message.notes?.find(({ rule }) => rule === UNREAD_TEXT) ?? unreadContent(message);
    if (found !== undefined) return found;
  }
  return undefined;
}
