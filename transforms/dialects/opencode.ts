/**
 * Dialect `opencode`: sessions printed by `opencode export`, one document each. A message has an object `info` and a
 * list of parts. An answer of several steps is one message, and its calls contain their results.
 */

import type { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import type { Message, ReadingNote, Rejection } from '../model/element.ts';
import { wordSet } from '../model/words.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { blockOfPart, callBlock, type FoldBlock } from './fold/assistant-draft.ts';
import type { Fold, FoldPlace } from './fold/fold.ts';
import { makeMessage, systemMessage, toolMessage } from './shared/build-messages.ts';
import { argumentsOf } from './shared/call-arguments.ts';
import { contentOfUnknown } from './shared/carried-content.ts';
import { contentOfParts, imagePart, type Part } from './shared/content-parts.ts';
import { metaOf } from './shared/logged-meta.ts';
import { isTrue, present, textOf } from './shared/logged-values.ts';
import {
  ARGUMENTS_CUT,
  CONTEXT_CUT,
  cutNotes,
  INTERRUPT,
  keptBlock,
  noted,
  RESPONSE_ERROR,
  RESULT_ERROR,
} from './shared/reading-notes.ts';
import { sealedOptions } from './shared/sealed-options.ts';
import { StoppedAnswers } from './shared/stopped-answers.ts';
import { known, knownByType, says } from './shared/unread-text.ts';

const MAIN = 'main';
const HARNESS = 'opencode';
/** The prompt with which OpenCode requests the summary of a compaction; the log does not have it. */
const COMPACTION = encode(quote('What did we do so far?'));
/** OpenCode sends this for a command of the user that runs a sub-agent, whose call is in the next answer. */
const RUN_BY_USER = 'The following tool was executed by the user';
const SUBTASK = encode(quote(RUN_BY_USER));
const ABORTED = 'MessageAbortedError';
/** Types of parts; those that are not read are about the client. */
const PARTS: ReadonlySet<string> = wordSet(`
  text reasoning file tool step-start step-finish snapshot patch agent retry compaction subtask
`);

const PART_MEMBERS = 'id sessionID messageID type time metadata';
/** The member with the result of a call, by its status. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['completed', 'output'],
  ['error', 'error'],
]);
const SOURCE = 'mime filename url source';
/** The members of parts that are read; others are about the client. */
const PART = knownByType('type', {
  text: known(`${PART_MEMBERS} text:text! synthetic ignored`),
  reasoning: known(`${PART_MEMBERS} text:text!`),
  tool: known(`${PART_MEMBERS} callID tool:text`, {
    'state:object!': known('status input! output:text! error:text! title metadata time raw attachments'),
  }),
  file: known(`${PART_MEMBERS} ${SOURCE}`),
});
const MESSAGE = known('info', { 'parts:list': PART });

function detect(first: FirstObject): boolean {
  const info = first.get('info');
  const messages = first.get('messages');
  if (info?.type !== 'object' || messages?.type !== 'array') return false;
  const message = messages.elements()[0];
  return message === undefined ? info.get('projectID') !== undefined : isMessage(message);
}

function isMessage(message: JsonView): boolean {
  const role = message.get('info')?.get('role')?.text();
  return (role === 'user' || role === 'assistant') && message.get('parts')?.type === 'array';
}

function read(json: JsonView, context: ReadContext): Rejection | undefined {
  const list = json.get('messages');
  const messages = latest(list?.elements() ?? [], (message) => message.get('info'), isVersion);
  const bad = list?.type === 'array' ? messages.findIndex((message) => !isMessage(message)) : 0;
  if (bad >= 0)
    return context.reject('bad-messages', `messages[${bad}] has no role or no parts`, messages[bad] ?? list);
  const unknown = messages.flatMap(partsOf).find((part) => lostIn(part) !== undefined);
  if (unknown !== undefined) return context.reject('bad-messages', lostIn(unknown) ?? '', unknown);
  const stray = messages.find((message) => strayIn(message) !== undefined);
  if (stray !== undefined) return context.reject('bad-messages', strayIn(stray) ?? '', stray);
  const info = json.get('info');
  const open = (): void => {
    const stamp = messages[0]?.get('info')?.get('time')?.get('created');
    context.fold.open(MAIN, info?.get('id')?.text() ?? context.origin.source, stamp);
    const parent = info?.get('parentID')?.text();
    context.fold.describe(metaOf({ source_id: info?.get('id'), harness: HARNESS, parent }));
  };
  open();
  foldMessages(messages, context, open);
  context.fold.close();
  return undefined;
}

const partsOf = (message: JsonView): readonly JsonView[] =>
  latest(message.get('parts')?.elements() ?? [], (part) => part);

/** Whether a message is a later version of another one with its id: they have a part in common. */
function isVersion(later: JsonView, former: JsonView): boolean {
  const ids = new Set(idsOf(former));
  return idsOf(later).some((id) => ids.has(id));
}

const idsOf = (message: JsonView): readonly string[] =>
  (message.get('parts')?.elements() ?? []).flatMap((part) => part.textOf('id') ?? []);

/** The messages or parts; if several have one id, the last one at the place of the first, as the client keeps them. */
function latest(
  list: readonly JsonView[],
  named: (one: JsonView) => JsonView | undefined,
  replaces: (later: JsonView, former: JsonView) => boolean = () => true,
): readonly JsonView[] {
  const byId = new Map<string | JsonView, JsonView>();
  for (const one of list) {
    const id = named(one)?.get('id')?.text() ?? one;
    const former = byId.get(id);
    byId.set(former === undefined || replaces(one, former) ? id : one, one);
  }
  return byId.size === list.length ? list : [...byId.values()];
}

/** Why a part cannot be left out: it is of an unknown type, or a call that says nothing about its state. */
function lostIn(part: JsonView): string | undefined {
  const type = typeOf(part) ?? '';
  if (type === 'tool') {
    const state = part.get('state');
    if (state?.type !== 'object') return 'a call has no state';
    const answer = ANSWERS.get(state.textOf('status') ?? '');
    if (answer !== undefined && state.get(answer)?.type !== 'string') return `an ended call has no ${answer}`;
  }
  return PARTS.has(type) ? undefined : contentOfUnknown(type, part);
}

/** Types of parts that only answers have. */
const OF_MODEL: ReadonlySet<string> = new Set(['tool', 'reasoning']);

/** Why a message cannot be read: it has something of another speaker, or its words beside its parts. */
function strayIn(message: JsonView): string | undefined {
  const info = message.get('info');
  const isOfUser = info?.textOf('role') === 'user';
  if (isOfUser && partsOf(message).some((part) => OF_MODEL.has(typeOf(part) ?? '')))
    return 'a message of the user has a call or reasoning';
  return ['content', 'text', 'parts'].some((key) => says(info?.get(key)))
    ? 'the info of a message has a content'
    : undefined;
}

/** @param open makes a new conversation the current one */
function foldMessages(messages: readonly JsonView[], context: ReadContext, open: () => void): void {
  const { fold } = context;
  for (const text of systemTexts(messages)) for (const one of systemMessage(text)) fold.add(one);
  /** The first item of each message. */
  const places = new Map<string, FoldPlace>();
  const stopped = new StoppedAnswers();
  let tail: readonly FoldPlace[] = [];
  /** Whether the request for a summary and the summary are next: the model gave that after all before them. */
  let isCopied = false;
  let system: string | undefined;
  for (const [i, message] of messages.entries()) {
    const parts = partsOf(message);
    fold.expect(message, MESSAGE, `messages[${i}]`);
    const compaction = parts.find((part) => typeOf(part) === 'compaction');
    if (compaction !== undefined && fold.last.index >= 0 && !hasFailed(messages[i + 1])) {
      stopped.leaveOut(fold);
      tail = keptBy(compaction, places, fold);
      isCopied = true;
      fold.close(true);
      open();
    }
    const count = fold.last.index + 1;
    const isUser = message.get('info')?.get('role')?.text() === 'user';
    const sent = isUser ? message.get('info')?.get('system') : undefined; // a program's addition to the system text
    if (sent?.type === 'string' && sent.text() !== system)
      for (const one of systemMessage(sent.copy())) fold.add(one, { isCopied });
    if (isUser) system = sent?.text();
    if (isUser) takeUser(parts, isCopied, context);
    else if (hasRun(messages[i - 1], parts)) takeRun(parts, context);
    else takeAnswer(message.get('info'), parts, { name: `${i}`, isCopied, stopped }, context);
    const first = fold.at(count);
    const id = message.get('info')?.get('id')?.text();
    if (id !== undefined && first !== undefined) places.set(id, first);
    if (isCopied && !isUser) {
      fold.carry(tail); // the answer is the summary
      isCopied = false;
    }
  }
}

/** Whether a compaction changed nothing, by the message after its request: its summary failed, or was not begun. */
function hasFailed(summary: JsonView | undefined): boolean {
  const info = summary?.get('info');
  return info !== undefined && (info.textOf('role') === 'user' || present(info.get('error')));
}

/** The messages that a compaction kept, from the one that it names to the last: they follow its summary. */
function keptBy(
  compaction: JsonView,
  places: ReadonlyMap<string, FoldPlace>,
  fold: Fold,
): readonly FoldPlace[] {
  const first = places.get(compaction.get('tail_start_id')?.text() ?? '');
  return first !== undefined && fold.isHere(first) ? fold.itemsFrom(first.index) : [];
}

/** The system text that older versions log with each answer. */
function systemTexts(messages: readonly JsonView[]): readonly Uint8Array[] {
  const answer = messages.find((message) => message.get('info')?.get('role')?.text() === 'assistant');
  const texts = answer?.get('info')?.get('system')?.elements() ?? [];
  return texts.filter(({ type }) => type === 'string').map((text) => text.copy());
}

const typeOf = (part: JsonView): string | undefined => part.get('type')?.text();

/** Adds a user message with its files. Text files are left out: the client logs their content as a text part. */
function takeUser(parts: readonly JsonView[], isCopied: boolean, { fold }: ReadContext): void {
  const notes: ReadingNote[] = [];
  const content = parts.flatMap((part): readonly Part[] => {
    const text = part.get('text');
    const isIgnored = isTrue(part.get('ignored'));
    if (typeOf(part) === 'text' && text?.type === 'string' && !isIgnored) return [{ text: text.copy() }];
    if (typeOf(part) === 'compaction') return [{ text: COMPACTION }];
    if (typeOf(part) === 'subtask') return [{ text: SUBTASK }];
    return typeOf(part) === 'file' ? fileOf(part, notes) : [];
  });
  if (content.length > 0)
    fold.add(makeMessage('user', [['content', contentOfParts(content)]]), { isTurn: true, isCopied, notes });
}

function fileOf(part: JsonView, notes: ReadingNote[]): readonly Part[] {
  const kind = part.get('mime')?.text() ?? '';
  const url = part.get('url');
  if (kind === 'text/plain' || kind === 'application/x-directory') return [];
  if (kind.startsWith('image/') && url?.type === 'string') return [{ object: imagePart(url.copy()) }];
  notes.push(keptBlock('file'));
  return [{ object: part.copy() }];
}

/** Whether the calls are what the user ran, by a command or a sub-agent: OpenCode logs them as an answer of the model. */
function hasRun(before: JsonView | undefined, parts: readonly JsonView[]): boolean {
  const asked = before?.get('info')?.textOf('role') === 'user' ? partsOf(before) : [];
  const isRun = asked.some((part) =>
    typeOf(part) === 'text'
      ? isTrue(part.get('synthetic')) && part.textOf('text') === RUN_BY_USER
      : typeOf(part) === 'subtask',
  );
  return isRun && parts.some((part) => typeOf(part) === 'tool') && !parts.some(isOfModel);
}

const isOfModel = (part: JsonView): boolean =>
  ['text', 'reasoning', 'step-start', 'step-finish'].includes(typeOf(part) ?? '');

/** Adds what the user ran and its result as a message of the user. */
function takeRun(parts: readonly JsonView[], { fold }: ReadContext): void {
  for (const part of parts.filter((one) => typeOf(one) === 'tool')) {
    const [state, notes]: [JsonView | undefined, ReadingNote[]] = [part.get('state'), []];
    const input = state?.get('input');
    const asked = input?.get('prompt') ?? input?.get('command') ?? input;
    const texts = [asked, outputOf(state)].flatMap((view) => (present(view) ? { text: textOf(view) } : []));
    const files = (state?.get('attachments')?.elements() ?? []).flatMap((file) => fileOf(file, notes));
    const message = makeMessage('user', [['content', contentOfParts([...texts, ...files])]]);
    fold.add(message, { notes, changes: ['bash-as-user'] });
  }
}

interface AnswerPlace {
  readonly name: string;
  readonly isCopied: boolean;
  readonly stopped: StoppedAnswers;
}

/**
 * Adds an answer as one message per step: each step was a request, and its calls have their results before the next.
 */
function takeAnswer(
  info: JsonView | undefined,
  parts: readonly JsonView[],
  { name, isCopied, stopped }: AnswerPlace,
  { fold }: ReadContext,
): void {
  // a step that did not end before another one began has failed, and was requested again
  const hasEnds = parts.some((part) => typeOf(part) === 'step-finish');
  let begun: FoldPlace | undefined;
  let isEnded = false;
  let steps = 0;
  let step: JsonView[] = [];
  const model = info?.get('modelID');
  const end = (): void => {
    const notes: ReadingNote[] = [];
    const blocks = step.flatMap((part) => blocksOf(part, notes));
    // the counts of a message are the sums over its steps, so they are used only if no step has any
    const counted = step.find((part) => typeOf(part) === 'step-finish') ?? (steps === 0 ? info : undefined);
    notes.push(...cutNotes(counted?.textOf('reason') ?? counted?.textOf('finish')));
    const meta = metaOf({ model, usage: counted?.get('tokens'), cost: counted?.get('cost') });
    if (blocks.length > 0) {
      stopped.leaveOut(fold);
      begun = fold.amend(`${name} ${steps++}`, blocks, 'add', { meta, notes, isCopied });
    }
    for (const part of step) {
      const result = typeOf(part) === 'tool' ? resultOf(part) : undefined;
      if (result !== undefined) fold.answer(part.get('callID')?.text(), result);
      if (part.get('state')?.get('time')?.get('compacted') !== undefined) fold.note(CONTEXT_CUT);
    }
    step = [];
  };
  for (const part of parts) {
    const type = typeOf(part) ?? '';
    if (type === 'step-start' || !PARTS.has(type) || followsResults(part, step)) end();
    if (type !== 'step-start') step.push(part);
    else if (hasEnds && begun !== undefined && !isEnded) stopped.add(begun);
    isEnded = type === 'step-finish' || (isEnded && type !== 'step-start');
    if (type === 'step-start') begun = undefined;
  }
  end();
  const error = info?.get('error');
  if (steps === 0 || !present(error)) return;
  const isAborted = error.textOf('name') === ABORTED;
  fold.noteLast(isAborted ? INTERRUPT : RESPONSE_ERROR);
  if (!isAborted) stopped.add(fold.last);
}

/** Whether a text began after every call of the step had its result: it is a new step, which has no `step-start`. */
function followsResults(part: JsonView, step: readonly JsonView[]): boolean {
  const type = typeOf(part);
  const start = type === 'text' || type === 'reasoning' ? timeOf(part, 'start') : undefined;
  if (start === undefined) return false;
  const calls = step.filter((one) => typeOf(one) === 'tool');
  return calls.length > 0 && calls.every((call) => (timeOf(call.get('state'), 'end') ?? Infinity) <= start);
}

/** A time in milliseconds; undefined if there is none. */
function timeOf(view: JsonView | undefined, key: 'start' | 'end'): number | undefined {
  const time = view?.get('time')?.get(key);
  return time?.type === 'number' ? (time.parsed() as number) : undefined;
}

function blocksOf(part: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const text = part.get('text');
  const hasText = text?.type === 'string' && !text.isEmptyText;
  const sealed = sealedOptions(part);
  if (typeOf(part) === 'text') return hasText ? [...sealed, { kind: 'text', text: text.copy() }] : sealed;
  if (typeOf(part) === 'reasoning')
    return hasText ? [{ kind: 'thought', text: text.copy() }, ...sealed] : sealed;
  if (typeOf(part) === 'file') return fileOf(part, notes).map(blockOfPart);
  if (typeOf(part) !== 'tool') return [];
  const id = part.get('callID')?.text();
  const state = part.get('state');
  const isPending = state?.textOf('status') === 'pending';
  if (isPending) notes.push(ARGUMENTS_CUT);
  const input = isPending && says(state.get('raw')) ? state.get('raw') : state?.get('input');
  const args = input && argumentsOf(input.bytes);
  return [...sealed, callBlock(id, part.get('tool')?.text(), args)];
}

/** The result of a call; undefined if the call did not end. */
function resultOf(part: JsonView): Message | undefined {
  const state = part.get('state');
  const isError = isFailed(state);
  const output = outputOf(state);
  if (!present(output)) return undefined;
  const notes: ReadingNote[] = isError ? [RESULT_ERROR] : [];
  const files = (state?.get('attachments')?.elements() ?? []).flatMap((file) => fileOf(file, notes));
  const text = textOf(output);
  const id = part.get('callID')?.text();
  const content = contentOfParts([{ text }, ...files]);
  return noted(toolMessage(id, content), notes);
}

const isFailed = (state: JsonView | undefined): boolean => state?.textOf('status') === 'error';
const outputOf = (state: JsonView | undefined): JsonView | undefined =>
  isFailed(state) ? errorOf(state) : state?.get('output');

/** The result of a call that failed, as the model received it: the output so far, if the user interrupted the tool. */
function errorOf(state: JsonView | undefined): JsonView | undefined {
  const metadata = state?.get('metadata');
  const printed = isTrue(metadata?.get('interrupted')) ? metadata?.get('output') : undefined;
  return printed?.type === 'string' ? printed : state?.get('error');
}

const opencode: Dialect = defineDialect({
  name: 'opencode',
  summary: 'Sessions of OpenCode, as printed by opencode export.',
  knownBy: 'info, and a messages list of objects with info and parts',
  marks: ['info', 'messages'],
  keys: ['info', 'messages'],
  folds: true,
  detect,
  read,
});

export default opencode;
