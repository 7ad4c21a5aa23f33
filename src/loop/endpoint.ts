/** A model at an endpoint of OpenAI's chat completions. */
import { setTimeout as wait } from 'node:timers/promises';
import { buildConversationHistory } from '../../transforms/dialects/text-protocol/conversation-history.ts';
import { RESPONSE_FORMAT } from '../../transforms/formats/prompt.ts';
import { TurnmillError } from '../errors.ts';
import type { Model, Reply } from './run-loop.ts';
import type { LoopMessage } from './tape.ts';

export interface EndpointOptions {
  /** Base URL, including the version: `http://127.0.0.1:8000/v1`. */
  readonly base: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** `astracodex` sends one text with history and request instead of the messages. */
  readonly prompt: 'messages' | 'astracodex';
  readonly signal?: AbortSignal | undefined;
  /** Delays before each retry, in milliseconds. */
  readonly waits?: readonly number[] | undefined;
}

const WAITS_MS = [500, 2000, 8000];
const TOO_MANY = 429;
const SERVER_FAULT = 500;
const REQUEST_MS = 300_000;
const MOST_SHOWN = 200;

/** Returns the model at an endpoint. It throws TurnmillError `unavailable` if the endpoint cannot be reached, or refuses. */
export function endpoint(options: EndpointOptions): Model {
  return async (messages, tools) => {
    const body = JSON.stringify(requestOf(messages, tools, options));
    const answer = await withRetries(body, options);
    const { choices } = answer as { readonly choices?: readonly { readonly message?: unknown }[] };
    return replyOf(choices?.[0]?.message);
  };
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

function objectOf(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {};
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

function replyOf(message: unknown): Reply | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { content, tool_calls: calls } = message as {
    readonly content?: unknown;
    readonly tool_calls?: unknown;
  };
  const text = typeof content === 'string' ? content : null;
  return { content: text, ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls }) };
}

async function withRetries(body: string, options: EndpointOptions): Promise<unknown> {
  const { base, signal, waits = WAITS_MS } = options;
  for (let attempt = 0; ; attempt++) {
    const answer = await sendOnce(body, options);
    if ('value' in answer) return answer.value;
    const pause = waits[attempt];
    if (!answer.mayRetry || pause === undefined)
      throw new TurnmillError('unavailable', `${base}: ${answer.why}`, { subject: base });
    await wait(pause, undefined, signal && { signal });
  }
}

type Attempt = { readonly value: unknown } | { readonly why: string; readonly mayRetry: boolean };

async function sendOnce(body: string, { base, key, signal }: EndpointOptions): Promise<Attempt> {
  const limit = AbortSignal.timeout(REQUEST_MS);
  let response: Response;
  try {
    response = await fetch(`${withoutSlashes(base)}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body,
      redirect: 'error', // the key must not be sent to another host
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const { cause, message } = error as Error;
    return { why: `cannot be reached: ${(cause as Error | undefined)?.message ?? message}`, mayRetry: false };
  }
  const text = await response.text();
  const mayRetry = response.status === TOO_MANY || response.status >= SERVER_FAULT;
  if (!response.ok) return { why: `status ${response.status}: ${text.slice(0, MOST_SHOWN)}`, mayRetry };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { why: 'the answer is not JSON', mayRetry: false };
  }
}

/** Strips the slashes at the end of a URL. */
function withoutSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}
