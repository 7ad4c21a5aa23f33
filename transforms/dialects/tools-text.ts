/** Reads `tools` that may also be a JSON string that holds the list, as formats for columnar loaders have it. */
import type { ToolDefinition } from '../element.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import { encode, parseString } from '../json/utf8.ts';
import { NO_TOOLS, type ToolsReader } from './tool-definitions.ts';

const QUOTE = 0x22;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @param list reads the list itself */
export function createToolsTextReader(scanner: Scanner, list: ToolsReader): ToolsReader {
  let definitions: readonly ToolDefinition[] | undefined;

  /** The definitions in the text: none in an empty one; undefined when it is no list of objects. */
  function definitionsIn(text: string): readonly ToolDefinition[] | undefined {
    if (LONE_SURROGATE.test(text)) return undefined; // it has no UTF-8
    const json = encode(text);
    const start = skipBlanks(json, 0);
    if (start === json.length) return NO_TOOLS;
    const end = list.read(json, start);
    return end < 0 || skipBlanks(json, end) < json.length ? undefined : list.definitions;
  }

  return {
    read(bytes, at) {
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
  };
}
