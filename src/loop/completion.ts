/** Reads the answer of a chat completions API: with a limit on its bytes, and only if it has the shape of one. */
import { isTooDeep } from '../../transforms/json/nesting.ts';
import { MAX_DEPTH } from '../../transforms/json/scanner.ts';
import { isObject } from '../../transforms/model/message.ts';
import type { Reply } from './run-loop.ts';

/** An answer that is not a chat completion. The message says why, without content of the answer. */
export class BadAnswer extends Error {}

/**
 * Reads the body of a response as text.
 * @param maxBytes a longer body is cancelled and throws BadAnswer
 */
export async function bodyText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new BadAnswer(`the answer is longer than ${maxBytes} bytes (--max-answer)`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The reply in an answer; undefined if the answer has no message.
 * @throws BadAnswer if the text is not a chat completion
 */
export function replyIn(text: string): Reply | undefined {
  if (isTooDeep(text)) throw new BadAnswer(`the answer nests deeper than ${MAX_DEPTH} levels`);
  const answer = parsed(text);
  if (!isObject(answer)) throw new BadAnswer('the answer is not a JSON object');
  const { choices } = answer;
  if (!Array.isArray(choices)) throw new BadAnswer('the answer has no list of choices');
  const first: unknown = choices[0];
  if (first === undefined) return undefined;
  if (!isObject(first)) throw new BadAnswer('choices[0] is not an object');
  return replyOf(first.message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadAnswer('the answer is not JSON');
  }
}

function replyOf(message: unknown): Reply | undefined {
  if (message === undefined || message === null) return undefined;
  if (!isObject(message)) throw new BadAnswer('choices[0].message is not an object');
  const { content = null, tool_calls: calls = null } = message;
  if (content !== null && typeof content !== 'string')
    throw new BadAnswer('the content of the message is not a string');
  if (calls === null) return { content };
  if (!Array.isArray(calls)) throw new BadAnswer('tool_calls is not a list');
  for (const [i, call] of calls.entries()) checkCall(call, i);
  return { content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** Arguments are JSON in a string; some servers send the object. */
function checkCall(call: unknown, i: number): void {
  const fn = isObject(call) ? call.function : undefined;
  if (!isObject(fn) || typeof fn.name !== 'string')
    throw new BadAnswer(`tool_calls[${i}] is not a call of a named function`);
  const { arguments: args } = fn;
  if (typeof args === 'string' && isTooDeep(args))
    throw new BadAnswer(`the arguments of tool_calls[${i}] nest deeper than ${MAX_DEPTH} levels`);
}
