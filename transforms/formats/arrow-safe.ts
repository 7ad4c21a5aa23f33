/**
 * `--arrow-safe`: the list of tools and every `arguments` are JSON strings, so that a loader with columns (Arrow) cannot pad their
 * objects with nulls or give their values another type.
 */

import { quote } from '../json/respace.ts';
import { decode } from '../json/utf8.ts';
import type { ToolDefinition } from '../model/element.ts';
import type { OptionSpec } from '../stage.ts';

export interface ArrowSafe {
  readonly arrowSafe: boolean;
}

/** The option, for a format where it is on or off by default. */
export function arrowSafeOption(held: boolean): OptionSpec<boolean> {
  return {
    describe: 'Write tools and arguments as JSON strings, for loaders with typed columns',
    default: held,
  };
}

/** The JSON string that holds the list of these definitions. */
export function toolsInString(tools: readonly Pick<ToolDefinition, 'bytes'>[]): string {
  return quote(`[${tools.map(({ bytes }) => decode(bytes)).join(',')}]`);
}
