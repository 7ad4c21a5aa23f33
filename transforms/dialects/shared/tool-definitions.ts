/**
 * Reads arrays of tool definitions. Logs repeat them on every line, so the last distinct arrays are remembered, and an
 * array that repeats one is compared instead of scanned.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { copyOf, createKeeper } from '../../json/keep.ts';
import { equalsAt } from '../../json/known-list.ts';
import { isKey, membersOf, textAt, valuesOf, walkElements, walkMembers } from '../../json/members.ts';
import { oneLine } from '../../json/one-line.ts';
import { quote } from '../../json/respace.ts';
import type { ValueScanner } from '../../json/scanner.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import { encode } from '../../json/utf8.ts';
import type { ToolDefinition } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { type CalledFunction, readFunction } from '../../model/tool-call.ts';
import { CACHE_MARK } from './anthropic-blocks.ts';
import { objectOf, type Piece } from './build-messages.ts';
import { firstOf } from './logged-values.ts';

export interface ToolsReader {
  /** Reads the value at `at`. Returns the index after it, or -1 with the error's position in the scanner. */
  read(bytes: Uint8Array, at: number): number;
  /**
   * The definitions read last; undefined if the value is not an array of objects. The same bytes give the same array
   * object.
   */
  readonly definitions: readonly ToolDefinition[] | undefined;
}

interface KnownTools {
  readonly bytes: Uint8Array;
  readonly definitions: readonly ToolDefinition[] | undefined;
}

/** Type of a definition that holds other definitions; also the member that names the namespace of a single tool. */
const NAMESPACE = 'namespace';
const KNOWN_ARRAYS = 16;
/** Larger arrays are scanned each time: remembering them would take more memory than a line. */
const KNOWN_MAX_BYTES = 1024 * 1024;
const KNOWN_MAX_DEFINITIONS = 2000;
export const NO_TOOLS: readonly ToolDefinition[] = [];

/** @param define converts a definition, the JSON text of an object, to the form of a record */
export function createToolsReader(
  scanner: ValueScanner,
  depth: number,
  define: (definition: Uint8Array) => ToolDefinition = flatten,
): ToolsReader {
  const known: KnownTools[] = []; // most recently used first
  let definitions: readonly ToolDefinition[] | undefined;

  function recognise(bytes: Uint8Array, at: number): number {
    const index = known.findIndex((tools) => equalsAt(bytes, at, tools.bytes));
    if (index < 0) return -1;
    const tools = known[index] as KnownTools;
    if (index > 0) known.unshift(...known.splice(index, 1));
    definitions = tools.definitions;
    return at + tools.bytes.length;
  }

  return {
    read(bytes, at) {
      if (bytes[at] === OPEN_ARRAY) {
        const end = recognise(bytes, at);
        if (end >= 0) return end;
      }
      const end = scanner.value(bytes, at, depth);
      if (end < 0) return -1;
      definitions = definitionsOf(bytes.subarray(at, end), define);
      const isFew = (definitions?.length ?? 0) <= KNOWN_MAX_DEFINITIONS;
      if (bytes[at] === OPEN_ARRAY && isFew && end - at <= KNOWN_MAX_BYTES) {
        known.unshift({ bytes: copyOf(bytes, at, end), definitions });
        if (known.length > KNOWN_ARRAYS) known.pop();
      }
      return end;
    },
    get definitions() {
      return definitions;
    },
  };
}

/** The definitions of a valid JSON value: none for null; undefined if it is not an array of objects. */
export function definitionsOf(
  json: Uint8Array,
  define: (definition: Uint8Array) => ToolDefinition,
): readonly ToolDefinition[] | undefined {
  if (json[0] === LETTER_N) return NO_TOOLS;
  if (json[0] !== OPEN_ARRAY) return undefined;
  const definitions: ToolDefinition[] = [];
  let areObjects = true;
  walkElements(json, 0, trustingScanner, (_number, start) => {
    const end = trustingScanner.value(json, start, 1);
    areObjects &&= json[start] === OPEN_OBJECT;
    if (areObjects) definitions.push(...definedBy(json.subarray(start, end), define));
    return end;
  });
  return areObjects ? definitions : undefined;
}

/**
 * The tools of a definition: one, all that are declared together for Gemini or in `toolSpec` for Converse, or all of a
 * namespace, whose names are prefixed with the namespace.
 */
export function definedBy(
  definition: Uint8Array,
  define: (definition: Uint8Array) => ToolDefinition,
): readonly ToolDefinition[] {
  const whole = define(definition);
  if (whole.name === undefined) return declaredIn(new JsonView(definition), define) ?? [whole];
  if (stringValue(whole.bytes, 'type') !== NAMESPACE) {
    const space = stringValue(whole.bytes, NAMESPACE);
    return [space ? inNamespace(space, whole) : whole];
  }
  const members = membersOf(whole.bytes);
  const inner = members.findLast(({ key }) => key === 'tools');
  const list = inner && definitionsOf(whole.bytes.subarray(inner.valueStart, inner.end), define);
  return list === undefined ? [whole] : list.map((tool) => inNamespace(whole.name as string, tool));
}

/** Members of a definition that hold others: a list of them for Gemini, one for Converse. */
export const DECLARED = ['functionDeclarations', 'function_declarations', 'toolSpec'] as const;

function declaredIn(
  definition: JsonView,
  define: (definition: Uint8Array) => ToolDefinition,
): readonly ToolDefinition[] | undefined {
  if (definition.get('cachePoint') !== undefined) return [];
  const declared = firstOf(definition, ...DECLARED);
  const tools = declared?.type === 'object' ? [declared] : declared?.elements();
  return tools?.every(({ type }) => type === 'object') === true
    ? tools.map((tool) => define(tool.copy()))
    : undefined;
}

function inNamespace(space: string, tool: ToolDefinition): ToolDefinition {
  if (tool.name === undefined) return tool;
  const name = nameInSpace(space, tool.name);
  const members = membersOf(tool.bytes).map(
    ({ key, valueStart, end }): Piece => [
      key,
      key === 'name' ? encode(quote(name)) : tool.bytes.subarray(valueStart, end),
    ],
  );
  return { bytes: objectOf(members), name };
}

/**
 * The name of a tool with its namespace, as Codex writes it: `mcp__files__read`. A tool of no namespace that a search found
 * has its own name as one.
 */
export function nameInSpace(space: string | undefined, name: string): string {
  if (!space || space === name) return name;
  let end = space.length;
  while (space[end - 1] === '_') end--; // `/_+$/` takes quadratic time
  return `${space.slice(0, end)}__${name.replace(/^_+/, '')}`;
}

/** The definitions, with others that replace those of the same name. */
export function withTools(
  tools: readonly ToolDefinition[],
  others: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  if (others.length === 0) return tools;
  const names = new Set(others.map(({ name }) => name));
  return [...tools.filter(({ name }) => name === undefined || !names.has(name)), ...others];
}

const keep = createKeeper();
const keptCopy = (bytes: Uint8Array): Uint8Array => keep(bytes, 0, bytes.length);

/** The definition under `function` if there is one, else the whole object. */
export function flatten(definition: Uint8Array): ToolDefinition {
  let inner: CalledFunction | undefined;
  let outerName: string | undefined;
  walkMembers(definition, 0, trustingScanner, (start, keyEnd, value) => {
    if (isKey(definition, start, keyEnd, 'function')) {
      inner = readFunction(definition, value);
      return inner.end;
    }
    const end = trustingScanner.value(definition, value, 1);
    if (isKey(definition, start, keyEnd, 'name')) outerName = textAt(definition, value, end);
    return end;
  });
  const name = inner?.name || outerName || undefined;
  return { bytes: oneLine(keptCopy(inner?.bytes ?? definition)), name };
}

const CUSTOM = 'custom';
/** Names of the schema: of the Messages API, of the AI SDK and of tool servers, of Gemini and of Pydantic AI. */
export const SCHEMAS: ReadonlySet<string> = new Set([
  ...['input_schema', 'inputSchema', 'parametersJsonSchema', 'parameters_json_schema'],
]);
const CONVERTED: ReadonlySet<string> = new Set([...SCHEMAS, 'type', CACHE_MARK]);

/** As `flatten`; a definition in the words of another API is converted as `defineTool` does. */
export function flattenAny(definition: Uint8Array): ToolDefinition {
  const tool = flatten(definition);
  const isOther = membersOf(tool.bytes).some(
    ({ key, valueStart, end }) =>
      CONVERTED.has(key) ||
      (key === 'parameters' && schemaIn(tool.bytes.subarray(valueStart, end)) !== undefined),
  );
  return isOther ? { ...defineTool(tool.bytes, 'function'), name: tool.name } : tool;
}

/**
 * Converts a definition of the Messages API: `input_schema` becomes `parameters`, and cache marks and the type `custom` are
 * dropped. Tools of the server, such as `web_search`, and OpenAI's tools with any text as input (`custom`) have no schema
 * and stay as they are.
 * @param plain a type that is dropped too, because all tools of its API have it
 */
export function defineTool(definition: Uint8Array, plain?: 'function'): ToolDefinition {
  const whole = oneLine(copyOf(definition));
  const name = stringValue(whole, 'name') || undefined;
  const members = membersOf(whole);
  const type = stringValue(whole, 'type');
  const hasParameters = members.some(({ key }) => key === 'parameters');
  const hasSchema = hasParameters || members.some(({ key }) => SCHEMAS.has(key));
  const isOfClient = (type === CUSTOM && hasSchema) || (type !== undefined && type === plain);
  const kept = members.flatMap(({ key, valueStart, end }): Piece[] => {
    if (key === CACHE_MARK || (key === 'type' && isOfClient)) return [];
    const name = SCHEMAS.has(key) && !hasParameters ? 'parameters' : key;
    const value = whole.subarray(valueStart, end);
    return [[name, (name === 'parameters' ? schemaIn(value) : undefined) ?? value]];
  });
  return { bytes: objectOf(kept), name };
}

/** The schema inside an object that Converse or the AI SDK wraps it in; undefined for any other value. */
function schemaIn(value: Uint8Array): Uint8Array | undefined {
  if (value[0] !== OPEN_OBJECT) return undefined;
  const [type, ...schemas] = valuesOf(value, ['type', 'json', 'jsonSchema']);
  return type === undefined ? schemas.find((schema) => schema?.[0] === OPEN_OBJECT) : undefined;
}
