/** Finds another answer than the one that is read, which a logged call or its response has under a second name. */

import { isSameBytes } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { present } from '../shared/logged-values.ts';
import { isUnsaid, saidBy, textsOf } from '../shared/said-texts.ts';
import { readAnswer } from './answer.ts';

/** Members of a logged call that may hold its answer. */
const OF_CALL = ['output', 'completion', 'choices'] as const;
/** Members of a response, of any API, that may hold its answer. */
const OF_RESPONSE = ['choices', 'output', 'content', 'completion', 'output_text', 'text'] as const;
/** All these names. */
export const SECOND_ANSWERS: readonly string[] = [...new Set([...OF_CALL, ...OF_RESPONSE])];

/**
 * Does a call say under a second name what its answer does not?
 * @param answer messages that were read, none if there is no answer
 * @param response the response, or the body of one
 * @param json the logged object
 */
export function hasOtherAnswer(
  answer: readonly Message[],
  response: JsonView | undefined,
  json: JsonView,
): boolean {
  if (answer.length === 0) return false;
  const inResponse = valuesIn(response, OF_RESPONSE);
  const beside = json === response ? [] : valuesIn(json, OF_CALL);
  // a response nearly always has one
  const others = [...beside, ...(inResponse.length > 1 ? inResponse : [])].filter(
    ({ bytes }) => response === undefined || !isSameBytes(bytes, response.bytes),
  );
  if (others.length === 0) return false;
  const said = saidBy(answer);
  return others.some((other) => textsIn(other).some((text) => isUnsaid(text, said)));
}

const valuesIn = (view: JsonView | undefined, names: readonly string[]): readonly JsonView[] =>
  view?.type === 'object' ? names.map((key) => view.get(key)).filter(present) : [];

/** The texts of what may be an answer, and the names of its calls. */
function textsIn(view: JsonView): readonly string[] {
  const last = readAnswer(view, false).messages.at(-1)?.message;
  if (last === undefined) return [];
  const message = new JsonView(last.bytes);
  const calls = message.get('tool_calls')?.elements() ?? [];
  return [...textsOf(message), ...calls.flatMap((call) => call.get('function')?.textOf('name') ?? [])];
}
