/**
 * Recognises and folds messages of Cline: blocks of the Messages API. Roo Code and other relatives have reasoning beside them, summaries
 * after which the conversation begins anew, and in their last version parts of the AI SDK.
 */

import { isSameBytes } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf } from '../../json/members.ts';
import { inString } from '../../json/respace.ts';
import type { ReadingNote } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import type { Meta } from '../../model/meta.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import { bytesOf, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import { foldedBlock, readBlock, readBlockOf } from '../shared/anthropic-blocks.ts';
import { readResult } from '../shared/anthropic-message.ts';
import { makeMessage, toolMessage } from '../shared/build-messages.ts';
import { detailsOf, thoughtsOf } from '../shared/chat-object.ts';
import { contentOfParts, type Part } from '../shared/content-parts.ts';
import { ANTHROPIC_BLOCK, REASONING_DETAIL, SDK_PARTS } from '../shared/known-members.ts';
import { LastObject } from '../shared/last-object.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isTrue } from '../shared/logged-values.ts';
import { blocksOf } from '../shared/message-parts.ts';
import { CONTEXT_CUT, keptBlock, warning } from '../shared/reading-notes.ts';
import {
  type KnownObject,
  known,
  knownByType,
  says,
  unreadMember,
  withMembers,
} from '../shared/unread-text.ts';
import { withoutClientTexts } from './client-texts.ts';

const MORE = 'id call_id summary signature providerOptions providerMetadata ts';
const DETAILS = { 'reasoning_details:json': REASONING_DETAIL };
/** Blocks of the Messages API, with what Cline adds, and those of the AI SDK. */
const BLOCK: KnownObject = knownByType('type', {
  ...Object.fromEntries(
    [...(ANTHROPIC_BLOCK.kinds?.of ?? [])].map(([type, kind]) => [type, withMembers(kind, MORE, DETAILS)]),
  ),
  ...SDK_PARTS,
});
/** The members of a message, also of Roo Code and of the command. */
const MESSAGE = known(
  [
    'role ts timestamp type id modelInfo metrics model usage condenseId condenseParent isSummary isMeta truncationId',
    'truncationParent isTruncationMarker summary encrypted_content reasoning reasoning_content reasoning_details',
    'text conversationHistoryIndex providerOptions metadata',
  ].join(' '),
  { 'content:parts!': BLOCK },
);

const EMPTY_STRING_BYTES = 2;
const CALLS_BESIDE = unreadMember(
  'an answer',
  'metadata.modelToolActivities',
  'calls that its provider ran, whose places in the answer are not known',
);
const AS_TEXT = warning('results-as-text', 'the results of calls are in the texts of the user');

/** Whether the object is a session of Cline's command line: a list of messages with an agent, an id and a time. */
export function isClineSession(first: FirstObject): boolean {
  const areTexts = ['agent', 'sessionId', 'updated_at'].every((key) => first.get(key)?.type === 'string');
  return areTexts && first.get('messages')?.type === 'array';
}

/** Whether a message is encrypted reasoning, which Roo Code logs before the answer that it belongs to. */
const isReasoning = (message: JsonView): boolean =>
  message.textOf('type') === 'reasoning' && message.get('content') === undefined;

export function isClineMessage(message: JsonView): boolean {
  const content = message.get('content')?.type;
  if (isReasoning(message)) return true;
  return message.textOf('role') !== undefined && (content === 'string' || content === 'array');
}

/** Whether a message is a summary of Roo Code. The messages that it replaced stay in the log, with its name. */
const isSummary = (message: JsonView): boolean =>
  isTrue(message.get('isSummary')) && message.textOf('condenseId') !== undefined;

/** Messages that Roo Code and Kilo kept after a summary that is an answer; the summary is a millisecond older. */
const KEPT_COUNT = 3;
/** Such a summary begins with a thought that the client wrote. */
const CONDENSING = 'Condensing conversation context';

/** Such a summary, and the kept messages so far. */
interface Condensed {
  readonly summary: JsonView;
  readonly kept: JsonView[];
}

const isKept = ({ summary, kept }: Condensed, message: JsonView): boolean =>
  kept.length > 0 || summary.get('ts')?.parsed() === (message.get('ts')?.parsed() as number) - 1;

/** Folds the messages of a task, in order. */
export class ClineTask {
  /** Name of the answer that began with reasoning. */
  #begun: string | undefined;
  #condensed: Condensed | undefined;
  /** The message before, if each is an object apart. */
  readonly last: LastObject = new LastObject();

  /**
   * @param name of the message, if it is an answer
   * @param open makes the conversation of the task the current one
   */
  add(message: JsonView, name: string, context: ReadContext, open: () => void): void {
    const { fold } = context;
    open();
    fold.expect(message, MESSAGE, 'message');
    if (says(message.get('metadata')?.get('modelToolActivities'))) fold.note(CALLS_BESIDE);
    const begun = this.#begun;
    this.#begun = undefined;
    if (isReasoning(message)) {
      this.#begun = begun ?? name;
      fold.amend(this.#begun, blocksIn(message), 'add', {});
      return;
    }
    if (this.#condensed !== undefined && !isKept(this.#condensed, message)) this.#beginAnew(context, open);
    this.#condensed?.kept.push(new JsonView(message.copy()));
    const isCopied = isSummary(message);
    if (isCopied && message.textOf('role') === 'assistant' && fold.last.index >= 0) {
      this.#condensed = { summary: new JsonView(message.copy()), kept: [] };
      return;
    }
    if (isCopied && fold.last.index >= 0) {
      fold.close(true);
      open();
    }
    if (isTrue(message.get('isTruncationMarker'))) fold.note(CONTEXT_CUT);
    this.#fold(message, begun ?? name, isCopied, context);
    if (this.#condensed?.kept.length === KEPT_COUNT) this.#beginAnew(context, open);
  }

  #fold(message: JsonView, name: string, isCopied: boolean, context: ReadContext): void {
    const role = message.textOf('role') as string;
    if (role === 'assistant') foldAnswer(message, name, isCopied, context);
    else foldOther(role, message.get('content') as JsonView, isCopied, context);
  }

  /** Ends the conversation. The next one begins with its first message, the summary, and the messages that were kept. */
  #beginAnew(context: ReadContext, open: () => void): void {
    const { summary, kept } = this.#condensed as Condensed;
    this.#condensed = undefined;
    const { fold } = context;
    const first = fold.items.slice(0, 1).filter(({ isTurn }) => isTurn === true);
    fold.close(true);
    open();
    fold.carry(first);
    for (const [i, message] of [summary, ...kept].entries()) this.#fold(message, `kept ${i}`, true, context);
  }
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

function foldAnswer(message: JsonView, name: string, isCopied: boolean, { fold }: ReadContext): void {
  const content = message.get('content') as JsonView;
  const isOfClient = (block: JsonView): boolean =>
    isCopied && block.textOf('type') === 'reasoning' && block.textOf('text')?.startsWith(CONDENSING) === true;
  const { blocks, facts } = withoutClientTexts(
    content.type === 'string'
      ? [{ kind: 'text', text: content.copy() }]
      : content.elements().flatMap((block) => (isOfClient(block) ? [] : answerBlocks(block))),
  );
  const hasThought = blocks.some(({ kind }) => kind === 'thought');
  const beside = thoughtsOf(message).filter(({ kind }) => !hasThought || kind === 'sealed');
  const isOnly = !hasThought && !beside.some(({ kind }) => kind === 'thought');
  const details = [message, ...content.elements()].flatMap((view) => detailsIn(view, isOnly));
  const thoughts = details.length === 0 ? beside : distinct([...beside, ...details]);
  const rest = blocks.filter((block) => block.kind !== 'sealed' || !thoughts.some(isSameAs(block)));
  fold.amend(name, [...thoughts, ...rest], 'add', { ...facts, isCopied, meta: metaOfAnswer(message) });
}

/** Reasoning of OpenRouter that a block, or a message of the AI SDK, has besides its words. */
function detailsIn(view: JsonView, isOnly: boolean): readonly FoldBlock[] {
  const type = view.textOf('type');
  const own = type === undefined ? undefined : view.get('reasoning_details');
  const summary = type === 'thinking' ? view.get('summary') : undefined;
  const options = ['providerOptions', 'providerMetadata'].map((key) => view.get(key)?.get('openrouter'));
  const lists = [own, summary, ...options.map((option) => option?.get('reasoning_details'))];
  return lists.flatMap((list) => detailsOf(list, isOnly));
}

/** The blocks without those that repeat others: clients give each block of an answer the same details. */
const distinct = (blocks: readonly FoldBlock[]): readonly FoldBlock[] =>
  blocks.filter((block, i) => blocks.findIndex(isSameAs(block)) === i);

const isSameAs =
  (block: FoldBlock) =>
  (one: FoldBlock): boolean =>
    one.kind === block.kind && isSameBytes(bytesOf(one), bytesOf(block));

/** Blocks in the words of the Messages API, and those that other relatives have: of the AI SDK, and reasoning. */
function answerBlocks(view: JsonView): readonly FoldBlock[] {
  const sealed = sealedIn(view);
  if (sealed !== undefined) return [sealed];
  return isOfOthers(view) ? blocksIn(view) : [foldedBlock(readBlockOf(view))];
}

/** Types of blocks that the Messages API does not have. */
const OF_OTHERS: ReadonlySet<string> = new Set(['reasoning', 'tool-call', 'tool-result', 'file']);
const isOfOthers = (view: JsonView): boolean =>
  OF_OTHERS.has(view.textOf('type') ?? '') || view.get('image')?.type === 'string';

/** The blocks of an answer in the words of another API. */
function blocksIn(view: JsonView): readonly FoldBlock[] {
  const summary = view.get('summary')?.elements() ?? [];
  const thoughts = summary.flatMap((part): FoldBlock[] => {
    const text = part.get('text');
    return text?.type === 'string' ? [{ kind: 'thought', text: text.copy() }] : [];
  });
  const blocks = blocksOf(view).flatMap((block): FoldBlock[] => {
    if (block.kind === 'call') return [callBlock(block.id, block.name, block.args)];
    if (block.kind === 'result') return [{ kind: 'part', object: view.copy(), kept: 'tool-result' }];
    if (block.kind !== 'text' && block.kind !== 'thought') return [block];
    return block.text.length > EMPTY_STRING_BYTES ? [{ kind: block.kind, text: block.text.slice() }] : [];
  });
  // the whole of it may be there beside its summary
  return blocks.some(({ kind }) => kind === 'thought') ? blocks : [...thoughts, ...blocks];
}

/** Encrypted reasoning: a redacted thought, one that has a signature and no text, or a signature by itself. */
function sealedIn(view: JsonView): FoldBlock | undefined {
  const type = view.textOf('type');
  const isEmpty = type === 'thinking' && view.textOf('thinking') === '';
  const key = type === 'redacted_thinking' ? 'data' : type === 'thoughtSignature' ? type : 'signature';
  const data = isEmpty || key !== 'signature' ? view.get(key) : undefined;
  return data?.type === 'string' ? sealedBlock(data.copy()) : undefined;
}

/** Adds results first, then the rest. Texts after calls without results are the results. */
function foldOther(role: string, content: JsonView, isCopied: boolean, { fold }: ReadContext): void {
  const json = content.copy();
  const blocks = content.type === 'string' ? [] : elementsOf(json).map((block) => readBlock(block, false));
  let isAnswered = false;
  const views = content.elements();
  const parts: Part[] = content.type === 'string' ? [{ text: json }] : [];
  const notes: ReadingNote[] = [];
  for (const [i, block] of blocks.entries()) {
    const view = views[i] as JsonView;
    const [other] = isOfOthers(view) ? blocksOf(view) : [];
    const kept = other?.kind === 'part' ? other.kept : block.kind === 'part' ? block.kept : undefined;
    if (kept !== undefined) notes.push(keptBlock(kept));
    if (other?.kind === 'result') fold.answer(other.id, toolMessage(other.id, other.content), { isCopied });
    else if (other?.kind === 'part') parts.push({ object: other.object });
    else if (block.kind !== 'result')
      parts.push(block.kind === 'part' ? block.part : { object: view.copy() });
    if (block.kind === 'result') {
      const id = stringValue(block.block, 'tool_use_id');
      const operations = operationsIn(view);
      fold.answer(id, operations === undefined ? readResult(block.block) : toolMessage(id, operations), {
        isCopied,
      });
    }
    isAnswered ||= block.kind === 'result' || other?.kind === 'result';
  }
  if (parts.length === 0) return;
  const isAsText = !isAnswered && fold.last.calls.some(({ result }) => result === undefined);
  if (isAsText) fold.note(AS_TEXT);
  const isTurn = role === 'user' && !isAnswered && !isAsText;
  fold.add(makeMessage(role, [['content', contentOfParts(parts)]]), { isTurn, isCopied, notes });
}

/** A result that lists operations of the tool instead of content blocks, as a JSON string of its JSON text: the client stores such lists, and shows the model their text. */
function operationsIn(block: JsonView): Uint8Array | undefined {
  const content = block.get('content');
  const isOfBlocks = content?.elements().every((part) => part.textOf('type') !== undefined);
  return content?.type === 'array' && isOfBlocks === false ? inString(content.bytes) : undefined;
}
