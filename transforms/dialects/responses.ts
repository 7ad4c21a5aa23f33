/**
 * Dialect `responses`: requests and responses of OpenAI's Responses API as pairs, as bodies of logged HTTP, or
 * responses alone. A request that continues a response by id has only the new messages.
 */

import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { EntryFields, FirstObject, ReadContext } from './dialect-spec.ts';
import { CallReader } from './pairs/call-reader.ts';
import { loggedAnswer } from './pairs/logged-answer.ts';
import { bodyOf, hasMessages } from './pairs/logged-call.ts';
import { isResponsesRequest } from './pairs/request.ts';
import { present, structured } from './shared/logged-values.ts';
import { geminiRequest } from './shared/other-apis.ts';

function detect(first: FirstObject): boolean {
  const request = structured(first.get('request'));
  if (request?.type === 'object') {
    const body = bodyOf(request);
    const isPlaced = ['session_id', 'timestamp'].some((key) => first.get(key) !== undefined);
    return isResponsesRequest(body) || (isPlaced && geminiRequest(body) !== undefined);
  }
  return first.get('object')?.text() === 'response' && first.get('output')?.type === 'array';
}

/** Reads a pair of any API: a source may mix them. */
function read(json: JsonView, context: ReadContext, calls: CallReader): EntryFields | Rejection | Fate {
  const logged = structured(json.get('request'));
  const body = logged?.type === 'object' ? bodyOf(logged) : undefined;
  const isBare = !present(logged) && !present(json.get('response'));
  const stamp = [json.get('timestamp'), json.get('logged_at'), logged?.get('timestamp')].find(present);
  const call = {
    request: body !== undefined && hasMessages(body) ? body : undefined,
    ...(isBare ? { response: json } : loggedAnswer(json.get('response'))),
    sessionId: json.get('session_id')?.text() || undefined,
    timestamp: context.time(stamp),
  };
  return calls.read(call, context, json);
}

const responses: Dialect = defineDialect({
  name: 'responses',
  summary:
    'Pairs of the OpenAI Responses API and of Gemini, including those that continue an earlier response by its id, and bare responses.',
  knownBy: 'request with input or contents and without messages; or object (response) and an output list',
  keys: ['session_id', 'timestamp', 'request', 'response'],
  gathers: true,
  marks: ['request', 'response'],
  memory: (options) => new CallReader(options),
  detect,
  read,
});

export default responses;
