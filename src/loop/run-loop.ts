/**
 * An agent's loop over a recorded conversation: call the model, answer its tool calls from the record, and call the
 * model again with the whole history, until a reply has no calls. Then the next user message of the record follows.
 */
import { extractToolCall, stripToolBlocks } from '../../transforms/dialects/text-protocol/tool-blocks.ts';
import {
  type Call,
  callKey,
  callOf,
  type LoopMessage,
  type LoopRecord,
  type RecordedCall,
  Tape,
} from './tape.ts';

export interface Reply {
  readonly content: string | null;
  readonly tool_calls?: readonly RecordedCall[] | undefined;
}

/** Returns the model's reply to a history; undefined if there is none. */
export type Model = (
  messages: readonly LoopMessage[],
  tools: readonly unknown[],
) => Promise<Reply | undefined>;

/**
 * `missed`: the record has no result for a call. `no-reply`: the model returned nothing. `endpoint`: the endpoint
 * failed.
 */
export type LoopEnd = 'done' | 'max-steps' | 'missed' | 'no-reply' | 'endpoint';

export interface Divergence {
  readonly step: number;
  readonly recorded?: Call | undefined;
  readonly got: Call;
}

export interface LoopReport {
  readonly end: LoopEnd;
  readonly steps: number;
  /** Calls with the name and arguments of a recorded one. */
  readonly same: number;
  /** Calls with other arguments. */
  readonly drifted: number;
  readonly missed: number;
  /** Calls that repeat an earlier one of the same loop. */
  readonly repeated: number;
  /** Recorded calls that the model did not make. */
  readonly unused: number;
  /** The first call that differs from the record. */
  readonly first?: Divergence | undefined;
  readonly messages: readonly LoopMessage[];
}

export interface LoopOptions {
  /** Most replies to one user message. */
  readonly maxSteps: number;
  readonly onMiss: 'stop' | 'tell';
  readonly signal?: AbortSignal | undefined;
}

export const DEFAULT_LOOP: LoopOptions = { maxSteps: 8, onMiss: 'stop' };

export async function runLoop(
  record: LoopRecord,
  model: Model,
  options: LoopOptions = DEFAULT_LOOP,
): Promise<LoopReport> {
  return new Loop(record, model, options).run();
}

class Loop {
  readonly #tape: Tape;
  readonly #tools: readonly unknown[];
  readonly #model: Model;
  readonly #options: LoopOptions;
  readonly #messages: LoopMessage[];
  /** The user's messages that follow each finished answer. */
  readonly #requests: LoopMessage[][];
  readonly #calls = new Set<string>();
  readonly #counts = { steps: 0, same: 0, drifted: 0, missed: 0, repeated: 0 };
  #first: Divergence | undefined;

  constructor(record: LoopRecord, model: Model, options: LoopOptions) {
    const begin = record.messages.findIndex(({ role }) => role === 'assistant');
    this.#tape = new Tape(record);
    this.#tools = record.tools;
    this.#model = model;
    this.#options = options;
    this.#messages = begin < 0 ? [...record.messages] : record.messages.slice(0, begin);
    this.#requests = begin < 0 ? [] : requestsAfter(record.messages, begin);
  }

  async run(): Promise<LoopReport> {
    const end = await this.#loop();
    return { end, ...this.#counts, unused: this.#tape.unused, first: this.#first, messages: this.#messages };
  }

  async #loop(): Promise<LoopEnd> {
    for (let left = this.#options.maxSteps; left > 0; left--) {
      this.#options.signal?.throwIfAborted();
      const reply = await this.#model(this.#messages, this.#tools);
      this.#counts.steps += 1;
      if (reply === undefined) return 'no-reply';
      const calls = callsOf(reply, this.#counts.steps - 1);
      if (calls.length === 0 && (reply.content ?? '') === '') return 'no-reply';
      this.#messages.push(assistantMessage(reply, calls));
      if (calls.length === 0) {
        const next = this.#requests.shift();
        if (next === undefined) return 'done';
        this.#messages.push(...next);
        left = this.#options.maxSteps + 1;
      } else if (!this.#answer(calls)) return 'missed';
    }
    return 'max-steps';
  }

  /** Answers calls from the record. Returns false if a call has no recorded result, and that ends the loop. */
  #answer(calls: readonly RecordedCall[]): boolean {
    for (const raw of calls) {
      const call = callOf(raw);
      const key = callKey(call);
      if (this.#calls.has(key)) this.#counts.repeated += 1;
      this.#calls.add(key);
      const { match, result, recorded } = this.#tape.answer(call);
      this.#counts[match] += 1;
      if (match !== 'same') this.#first ??= { step: this.#counts.steps, recorded, got: call };
      if (match === 'missed' && this.#options.onMiss === 'stop') return false;
      const content = match === 'missed' ? missingResult(call.name) : textOfResult(result);
      this.#messages.push({ role: 'tool', tool_call_id: raw.id, content });
    }
    return true;
  }
}

/**
 * The content that tells the model that a call has no recorded result, formatted as by Python's `json.dumps`, with a
 * blank after the colon.
 */
const missingResult = (name: string): string =>
  `{"error": ${JSON.stringify(`no recorded result for ${name}`)}}`;

/**
 * Returns the calls of a reply. Structured calls keep the model's ids. In a text, the last block is the call; its id is
 * composed of the step and the name.
 */
function callsOf({ content, tool_calls: calls = [] }: Reply, step: number): readonly RecordedCall[] {
  if (calls.length > 0) return calls;
  const call = extractToolCall(content ?? '');
  if (call === undefined) return [];
  return [
    {
      id: `${step}-${call.name}`,
      function: { name: call.name, arguments: JSON.stringify(call.arguments ?? {}) },
    },
  ].map((one) => ({ ...one, type: 'function' }));
}

function assistantMessage(
  { content, tool_calls: structured = [] }: Reply,
  calls: readonly RecordedCall[],
): LoopMessage {
  if (calls.length === 0) return { role: 'assistant', content };
  const text = structured.length > 0 ? content : stripToolBlocks(content ?? '');
  return { role: 'assistant', content: text, tool_calls: calls };
}

/** Keeps a string; converts anything else to JSON text. */
function textOfResult(result: unknown): unknown {
  return typeof result === 'string' || Array.isArray(result) ? result : JSON.stringify(result);
}

/** Returns the user's messages after `begin`, with consecutive ones grouped into one request. */
function requestsAfter(messages: readonly LoopMessage[], begin: number): LoopMessage[][] {
  const requests: LoopMessage[][] = [];
  messages.forEach((message, i) => {
    if (i < begin || message.role !== 'user') return;
    if (messages[i - 1]?.role === 'user') requests.at(-1)?.push(message);
    else requests.push([message]);
  });
  return requests;
}

/** Returns a model that gives the record's own replies. */
export function recordedReplies({ messages }: LoopRecord): Model {
  const replies = messages.filter(({ role }) => role === 'assistant');
  let at = 0;
  return async () => {
    const reply = replies[at++];
    if (reply === undefined) return undefined;
    const { content, tool_calls } = reply;
    return {
      content: typeof content === 'string' || content == null ? (content ?? null) : JSON.stringify(content),
      tool_calls,
    };
  };
}

/** One recorded reply, and the model's reply in its place. */
export interface Continuation {
  readonly prompt: readonly LoopMessage[];
  readonly recorded: LoopMessage;
  readonly sampled: Reply | undefined;
  /** Whether both have calls of the same names, and whether also the arguments are the same. */
  readonly sameTools: boolean;
  readonly sameArguments: boolean;
}

/** Requests each recorded reply separately, with the recorded history, so that an error in one does not affect the next. */
export async function* eachTurn(
  record: LoopRecord,
  model: Model,
  signal?: AbortSignal,
): AsyncGenerator<Continuation> {
  for (const [i, recorded] of record.messages.entries()) {
    if (recorded.role !== 'assistant' || i === 0) continue;
    signal?.throwIfAborted();
    const prompt = record.messages.slice(0, i);
    const sampled = await model(prompt, record.tools);
    const before = (recorded.tool_calls ?? []).map(callOf);
    const after = sampled === undefined ? [] : callsOf(sampled, i).map(callOf);
    const sameTools = before.map(({ name }) => name).join('\n') === after.map(({ name }) => name).join('\n');
    yield {
      prompt,
      recorded,
      sampled,
      sameTools,
      sameArguments: before.map(callKey).join('\n') === after.map(callKey).join('\n'),
    };
  }
}
