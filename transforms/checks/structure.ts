/** Checks that a conversation has messages and usable tool definitions. */

import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import type { Conversation, ToolDefinition } from '../model/element.ts';
import { objectBytes, stringValue } from '../model/message.ts';
import type { ConversationCheck, Found } from './check.ts';
import { shownName } from './shown-name.ts';

/** Says why a definition's `parameters` are not valid; undefined if they are. The definition must be an object. */
function parametersFault(definition: Uint8Array): string | undefined {
  const parameters = objectBytes(definition, 'parameters');
  if (parameters === undefined) return 'parameters is not an object';
  if (stringValue(parameters, 'type') !== 'object') return 'parameters.type is not "object"';
  if (objectBytes(parameters, 'properties') === undefined) return 'parameters.properties is not an object';
  const required = valueBytes(parameters, 'required');
  if (required !== undefined && required[0] !== OPEN_ARRAY) return 'parameters.required is not a list';
  return undefined;
}

/** Sessions share definitions, so each one is checked once. */
const knownFaultOf = perObject(({ bytes }: ToolDefinition) => parametersFault(bytes));
/** Results for longer lists are not cached: each takes more memory than a small definition. */
const MANY_TOOLS = 2000;

function checkTool(definition: ToolDefinition, index: number, isCached: boolean): Found | undefined {
  if (definition.bytes[0] !== OPEN_OBJECT)
    return { rule: 'tool-not-object', severity: 'ERROR', message: `tools[${index}] is not an object` };
  const fault = isCached ? knownFaultOf(definition) : parametersFault(definition.bytes);
  if (fault === undefined) return undefined;
  return {
    rule: 'tool-parameters',
    severity: 'ERROR',
    message: `tools[${index}] ${shownName(definition.name)}: ${fault}`,
  };
}

function* check({ messages, tools, lacks }: Conversation): Generator<Found> {
  if (messages.length === 0)
    yield { rule: 'empty-messages', severity: 'ERROR', message: 'the conversation has no messages' };
  if (tools.length === 0 && lacks?.includes('tools') !== true)
    yield { rule: 'no-tools', severity: 'WARNING', message: 'the conversation has no tool definitions' };
  for (let i = 0; i < tools.length; i++) {
    const found = checkTool(tools[i] as ToolDefinition, i, tools.length <= MANY_TOOLS);
    if (found !== undefined) yield found;
  }
}

const structure: ConversationCheck = {
  name: 'structure',
  summary: 'Conversations without messages or tools, and tool definitions that are malformed.',
  rules: ['empty-messages', 'no-tools', 'tool-not-object', 'tool-parameters'],
  on: 'conversation',
  check,
};

export default structure;
