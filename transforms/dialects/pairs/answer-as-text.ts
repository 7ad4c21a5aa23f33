/** Tells answers of an API from the JSON that a model may write, where an answer was logged as text. */
import type { JsonView } from '../../json/json-view.ts';
import { present } from '../shared/logged-values.ts';
import { otherAnswer } from '../shared/other-apis.ts';

/** Is JSON that was logged as text an answer of an API? A model may answer in JSON, too, under the same names. */
export function isAnswer(object: JsonView): boolean {
  if (otherAnswer(object) !== undefined) return true;
  const [choice] = object.get('choices')?.elements() ?? [];
  if (choice?.type === 'object')
    return ['message', 'delta', 'text', 'finish_reason'].some((key) => choice.get(key) !== undefined);
  const isMessage = object.textOf('role') === 'assistant' || object.get('stop_reason') !== undefined;
  if (isMessage) return ANSWERED.some((key) => present(object.get(key)));
  if (LISTS.some((key) => object.get(key)?.elements().some(isCall))) return true;
  if (object.get('generations')?.elements()[0]?.elements()[0]?.type === 'object') return true;
  if (object.textOf('type') === 'ai' && object.get('data')?.type === 'object') return true;
  const [item] = object.get('output')?.elements() ?? [];
  if (object.textOf('object') === 'response' || item?.textOf('type') !== undefined) return true;
  const error = object.get('error');
  return error?.type === 'object' && ['message', 'type', 'code'].some((key) => present(error.get(key)));
}

/** Members of a message that answers, and of any answer with calls in them. */
const ANSWERED = ['content', 'tool_calls', 'parts'] as const;
const LISTS = [...ANSWERED, 'toolCalls'] as const;

/** Is a list that was logged as text made of messages, choices, items or blocks of an answer, or are calls in it? */
export function areAnswers(list: JsonView): boolean {
  const all = list.elements();
  return all.some(isCall) || (all.length > 0 && all.every((one) => isAnswer(one) || isPartOfAnswer(one)));
}

/** Is it a call in the words of any API, with an id? Calls that a model writes as text have none. */
export function isCall(one: JsonView): boolean {
  if (one.get('toolUse')?.typeOf('toolUseId') === 'string') return true;
  if (one.get('functionCall')?.typeOf('name') === 'string') return true;
  if (one.typeOf('toolCallId') === 'string') return one.typeOf('toolName') === 'string';
  const named = one.get('function') ?? one;
  return (
    one.typeOf('id') === 'string' && named.typeOf('name') === 'string' && CALLS.has(one.textOf('type') ?? '')
  );
}

const CALLS: ReadonlySet<string> = new Set(['function', 'tool_call', 'tool_use']);

function isPartOfAnswer(one: JsonView): boolean {
  if (one.get('message')?.textOf('role') === 'assistant') return true;
  switch (one.textOf('type')) {
    case 'function_call':
      return one.typeOf('call_id') === 'string';
    case 'reasoning':
      return one.typeOf('summary') === 'array' || one.typeOf('text') === 'string';
    case 'tool_use':
      return one.typeOf('id') === 'string' && one.typeOf('name') === 'string';
    case 'thinking':
      return one.typeOf('thinking') === 'string';
    case 'thought':
      return one.typeOf('text') === 'string';
    case 'text':
      return one.typeOf('text') === 'string' && one.keys().every((key) => OF_TEXT.has(key));
    default:
      return false;
  }
}

const OF_TEXT: ReadonlySet<string> = new Set(['type', 'text', 'citations']);
