/** Leaves out answers that a logger cut or masked, and finds conversations that have no others. */
import { noted } from '../dialects/shared/reading-notes.ts';
import { isCutAnswer, isCutByLogger, isScrubbedAnswer, mayBeCut } from '../model/cut-texts.ts';
import type { Conversation, Entry, Message, ReadingNote } from '../model/element.ts';
import { isEmptyReply } from '../model/reply.ts';

const CUT_TEXT: ReadingNote = {
  rule: 'body-placeholder',
  severity: 'WARNING',
  message: 'the logger cut a text, a result or arguments here',
};
const CUT_ANSWER: ReadingNote = { ...CUT_TEXT, message: 'the logger cut the answer after this: left out' };
const CUT_START: ReadingNote = { ...CUT_TEXT, message: 'the logger cut the answer before this: left out' };
export const ONLY_PLACEHOLDERS = 'the logger cut, masked or left out all answers of the model';

/** Reports texts that a logger cut, and leaves out answers with such a text: they would teach half of a sentence. */
export function withoutCutAnswers(conversation: Conversation): Conversation {
  const isClients = hasNoMarks(conversation);
  const mayLack = isClients ? isScrubbedAnswer : mayBeCut;
  if (!conversation.messages.some(mayLack)) return conversation;
  const messages: Message[] = [];
  let before: readonly ReadingNote[] = [];
  for (const message of conversation.messages) {
    if (isLeftOut(message, isClients)) {
      if (messages.length > 0) messages.push(noted(messages.pop() as Message, [CUT_ANSWER]));
      else before = [CUT_START];
    } else {
      messages.push(noted(message, !isClients && isCutByLogger(message) ? [...before, CUT_TEXT] : before));
      before = [];
    }
  }
  return { ...conversation, messages };
}

/** Is a message an answer that a logger cut or masked? @param isClients whether the log is one of a client (`hasNoMarks`) */
export const isLeftOut = (message: Message, isClients: boolean): boolean =>
  isClients ? isScrubbedAnswer(message) : isCutAnswer(message);

/** Is the log that of a client, which may quote the marks of loggers, but writes none? */
export const hasNoMarks = ({ lacks }: Pick<Entry, 'lacks'>): boolean => lacks?.includes('marks') === true;

const isAnswer = (message: Message): boolean => message.role === 'assistant' && !isEmptyReply(message);
const isPlaceholder = (note: ReadingNote): boolean => note.rule === 'body-placeholder';

/** Whether no answer is left, and a placeholder was in place of the last one. */
export function hasOnlyPlaceholders({ messages, sample }: Conversation, logged: Conversation): boolean {
  if (sample !== undefined || messages.some(isAnswer)) return false;
  const last = messages.at(-1);
  const isClients = hasNoMarks(logged);
  return last === undefined
    ? logged.messages.some((message) => isLeftOut(message, isClients))
    : last.notes?.some(isPlaceholder) === true;
}
