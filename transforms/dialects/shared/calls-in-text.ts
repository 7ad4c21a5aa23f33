/**
 * The calls that Koog's tracer writes as the content of a message: a whole list of them, each with its id, as a text; or
 * as a list, where a platform has decoded the text.
 */
import type { JsonView } from '../../json/json-view.ts';
import { firstOf, jsonIn } from './logged-values.ts';
import { blocksIn, isOpenAiCall } from './message-blocks.ts';
import { callOf, type MessageBlock } from './message-parts.ts';

/** Arguments may be decoded, too. */
const FORMS = ['string', 'object'];
const BEGINS_CALLS = /^\s*\[\s*\{/;

export function callsInText(body: JsonView): readonly JsonView[] | undefined {
  const content = body.get('content');
  const text = content?.text() ?? '';
  if (firstOf(body, 'tool_calls') !== undefined) return undefined;
  const calls = (BEGINS_CALLS.test(text) ? jsonIn(text) : content)?.elements() ?? [];
  return calls.length > 0 && calls.every((call) => isOpenAiCall(call, FORMS)) ? calls : undefined;
}

/** The blocks of a message of the model that is an item of an answer. */
export const itemIn = (body: JsonView): readonly MessageBlock[] =>
  callsInText(body)?.map(callOf) ?? blocksIn(body);
