/** HTTP archives (HAR 1.2) of browsers and proxies: a list of everything that was loaded, some of it calls of models. */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import { jsonIn } from '../logged-values.ts';
import { hasMessages } from './bodies.ts';
import type { Call } from './call-reader.ts';

/** The entries of an archive; undefined for any other object. */
export function harEntries(object: FirstObject): readonly JsonView[] | undefined {
  const entries = object.get('log')?.get('entries');
  return entries?.type === 'array' ? entries.elements() : undefined;
}

/** The call of a model that an entry of an archive is; undefined for anything else that was loaded. */
export function harCall(entry: JsonView, { origin, time }: ReadContext): Call | undefined {
  const sent = entry.get('request')?.get('postData')?.get('text')?.text();
  const request = sent === undefined ? undefined : jsonIn(sent);
  if (request?.type !== 'object' || !hasMessages(request)) return undefined;
  return {
    request,
    response: bodyOf(entry.get('response')?.get('content')),
    isRaw: true,
    sessionId: origin.source,
    timestamp: time(entry.get('startedDateTime')),
  };
}

/** The body of a response as text; browsers write some of them in base64. */
function bodyOf(content: JsonView | undefined): JsonView | undefined {
  const body = content?.get('text');
  const text = body?.text();
  if (text === undefined || content?.get('encoding')?.text() !== 'base64') return body;
  return new JsonView(encode(quote(Buffer.from(text, 'base64').toString())));
}
