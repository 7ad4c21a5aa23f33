/** Conversations for the tests of the FunctionGemma formats, and the texts and rules of their records. */

import type { EncodedRecord } from '../../../transforms/formats/format.ts';
import functiongemma from '../../../transforms/formats/functiongemma.ts';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { conversationOf, rawMessage, toolOf } from '../checks/samples.ts';

export const without = (messages: readonly Message[], more: Partial<Conversation> = {}): Conversation =>
  conversationOf(messages, { tools: [], ...more });

/** `text` of a record. */
export function textIn({ bytes }: EncodedRecord): string {
  const record = JSON.parse(text(bytes));
  if (Object.keys(record).join() !== 'text') throw new Error('expected the single key text');
  return record.text;
}

/** Findings as `SEVERITY rule`, with `!` if they reject. */
export const rulesOf = ({ findings }: EncodedRecord): string[] =>
  findings.map(({ severity, rule, rejects }) => `${severity} ${rule}${rejects === true ? '!' : ''}`);

/** An assistant message with one call with this JSON text as its arguments. */
export const callingWith = (args: string, name = 'f', more = ''): Message =>
  rawMessage(
    'assistant',
    `{"role":"assistant"${more},"tool_calls":[{"id":"1","type":"function","function":{"name":${JSON.stringify(name)},"arguments":${args}}}]}`,
  );

export const toolFrom = (name: string, description: unknown, parameters: unknown) =>
  toolOf({ name, description, parameters }, name);

/** The record of messages without tools. */
export const plain = (...messages: readonly Message[]) => functiongemma.encode(without(messages));
export const written = (...messages: readonly Message[]) => textIn(plain(...messages));
export const found = (...messages: readonly Message[]) => rulesOf(plain(...messages));
/** Written arguments: the text between `call:NAME` and the end of the call. */
export const args = (json: string) =>
  /<start_function_call>call:f(.*)<end_function_call>/s.exec(written(callingWith(json)))?.[1];

/** All control tokens, and texts that only look like one. */
export const CONTROL_TOKENS = [
  '<escape>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<start_function_declaration>',
  '<end_function_declaration>',
  '<start_function_call>',
  '<end_function_call>',
  '<start_function_response>',
  '<end_function_response>',
  '<bos>',
  '<eos>',
  '<pad>',
  '<unk>',
  '<start_of_image>',
  '<end_of_image>',
];
export const NO_TOKENS = [
  'escape',
  '<escape',
  '</escape>',
  '< escape>',
  '<ESCAPE>',
  '<start_of_turn',
  '<start_function>',
  '<end_of_turns>',
  '<boss>',
];

/** Teaching layout of the acceptance cases: user turn `Context here`, reasoning `Selecting symbols...`. */
export const TEACHING_GOLDEN = `<start_of_turn>developer
You are a semantic code analysis assistant.
You have access to the following functions:

<start_function_declaration>select_symbols
Select relevant symbols from candidates.
Parameters:
  selected (array): Array of selected symbols. (required)
<end_function_declaration>

<end_of_turn>
<start_of_turn>user
Context here
<end_of_turn>
<start_of_turn>model
/* Selecting symbols... */
<start_function_call>
call:select_symbols{selected:<escape>Foo,Bar<escape>}
<end_function_call>
<end_of_turn>
`;
