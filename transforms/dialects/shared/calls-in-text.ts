/** The calls that Koog's tracer writes as the text of a message: a whole list of them, each with its id. */
import type { JsonView } from '../../json/json-view.ts';
import { firstOf, jsonIn } from './logged-values.ts';
import { isOpenAiCall } from './message-blocks.ts';

const BEGINS_CALLS = /^\s*\[\s*\{/;

export function callsInText(body: JsonView): readonly JsonView[] | undefined {
  const text = body.get('content')?.text() ?? '';
  if (!BEGINS_CALLS.test(text) || firstOf(body, 'tool_calls') !== undefined) return undefined;
  const calls = jsonIn(text)?.elements() ?? [];
  return calls.length > 0 && calls.every(isOpenAiCall) ? calls : undefined;
}
