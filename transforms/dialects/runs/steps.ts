/** Compares the steps of a run of SWE-agent, with what the model received and answered, with the history that is read. */

import type { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { firstOf, structured } from '../shared/logged-values.ts';
import { CONTEXT_CUT } from '../shared/reading-notes.ts';
import { isUnsaid, saidIn, textsIn } from '../shared/said-texts.ts';
import { unreadMember } from '../shared/unread-text.ts';

const LACKS_ANSWER = unreadMember('the run', 'trajectory', 'an answer that its history lacks');

/** Findings about what the steps of a run say and its history does not. */
export function notesOfSteps(run: JsonView, history: JsonView): readonly ReadingNote[] {
  const steps = run.get('trajectory')?.elements() ?? [];
  const messages = history.elements();
  const notes = lacksAnswer(steps.at(-1), messages) ? [LACKS_ANSWER] : [];
  return receivedOther(steps, messages) ? [...notes, CONTEXT_CUT] : notes;
}

/** Has the last step an answer that the history lacks? Some versions leave out the one that submits. */
function lacksAnswer(step: JsonView | undefined, messages: readonly JsonView[]): boolean {
  const response = step?.textOf('response');
  if (response === undefined) return false;
  // it is mostly in the last messages
  return messages.toReversed().every((message) => isUnsaid(response, saidIn(message.parsed())));
}

/** Did the model receive other texts in the end? Most settings replace older results by a note of how long they were. */
function receivedOther(steps: readonly JsonView[], messages: readonly JsonView[]): boolean {
  const last = steps.findLast((step) => receivedBy(step).length > 0); // each step has the whole list
  const received = receivedBy(last);
  if (received.length === 0) return false;
  const own = new Set(messages.flatMap(wordsOf));
  return received.some(
    (message) => message.textOf('role') !== 'assistant' && wordsOf(message).some((text) => !own.has(text)),
  );
}

const receivedBy = (step: JsonView | undefined): readonly JsonView[] =>
  firstOf(step, 'messages', 'query')?.elements() ?? [];

const wordsOf = (message: JsonView): readonly string[] =>
  textsIn(message.get('content')).map((text) => text.trim());

const OTHER_THOUGHT = 'words that its content lacks';

/** The finding about an answer that has a thought with other words. @param place of the answer */
export const noteOfThought = (message: JsonView, place: string): ReadingNote | undefined =>
  hasOtherThought(message) ? unreadMember(place, 'thought', OTHER_THOUGHT) : undefined;

/** SWE-agent cuts the thought out of the content, before and after the action, or out of JSON in it. */
function hasOtherThought(message: JsonView): boolean {
  const thought = message.textOf('thought');
  if (thought === undefined || thought.trim() === '') return false;
  const others = message.members().filter(([key]) => key !== 'thought' && key !== 'action');
  const said = others.map(([, value]) => saidIn([value.parsed(), structured(value)?.parsed()])).join('\n');
  return thought.split('\n').some((line) => isUnsaid(line, said));
}
