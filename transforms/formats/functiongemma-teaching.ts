/**
 * Format `functiongemma-teaching`: three turns (developer, user, model) in the teaching layout. The last assistant
 * message must have exactly one call; any other conversation is rejected.
 */

import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, membersOf, valuesOf } from '../json/members.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message, ToolDefinition } from '../model/element.ts';
import { textOfValue } from '../model/message.ts';
import { defaultsOf, type OptionSpecs } from '../stage.ts';
import type { EncodedRecord, Format } from './format.ts';
import { callArguments, messageText, type NamedCall, namedCalls, noteMembers } from './gemma-message.ts';
import { createReport, type GemmaReport, type GemmaRule, type Note } from './gemma-rules.ts';
import { spokenAsText } from './spoken-text.ts';
import {
  lessonCall,
  lessonText,
  parameterLine,
  TEACHING_LAYOUT,
  type TeachingLayout,
  type TeachingParameter,
} from './teaching-layout.ts';
import { wrapAsJsonl } from './teaching-turn.ts';

/** The lines of `TeachingLayout` as options. */
interface TeachingOptions {
  readonly teachingSystem: string;
  readonly teachingDescription: string;
  /** One parameter per line. */
  readonly teachingParameters: string;
}

const options: OptionSpecs<TeachingOptions> = {
  teachingSystem: {
    describe: "Start the developer's turn with this sentence",
    default: TEACHING_LAYOUT.system,
  },
  teachingDescription: {
    describe: 'Describe functions that the log does not define with this text',
    default: TEACHING_LAYOUT.description,
  },
  teachingParameters: {
    describe: 'Give functions that the log does not define these parameters, one per line',
    default: TEACHING_LAYOUT.parameters.map(parameterLine).join('\n'),
  },
};
const DEFAULTS = defaultsOf(options);

const rules: readonly GemmaRule[] = [
  ...(['no-final-call', 'several-final-calls', 'no-user-turn', 'input-missing', 'nested-arguments'] as const),
  ...([
    'comment-end-in-reasoning',
    'control-token-in-content',
    'key-not-bare',
    'number-out-of-range',
  ] as const),
  ...(['call-unreadable', 'arguments-not-object', 'empty-arguments'] as const),
  ...(['content-not-text', 'non-text-part', 'parts-joined', 'member-left-out', 'messages-left-out'] as const),
];

/** Builds one record. Uses the description and parameters of the layout if the log does not define the function. */
export function teachingRecord(
  { messages: logged, tools }: Conversation,
  layout: Partial<TeachingLayout> = {},
): EncodedRecord {
  const report = createReport();
  const messages = spokenAsText(logged);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const user = messages.findLastIndex(({ role }, i) => role === 'user' && i < last);
  const whole = report.at('the conversation');
  const call = finalCall(messages[last], whole, report.at(`messages[${last}]`));
  if (user < 0) whole('no-user-turn');
  const taught = new Set([messages[user], messages[last]]);
  if (messages.some((message) => !taught.has(message))) whole('messages-left-out');

  const lesson = {
    userTurn: turnText(user, messages, report),
    reasoning: turnText(last, messages, report),
    call: call && callText(call, report.at(`messages[${last}]`)),
  };
  const defined = call && definitionOf(tools.find(({ name }) => name === call.name));
  const text = lessonText(lesson, { ...TEACHING_LAYOUT, ...layout, ...defined }, whole);
  return { bytes: encode(wrapAsJsonl(text)), written: [], findings: report.findings };
}

/** The first call of the last assistant message. Reports a finding if there are several or none. */
function finalCall(message: Message | undefined, whole: Note, note: Note): NamedCall | undefined {
  const calls = message === undefined ? [] : namedCalls(message, note);
  if (calls.length === 0) whole('no-final-call');
  if (calls.length > 1) whole('several-final-calls');
  return calls[0];
}

function turnText(at: number, messages: readonly Message[], report: GemmaReport): string {
  const message = messages[at];
  if (message === undefined) return '';
  noteMembers(message, report.at(`messages[${at}]`));
  return messageText(message, report.at(`messages[${at}]`));
}

function callText({ name, arguments: json }: NamedCall, note: Note): { name: string; text: string } {
  if (json === undefined) note('input-missing');
  return { name, text: lessonCall(name, callArguments(json, note), note) };
}

/** Description and parameters from the log's definition of the function; undefined if there is no definition. */
function definitionOf(
  tool: ToolDefinition | undefined,
): Pick<TeachingLayout, 'description' | 'parameters'> | undefined {
  if (tool === undefined) return undefined;
  const [description, parameters] = valuesOf(tool.bytes, ['description', 'parameters']);
  return {
    description: textOfValue(description) ?? '',
    parameters: parameters?.[0] === OPEN_OBJECT ? parametersOf(parameters) : [],
  };
}

function parametersOf(schema: Uint8Array): readonly TeachingParameter[] {
  const [properties, required] = valuesOf(schema, ['properties', 'required']);
  if (properties?.[0] !== OPEN_OBJECT) return [];
  const names = new Set(required?.[0] === OPEN_ARRAY ? elementsOf(required).map(textOfValue) : []);
  return membersOf(properties).map(({ key, valueStart, end }) => {
    const [type, description] = membersOrNothing(properties.subarray(valueStart, end));
    return {
      name: key,
      type: typeText(type),
      description: textOfValue(description) ?? '',
      required: names.has(key),
    };
  });
}

function membersOrNothing(schema: Uint8Array): readonly (Uint8Array | undefined)[] {
  return schema[0] === OPEN_OBJECT ? valuesOf(schema, ['type', 'description']) : [];
}

/** The type in a schema: `array`; `string|null` for a list of types; `any` if the schema has none. */
function typeText(json: Uint8Array | undefined): string {
  const types = json?.[0] === OPEN_ARRAY ? elementsOf(json).map(textOfValue) : [textOfValue(json)];
  return types.filter((type) => type !== undefined).join('|') || 'any';
}

const functiongemmaTeaching: Format<TeachingOptions> = {
  name: 'functiongemma-teaching',
  summary: 'FunctionGemma, teaching layout: {"text": ...} with three turns, the last one exactly one call.',
  rules,
  ownRules: {
    'nested-arguments': {
      meaning: 'The arguments of the call contain an object.',
    },
    'input-missing': {
      meaning: 'The call has no arguments at all, not even empty ones.',
    },
    'comment-end-in-reasoning': {
      meaning: 'The reasoning would become a comment, but contains the end of one.',
    },
  },
  otherContent: 'is written as its JSON text',
  options,
  columns: () => ({ text: 'text' }),
  metadata: () => 'object',
  endsInCall: true,
  encode(conversation, options = {}) {
    const { teachingSystem, teachingDescription, teachingParameters } = { ...DEFAULTS, ...options };
    return teachingRecord(conversation, {
      system: teachingSystem,
      description: teachingDescription,
      parameters: teachingParameters.split('\n').filter((line) => line !== ''),
    });
  },
};

export default functiongemmaTeaching;
