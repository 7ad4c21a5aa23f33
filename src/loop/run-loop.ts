/**
 * An agent's loop over a recorded conversation: call the model, answer its tool calls from the record, and call the
 * model again with the whole history, until a reply has no calls. Then the next user message of the record follows.
 */
import { extractToolCall, stripToolBlocks } from '../../transforms/dialects/text-protocol/tool-blocks.ts';
import {
  type Answered,
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

/** Thrown by a model whose answer cannot be used: the loop of this record ends, the others go on. */
export class ModelFault extends Error {}

/** Returns the model's reply to a history; undefined if there is none. @throws ModelFault if the answer cannot be used */
export type Model = (
  messages: readonly LoopMessage[],
  tools: readonly unknown[],
) => Promise<Reply | undefined>;

/**
 * `missed`: the record has no result for a call. `no-reply`: the model returned nothing. `bad-answer`: what it returned
 * is not a reply.
 */
export type LoopEnd = 'done' | 'max-steps' | 'missed' | 'no-reply' | 'bad-answer';

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
  /** Why the answer of a `bad-answer` cannot be used. */
  readonly problem?: string | undefined;
  readonly messages: readonly LoopMessage[];
}

export interface LoopOptions {
  /** Most replies to one user message. */
  readonly maxSteps: number;
  /** Whether a call without a recorded result ends the loop, or gets an error as its result. */
  readonly onMiss: 'stop' | 'tell';
  /** Executes a call and returns its result. Without it, calls get their recorded results and nothing is executed. */
  readonly execute?: ((call: Call) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const DEFAULT_LOOP: LoopOptions = { maxSteps: 8, onMiss: 'stop' };

/**
 * Runs the loop from the messages before the first answer of the record; a record without answers is a conversation to
 * be continued.
 * @returns how it ended, how its calls compare with the recorded ones, and all messages
 */
export async function runLoop(
  record: LoopRecord,
  model: Model,
  options: Partial<LoopOptions> = {},
): Promise<LoopReport> {
  return new Loop(record, model, { ...DEFAULT_LOOP, ...options }).run();
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
  #problem: string | undefined;

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
    return {
      end,
      ...this.#counts,
      unused: this.#tape.unused,
      first: this.#first,
      problem: this.#problem,
      messages: this.#messages,
    };
  }

  async #loop(): Promise<LoopEnd> {
    for (let left = this.#options.maxSteps; left > 0; left--) {
      this.#options.signal?.throwIfAborted();
      const { reply, problem } = await replyFrom(this.#model, this.#messages, this.#tools);
      this.#counts.steps += 1;
      this.#problem = problem;
      if (reply === undefined) return problem === undefined ? 'no-reply' : 'bad-answer';
      const calls = callsOf(reply, this.#counts.steps - 1);
      this.#messages.push(assistantMessage(reply, calls));
      if (calls.length === 0) {
        const next = this.#requests.shift();
        if (next === undefined) return 'done';
        this.#messages.push(...next);
        left = this.#options.maxSteps + 1;
      } else if (!(await this.#answer(calls))) return 'missed';
    }
    return 'max-steps';
  }

  /** Answers calls. Returns false if a call has no recorded result, and that ends the loop. */
  async #answer(calls: readonly RecordedCall[]): Promise<boolean> {
    const { execute, onMiss } = this.#options;
    for (const raw of calls) {
      const call = callOf(raw);
      const { match, result } = this.#compare(call);
      const isMissed = match === 'missed' && execute === undefined;
      if (isMissed && onMiss === 'stop') return false;
      const own = execute === undefined ? result : await execute(call);
      const content = isMissed ? missingResult(call.name) : textOfResult(own);
      this.#messages.push({ role: 'tool', tool_call_id: raw.id, content });
    }
    return true;
  }

  /** Counts a call by how it compares with the record. */
  #compare(call: Call): Answered {
    const key = callKey(call);
    if (this.#calls.has(key)) this.#counts.repeated += 1;
    this.#calls.add(key);
    const answered = this.#tape.answer(call);
    const { match, recorded } = answered;
    this.#counts[match] += 1;
    if (match !== 'same') this.#first ??= { step: this.#counts.steps, recorded, got: call };
    return answered;
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

interface Heard {
  /** Undefined if the model said nothing, or nothing that can be used. */
  readonly reply?: Reply;
  /** Why what it said cannot be used. */
  readonly problem?: string;
}

/** Requests a reply. An answer that cannot be used is returned as a problem; other errors are thrown. */
export async function replyFrom(
  model: Model,
  messages: readonly LoopMessage[],
  tools: readonly unknown[],
): Promise<Heard> {
  try {
    const reply = await model(messages, tools);
    return reply === undefined || isEmpty(reply) ? {} : { reply };
  } catch (error) {
    if (error instanceof ModelFault) return { problem: error.message };
    throw error;
  }
}

const isEmpty = ({ content, tool_calls: calls = [] }: Reply): boolean =>
  (content ?? '') === '' && calls.length === 0;

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
  /** Undefined if the model said nothing, or nothing that can be used. */
  readonly sampled: Reply | undefined;
  /** Why what the model said cannot be used. */
  readonly problem: string | undefined;
  /** Whether the model replied and both have calls of the same names, and whether also the arguments are the same. */
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
    const { reply: sampled, problem } = await replyFrom(model, prompt, record.tools);
    const before = (recorded.tool_calls ?? []).map(callOf);
    const after = sampled === undefined ? undefined : callsOf(sampled, i).map(callOf);
    yield {
      prompt,
      recorded,
      sampled,
      problem,
      sameTools: areEqual(before, after, ({ name }) => name),
      sameArguments: areEqual(before, after, callKey),
    };
  }
}

/** Whether both lists have the same keys in the same order. @param after undefined if the model did not answer */
function areEqual(
  before: readonly Call[],
  after: readonly Call[] | undefined,
  keyOf: (call: Call) => string,
): boolean {
  return after !== undefined && before.map(keyOf).join('\n') === after.map(keyOf).join('\n');
}
