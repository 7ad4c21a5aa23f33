/** Drops the entries in which goose asks for a title of the session, because they are not part of the conversation. */

import { perObject } from '../json/notes.ts';
import type { Entry, Message } from '../model/element.ts';
import { firstVisible, textOf } from '../model/message.ts';
import { countWords, strip } from '../model/white-space.ts';
import type { EntryRule } from './rule.ts';

const SYSTEM = 'Reply with only a description in four words or less';
const USER = 'Here are the first few user messages:';
const MAX_WORDS = 6;

function starts(message: Message, text: string): boolean {
  const first = firstVisible(message);
  if (first !== undefined && first !== text[0]) return false;
  return strip(textOf(message).text ?? '').startsWith(text);
}

const asksForTitle = perObject((message: Message) => starts(message, SYSTEM));
const quotesMessages = perObject((message: Message) => starts(message, USER));

function drops({ messages, reply }: Entry): boolean {
  if (reply?.role !== 'assistant') return false;
  const [first, second] = messages;
  if (first?.role !== 'system' || second?.role !== 'user') return false;
  if (!asksForTitle(first) || !quotesMessages(second)) return false;
  const words = countWords(textOf(reply).text ?? '', MAX_WORDS + 1);
  return words >= 1 && words <= MAX_WORDS;
}

const gooseTitle: EntryRule = {
  name: 'goose-title',
  summary: 'Drops the entries that ask for a title of the session.',
  on: 'entry',
  drops,
};

export default gooseTitle;
