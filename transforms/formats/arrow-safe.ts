/**
 * `--arrow-safe`: writes the list of tools and all `arguments` as JSON strings, so that a loader with typed columns
 * (Arrow) can neither pad their objects with nulls nor change the types of their values.
 */

import { quote } from '../json/respace.ts';
import { decode } from '../json/utf8.ts';
import type { ToolDefinition } from '../model/element.ts';
import type { OptionSpec } from '../stage.ts';

export interface ArrowSafe {
  readonly arrowSafe: boolean;
}

/** Creates the option of a format. */
export function arrowSafeOption(byDefault: boolean): OptionSpec<boolean> {
  return {
    describe: 'Write tools and arguments as JSON strings, for loaders with typed columns',
    default: byDefault,
  };
}

/** The list of definitions as a JSON string. */
export function toolsInString(tools: readonly Pick<ToolDefinition, 'bytes'>[]): string {
  return quote(`[${tools.map(({ bytes }) => decode(bytes)).join(',')}]`);
}
