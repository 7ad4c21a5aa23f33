/**
 * Converts a tool definition of the Messages API to a function: `input_schema` becomes `parameters`; cache marks are
 * dropped.
 */

import { copyOf } from '../json/keep.ts';
import { membersOf } from '../json/members.ts';
import { oneLine } from '../json/one-line.ts';
import type { ToolDefinition } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { CACHE_MARK } from './anthropic-blocks.ts';
import { objectOf, type Piece } from './made-messages.ts';

const CUSTOM = 'custom';
/** Names of the schema: of the Messages API, of the AI SDK and of tool servers. */
const SCHEMAS: ReadonlySet<string> = new Set(['input_schema', 'inputSchema']);

/** Converts a tool of the client. Tools of the server (`web_search` ...) have no schema and stay as they are. */
export function defineTool(definition: Uint8Array): ToolDefinition {
  const whole = oneLine(copyOf(definition));
  const name = stringValue(whole, 'name') || undefined;
  const members = membersOf(whole);
  const isCustom = stringValue(whole, 'type') === CUSTOM;
  const hasParameters = members.some(({ key }) => key === 'parameters');
  const kept = members.flatMap(({ key, valueStart, end }): Piece[] => {
    if (key === CACHE_MARK || (key === 'type' && isCustom)) return [];
    const said = SCHEMAS.has(key) && !hasParameters ? 'parameters' : key;
    return [[said, whole.subarray(valueStart, end)]];
  });
  return { bytes: objectOf(kept), name };
}
