/**
 * Finds results of the calls of an answer in the input of the span that made these calls, where GitHub Copilot CLI writes
 * them: its span of a model call lasts until the tools have run, and that of a whole agent has all of its answers.
 */
import { JsonView } from '../../json/json-view.ts';
import { replaceValue } from '../../json/splice.ts';
import { arrayOf, type Piece, typedObject } from '../shared/build-messages.ts';

/** The lists of a call in the order of the conversation. */
export interface OrderedLists {
  readonly sent: JsonView;
  /** Each answer, and the messages after it. */
  readonly turns: readonly Turn[];
}

interface Turn {
  readonly answer: JsonView;
  readonly after: readonly JsonView[];
}

const CALL = /tool_call$/;
const RESULT = /tool_call_response$/;

/** @returns undefined if the input has no result of a call that only the output has, as in most spans */
export function withLateResults(
  input: JsonView | undefined,
  output: JsonView | undefined,
): OrderedLists | undefined {
  const sent = input?.elements() ?? [];
  const last = sent.findLast((message) => isOfModel(message) || idsIn(message, RESULT).length > 0);
  const results = last === undefined ? [] : idsIn(last, RESULT);
  const answers = results.length === 0 ? [] : (output?.elements() ?? []);
  const own = new Set(answers.flatMap((answer) => idsIn(answer, CALL)));
  if (!results.some((id) => own.has(id))) return undefined;
  // ids that a client gives again in each answer
  for (const message of sent) for (const id of idsIn(message, CALL)) own.delete(id);
  const first = sent.findIndex((message) => idsIn(message, RESULT).some((id) => own.has(id)));
  if (first < 0 || sent.slice(first).some(isOfModel)) return undefined;
  const late = sent.slice(first);
  const answered = new Set(late.flatMap((message) => idsIn(message, RESULT)).filter((id) => own.has(id)));
  const [usual, after] = [answers, late].map((list) => list.map((one) => usualMessage(one, answered)));
  return { sent: listOf(sent.slice(0, first)), turns: turnsOf(usual ?? [], after ?? []) };
}

/** Divides answers where one without a call follows one with a call. */
function turnsOf(answers: readonly JsonView[], after: readonly JsonView[]): readonly Turn[] {
  const turns: Turn[] = [];
  const ids = new Set<string>();
  let answer: JsonView[] = [];
  let waiting = after;
  let hasCalls = false;
  for (const one of answers) {
    const calls = idsIn(one, CALL);
    if (hasCalls && calls.length === 0) {
      const due = waiting.filter((message) => idsIn(message, RESULT).some((id) => ids.has(id)));
      waiting = waiting.filter((message) => !due.includes(message));
      turns.push({ answer: listOf(answer), after: due });
      answer = [];
    }
    hasCalls = calls.length > 0;
    for (const id of calls) ids.add(id);
    answer.push(one);
  }
  return [...turns, { answer: listOf(answer), after: waiting }];
}

const isOfModel = (message: JsonView): boolean => message.textOf('role') === 'assistant';

/**
 * A part with a call of a tool of a server, or its result, as the usual one: the client ran the tool (over MCP), because the
 * result is in the input. Undefined for any other part.
 */
function usualPart(part: JsonView): Uint8Array | undefined {
  const type = part.textOf('type') ?? '';
  const body = SERVERS.has(type) ? part.get(type) : undefined;
  if (body === undefined) return undefined;
  const named = ['id', 'name'].flatMap((key): Piece[] => {
    const value = part.get(key);
    return value === undefined ? [] : [[key, value.bytes]];
  });
  const [key, none] = type === SERVERS_CALL ? ['arguments', '{}'] : ['response', '""'];
  return typedObject(type.slice('server_'.length), ...named, [key, body.get(key)?.bytes ?? none]);
}

const SERVERS_CALL = 'server_tool_call';
const SERVERS: ReadonlySet<string> = new Set([SERVERS_CALL, 'server_tool_call_response']);

/** The message; with calls and results of these ids as the usual ones. */
function usualMessage(message: JsonView, own: ReadonlySet<string>): JsonView {
  const parts = message.get('parts')?.elements() ?? [];
  const usual = parts.map((part) => (own.has(part.textOf('id') ?? '') ? usualPart(part) : undefined));
  if (usual.every((part) => part === undefined)) return message;
  const list = arrayOf(parts.map((part, at) => usual[at] ?? part.bytes));
  return new JsonView(replaceValue(message.bytes, 'parts', list) as Uint8Array);
}

/** The ids of the parts whose type ends like this. */
const idsIn = (message: JsonView, type: RegExp): readonly string[] =>
  (message.get('parts')?.elements() ?? []).flatMap((part) =>
    type.test(part.textOf('type') ?? '') ? (part.textOf('id') ?? []) : [],
  );

const listOf = (messages: readonly JsonView[]): JsonView =>
  new JsonView(arrayOf(messages.map(({ bytes }) => bytes)));
