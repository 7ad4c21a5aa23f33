/** Converts metadata of a log to the closed list of names of `Meta`. Drops values of the wrong type. */
import { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import { isPath, type Meta, type MetaName } from '../model/meta.ts';
import { arrayOf, objectOf, type Piece } from './made-messages.ts';

/** A logged value, or a text, a number or a list of texts. */
export type LoggedValue = JsonView | string | number | readonly string[] | undefined;

const MOST_LEVELS = 2;

/** A text that names no file: servers log the path of a model's weights as its name. */
const asText = (view: JsonView): Uint8Array | undefined => {
  if (view.type === 'number') return encode(quote(new TextDecoder().decode(view.bytes)));
  return isKept(view) && view.bytes.length > 2 ? view.copy() : undefined;
};
const isKept = (view: JsonView): boolean => view.type === 'string' && !isPath(view.text() ?? '');
const asNumber = (view: JsonView): Uint8Array | undefined =>
  view.type === 'number' ? view.copy() : undefined;
const asLogged = (view: JsonView): Uint8Array => view.copy();

/** Numbers, and objects of numbers. */
function asUsage(view: JsonView, levels: number = MOST_LEVELS): Uint8Array | undefined {
  if (view.type !== 'object' || levels === 0) return undefined;
  const pieces = view.members().flatMap(([key, value]): Piece[] => {
    const json = value.type === 'number' ? value.copy() : asUsage(value, levels - 1);
    return json === undefined ? [] : [[key, json]];
  });
  return pieces.length === 0 ? undefined : objectOf(pieces);
}

function asTags(view: JsonView): Uint8Array | undefined {
  const tags = view.elements().filter(isKept);
  return tags.length === 0 ? undefined : arrayOf(tags.map((tag) => tag.copy()));
}

const READ: Readonly<Record<MetaName, (view: JsonView) => Uint8Array | undefined>> = {
  source_id: asText,
  harness: asText,
  model: asText,
  usage: asUsage,
  cost: asNumber,
  reward: asLogged,
  finish: asText,
  parent: asText,
  copied: asNumber,
  started_at: asText,
  tags: asTags,
};

/**
 * Reads metadata of a conversation or of one answer. Leaves out absent values, null, and texts that are paths.
 * @param values by name; the bytes of views are copied
 */
export function metaOf(values: { readonly [K in MetaName]?: LoggedValue }): Meta {
  const meta = new Map<MetaName, Uint8Array>();
  for (const [name, value] of Object.entries(values) as [MetaName, LoggedValue][]) {
    if (value === undefined) continue;
    const view = value instanceof JsonView ? value : new JsonView(encode(JSON.stringify(value)));
    const json = view.type === 'null' ? undefined : READ[name](view);
    if (json !== undefined) meta.set(name, json);
  }
  return meta;
}
