// A logging proxy in front of a model, and an agent that talks through it. The agent keeps its
// history and sends all of it with each request; the proxy logs one entry for each request. A message
// is written in the same way each time, so a repeated history is the same bytes in every entry.

import { createHash } from 'node:crypto';
import { compact, stringify } from './json.mjs';
import { utcMillis } from './stamps.mjs';

/** Letters and digits that look random and are the same in every run. */
export const token = (seed, length) =>
  createHash('sha512')
    .update(seed)
    .digest('base64')
    .replace(/[^0-9A-Za-z]/g, '')
    .slice(0, length);

/** A pause of 1.5 to 9.5 seconds, to the microsecond, that depends on the seed alone. */
const pauseMicros = (seed) => {
  const draw = createHash('sha256').update(seed).digest().readUInt32BE(0);
  return 1_500_000 + (draw % 8_000_000);
};

function completion(id, model, micros, reply, prompt) {
  const finish = reply.tool_calls === undefined ? 'stop' : 'tool_calls';
  const completionTokens = Math.ceil(stringify(reply, compact).length / 4);
  return {
    id: `chatcmpl-${token(id, 29)}`,
    object: 'chat.completion',
    created: Math.floor(micros / 1e6),
    model,
    choices: [{ index: 0, message: reply, finish_reason: finish }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completionTokens,
      total_tokens: prompt + completionTokens,
    },
  };
}

/**
 * Opens a session. `id`, `model`, `start` (microseconds) and `tools` are required.
 * - `system` is the first message, or a function of the moment where the agent writes the time in it.
 * - `style`, `stamp`: how the proxy writes JSON and time.
 * - `info(micros)`: a message that the agent adds at the end of each request and then forgets.
 * - `callId(n, k)`: the id of call k (in its turn) and n (in the session).
 * - `objectArguments`: the model server gives arguments as an object, not as a string.
 * - `spare`: what a reply carries besides its content; the agent does not keep it.
 * - `remember(message)`: how the agent keeps a reply.
 */
export function openSession(options) {
  const { id, model, system, info, style = compact, stamp = utcMillis } = options;
  const { spare = { refusal: null }, remember = (message) => message } = options;
  const callId = options.callId ?? ((n) => `call_${token(`${id}/call/${n}`, 24)}`);
  const entries = [];
  let { tools } = options;
  let history = [];
  let now = options.start;
  let calls = 0;

  const opening = () => (typeof system === 'function' ? system(now) : system);
  const fullHistory = () => [opening(), ...history, ...(info === undefined ? [] : [info(now)])];

  /** Logs one request and its reply; `special` replaces parts of it. Time then goes on. */
  function log(reply, special = {}) {
    const seed = `${id}/${entries.length}`;
    const messages = special.messages ?? fullHistory();
    const request = { model, messages, tools: special.tools ?? tools };
    const prompt = Math.ceil(stringify(request, compact).length / 4);
    const response =
      'response' in special ? special.response : completion(seed, model, now, { ...reply, ...spare }, prompt);
    const timestamp = special.timestamp ?? stamp(now);
    entries.push({ timestamp, session_id: id, request, response });
    now += special.takes === undefined ? pauseMicros(seed) : Math.round(special.takes * 1e6);
  }

  const toolCall = (name, args, turnIndex) => {
    const written = typeof args === 'string' || options.objectArguments;
    calls += 1;
    return {
      id: callId(calls, turnIndex),
      type: 'function',
      function: { name, arguments: written ? args : stringify(args, style) },
    };
  };

  return {
    entries,
    log,
    /** Time in which nothing is logged; negative when the clock is set back. */
    wait: (seconds) => {
      now += Math.round(seconds * 1e6);
    },
    /** A message of the user, sent with the next request. */
    user: (content) => {
      history.push({ role: 'user', content });
    },
    /** The model answers in words. */
    answer(content, special) {
      const reply = { role: 'assistant', content };
      log(reply, special);
      history.push(remember(reply));
    },
    /** The model calls tools, `[name, arguments, result]` each; all of them run. */
    callTools(content, wanted, special) {
      const made = wanted.map(([name, args], index) => toolCall(name, args, index));
      const reply = { role: 'assistant', content, tool_calls: made };
      log(reply, special);
      history.push(remember(reply));
      wanted.forEach(([, , result], index) => {
        history.push({ role: 'tool', tool_call_id: made[index].id, content: result });
      });
    },
    /** The agent replaces its history: a compaction, or a user who goes back. */
    rewrite: (change) => {
      history = change(history);
    },
    /** The agent offers other tools from now on. */
    offer: (changed) => {
      tools = changed;
    },
    /** One JSON text per entry, in log order. */
    lines: () => entries.map((entry) => stringify(entry, style)),
  };
}
