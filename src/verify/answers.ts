/** Counts the answers of a record in a dataset with `--copies mark`, and those that it marks as context. */
import { asObjects, type JsonObject } from './untrusted.ts';

export interface Answers {
  readonly answers: number;
  /** Number of first answers that are marked. */
  readonly context: number;
  /** Whether answers may be marked that are not context. */
  readonly mayBeMore: boolean;
}

type Count = (record: JsonObject) => Answers;
type Test = (message: JsonObject) => boolean;

const isAnswer: Test = ({ role }) => role === 'assistant';
const COUNTS: ReadonlyMap<unknown, Count> = new Map([
  ['atif', inSteps],
  ['chat', inMessages(({ weight }) => weight === 0)],
  ['openai', inMessages(({ weight }) => weight === 0)],
  ['axolotl', inMessages(({ train }) => train === false)],
  ['trl', inPrompt],
]);

/** Returns undefined for a format that cannot mark answers. */
export function answersOf(format: unknown, record: JsonObject): Answers | undefined {
  return COUNTS.get(format)?.(record);
}

function inSteps({ steps }: JsonObject): Answers {
  const answers = asObjects(steps).filter(({ source }) => source === 'agent');
  return count(answers, ({ is_copied_context: isCopied }) => isCopied === true, false);
}

/** Messages of a log may have the same member. */
function inMessages(isMarked: Test): Count {
  return ({ messages }) => count(asObjects(messages).filter(isAnswer), isMarked, true);
}

/** The first message is always in the prompt, which is not trained. */
function inPrompt({ prompt, completion }: JsonObject): Answers {
  const before = asObjects(prompt);
  const context = before.filter(isAnswer).length;
  const answers = context + asObjects(completion).filter(isAnswer).length;
  return { answers, context, mayBeMore: before.slice(0, 1).some(isAnswer) };
}

function count(answers: readonly JsonObject[], isMarked: Test, mayBeMore: boolean): Answers {
  const first = answers.findIndex((answer) => !isMarked(answer));
  return { answers: answers.length, context: first < 0 ? answers.length : first, mayBeMore };
}
