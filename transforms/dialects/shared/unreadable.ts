/**
 * Why a message that a dialect read may not be written: the log does not say who speaks, or what was said. A content is
 * a text or a list of parts; a text under another name, an object, and a part of an unknown type are not guessed.
 */
import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { elementsOf, keptMembersOf, membersOf, valueAt, valuesOf } from '../../json/members.ts';
import { perObject } from '../../json/notes.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import type { Message } from '../../model/element.ts';
import {
  differentSpeakers,
  isOtherSpeaker,
  isRole,
  SPEAKER_MEMBERS,
  unknownSpeaker,
} from '../../model/known-roles.ts';
import {
  isReasoningMember,
  legacyCallOf,
  objectBytes,
  textOfValue,
  walkToolCalls,
} from '../../model/message.ts';
import { isReasoning } from '../../model/reasoning-names.ts';
import type { LineReason } from '../../model/reasons.ts';
import { sayingOf } from '../../model/reply.ts';
import type { ToolCall } from '../../model/tool-call.ts';
import { carriesAside } from './carried-content.ts';
import { isKnownPart } from './known-parts.ts';
import { isPrintedBlocks } from './printed-value.ts';

export interface Unreadable {
  readonly reason: LineReason;
  /** Names positions and members, never content. */
  readonly detail: string;
}

/** Members of a message without content that say nothing. */
export const ASIDE: ReadonlySet<string> = new Set([
  ...['role', 'name', 'id', 'type', 'index', 'object', 'created', 'created_at', 'timestamp', 'model'],
  ...['finish_reason', 'stop_reason', 'stop_sequence', 'usage', 'status', 'phase', 'annotations', 'weight'],
  ...['tool_call_id', 'tool_name', 'toolCallId', 'toolName', 'call_id', 'provider_specific_fields'],
  ...['metadata', 'logprobs', 'sender', 'recipient'],
]);

const NO_CONTENT = ' has no content under a name that is read';

/** The fault of a message's content; undefined if it may be written. */
function contentFault(message: Message): string | undefined {
  const { bytes, role, notes } = message;
  const note = notes?.find(({ rule }) => rule === 'unknown-content');
  if (note !== undefined) return `: ${note.message}`;
  const at = valueAt(bytes, 'content');
  if (at < 0) return (role === 'assistant' || role === '') && isSilent(message) ? undefined : NO_CONTENT;
  const first = bytes[at];
  if (first === LETTER_N) return undefined;
  if (first === QUOTE) {
    const isPrinted = role === 'assistant' && isPrintedBlocks(bytes, at);
    return isPrinted ? ' has a content that a program printed' : undefined;
  }
  if (first !== OPEN_ARRAY) return ' has a content that is neither a text nor a list of parts';
  const list = bytes.subarray(at, trustingScanner.value(bytes, at, 1));
  const bad = elementsOf(list).findIndex((part) => !isKnownPart(part) || isResultOfModel(part, role));
  return bad < 0 ? undefined : `: content[${bad}] is not a part of a known type (${role})`;
}

/** Is a part the result of a tool, in a message of the model? Those of tools that the server runs have other types. */
export const isResultOfModel = (part: Uint8Array, role: string): boolean =>
  (role === 'assistant' || role === '') &&
  part[0] === OPEN_OBJECT &&
  textOfValue(valuesOf(part, ['type'])[0]) === 'tool_result';

/** Whether a message without content has nothing else that could be one. */
function isSilent(message: Message): boolean {
  if (sayingOf(message) !== 'nothing') return true;
  const { bytes } = message;
  return membersOf(bytes).every(({ key, valueStart, end }) => {
    const first = bytes[valueStart];
    const isValue = first === QUOTE || first === OPEN_ARRAY || first === OPEN_OBJECT;
    return ASIDE.has(key) || !isValue || end - valueStart <= 2;
  });
}

/** Whether a logged message, of which a dialect read nothing, may say something under a name that is not read. */
export function maySay(logged: JsonView): boolean {
  if (logged.get('content') !== undefined) return carriesAside(logged);
  return !isSilent({ bytes: logged.bytes, role: logged.textOf('role') ?? '' });
}

/**
 * The fault of a message that a dialect copies: it may have any role and any content, but not none. Blocks that
 * the dialect converts are not copies.
 */
const copyFault: (message: Message) => string | undefined = perObject((message: Message) => {
  if (message.notes?.some(({ rule }) => rule === 'block-kept') === true) return contentFault(message);
  return valueAt(message.bytes, 'content') < 0 && !isSilent(message) ? NO_CONTENT : undefined;
});

const SPEAKER = 'speaker';
const OTHER_SPEAKER = 'other speaker';

/** The fault of a message that a dialect built: of its role, its content, its reasoning or its calls. */
const builtFault: (message: Message) => string | undefined = perObject((message: Message) => {
  if (message.role !== '' && !isRole(message.role)) return SPEAKER;
  const isOfModel = message.role === 'assistant' || message.role === '';
  const fault = contentFault(message);
  if (isOfModel) return fault ?? membersFault(message) ?? callsFault(message);
  return fault ?? (message.role === 'user' ? membersFault(message) : undefined);
});

const NAMING: ReadonlySet<string> = new Set(SPEAKER_MEMBERS);

/**
 * The fault of a member that names another speaker than the role, or of reasoning that is neither a text nor a list of
 * known parts; undefined if there is none.
 */
function membersFault({ bytes, role }: Message): string | undefined {
  for (const { key, valueStart, end } of keptMembersOf(bytes)) {
    const first = bytes[valueStart];
    const name =
      first === QUOTE && NAMING.has(key) ? textOfValue(bytes.subarray(valueStart, end)) : undefined;
    if (isOtherSpeaker(role || 'assistant', name)) return OTHER_SPEAKER;
    if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) continue;
    if (isReasoningMember(key) && !isReasoning(bytes.subarray(valueStart, end)))
      return `: ${key} is not reasoning of a known form`;
  }
  return undefined;
}

/** The fault of a call that lacks its name or its arguments; undefined if there is none. */
function callsFault(message: Message): string | undefined {
  let fault: string | undefined;
  let number = 0;
  const problem = walkToolCalls(message, (call) => {
    fault = faultOfCall(call, `tool_calls[${number++}]`);
    return fault === undefined;
  });
  if (problem === 'not-a-list') return ': tool_calls is not a list';
  const legacy = problem === 'absent' ? legacyCallOf(message) : undefined;
  return fault ?? (legacy && faultOfCall(legacy, 'function_call'));
}

function faultOfCall(call: ToolCall, where: string): string | undefined {
  const { name, arguments: args } = call.function === undefined ? customCall(call) : call;
  if (name === undefined) return `: ${where} has no name`;
  return args === undefined ? `: ${where} has no arguments` : undefined;
}

/** A call whose input is a text. */
function customCall({ bytes }: ToolCall): Pick<ToolCall, 'name' | 'arguments'> {
  const custom = objectBytes(bytes, 'custom');
  const [name, input] = custom === undefined ? [] : valuesOf(custom, ['name', 'input']);
  return { name: textOfValue(name), arguments: input };
}

/** Why a message may not be written; undefined if it may. @param where names the message */
export function faultOf(message: Message, where: string): Unreadable | undefined {
  const fault = builtFault(message);
  if (fault === SPEAKER) return { reason: 'unknown-speaker', detail: unknownSpeaker(where) };
  if (fault === OTHER_SPEAKER) return { reason: 'unknown-speaker', detail: differentSpeakers(where) };
  return fault === undefined ? undefined : { reason: 'unknown-content', detail: `${where}${fault}` };
}

/** Why a part may not be added to an answer; undefined if it may. @param part JSON text */
export const faultOfPart = (part: Uint8Array): Unreadable | undefined =>
  isKnownPart(part) && !isResultOfModel(part, 'assistant') ? undefined : UNKNOWN_PART;

/** Why a call may not be added to an answer. */
export const lackOfCall = (lacks: 'name' | 'arguments'): Unreadable => ({
  reason: 'unknown-content',
  detail: lacks === 'name' ? 'a call has no name' : 'a call has no arguments',
});

const UNKNOWN_PART: Unreadable = {
  reason: 'unknown-content',
  detail: 'a part of the answer is not of a known type',
};

/**
 * The first message that may not be written, and why; undefined if all may.
 * @param areCopies whether the dialect copies messages; their roles and contents are reported later
 */
export function faultIn(
  messages: readonly Message[],
  reply: Message | undefined,
  areCopies = false,
): Unreadable | undefined {
  const fault = areCopies ? copyFault : builtFault;
  const at = messages.findIndex((message) => fault(message) !== undefined);
  const bad = at < 0 ? reply : messages[at];
  if (bad === undefined || fault(bad) === undefined) return undefined;
  const where = at < 0 ? 'the answer' : `messages[${at}]`;
  return areCopies ? { reason: 'unknown-content', detail: `${where}${copyFault(bad)}` } : faultOf(bad, where);
}
