/**
 * Dialect `cline`: the API history that Cline and its relatives keep for a task, `api_conversation_history.json`: a
 * list of messages of the Messages API, each with a time.
 */

import type { JsonView } from '../json/json-view.ts';
import { elementsOf } from '../json/members.ts';
import type { Fate, Rejection } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { readBlock, readBlockOf } from './anthropic-blocks.ts';
import { readResult } from './anthropic-message.ts';
import { contentOfParts, type Part } from './content-parts.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import type { FoldBlock } from './fold/draft.ts';
import { metaOf } from './logged-meta.ts';
import { makeMessage } from './made-messages.ts';
import { warning } from './reading-notes.ts';

const MAIN = 'main';
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant']);
const AS_TEXT = warning('results-as-text', 'the results of calls are in the texts of the user');

function detect(first: FirstObject): boolean {
  const isMessage = ROLES.has(first.get('role')?.text() ?? '') && first.get('content') !== undefined;
  return isMessage && first.get('ts') !== undefined;
}

function read(json: JsonView, context: ReadContext): Fate | Rejection | undefined {
  const role = json.get('role')?.text();
  const content = json.get('content');
  if (role === undefined || (content?.type !== 'string' && content?.type !== 'array'))
    return context.reject('bad-event', 'the message has no role, or its content is not valid', json);
  const { fold, origin, time } = context;
  const isNew = !fold.has(MAIN);
  fold.open(MAIN, origin.source, time(json.get('ts')));
  if (isNew) fold.describe(metaOf({ harness: 'cline' }));
  if (role === 'assistant') readAnswer(content, `${origin.line} ${origin.offset}`, context);
  else readUser(role, content, context);
  return undefined;
}

function readAnswer(content: JsonView, name: string, { fold }: ReadContext): void {
  if (content.type === 'string') {
    fold.amend(name, [{ kind: 'text', text: content.copy() }]);
    return;
  }
  const blocks = content.elements().map((view): FoldBlock => {
    const block = readBlockOf(view);
    if (block.kind === 'call') return { kind: 'call', id: stringValue(block.json, 'id'), json: block.json };
    if (block.kind === 'thought') return { kind: 'thought', text: block.text };
    if (block.kind === 'result') return { kind: 'part', object: block.block, kept: 'tool_result' };
    if ('text' in block.part) return { kind: 'text', text: block.part.text };
    const { kept } = block;
    return { kind: 'part', object: block.part.object, ...(kept !== undefined && { kept }) };
  });
  fold.amend(name, blocks);
}

/** Results first, then the rest. If the calls have no results, the texts after them are the results. */
function readUser(role: string, content: JsonView, { fold }: ReadContext): void {
  const json = content.copy();
  const blocks = content.type === 'string' ? [] : elementsOf(json).map((block) => readBlock(block, false));
  let isAnswered = false;
  for (const block of blocks) {
    if (block.kind !== 'result') continue;
    fold.answer(stringValue(block.block, 'tool_use_id'), readResult(block.block));
    isAnswered = true;
  }
  const parts = blocks.flatMap((block): Part[] => (block.kind === 'part' ? [block.part] : []));
  if (content.type === 'string') parts.push({ text: json });
  if (parts.length === 0) return;
  const isAsText = !isAnswered && fold.last.calls.some(({ result }) => result === undefined);
  if (isAsText) fold.note(AS_TEXT);
  const isTurn = role === 'user' && !isAnswered && !isAsText;
  fold.add(makeMessage(role, [['content', contentOfParts(parts)]]), { isTurn });
}

const cline: Dialect = defineDialect({
  name: 'cline',
  summary: 'Tasks of Cline: its API history, messages with a time.',
  keys: ['role', 'content', 'ts'],
  folds: true,
  knownBy: 'role, content and ts',
  marks: ['role', 'content', 'ts'],
  detect,
  read,
});

export default cline;
