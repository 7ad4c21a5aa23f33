/** The arguments of calls. Null means none; servers of the chat completions API also leave out empty ones. */
import { LETTER_N, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { addMember, replaceValue } from '../../json/splice.ts';
import { NO_ARGUMENTS } from '../../json/utf8.ts';
import { wordSet } from '../../model/words.ts';
import { arrayOf } from './build-messages.ts';

/** The arguments of a call as a JSON string. @param args JSON text, on one line */
export function argumentsOf(args: Uint8Array): Uint8Array {
  if (args[0] === LETTER_N) return NO_ARGUMENTS;
  return args[0] === QUOTE ? args : inString(args);
}

/**
 * A message of the chat completions API, with empty arguments for calls that have only a name: gateways such as OpenRouter
 * leave out empty ones.
 */
export function withEmptyArguments(message: JsonView): JsonView {
  const calls = message.get('tool_calls')?.elements() ?? [];
  if (!calls.some(isBare)) return message;
  const whole = calls.map((call) => {
    const fn = isBare(call) ? call.get('function') : undefined;
    const named = fn && addMember(fn.copy(), 'arguments', NO_ARGUMENTS);
    return named === undefined ? call.copy() : (replaceValue(call.copy(), 'function', named) as Uint8Array);
  });
  return new JsonView(replaceValue(message.copy(), 'tool_calls', arrayOf(whole)) as Uint8Array);
}

const OF_CALL: ReadonlySet<string> = wordSet('id type index function');

/** Has a call nothing but a name? */
function isBare(call: JsonView): boolean {
  const [key, ...others] = call.get('function')?.keys() ?? [];
  return key === 'name' && others.length === 0 && call.keys().every((one) => OF_CALL.has(one));
}
