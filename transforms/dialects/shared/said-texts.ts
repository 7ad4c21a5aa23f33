/** Tells whether a second place of a log says what the first one, which is read, does not. */

import type { JsonView } from '../../json/json-view.ts';
import { parseJson } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { words } from '../../model/words.ts';
import { unpacked } from './logged-values.ts';
import { holdsWords, says } from './unread-text.ts';

const BLANK = /\s+/g;
const plain = (text: string): string => text.replaceAll(BLANK, '');

/** All texts in a value, without white space. */
export function saidIn(value: unknown): string {
  if (typeof value === 'string') return plain(value);
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(saidIn).join('\n');
}

/** All texts of messages, without white space. */
export const saidBy = (messages: readonly Message[]): string =>
  messages.map(({ bytes }) => saidIn(parseJson(bytes))).join('\n');

/** Has it a line that is not among these? Both are without white space, as `saidIn` returns them. */
export const hasUnsaidLine = (texts: string, said: string): boolean =>
  texts.split('\n').some((text) => !said.includes(text));

/** Is it a text that is not among these? */
export const isUnsaid = (text: string | undefined, said: string): boolean =>
  text !== undefined && !said.includes(plain(text));

/** Members of a message that hold its content, or the parts of it. */
export const CONTENTS = ['content', 'parts', 'contents'] as const;

export const textsOf = (message: JsonView): readonly string[] =>
  CONTENTS.flatMap((key) => textsIn(message.get(key)));

/** A text, or the texts of a list of parts. */
export function textsIn(content: JsonView | undefined): readonly string[] {
  const texts = [content?.text(), ...(content?.elements() ?? []).map(textOfPart)];
  return texts.filter((text) => text !== undefined);
}

function textOfPart(part: JsonView): string | undefined {
  const type = part.textOf('type');
  if (type !== undefined && type !== 'text') return undefined;
  return part.text() ?? part.textOf('text') ?? part.textOf('content');
}

export function messagesIn(value: JsonView | undefined): readonly JsonView[] {
  const list = unpacked(value)?.elements() ?? [];
  return list.some((one) => one.textOf('role') !== undefined) ? list : [];
}

/** Members of a request of Gemini that hold its system text. */
export const OF_GEMINI = ['systemInstruction', 'system_instruction'] as const;
/** Members that hold a system text in logs, and `preamble` of Cohere. */
export const OF_LOGGERS: readonly string[] = words(`
  system_prompt systemPrompt system_message systemMessage system_content preamble
`);
/** Members that hold a system text, in a request or beside it. */
export const SYSTEMS: readonly string[] = ['system', 'instructions', ...OF_GEMINI, ...OF_LOGGERS];
/** The same in metadata, where `system` may be the name of a machine, and in the attributes of a span there. */
export const IN_METADATA: readonly string[] = [
  ...SYSTEMS.filter((name) => name !== 'system'),
  'gen_ai.system_instructions',
];
/** Members that hold a system text in requests only: elsewhere, they may be a person and a task. */
const IN_REQUESTS = ['developer', 'instruction'] as const;
/** Members that hold a system text in logs of an API that has other names. */
export const OF_LOGS: readonly string[] = [...OF_LOGGERS, ...IN_REQUESTS];
/** All members of a request that may hold a system text. */
export const SYSTEM_NAMES: readonly string[] = [...SYSTEMS, ...IN_REQUESTS];

/** Why a request cannot be read, or says something else in a second place. */
export interface BadRequest {
  readonly detail: string;
  readonly at: JsonView;
}

/**
 * Finds a system text that is beside the messages of a request, and not in them.
 * @param names of the members that are not read
 */
export function otherSystem(
  request: JsonView,
  messages: readonly Message[],
  names: readonly string[] = SYSTEMS,
): BadRequest | undefined {
  const texts = names.flatMap((key) => {
    const logged = unpacked(request.get(key));
    return logged !== undefined && says(logged) && holdsWords(logged) ? [{ key, logged }] : [];
  });
  if (texts.length === 0) return undefined;
  const said = saidBy(messages);
  const other = texts.find(({ logged }) => hasOtherText(logged, said));
  return (
    other && { detail: `the call has a system text beside its messages: ${other.key}`, at: other.logged }
  );
}

const hasOtherText = (value: JsonView, said: string): boolean => {
  const parts = value.type === 'array' ? value.elements() : [value];
  const texts = parts.map((part) =>
    saidIn(part.textOf('type') === 'text' ? (part.textOf('text') ?? part.textOf('content')) : part.parsed()),
  );
  return texts.some((text) => hasUnsaidLine(text, said));
};
