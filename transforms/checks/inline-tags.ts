/**
 * For formats that write calls and results as tags: reports records from whose text they cannot be read back. All scans
 * are linear.
 */

import { formatsThat } from '../formats/format-rules.ts';
import { valueBytes } from '../json/members.ts';
import { knownToolCalls } from '../model/assistant-calls.ts';
import type { Message, WrittenRecord } from '../model/element.ts';
import { textOf } from '../model/message.ts';
import { strip } from '../model/white-space.ts';
import type { Found, RecordCheck } from './check.ts';

const INLINE_FORMATS = formatsThat(({ tagsCalls }) => tagsCalls);

/** Does the record's format write calls and results as tags in the text? The check `tool-calls` skips such records. */
export function isInline(record: WrittenRecord): boolean {
  return INLINE_FORMATS.has(record.format);
}

const TAG = /<(\/?)tool_call>/g;
const OPEN_RESULT = '<tool_result';
const CLOSE_RESULT = '</tool_result>';

/** Is every opening tag closed before the next one opens, with no closing tag left over? */
export function isBalanced(text: string): boolean {
  let open = false;
  for (const [, slash] of text.matchAll(TAG)) {
    const opens = slash === '';
    if (opens === open) return false;
    open = opens;
  }
  return !open;
}

function hasCalls(message: Message): boolean {
  const calls = knownToolCalls(message);
  return calls === 'not-a-list' || (calls !== undefined && calls.length > 0);
}

function isWrapped(message: Message): boolean {
  if (valueBytes(message.bytes, 'tool_call_id') !== undefined) return false;
  const text = strip(textOf(message).text ?? '');
  return text.startsWith(OPEN_RESULT) && text.endsWith(CLOSE_RESULT);
}

function* checkMessage(message: Message, index: number): Generator<Found> {
  const error = (rule: string, what: string): Found => ({
    rule,
    severity: 'ERROR',
    message: `messages[${index}] ${what}`,
  });
  if (hasCalls(message)) yield error('tool-calls-left', 'still has tool_calls');
  if (message.role === 'assistant' && !isBalanced(textOf(message).text ?? ''))
    yield error('unbalanced-tool-call-tags', 'has unbalanced <tool_call> tags');
  if (message.role === 'tool' && !isWrapped(message))
    yield error('tool-result-unwrapped', 'is a tool message without <tool_result> around it');
}

function* check(record: WrittenRecord): Generator<Found> {
  if (!isInline(record)) return;
  for (const [index, message] of record.written.entries()) yield* checkMessage(message, index);
}

const inlineTags: RecordCheck = {
  name: 'inline-tags',
  summary:
    'Records with inlined calls whose tags are unbalanced, or with calls or results that were not inlined.',
  rules: ['unbalanced-tool-call-tags', 'tool-calls-left', 'tool-result-unwrapped'],
  on: 'record',
  check,
};

export default inlineTags;
