/**
 * Whether an object of a type that its dialect does not know carries a part of the conversation. Such an object is
 * rejected: only types that are known to be about the client may be dropped.
 */
import type { JsonView } from '../../json/json-view.ts';
import { shownType } from './reading-notes.ts';

/** Members that clients use for a message, its content or a call. */
const CARRIERS: ReadonlySet<string> = new Set([
  ...[
    'message',
    'messages',
    'content',
    'contents',
    'parts',
    'text',
    'delta',
    'prompt',
    'completion',
    'choices',
  ],
  ...[
    'tool_calls',
    'toolCalls',
    'tool_call',
    'toolCall',
    'function_call',
    'functionCall',
    'functionResponse',
  ],
  ...[
    'arguments',
    'tool_input',
    'toolInput',
    'tool_result',
    'toolResult',
    'output',
    'aggregated_output',
    'stdout',
  ],
  ...['reasoning', 'reasoning_content', 'thinking', 'thought', 'llm_message', 'observation'],
]);
const MAX_DEPTH = 4;

/** Why an object of an unknown type is rejected; undefined if it carries no content, so that it may be dropped. */
export function contentOfUnknown(type: string | undefined, json: JsonView): string | undefined {
  if (!carriesContent(json)) return undefined;
  return `an object of type ${shownType(type)}, which turnmill does not know, carries content`;
}

/** Whether a member of the object, or of an object within it, holds text or a list under the name of a content. */
function carriesContent(json: JsonView, depth = 0): boolean {
  if (json.type === 'array') return json.elements().some((one) => isWithin(one, depth));
  return json
    .members()
    .some(([key, value]) => (CARRIERS.has(key) && isContent(value)) || isWithin(value, depth));
}

const isWithin = (value: JsonView, depth: number): boolean =>
  depth < MAX_DEPTH &&
  (value.type === 'object' || value.type === 'array') &&
  carriesContent(value, depth + 1);

/** A text, or a list of anything; an object only if it carries content itself. */
function isContent(value: JsonView): boolean {
  if (value.type === 'string') return value.text() !== '';
  return value.type === 'array' && value.elements().length > 0;
}
