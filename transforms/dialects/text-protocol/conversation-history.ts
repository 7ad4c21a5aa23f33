/**
 * Builds the history in the prompt of an agent that writes its calls into its text: a JSON array of the newest messages
 * that fit.
 */
import type { ProtocolCall } from './call-object.ts';
import { migrateMessage, type StoredMessage } from './chat-message.ts';
import { createOpenCalls } from './open-calls.ts';

export interface HistoryOptions {
  /** Limit for the length of the result in UTF-16 code units. */
  readonly maxChars?: number;
  /** Leaves out the last message if it is the user's, because the prompt has it elsewhere. */
  readonly excludeLatestUserMessage?: boolean;
}

interface HistoryMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ProtocolCall[];
  readonly tool_call_id?: string;
}

/**
 * Returns messages in any version of the keys as a JSON array, indented by two spaces. Keeps the newest ones that fit
 * into
 * `maxChars`; returns `[]` if none fits.
 */
export function buildConversationHistory(
  messages: readonly Readonly<Record<string, unknown>>[],
  { maxChars = Number.POSITIVE_INFINITY, excludeLatestUserMessage = false }: HistoryOptions = {},
): string {
  const stored = messages.map(migrateMessage);
  const isExcluded = excludeLatestUserMessage && stored.at(-1)?.role === 'user';
  const calls = createOpenCalls();
  const shown = (isExcluded ? stored.slice(0, -1) : stored).flatMap((message) => historyOf(message, calls));
  const kept: string[] = []; // newest first
  let length = '[\n\n]'.length;
  for (const message of shown.reverse()) {
    const text = JSON.stringify(message, null, 2).replace(/^/gm, '  ');
    length += text.length + (kept.length === 0 ? 0 : ',\n'.length);
    if (length > maxChars) break;
    kept.push(text);
  }
  return kept.length === 0 ? '[]' : `[\n${kept.reverse().join(',\n')}\n]`;
}

/** The message, and the result inside it as a separate message. */
function historyOf(
  message: StoredMessage,
  open: ReturnType<typeof createOpenCalls>,
): readonly HistoryMessage[] {
  const { role, content, tool_calls: calls, tool_result: result, tool_call_id: logged } = message;
  if (calls !== undefined) open.call(calls.map(({ name }) => name));
  const text = result === undefined || typeof result === 'string' ? result : JSON.stringify(result);
  if (role === 'tool') {
    const id = open.answer(logged);
    return [
      {
        role,
        content: content === '' ? (text ?? '') : content,
        ...(id !== undefined && { tool_call_id: id }),
      },
    ];
  }
  const shown = { role, content, ...(calls !== undefined && { tool_calls: calls }) };
  if (text === undefined) return [shown];
  const id = open.answer(logged);
  return [shown, { role: 'tool', content: text, ...(id !== undefined && { tool_call_id: id }) }];
}
