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

/** Converts a tool of the client. Tools of the server (`web_search` ...) have no schema and stay as they are. */
export function defineTool(definition: Uint8Array): ToolDefinition {
  const whole = oneLine(copyOf(definition));
  const name = stringValue(whole, 'name') || undefined;
  const members = membersOf(whole);
  const isCustom = stringValue(whole, 'type') === CUSTOM;
  const hasParameters = members.some(({ key }) => key === 'parameters');
  const kept = members.flatMap(({ key, valueStart, end }): Piece[] => {
    if (key === CACHE_MARK || (key === 'type' && isCustom)) return [];
    const said = key === 'input_schema' && !hasParameters ? 'parameters' : key;
    return [[said, whole.subarray(valueStart, end)]];
  });
  return { bytes: objectOf(kept), name };
}
