/**
 * Writes a tool definition as FunctionGemma's `declaration:NAME{...}`. Reports `definition-left-out` for anything that
 * a declaration cannot have: other keywords of JSON Schema, a tool without a name.
 */

import { LETTER_F, LETTER_N, LETTER_T, OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, membersOf } from '../json/members.ts';
import type { ToolDefinition } from '../model/element.ts';
import { textOfValue } from '../model/message.ts';
import type { Note } from './gemma-rules.ts';
import { bare, escaped, sortedByKey, valueText } from './gemma-value.ts';

const DEFINITION = new Set(['name', 'description', 'parameters', 'type']);
const PARAMETERS = new Set(['properties', 'required', 'type']);
const SCHEMA = new Set([...PARAMETERS, 'description', 'enum', 'items', 'nullable']);

type Values = ReadonlyMap<string, Uint8Array>;

/** The declaration of a tool; undefined if it has no name. */
export function declarationText({ bytes, name }: ToolDefinition, note: Note): string | undefined {
  if (name === undefined) {
    note('definition-left-out');
    return undefined;
  }
  const values = known(bytes, DEFINITION, note);
  const parameters = objectOf(values, 'parameters', note);
  const parts = [`description:${escaped(stringOf(values, 'description', note) ?? '', note)}`];
  if (parameters !== undefined) {
    const members = schemaParts(known(parameters, PARAMETERS, note), note);
    if (members.length > 0) parts.push(`parameters:{${members.join(',')}}`);
  }
  return `declaration:${bare(name, note)}{${parts.join(',')}}`;
}

/** The named members that are not null; the last one if a key occurs twice. Reports others. */
function known(object: Uint8Array, names: ReadonlySet<string>, note: Note): Values {
  const values = new Map<string, Uint8Array>();
  for (const { key, valueStart, end } of membersOf(object)) {
    if (!names.has(key)) note('definition-left-out');
    else if (object[valueStart] === LETTER_N) values.delete(key);
    else values.set(key, object.subarray(valueStart, end));
  }
  return values;
}

/** The parts of a schema, in a fixed order; `type` is last. */
function schemaParts(values: Values, note: Note): string[] {
  const parts: string[] = [];
  const description = stringOf(values, 'description', note);
  if (description !== undefined) parts.push(`description:${escaped(description, note)}`);
  const choices = arrayOf(values, 'enum', note);
  if (choices.length > 0) parts.push(`enum:[${choices.map((json) => valueText(json, note)).join(',')}]`);
  const items = objectOf(values, 'items', note);
  if (items !== undefined) parts.push(`items:{${schemaParts(known(items, SCHEMA, note), note).join(',')}}`);
  const properties = propertyTexts(objectOf(values, 'properties', note), note);
  if (properties.length > 0) parts.push(`properties:{${properties.join(',')}}`);
  const required = strings(arrayOf(values, 'required', note), note);
  if (required.length > 0) parts.push(`required:[${required.map((name) => escaped(name, note)).join(',')}]`);
  const { type, nullable } = typeOf(values, note);
  if (nullable) parts.push('nullable:true');
  if (type !== undefined) parts.push(`type:${type}`);
  return parts;
}

function propertyTexts(properties: Uint8Array | undefined, note: Note): string[] {
  if (properties === undefined) return [];
  const byName = new Map(
    membersOf(properties).map(({ key, valueStart, end }) => [key, properties.subarray(valueStart, end)]),
  );
  return sortedByKey([...byName], ([key]) => key.toLowerCase()).map(
    ([key, schema]) => `${bare(key, note)}:${propertyText(schema, note)}`,
  );
}

/** Writes a property, always with a description and a type, even if empty, as in the model's chat template. */
function propertyText(schema: Uint8Array, note: Note): string {
  if (schema[0] !== OPEN_OBJECT) note('definition-left-out');
  const values = schema[0] === OPEN_OBJECT ? known(schema, SCHEMA, note) : new Map<string, Uint8Array>();
  const parts = schemaParts(values, note);
  if (stringOf(values, 'description') === undefined) parts.unshift(`description:${escaped('', note)}`);
  if (typeOf(values).type === undefined) parts.push(`type:${escaped('', note)}`);
  return `{${parts.join(',')}}`;
}

const noNote: Note = () => {};

/** The type in capitals. `["string", "null"]` becomes a nullable STRING; a list of several types stays a list. */
function typeOf(values: Values, note: Note = noNote): { type: string | undefined; nullable: boolean } {
  const value = values.get('nullable');
  if (value !== undefined && value[0] !== LETTER_T && value[0] !== LETTER_F) note('definition-left-out');
  const nullable = value?.[0] === LETTER_T;
  const json = values.get('type');
  if (json?.[0] !== OPEN_ARRAY) {
    const type = stringOf(values, 'type', note);
    return { type: type === undefined ? undefined : escaped(type.toUpperCase(), note), nullable };
  }
  const all = strings(elementsOf(json), note).map((type) => type.toUpperCase());
  const types = all.length > 1 ? all.filter((type) => type !== 'NULL') : all;
  const texts = types.map((type) => escaped(type, note));
  return {
    type: texts.length > 1 ? `[${texts.join(',')}]` : texts[0],
    nullable: nullable || types.length < all.length,
  };
}

function stringOf(values: Values, key: string, note: Note = noNote): string | undefined {
  const json = values.get(key);
  const text = textOfValue(json);
  if (json !== undefined && text === undefined) note('definition-left-out');
  return text;
}

function objectOf(values: Values, key: string, note: Note): Uint8Array | undefined {
  const json = values.get(key);
  if (json === undefined || json[0] === OPEN_OBJECT) return json;
  note('definition-left-out');
  return undefined;
}

function arrayOf(values: Values, key: string, note: Note): readonly Uint8Array[] {
  const json = values.get(key);
  if (json === undefined) return [];
  if (json[0] === OPEN_ARRAY) return elementsOf(json);
  note('definition-left-out');
  return [];
}

function strings(list: readonly Uint8Array[], note: Note): string[] {
  return list.flatMap((json) => {
    const text = textOfValue(json);
    if (text === undefined) note('definition-left-out');
    return text === undefined ? [] : [text];
  });
}
