/** Reads tool definitions that may be JSON in a string, as formats for loaders with typed columns have them. */

import { QUOTE } from '../../json/bytes.ts';
import { type Scanner, skipBlanks } from '../../json/scanner.ts';
import { encode, parseString } from '../../json/utf8.ts';
import type { Line, Origin, Rejection, ToolDefinition } from '../../model/element.ts';
import { rejectObject } from './line-objects.ts';
import { NO_TOOLS, type ToolsReader } from './tool-definitions.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;

export interface ToolsTextReader extends ToolsReader {
  /** Whether the list in the string read last had too many elements; then it has no definitions. */
  readonly isCrowded: boolean;
}

/** @param list reads the list itself, with the same scanner */
export function createToolsTextReader(scanner: Scanner, list: ToolsReader): ToolsTextReader {
  let definitions: readonly ToolDefinition[] | undefined;
  let isCrowded = false;

  /** The definitions in a text: none if it is empty; undefined if it is not a list of objects. */
  function definitionsIn(text: string): readonly ToolDefinition[] | undefined {
    if (LONE_SURROGATE.test(text)) return undefined; // a lone surrogate has no UTF-8
    const json = encode(text);
    const start = skipBlanks(json, 0);
    if (start === json.length) return NO_TOOLS;
    const end = list.read(json, start);
    isCrowded = end < 0 && scanner.crowdAt >= 0;
    return end < 0 || skipBlanks(json, end) < json.length ? undefined : list.definitions;
  }

  return {
    read(bytes, at) {
      isCrowded = false;
      if (bytes[at] === QUOTE) {
        const end = scanner.string(bytes, at);
        if (end >= 0) definitions = definitionsIn(parseString(bytes, at, end));
        return end;
      }
      const end = list.read(bytes, at);
      definitions = list.definitions;
      return end;
    },
    get definitions() {
      return definitions;
    },
    get isCrowded() {
      return isCrowded;
    },
  };
}

/** Rejects an object whose tools, at `at`, are not valid. */
export function rejectTools(
  line: Line,
  origin: Origin,
  { isCrowded }: ToolsTextReader,
  at: number,
): Rejection {
  return isCrowded
    ? rejectObject(
        line,
        origin,
        'too-many-elements',
        'the list in the string tools has too many elements',
        at,
      )
    : rejectObject(line, origin, 'bad-tools', 'tools is not valid', at);
}
