/** A model at an endpoint of OpenAI's chat completions. */
import { setTimeout as wait } from 'node:timers/promises';
import { buildConversationHistory } from '../../transforms/dialects/text-protocol/conversation-history.ts';
import { parsedArguments } from '../../transforms/dialects/text-protocol/tool-activity.ts';
import { RESPONSE_FORMAT } from '../../transforms/formats/prompt.ts';
import { failUsage, TurnmillError } from '../errors.ts';
import { BadAnswer, bodyText, replyIn } from './completion.ts';
import { hideKey } from './hidden-key.ts';
import { type Model, ModelFault, type Reply } from './run-loop.ts';
import type { LoopMessage } from './tape.ts';

export interface EndpointOptions {
  /** Base URL, including the version: `http://127.0.0.1:8000/v1`. */
  readonly base: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** `astracodex` sends one text with history and request instead of the messages. */
  readonly prompt?: 'messages' | 'astracodex' | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Most bytes of an answer. Default: 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Delays before each retry of a request, in milliseconds. */
  readonly waits?: readonly number[] | undefined;
}

const WAITS_MS = [500, 2000, 8000];
const TOO_MANY = 429;
const SERVER_FAULT = 500;
const REQUEST_MS = 300_000;
const MAX_SHOWN_CHARS = 200;
export const MAX_ANSWER_BYTES: number = 16 * 1024 * 1024;

/**
 * Returns the model at an endpoint. It throws TurnmillError `unavailable` if the endpoint cannot be reached or refuses,
 * and ModelFault if an answer is not a chat completion. The key is replaced in errors and in answers.
 * @throws TurnmillError `usage` if the URL is not one, or contains a password
 */
export function endpoint(options: EndpointOptions): Model {
  const { base } = options;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    failUsage('the endpoint is not a URL such as http://127.0.0.1:8000/v1');
  if (url.username !== '' || url.password !== '')
    failUsage('the URL of the endpoint must not contain a user or a password');
  return async (messages, tools) => withRetries(JSON.stringify(requestOf(messages, tools, options)), options);
}

function requestOf(
  messages: readonly LoopMessage[],
  tools: readonly unknown[],
  { model, prompt }: EndpointOptions,
): object {
  const settings = { model, temperature: 0, seed: 0 };
  if (prompt === 'astracodex')
    return { ...settings, messages: [{ role: 'user', content: promptText(messages, tools) }] };
  const wrapped = tools.map((tool) => (hasFunction(tool) ? tool : { type: 'function', function: tool }));
  return { ...settings, messages, ...(wrapped.length > 0 && { tools: wrapped }) };
}

const hasFunction = (tool: unknown): boolean =>
  typeof tool === 'object' && tool !== null && 'function' in tool;

/** Returns the text that an agent of the text protocol sends: how to answer, the tools, the history and the request. */
export function promptText(messages: readonly LoopMessage[], tools: readonly unknown[]): string {
  const history = messages.map((message) => ({
    ...message,
    ...(message.tool_calls && {
      tool_calls: message.tool_calls.map(({ function: fn, name, arguments: args }) => ({
        name: fn?.name ?? name,
        arguments: objectOf(fn?.arguments ?? args),
      })),
    }),
  }));
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const listed = tools.map((tool) => `  ${JSON.stringify(tool)}`).join(',\n');
  return [
    RESPONSE_FORMAT,
    ...(tools.length === 0 ? [] : [`Tools:\n[\n${listed}\n]`]),
    `Conversation History:\n${buildConversationHistory(history, { excludeLatestUserMessage: true })}`,
    `User Request:\n${typeof request === 'string' ? request : JSON.stringify(request)}`,
  ].join('\n\n');
}

/** Parses arguments; a text that is not JSON gives no arguments. */
function objectOf(args: unknown = {}): unknown {
  const value = parsedArguments(args);
  return typeof value === 'string' ? {} : value;
}

async function withRetries(body: string, options: EndpointOptions): Promise<Reply | undefined> {
  const { base, signal, waits = WAITS_MS } = options;
  for (let attempt = 0; ; attempt++) {
    const answer = await sendOnce(body, options);
    if (!('why' in answer)) return answer.reply;
    const pause = waits[attempt];
    if (!answer.mayRetry || pause === undefined)
      throw new TurnmillError('unavailable', `${base}: ${answer.why}`, { subject: base });
    await wait(pause, undefined, signal && { signal });
  }
}

type Attempt = { readonly reply: Reply | undefined } | { readonly why: string; readonly mayRetry: boolean };

/** @throws ModelFault if the endpoint answers, but not with a chat completion */
async function sendOnce(body: string, options: EndpointOptions): Promise<Attempt> {
  const { key, signal, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const hide = hideKey(key);
  const limit = AbortSignal.timeout(REQUEST_MS);
  let response: Response;
  let text: string;
  try {
    response = await send(body, options, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    text = hide(await bodyText(response, maxAnswerBytes));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof BadAnswer) throw new ModelFault(error.message);
    const { cause, message } = error as Error;
    const why = hide((cause as Error | undefined)?.message ?? message);
    return { why: `cannot be reached: ${why}`, mayRetry: false };
  }
  const mayRetry = response.status === TOO_MANY || response.status >= SERVER_FAULT;
  if (!response.ok) return { why: `status ${response.status}: ${text.slice(0, MAX_SHOWN_CHARS)}`, mayRetry };
  try {
    return { reply: replyIn(text) };
  } catch (error) {
    throw error instanceof BadAnswer ? new ModelFault(error.message) : error;
  }
}

function send(body: string, { base, key }: EndpointOptions, signal: AbortSignal): Promise<Response> {
  return fetch(`${withoutSlashes(base)}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body,
    redirect: 'error', // the key must not be sent to another host
    signal,
  });
}

/** Strips the slashes at the end of a URL. */
function withoutSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}
