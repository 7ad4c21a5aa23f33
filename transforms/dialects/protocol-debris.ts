/** Recognises remains of the text protocol in a cleaned text: no rule is reliable enough, so a person has to look. */

import { createTextScanner } from '../json/elements.ts';
import { valuesOf } from '../json/members.ts';
import { encode } from '../json/utf8.ts';
import { textOfValue } from '../model/message.ts';

/** A pattern, and its name for people. */
const KINDS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a tag of a call', /<\/?(?:tool_call|tool_result|arg_key|arg_value)\b/i],
  ['a fence of a call', /```[ \t]*tool(?:_call|_code)?[ \t]*(?:[\r\n{]|$)/i],
  ['a retrigger', /["'`]retrigger["'`]|\bretrigger:/i],
  [
    'a state',
    /\bstate:[ \t]*(?:idle|thinking|reading|searching|writing|appending|editing|checking|awaiting_confirmation|error|acting|listening|proposing|completed)\b/i,
  ],
  ['a confirmation', /\bneeds_confirmation\b/i],
];
const OPEN_OBJECT = '{';
const CLOSE_OBJECT = '}';
const LONE_SURROGATE = /\p{Surrogate}/u;
const scanner = createTextScanner();

/** The kinds of debris in a text; none if it looks clean. */
export function debrisIn(text: string): readonly string[] {
  const kinds = KINDS.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  return isBareCall(text) ? [...kinds, 'a call without its tags'] : kinds;
}

/** Is the whole text the object of a call? */
function isBareCall(text: string): boolean {
  if (!text.startsWith(OPEN_OBJECT) || !text.endsWith(CLOSE_OBJECT) || LONE_SURROGATE.test(text))
    return false;
  const json = encode(text);
  if (scanner.value(json, 0, 0) !== json.length) return false;
  const [name, args, oldArgs] = valuesOf(json, ['name', 'arguments', 'args']);
  return Boolean(textOfValue(name)) && (args ?? oldArgs) !== undefined;
}
