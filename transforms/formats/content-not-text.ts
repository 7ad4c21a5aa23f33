/**
 * Rule `content-not-text`: a content is a number, an object or a boolean. Formats of messages write it as it is; those of
 * text reject the session, because a value is not what anyone said. Without `--on-finding unread-text=keep`, no session
 * with such a content comes this far.
 */
import { LETTER_F, LETTER_T, OPEN_OBJECT } from '../json/bytes.ts';
import type { Message } from '../model/element.ts';
import { otherContent } from '../model/message.ts';
import type { Report } from './format.ts';
import { fatal, warning } from './shared-rules.ts';

export const AS_IT_IS = 'written as it is';
export const AS_JSON_TEXT = 'written as its JSON text';

/**
 * Reports a content that is neither a text nor a list of parts, null or absent.
 * @param written how the format writes the content
 */
export function reportOtherContent(message: Message, at: number, written: string, report: Report): void {
  const first = otherContent(message)?.[0];
  if (first === undefined) return;
  const kind =
    first === OPEN_OBJECT ? 'an object' : first === LETTER_T || first === LETTER_F ? 'a boolean' : 'a number';
  const text = `messages[${at}] has ${kind} as its content, neither text nor parts: ${written}`;
  report((written === AS_JSON_TEXT ? fatal : warning)('content-not-text', text));
}

/** Reports all contents that are not text, for a format that writes them as they are. */
export function reportOtherContents(messages: readonly Message[], report: Report): void {
  messages.forEach((message, at) => {
    reportOtherContent(message, at, AS_IT_IS, report);
  });
}
