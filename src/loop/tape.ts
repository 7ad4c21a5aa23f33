/**
 * The calls of a recorded conversation with their results. Tool calls are answered from it, and nothing is executed.
 */
import { parsedArguments } from '../../transforms/dialects/text-protocol/tool-activity.ts';
import { equalityKey } from '../../transforms/model/equality-key.ts';

export interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

/** A call as it is written in a record. */
export interface RecordedCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

export interface LoopMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly RecordedCall[];
  readonly tool_call_id?: unknown;
}

export interface LoopRecord {
  readonly messages: readonly LoopMessage[];
  readonly tools: readonly unknown[];
}

/** How a call compares with the record: the same, with other arguments, or of a tool that has no result left. */
export type Match = 'same' | 'drifted' | 'missed';

export interface Answered {
  readonly match: Match;
  /** The recorded result, if there is one. */
  readonly result: unknown;
  /** The next call of the record. */
  readonly recorded: Call | undefined;
}

interface Entry {
  readonly call: Call;
  readonly key: string;
  readonly hasResult: boolean;
  readonly result: unknown;
  used: boolean;
}

/** Returns name and arguments of a call in any notation. Arguments that are not JSON remain a text. */
export function callOf({ function: fn, ...call }: RecordedCall): Call {
  const args = fn?.arguments ?? call.arguments ?? call.args ?? {};
  return { name: String(fn?.name ?? call.name ?? ''), arguments: parsedArguments(args) };
}

export function callKey({ name, arguments: args }: Call): string {
  return `${name} ${equalityKey(args)}`;
}

export class Tape {
  readonly #entries: readonly Entry[];

  constructor({ messages }: LoopRecord) {
    this.#entries = messages.flatMap((message, at) =>
      (message.tool_calls ?? []).map((raw): Entry => {
        const call = callOf(raw);
        const result = resultOf(messages, at, raw.id);
        return {
          call,
          key: callKey(call),
          hasResult: result !== undefined,
          result: result?.content,
          used: false,
        };
      }),
    );
  }

  get unused(): number {
    return this.#entries.filter(({ used }) => !used).length;
  }

  /** Returns the result of the same call or, if there is none, of the next call with that name. */
  answer(call: Call): Answered {
    const key = callKey(call);
    const recorded = this.#entries.find(({ used }) => !used)?.call;
    const same =
      this.#entries.find((entry) => !entry.used && entry.key === key) ??
      this.#entries.find((entry) => entry.key === key);
    if (same !== undefined) return this.#take(same, 'same', recorded);
    const near = this.#entries.find(({ used, call: { name } }) => !used && name === call.name);
    if (near !== undefined) return this.#take(near, 'drifted', recorded);
    return { match: 'missed', result: undefined, recorded };
  }

  #take(entry: Entry, match: Match, recorded: Call | undefined): Answered {
    entry.used = true;
    return entry.hasResult
      ? { match, result: entry.result ?? '', recorded }
      : { match: 'missed', result: undefined, recorded };
  }
}

/** Returns the message that answers a call, if there is one before the next message with calls. */
function resultOf(messages: readonly LoopMessage[], at: number, id: unknown): LoopMessage | undefined {
  for (let i = at + 1; i < messages.length; i++) {
    const message = messages[i] as LoopMessage;
    if (message.tool_calls !== undefined && message.tool_calls.length > 0) return undefined;
    if (message.role === 'tool' && message.tool_call_id === id) return message;
  }
  return undefined;
}
