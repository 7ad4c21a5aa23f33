/** Converts logged values to metadata (`Meta`). Drops values of the wrong type, and those that may be personal. */
import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { decode, encode } from '../../json/utf8.ts';
import { isPersonal, isPersonalName, type Meta, type MetaName } from '../../model/meta.ts';
import { arrayOf, objectOf, type Piece } from './build-messages.ts';

/** A logged value, or a text, a number or a list of texts. */
export type LoggedValue = JsonView | string | number | readonly string[] | undefined;

const MAX_LEVELS = 2;
/** Texts that are grades; other texts in an object of scores may be names of people. */
const GRADE =
  /^(?:[A-Z][+-]?|pass(?:ed)?|fail(?:ed)?|(?:in)?correct|partial(?:ly)?|(?:un)?(?:re)?solved|success|true|false|yes|no|good|bad|ok|none|unknown|error|tie|win|loss|[-+.\d/%]+)$/i;

/** Longer names of models are left out, as in json/wasm/shortcut-state.h. Bytes of JSON text. */
const MAX_MODEL = 256;

/** Keeps texts that are not personal, such as a path: servers log the path of a model's weights as its name. */
const asText = (view: JsonView): Uint8Array | undefined => {
  if (view.type === 'number') return encode(quote(new TextDecoder().decode(view.bytes)));
  return isKept(view) && view.bytes.length > 2 ? view.copy() : undefined;
};
const isKept = (view: JsonView): boolean => view.type === 'string' && !isPersonal(view.text() ?? '');
const asModel = (view: JsonView): Uint8Array | undefined =>
  view.length <= MAX_MODEL ? asText(view) : undefined;
const asNumber = (view: JsonView): Uint8Array | undefined =>
  view.type === 'number' ? view.copy() : undefined;
type Leaf = (view: JsonView) => Uint8Array | undefined;

/** Keeps numbers in an object, also in nested objects. */
const asUsage = (view: JsonView): Uint8Array | undefined => treeOf(view, asNumber);

/** Keeps a number, a boolean or a text; in an object only numbers, booleans and grades. */
const asReward = (view: JsonView): Uint8Array | undefined =>
  view.type === 'object' ? treeOf(view, asScore) : isScore(view) ? view.copy() : asText(view);
const isScore = ({ type }: JsonView): boolean => type === 'number' || type === 'boolean';
const asScore = (view: JsonView): Uint8Array | undefined =>
  isScore(view) || GRADE.test(view.text() ?? '') ? view.copy() : undefined;

/** Keeps the members that `leaf` keeps, also those of nested objects. */
function treeOf(view: JsonView, leaf: Leaf, levels: number = MAX_LEVELS): Uint8Array | undefined {
  if (view.type !== 'object' || levels === 0) return undefined;
  const pieces = view.members().flatMap(([key, value]): Piece[] => {
    if (isPersonalName(key)) return [];
    const json = value.type === 'object' ? treeOf(value, leaf, levels - 1) : leaf(value);
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
  model: asModel,
  usage: asUsage,
  cost: asNumber,
  reward: asReward,
  finish: asText,
  parent: asText,
  copied: asNumber,
  started_at: asText,
  tags: asTags,
};

/**
 * Converts metadata of a conversation or of one answer. Values that are absent, null or personal are left out.
 * @param values by name; copied
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

export const NO_META: Meta = new Map();
let lastModel: string | undefined;
let lastMeta = NO_META;

/**
 * Metadata that is only the name of a model; the same object as before for the same name, because most answers of a log
 * are of one model.
 * @param models the first one that is present and not null counts
 */
export function modelMeta(...models: readonly LoggedValue[]): Meta {
  const model = models.find((one) => one !== undefined && !(one instanceof JsonView && one.type === 'null'));
  if (model === undefined || (model instanceof JsonView && model.length > MAX_MODEL)) return NO_META;
  const json = model instanceof JsonView ? decode(model.bytes) : JSON.stringify(model);
  if (json !== lastModel) {
    lastModel = json;
    lastMeta = metaOf({ model });
  }
  return lastMeta;
}
