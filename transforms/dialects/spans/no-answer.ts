/** Recognises the text that a tracer writes in place of an answer: that of an empty value of its language. */
import { JsonView } from '../../json/json-view.ts';
import { encode } from '../../json/utf8.ts';

const PYTHON: ReadonlySet<string> = new Set(['None', '[None]']);
const JSON_NULL: ReadonlySet<string> = new Set(['null', 'None']);

/** By the attribute or the member of an event: a text of the model is never alone in one of these. */
const NOTHING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  // OpenLIT: str(answer)
  ['gen_ai.completion', PYTHON],
  // values that are always JSON
  ['gen_ai.output.messages', JSON_NULL],
  ['mlflow.spanOutputs', JSON_NULL],
  ['gcp.vertex.agent.llm_response', JSON_NULL],
  ['response_data', JSON_NULL],
]);
/** As tracers log what has not been answered. */
const EMPTY = new JsonView(encode('{}'));

/** The answer in an attribute; an empty object if its tracer wrote there that it had none. */
export function answerIn(member: string, logged: JsonView | undefined): JsonView | undefined {
  const nothing = NOTHING.get(member);
  const isNothing = logged?.type === 'string' && nothing?.has(logged.text() ?? '') === true;
  return isNothing ? EMPTY : logged;
}
