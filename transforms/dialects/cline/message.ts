/** Recognises and folds messages of Cline: blocks of the Messages API, in answers also reasoning that only its provider can read. */

import type { JsonView } from '../../json/json-view.ts';
import { elementsOf } from '../../json/members.ts';
import { inString } from '../../json/respace.ts';
import { stringValue } from '../../model/message.ts';
import type { Meta } from '../../model/meta.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import { type FoldBlock, sealedBlock } from '../fold/draft.ts';
import { readBlock, readBlockOf } from '../shared/anthropic-blocks.ts';
import { readResult } from '../shared/anthropic-message.ts';
import { makeMessage, toolMessage } from '../shared/build-messages.ts';
import { contentOfParts, type Part } from '../shared/content-parts.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { warning } from '../shared/reading-notes.ts';

const AS_TEXT = warning('results-as-text', 'the results of calls are in the texts of the user');

/** Is it a session of Cline's command, a list of messages with members beside it? */
export function isClineSession(first: FirstObject): boolean {
  const areTexts = ['agent', 'sessionId', 'updated_at'].every((key) => first.get(key)?.type === 'string');
  return areTexts && first.get('messages')?.type === 'array';
}

export function isClineMessage(message: JsonView): boolean {
  const content = message.get('content')?.type;
  return message.textOf('role') !== undefined && (content === 'string' || content === 'array');
}

/** @param name of the message, if it is an answer */
export function foldClineMessage(message: JsonView, name: string, context: ReadContext): void {
  const role = message.textOf('role') as string;
  const content = message.get('content') as JsonView;
  if (role === 'assistant') foldAnswer(content, name, metaOfAnswer(message), context);
  else foldOther(role, content, context);
}

/** The model, tokens and cost of an answer, under the names of the extension or of the command. */
function metaOfAnswer(message: JsonView): Meta {
  const model = message.get('modelInfo');
  const metrics = message.get('metrics');
  return metaOf({
    model: model?.get('id') ?? model?.get('modelId'),
    usage: metrics?.get('tokens') ?? metrics,
    cost: metrics?.get('cost'),
  });
}

function foldAnswer(content: JsonView, name: string, meta: Meta, { fold }: ReadContext): void {
  const blocks: readonly FoldBlock[] =
    content.type === 'string' ? [{ kind: 'text', text: content.copy() }] : content.elements().map(blockOf);
  fold.amend(name, blocks, 'add', { meta });
}

function blockOf(view: JsonView): FoldBlock {
  const block = readBlockOf(view);
  if (block.kind === 'sealed') return sealedBlock(block.data);
  if (block.kind === 'call') return { kind: 'call', id: stringValue(block.json, 'id'), json: block.json };
  if (block.kind === 'thought') return { kind: 'thought', text: block.text };
  if (block.kind === 'result') return { kind: 'part', object: block.block, kept: 'tool_result' };
  if ('text' in block.part) return { kind: 'text', text: block.part.text };
  const { kept } = block;
  return { kind: 'part', object: block.part.object, ...(kept !== undefined && { kept }) };
}

/** Results first, then the rest. If the calls have no results, the texts after them are the results. */
function foldOther(role: string, content: JsonView, { fold }: ReadContext): void {
  const json = content.copy();
  const blocks = content.type === 'string' ? [] : elementsOf(json).map((block) => readBlock(block, false));
  let isAnswered = false;
  const views = content.elements();
  for (const [i, block] of blocks.entries()) {
    if (block.kind !== 'result') continue;
    const id = stringValue(block.block, 'tool_use_id');
    const operations = operationsIn(views[i] as JsonView);
    fold.answer(id, operations === undefined ? readResult(block.block) : toolMessage(id, operations));
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

/** The JSON text of a result that is a list of what the tool did, not of content blocks, as a string. */
function operationsIn(block: JsonView): Uint8Array | undefined {
  const content = block.get('content');
  const isOfBlocks = content?.elements().every((part) => part.textOf('type') !== undefined);
  return content?.type === 'array' && isOfBlocks === false ? inString(content.bytes) : undefined;
}
