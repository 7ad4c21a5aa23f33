/** Finds what a delta of a stream of chat completions says, and whether it says it under a name that is not known. */

import type { JsonView } from '../../json/json-view.ts';
import { words } from '../../model/words.ts';
import { CHAT_CALL, CHAT_MESSAGE } from '../shared/known-members.ts';
import { present } from '../shared/logged-values.ts';
import { saidIn } from '../shared/said-texts.ts';
import { type KnownObject, says } from '../shared/unread-text.ts';

/** Members of a delta that say something. */
export const PIECES: readonly string[] = words(`
  content tool_calls function_call reasoning reasoning_content reasoning_text tool_plan refusal
`);

/** Does a choice, or a line of Ollama, have a piece of an answer? */
export const saysPiece = (choice: JsonView): boolean =>
  ['text', 'response'].some((key) => says(choice.get(key))) ||
  ['delta', 'message'].some((key) => PIECES.some((piece) => says(choice.get(key)?.get(piece))));

/** The text of an answer, and the names and arguments of its calls. */
export const saidOf = (message: JsonView | undefined): readonly string[] => [
  saidIn(message?.get('content')?.parsed()),
  ...(message?.get('tool_calls')?.elements() ?? []).flatMap((call) =>
    ['name', 'arguments'].map((key) => saidIn(call.get('function')?.get(key)?.parsed())),
  ),
];

/** Members of a call that say something. */
const OF_CALLS = ['function', 'custom', 'arguments'] as const;

/** Has a delta its piece of the answer in a member that is not known? */
export const hidesDelta = (delta: JsonView): boolean =>
  hidesPiece(delta, CHAT_MESSAGE, PIECES) || hidesCall(delta);

/** Does an object lack its piece of the answer, but have one under a name that is not known? */
const hidesPiece = (piece: JsonView, { names }: KnownObject, pieces: readonly string[]): boolean =>
  piece.others(names).some(saysSomething) && !pieces.some((key) => says(piece.get(key)));

/** Writer has objects in each delta whose members are all null. */
const saysSomething = ([, value]: readonly [string, JsonView]): boolean =>
  value.type === 'object' ? value.members().some(saysSomething) : says(value);

function hidesCall(delta: JsonView): boolean {
  const calls = delta.get('tool_calls');
  const only = delta.get('function_call');
  if (calls?.type !== 'array' && says(calls)) return true;
  return (only !== undefined && hidesInCall(only)) || calls?.elements().some(hidesInCall) === true;
}

function hidesInCall(call: JsonView): boolean {
  if (call.type !== 'object') return says(call);
  const fn = call.get('function') ?? call;
  if (fn.type !== 'object') return says(fn);
  return hidesPiece(call, CHAT_CALL, OF_CALLS) || hidesArguments(fn);
}

const hidesArguments = (fn: JsonView): boolean =>
  !present(fn.get('arguments')) && fn.others(CHAT_CALL.names).some(saysSomething);
