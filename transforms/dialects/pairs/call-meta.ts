/** Metadata of a logged call, under the names used by loggers and the three APIs. */

import type { JsonView } from '../../json/json-view.ts';
import type { Meta } from '../../model/meta.ts';
import { metaOf } from '../logged-meta.ts';
import { present, structured } from '../logged-values.ts';
import type { Call } from './call-reader.ts';

const MOST_TEXT_BYTES = 64 * 1024;

/** @param json the logged object; its own values come after those of the answer */
export function callMeta({ request, response }: Call, json: JsonView): Meta {
  const isShort = response !== undefined && response.bytes.length <= MOST_TEXT_BYTES;
  const answer = response?.type === 'object' || isShort ? structured(response) : undefined;
  const [choice] = (answer?.get('choices') ?? json.get('choices'))?.elements() ?? [];
  const first = (...places: readonly (JsonView | undefined)[]): JsonView | undefined => places.find(present);
  const model = first(answer?.get('model'), json.get('model'), request?.get('model'));
  return metaOf({
    model: first(model, json.get('kwargs')?.get('model')),
    usage: first(answer?.get('usage'), json.get('usage')),
    cost: first(json.get('response_cost'), json.get('cost')),
    finish: first(choice?.get('finish_reason'), answer?.get('stop_reason'), answer?.get('status')),
    tags: first(json.get('request_tags'), json.get('tags')),
  });
}
