/** For tests of formats with structured calls: records, their findings, and calls in every encoding. */
import fc from 'fast-check';
import type { Format } from '../../../transforms/formats/format.ts';
import type { Conversation, Message, ToolDefinition } from '../../../transforms/model/element.ts';
import { objectText } from '../arbitraries.ts';
import { text } from '../bytes.ts';
import { conversationOf } from '../checks/samples.ts';

/** A conversation from the JSON text of its messages and tools. */
export function conversation(messages: readonly string[], tools: readonly string[] = []): Conversation {
  return conversationOf(messages.map(message), { tools: tools.map(tool) });
}

const message = (json: string): Message => ({ role: JSON.parse(json).role, bytes: Buffer.from(json) });
const tool = (json: string): ToolDefinition => ({ name: JSON.parse(json).name, bytes: Buffer.from(json) });

/** JSON text of a call with this JSON text as its arguments, or without arguments for undefined. */
export function callJson(args: string | undefined, name = 'f', id = 'a'): string {
  const rest = args === undefined ? '' : `,"arguments":${args}`;
  return `{"id":"${id}","type":"function","function":{"name":"${name}"${rest}}}`;
}

export function callingJson(...calls: readonly string[]): string {
  return `{"role":"assistant","tool_calls":[${calls.join(',')}]}`;
}

export function recordOf(format: Format, messages: readonly string[], tools: readonly string[] = []): string {
  return text(format.encode(conversation(messages, tools)).bytes);
}

/** Findings as `SEVERITY rule`, with `!` if they reject. */
export function findingsOf(
  format: Format,
  messages: readonly string[],
  tools: readonly string[] = [],
): readonly string[] {
  return format
    .encode(conversation(messages, tools))
    .findings.map(({ severity, rule, rejects }) => `${severity} ${rule}${rejects === true ? '!' : ''}`);
}

/** Arguments of the only call in the record. */
export function argumentsIn(format: Format, args: string | undefined): string | undefined {
  const record = recordOf(format, [callingJson(callJson(args))]);
  return /"name":"f","arguments":(.*)\}\}\]\}\],"tools":/s.exec(record)?.[1];
}

/** JSON text of an object, and the same as the arguments of a call: as a string, or as an object on one line. */
export const encodedArguments: fc.Arbitrary<readonly [source: string, args: string]> = fc
  .tuple(objectText, fc.boolean(), fc.constantFrom('', ' ', '\n'))
  .map(([source, isString, blank]) => [
    source,
    isString ? JSON.stringify(`${blank}${source}${blank}`) : source.replace(/[\r\n]/g, ' '),
  ]);
