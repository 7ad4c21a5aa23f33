/**
 * The parts that a content may have, by the type that an API gives them. Text is only where the API has it; parts of
 * other types are kept as they are. A part that is not listed says nothing that turnmill can read.
 */
import { LETTER_T, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, membersOf, valuesOf } from '../../json/members.ts';
import { textOfValue } from '../../model/message.ts';

/** Parts whose words are in a member, by type. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['text', 'input_text', 'output_text'].map((type) => [type, 'text'] as const),
  ['refusal', 'refusal'],
  ['text_plain', 'text'],
]);

/** Members that are the kind of a part of Gemini or Converse. */
export const KINDS_OF_PARTS: readonly string[] = [
  ...['inlineData', 'inline_data', 'fileData', 'file_data', 'executableCode', 'executable_code'],
  ...['codeExecutionResult', 'code_execution_result', 'image', 'document', 'video', 'audio', 'guardContent'],
  ...['citationsContent', 'searchResult', 'toolCall', 'toolResponse'],
];

/** Parts that are kept as they are. Those without a type (Gemini, Converse) have one of these names as their member. */
const KEPT: ReadonlySet<string> = new Set([
  ...KINDS_OF_PARTS,
  // chat completions and Responses API
  ...['image_url', 'input_image', 'output_image', 'image_file', 'input_audio', 'output_audio'],
  ...['file', 'input_file', 'input_video', 'audio_url', 'video_url', 'item_reference', 'computer_screenshot'],
  ...['mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response', 'document_url', 'reference'],
  // Messages API
  ...['search_result', 'container_upload', 'tool_reference', 'server_tool_use'],
  ...['web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result', 'mcp_tool_use'],
  ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'mcp_tool_result'],
  ...['tool_search_tool_result', 'advisor_tool_result', 'fallback', 'tool_result', 'cachePoint'],
  ...['tool_addition', 'tool_removal'],
  // Converse
  ...['nova_code_interpreter_result', 'nova_grounding_result'],
  // Gemini
  ...['videoMetadata', 'functionResponse'],
  // Model Context Protocol, LangChain, OpenTelemetry, the AI SDK and others
  ...['resource', 'resource_link', 'media', 'blob', 'uri', 'source_url', 'source_document'],
  ...['server_tool_call', 'server_tool_call_response', 'server_tool_result', 'non_standard', 'citation'],
  ...['input_json_delta', 'tool_use', 'data', 'source', 'compaction', 'tool_file', 'generic', 'pdf'],
  ...['tool_search_output', 'web_search', 'tool_call', 'tool_call_response'],
  ...['image_data', 'image_file_id', 'file_url', 'file_id'],
]);

/** Calls of built-in tools in the Responses API, each an item: those of OpenAI, xAI and Azure. */
const CALLS: ReadonlySet<string> = new Set([
  ...['local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call', 'tool_search_call', 'mcp_call'],
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'],
  ...['x_search_call', 'code_execution_call', 'azure_ai_search_call', 'azure_function_call', 'openapi_call'],
  ...['bing_grounding_call', 'bing_custom_search_preview_call', 'browser_automation_preview_call'],
  ...['fabric_dataagent_preview_call', 'sharepoint_grounding_preview_call', 'a2a_preview_call'],
  ...['memory_search_call', 'memory_command_preview_call', 'foundry_agent_call'],
]);

/** Whether it is the type of a call of a built-in tool. One of any other type may hold its result too. */
export const isBuiltInCall = (type: string): boolean => CALLS.has(type);

/**
 * Calls, results and thoughts of other APIs than the Messages API. They count as unknown parts: a dialect that does not
 * convert them must not write them.
 */
export const FOREIGN_CALLS = ['tool_call', 'function_call', 'custom_tool_call'] as const;
export const FOREIGN_RESULTS = [
  'tool_call_response',
  'function_call_output',
  'custom_tool_call_output',
] as const;
export const FOREIGN_THOUGHTS = ['reasoning', 'reasoning_text', 'summary_text'] as const;

type ForeignKind = 'call' | 'result' | 'thought';
const FOREIGN: ReadonlyMap<string, ForeignKind> = new Map([
  ...FOREIGN_CALLS.map((type) => [type, 'call'] as const),
  ...FOREIGN_RESULTS.map((type) => [type, 'result'] as const),
  ...FOREIGN_THOUGHTS.map((type) => [type, 'thought'] as const),
]);

const plainType = (type: string): string => type.replaceAll('-', '_').toLowerCase();

/**
 * Whether a part is a call that ran on the server, or its result: Inspect has both in one part, with a `tool_type`, and
 * Pydantic AI marks both as `builtin`, the AI SDK as `providerExecuted`. @param part JSON text
 */
export function isOfServer(part: Uint8Array): boolean {
  const [kind, ...marks] = valuesOf(part, ['tool_type', 'builtin', 'providerExecuted']);
  return kind !== undefined || marks.some((mark) => mark?.[0] === LETTER_T);
}

/** The kind that a part of this type, as JSON text, has in another API. One that ran on the server has none. */
export function foreignKind(part: Uint8Array, type: string): ForeignKind | undefined {
  const plain = plainType(type);
  const isResult = plain === 'tool_result' && isForeignResult(part);
  const kind = isResult ? 'result' : FOREIGN.get(plain);
  return kind === undefined || kind === 'thought' || !isOfServer(part) ? kind : undefined;
}

/** Does a result name its call in other words than those of the Messages API, or than those of Azure's agents? */
function isForeignResult(part: Uint8Array): boolean {
  const [own, ofAzure, ...ids] = valuesOf(part, ['tool_use_id', 'tool_result', ...RESULT_IDS]);
  return own === undefined && ofAzure === undefined && ids.some((id) => id?.[0] === QUOTE);
}

/** The call that a result answers: the AI SDK, BeeAI, TensorZero. */
const RESULT_IDS = ['toolCallId', 'tool_call_id', 'id'];

/** Whether a part, or an element of a content, is one that an API has. @param part JSON text */
export function isKnownPart(part: Uint8Array): boolean {
  if (part[0] !== OPEN_OBJECT) return false;
  const logged = textOfValue(valuesOf(part, ['type'])[0]);
  if (logged === undefined) return membersOf(part).some(({ key }) => KEPT.has(key));
  const type = plainType(logged);
  if (type === 'thinking') return isThought(valuesOf(part, ['thinking'])[0]);
  const words = WORDS.get(type);
  if (words !== undefined) return valuesOf(part, [words])[0]?.[0] === QUOTE;
  if (type === 'tool_result' && valuesOf(part, [type])[0] !== undefined) return false; // Azure's agents
  return foreignKind(part, type) === undefined && (KEPT.has(type) || CALLS.has(type));
}

/** A text, or the list of parts that Mistral has there. */
const isThought = (thinking: Uint8Array | undefined): boolean =>
  thinking?.[0] === QUOTE || (thinking?.[0] === OPEN_ARRAY && elementsOf(thinking).every(isKnownPart));
