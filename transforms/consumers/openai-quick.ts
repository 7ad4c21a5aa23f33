/**
 * Decides for most records in one pass whether OpenAI refuses them. A build calls it for each record; the rules, which
 * know the places of what they refuse, walk each message several times.
 */
import { wrapTools } from '../formats/openai.ts';
import { readArguments } from '../formats/tool-arguments.ts';
import { OPEN_ARRAY, QUOTE } from '../json/bytes.ts';
import { keptMembersOf } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import type { Message, ToolDefinition, WrittenRecord } from '../model/element.ts';
import { REASONING_MEMBERS, stringValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { isBadCall, isBadTool, MAX_TOOLS, MEMBERS_RULE, OPENAI_MEMBERS, REASONING_RULE } from './openai.ts';

/** `],"tools":` and the brackets and commas before it, in a record of no messages. */
const BEFORE_TOOLS = '{"messages":['.length + '],"tools":'.length;
const NO_CALLS: readonly ToolCall[] = [];

/** Whether a definition becomes a tool that OpenAI refuses. Sessions share their definitions. */
const isRefused = perObject((tool: ToolDefinition): boolean =>
  wrapTools([tool], () => undefined).some(({ bytes }) => isBadTool(bytes)),
);

/** Returns the rules that a record breaks; undefined if that takes a closer look. */
export function quickRefusals(record: WrittenRecord): readonly string[] | undefined {
  const scan = new Scan();
  for (const message of record.written) if (!scan.take(message)) return undefined;
  return scan.end() && hasGoodTools(record) ? scan.broken() : undefined;
}

function hasGoodTools({ bytes, written, conversation }: WrittenRecord): boolean {
  const at = written.reduce((sum, message) => sum + message.bytes.length + 1, BEFORE_TOOLS - 1);
  const { tools } = conversation;
  return bytes[at] === OPEN_ARRAY && tools.length <= MAX_TOOLS && !tools.some(isRefused);
}

class Scan {
  #hasReasoning = false;
  #hasOthers = false;
  #role = '';
  /** Calls that are answered by the next messages, in order. */
  #open = NO_CALLS;
  #answered = 0;

  /** @returns whether the message is certain to break no other rule than those of members */
  take(message: Message): boolean {
    const { bytes, role } = message;
    this.#role = role;
    const isAnswer = role === 'assistant';
    let hasText = false;
    let hasCalls = false;
    for (const { key, valueStart } of keptMembersOf(bytes)) {
      if (key === 'content' && bytes[valueStart] === OPEN_ARRAY) return false;
      if (key === 'content') hasText = bytes[valueStart] === QUOTE;
      else if (key === 'tool_calls') hasCalls = true;
      else if (key === 'weight' || key === 'function_call') return false;
      else if (REASONING_MEMBERS.includes(key)) this.#hasReasoning = true;
      else if (!OPENAI_MEMBERS.has(key)) this.#hasOthers = true;
    }
    if (role === 'tool') return hasText && !hasCalls && this.#answers(bytes);
    if (this.#answered < this.#open.length) return false;
    this.#open = hasCalls ? assistantCalls(message) : NO_CALLS;
    this.#answered = 0;
    if (!hasCalls) return hasText;
    return isAnswer && this.#open.length > 0 && this.#open.every(isGood);
  }

  #answers(result: Uint8Array): boolean {
    const call = this.#open[this.#answered++];
    return call !== undefined && stringValue(result, 'tool_call_id') === call.id;
  }

  /** @returns whether the last message is an answer */
  end(): boolean {
    return this.#role === 'assistant';
  }

  broken(): readonly string[] {
    return [...(this.#hasReasoning ? [REASONING_RULE] : []), ...(this.#hasOthers ? [MEMBERS_RULE] : [])];
  }
}

const isGood = (call: ToolCall): boolean =>
  !isBadCall(call) && readArguments(call.arguments).holds === 'object';
