/** The calls that Koog's tracer writes as the text of a message: a whole list of them, each with its id. */
import type { JsonView } from '../../json/json-view.ts';
import { firstOf, jsonIn } from './logged-values.ts';

const BEGINS_CALLS = /^\s*\[\s*\{/;

export function callsInText(body: JsonView): readonly JsonView[] | undefined {
  const text = body.get('content')?.text() ?? '';
  if (!BEGINS_CALLS.test(text) || firstOf(body, 'tool_calls') !== undefined) return undefined;
  const calls = jsonIn(text)?.elements() ?? [];
  return calls.length > 0 && calls.every(isWholeCall) ? calls : undefined;
}

const isWholeCall = (call: JsonView): boolean =>
  call.get('type')?.text() === 'function' &&
  call.get('id')?.type === 'string' &&
  call.get('function')?.get('name')?.type === 'string' &&
  call.get('function')?.get('arguments')?.type === 'string';
