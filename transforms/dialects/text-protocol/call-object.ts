/**
 * Reads calls that an agent wrote into its text as JSON: `{"name", "arguments"}`, including the names of older
 * versions.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, valuesOf } from '../../json/members.ts';
import { inString, valueIn } from '../../json/respace.ts';
import { dropMembers } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import { textOfValue } from '../../model/message.ts';

/** A call as it is stored. */
export interface ProtocolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A call with the JSON text of its arguments. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: Uint8Array;
  /** Set if a `retrigger` was dropped from the arguments, so that their text is not the logged one. */
  readonly droppedRetrigger?: true;
}

/** Old agents may write this word in place of a name. */
const NO_NAME = 'tool';
const RETRIGGER = 'retrigger';
const NO_ARGUMENTS = encode('{}');

/**
 * @param json the JSON text of an object
 * @returns undefined if it is not a call
 */
export function readCallObject(json: Uint8Array): WrittenCall | undefined {
  const [name, args, oldArgs] = valuesOf(json, ['name', 'arguments', 'args']);
  const text = textOfValue(name);
  return text ? callOf(text, args ?? oldArgs) : undefined;
}

/**
 * The calls in the JSON of a block: an object, or an array of objects.
 * @param word the word before the object in the block: the name of a call whose object has no name, or only arguments
 */
export function readCalls(json: Uint8Array, word: string | undefined): readonly WrittenCall[] {
  if (json[0] === OPEN_ARRAY) {
    const objects = elementsOf(json).filter((one) => one[0] === OPEN_OBJECT);
    return objects.flatMap((one) => readCallObject(one) ?? []);
  }
  const call =
    word === undefined || word.toLowerCase() === NO_NAME ? readCallObject(json) : namedCall(json, word);
  return call === undefined ? [] : [call];
}

function namedCall(json: Uint8Array, word: string): WrittenCall {
  const [name, args, oldArgs] = valuesOf(json, ['name', 'arguments', 'args']);
  const text = textOfValue(name);
  const value = args ?? oldArgs;
  if (value !== undefined) return callOf(text || word, value);
  return text === word ? callOf(word, undefined) : callOf(word, json);
}

function callOf(name: string, args: Uint8Array = NO_ARGUMENTS): WrittenCall {
  const kept = withoutRetrigger(args);
  return kept === args ? { name, arguments: args } : { name, arguments: kept, droppedRetrigger: true };
}

/**
 * Whether the call has a `retrigger`, which tells the agent to continue: it then counts as a call even without tags.
 */
export function isRetriggered(json: Uint8Array): boolean {
  return withoutRetrigger(json) !== json;
}

/**
 * Drops `retrigger` from arguments, which may also be an object in a JSON string; the same bytes object without one.
 */
function withoutRetrigger(args: Uint8Array): Uint8Array {
  if (args[0] === OPEN_OBJECT) return dropMembers(args, ({ key }) => key.toLowerCase() === RETRIGGER);
  const text = args[0] === QUOTE ? textOfValue(args) : undefined;
  if (text === undefined || !text.toLowerCase().includes(RETRIGGER)) return args;
  const inner = valueIn(text.trim());
  if (inner?.[0] !== OPEN_OBJECT) return args;
  const kept = dropMembers(inner, ({ key }) => key.toLowerCase() === RETRIGGER);
  return kept === inner ? args : inString(kept);
}
