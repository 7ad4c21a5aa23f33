/**
 * Drops assistant messages without text, calls or call id if another assistant message follows: the client began the
 * answer twice. Keeps messages whose content is null or absent.
 */

import { perObject } from '../json/notes.ts';
import type { Message } from '../model/element.ts';
import { firstVisible, memberValue, textOf } from '../model/message.ts';
import { isBlank } from '../model/white-space.ts';
import type { PairRule } from './rule.ts';

/** Absent, null, or an empty list or text. */
const isNone = (value: unknown): boolean =>
  (value ?? '') === '' || (Array.isArray(value) && value.length === 0);

const suspects: (message: Message) => boolean = perObject((message: Message) => {
  if (message.role !== 'assistant' || firstVisible(message) !== undefined) return false;
  const { text, otherParts } = textOf(message);
  if (text === undefined || otherParts || !isBlank(text)) return false;
  return isNone(memberValue(message, 'tool_calls')) && isNone(memberValue(message, 'tool_call_id'));
});

const emptyAssistant: PairRule = {
  name: 'empty-assistant',
  summary: 'Drops empty assistant messages that another assistant message follows.',
  on: 'pair',
  suspects,
  drops: (_message, next) => next.role === 'assistant',
};

export default emptyAssistant;
