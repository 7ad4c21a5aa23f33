/**
 * Dialect `inspect`: evaluation logs of Inspect as JSON (`inspect log dump`), and the files of single samples from the
 * archive of a log. Samples are read one by one.
 */

import { JsonView } from '../json/json-view.ts';
import { concat } from '../json/splice.ts';
import type { ToolDefinition } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { EntryFields, FirstObject, ObjectPart, ReadContext } from './dialect-spec.ts';
import { copiesOf, objectOf, type Piece } from './shared/build-messages.ts';
import { errorsIn, withoutError } from './shared/failed-answer.ts';
import { addAnswer, noteFinish } from './shared/logged-answer.ts';
import { addRequest, toolsIn } from './shared/logged-bodies.ts';
import { metaOf } from './shared/logged-meta.ts';
import { firstOf } from './shared/logged-values.ts';
import { OTHER_ANSWER, OTHER_CHOICES, RESULT_ERROR, unreadText, warning } from './shared/reading-notes.ts';
import { RepeatedIds } from './shared/repeated-ids.ts';
import { Transcript } from './shared/transcript.ts';
import { hasUnknownList, isOtherThanList, known, knownByType, says, unreadIn } from './shared/unread-text.ts';

const HARNESS = 'inspect';
const MISSING = warning('attachment-missing', 'the log does not have a text that its messages refer to');

const PART_MEMBERS = 'type internal';
/** The members of a message. */
const MESSAGE = known(
  'role id name source metadata internal model tool_call_id function error parse_error reasoning text',
  {
    'content:parts!': knownByType('type', {
      text: known(`${PART_MEMBERS} text:text! refusal citations`),
      reasoning: known(`${PART_MEMBERS} reasoning:text! summary:text signature redacted text:text`),
    }),
    'tool_calls:list!': known('id type function! name arguments! internal parse_error view custom'),
  },
);

const BAD_ATTACHMENT = unreadText('an attachment is not a text');
const SAMPLE = known(
  [
    'id epoch input choices target sandbox files setup messages output scores score metadata store events model_usage',
    'role_usage started_at completed_at total_time working_time uuid invalidation error error_retries limit',
    'attachments transcript events_data timelines summary model_fallbacks',
  ].join(' '),
);
/** The members of a log. */
const LOG = known(
  'version status eval plan results stats error invalidated log_updates samples reductions location etag config_updates',
);

/** Members that every file of a sample has. */
const SAMPLE_MEMBERS = ['id', 'epoch', 'input', 'target', 'messages', 'output'];

export const isSample = (first: FirstObject): boolean =>
  SAMPLE_MEMBERS.every((key) => first.get(key) !== undefined);

function detect(first: FirstObject): boolean {
  if (isSample(first)) return true;
  return (
    first.get('eval')?.type === 'object' &&
    first.get('plan')?.type === 'object' &&
    first.get('status')?.type === 'string'
  );
}

class InspectLog {
  readonly #keepSealed: boolean;
  readonly #repeated = new RepeatedIds();
  #run: string | undefined;
  #model: string | undefined;
  #created: bigint | undefined;
  #tags: readonly string[] = [];

  constructor(keepSealed: boolean) {
    this.#keepSealed = keepSealed;
  }

  read(json: JsonView, context: ReadContext): ObjectPart | readonly ObjectPart[] {
    const head = json.get('eval');
    if (head?.type !== 'object') return this.#sample(json, context);
    this.#run = firstOf(head, 'run_id', 'eval_id', 'task_id')?.text();
    this.#model = head.get('model')?.text();
    this.#created = context.time(firstOf(head, 'created'));
    this.#tags = (head.get('tags')?.elements() ?? []).flatMap((tag) => tag.text() ?? []);
    if (json.get('samples') === undefined && hasUnknownList(json, LOG))
      return context.reject('bad-messages', 'the log has a list that is not samples', json);
    const list = json.get('samples');
    if (isOtherThanList(list)) return context.reject('bad-messages', 'samples is not a list', list);
    const samples = list?.elements() ?? [];
    return [context.drop('document-head'), ...samples.map((sample) => this.#sample(sample, context))];
  }

  #sample(sample: JsonView, context: ReadContext): ObjectPart {
    const id = firstOf(sample, 'id');
    const number = id === undefined ? undefined : (id.text() ?? `${Buffer.from(id.bytes)}`);
    if (number === undefined) return context.reject('bad-event', 'a sample has no id', sample);
    const epoch = firstOf(sample, 'epoch');
    const parts = [this.#run ?? context.origin.source, number, epoch && `${Buffer.from(epoch.bytes)}`];
    const sessionId = parts.filter((part) => part !== undefined).join('/');
    const own = firstOf(sample, 'uuid')?.text() ?? (this.#run && epoch && sessionId);
    const repeated = own && this.#repeated.fateOf(own, sample, context);
    if (repeated) return repeated;
    const texts = new AttachedTexts(sample.get('attachments'));
    const transcript = new Transcript(this.#keepSealed);
    const unread = unreadIn(sample, SAMPLE, 'the sample');
    const list = sample.get('messages');
    if (isOtherThanList(list)) return context.reject('bad-messages', 'messages is not a list', list);
    const hasMessages = list?.type === 'array' && list.elements().length > 0;
    if (hasMessages) this.#addMessages(texts.fillIn(list), transcript, texts);
    else addPlain(sample, transcript, texts);
    const { refusal } = transcript;
    if (refusal !== undefined) return context.reject(refusal.reason, refusal.detail, list ?? sample);
    if (transcript.messages.length === 0)
      return context.reject('bad-messages', 'the sample has no messages', list ?? sample);
    const choices = firstOf(sample, 'output')?.get('choices')?.elements() ?? [];
    const stop = firstOf(choices[0], 'stop_reason');
    const failed = errorsIn(firstOf(sample, 'output')?.get('error'));
    const isAnswered = transcript.messages.at(-1)?.role === 'assistant';
    if (isAnswered && hasMessages) noteFinish(transcript, stop);
    if (isAnswered) withoutError(transcript, true, failed); // Inspect logs the error as the answer too
    if (hasMessages && choices.length > 1) transcript.noteFirst(OTHER_CHOICES);
    if (hasMessages && isElsewhere(firstOf(choices[0], 'message'), list))
      transcript.noteFirst(isAnswered ? OTHER_ANSWER : ONLY_OUTPUT);
    else if (
      !isAnswered &&
      transcript.messages.every(({ role }) => role !== 'assistant') &&
      hasAnswer(sample)
    )
      transcript.noteFirst(UNREAD_ANSWER);
    if (texts.isBad) transcript.noteFirst(BAD_ATTACHMENT);
    if (texts.isMissing) transcript.noteFirst(MISSING);
    if (unread !== undefined) transcript.noteFirst(unread);
    return {
      ...context.replyLast(transcript.messages),
      tools: toolsOf(sample),
      sessionId,
      alone: true,
      timestamp: context.time(firstOf(sample, 'started_at')) ?? this.#created,
      changes: transcript.changes,
      meta: this.#metaOf(sample, stop),
    } satisfies EntryFields;
  }

  #addMessages(list: JsonView, transcript: Transcript, texts: AttachedTexts): void {
    for (const message of list.elements()) {
      const isMessage = transcript.add(shownResult(message), undefined, MESSAGE);
      if (!isMessage && message.type === 'object')
        transcript.refuse('unknown-content', 'a message has no role', message);
      else if (!isMessage) texts.noteMissing();
      else if (firstOf(message, 'error') !== undefined) transcript.note(RESULT_ERROR);
    }
  }

  #metaOf(sample: JsonView, stop: JsonView | undefined): Meta {
    return metaOf({
      source_id: this.#run,
      harness: HARNESS,
      model: firstOf(firstOf(sample, 'output'), 'model')?.text() ?? this.#model,
      usage: firstOf(sample, 'model_usage'),
      reward: rewardOf(firstOf(sample, 'scores')) ?? firstOf(firstOf(sample, 'score'), 'value'),
      finish: stop,
      tags: this.#tags,
    });
  }
}

const ONLY_OUTPUT = unreadText(
  'the messages end without an answer, and the output has one that is not among them',
);

const UNREAD_ANSWER = unreadText('the sample has no answer, but an event or the text of its output has one');

/** Has an event of a sample an answer, or its output the text of one? */
function hasAnswer(sample: JsonView): boolean {
  const calls = eventsOf(sample).filter((event) => event.textOf('event') === 'model');
  return [sample, ...calls].some((one) => {
    const output = firstOf(one, 'output');
    const choices = output?.get('choices')?.elements() ?? [];
    return (
      says(output?.get('completion')) ||
      choices.some((choice) => textAndCalls(choice.get('message')).some(Boolean))
    );
  });
}

/** Does the message of an output say something that none of the messages says? */
function isElsewhere(output: JsonView | undefined, messages: JsonView): boolean {
  const [text, calls] = textAndCalls(output);
  if (text === '' && calls === '') return false;
  // from the end, where the answer is: other texts may be giant
  const said = messages.elements().findLast((message) => {
    const [own, called] = textAndCalls(message);
    return own === text && called === calls;
  });
  return said === undefined;
}

function textAndCalls(message: JsonView | undefined): readonly [texts: string, calls: string] {
  const content = message?.get('content');
  const texts = content?.elements().map((part) => part.textOf('text') ?? '') ?? [];
  const calls = (message?.get('tool_calls')?.elements() ?? []).map((call) => call.parsed());
  return [content?.text() ?? texts.join(''), calls.length === 0 ? '' : JSON.stringify(calls)];
}

/** The result as the model saw it: if the call failed and the content is empty, the error is the content. */
function shownResult(message: JsonView): JsonView {
  const error = message.get('error')?.get('message');
  if (error?.type !== 'string' || firstOf(message, 'content')?.isEmptyText !== true) return message;
  const pieces = message
    .members()
    .map(([key, value]): Piece => [key, key === 'content' ? error.copy() : value.copy()]);
  return new JsonView(objectOf(pieces));
}

/** Adds the input and output of a sample whose messages were not logged. */
function addPlain(sample: JsonView, transcript: Transcript, texts: AttachedTexts): void {
  const input = firstOf(sample, 'input');
  const output = firstOf(sample, 'output');
  if (input !== undefined) addRequest(transcript, texts.fillIn(input));
  if (output !== undefined && output.get('choices')?.elements().length !== 0)
    addAnswer(transcript, texts.fillIn(output));
}

/** The events of a sample, which older logs have inside its transcript. */
const eventsOf = (sample: JsonView): readonly JsonView[] =>
  (firstOf(sample, 'events') ?? sample.get('transcript')?.get('events'))?.elements() ?? [];

/** The tools of the first model call among the sample's events. */
function toolsOf(sample: JsonView): readonly ToolDefinition[] {
  for (const event of eventsOf(sample)) {
    const tools = event.get('event')?.text() === 'model' ? toolsIn(event.get('tools')) : [];
    if (tools.length > 0) return tools;
  }
  return [];
}

/** The value of the only score, or an object with the value of each scorer. */
function rewardOf(scores: JsonView | undefined): JsonView | undefined {
  const values = (scores?.members() ?? []).flatMap(([name, score]): (readonly [string, JsonView])[] => {
    const value = score.type === 'object' ? score.get('value') : score;
    return value === undefined ? [] : [[name, value]];
  });
  if (values.length < 2) return values[0]?.[1];
  return new JsonView(objectOf(copiesOf(values)));
}

const MARK = 'attachment://';
const REFERENCE = /^attachment:\/\/([\w-]{1,128})/;
const MAX_REFERENCE = MARK.length + 128;
/** Inspect writes this format. Any other text after the prefix was written by a user. */
const HASH = /^[0-9a-f]{32}$/;

/**
 * Texts that a sample stores once under `attachments`: its messages contain `attachment://HASH` in their place, alone
 * or inside a longer text.
 */
class AttachedTexts {
  /** By hash; the bytes are JSON strings without their quotes. */
  readonly #texts: ReadonlyMap<string, Uint8Array>;
  #isMissing = false;

  /** @param logged object of texts by hash */
  constructor(logged: JsonView | undefined) {
    const members = logged?.members() ?? [];
    this.isBad = members.some(([, text]) => text.type !== 'string');
    this.#texts = new Map(
      members.flatMap(([hash, text]) =>
        text.type === 'string' ? [[hash, text.copy().subarray(1, -1)] as const] : [],
      ),
    );
  }

  /** Whether an attachment is not a text. */
  readonly isBad: boolean;

  /** Whether a text that the messages refer to is missing. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  noteMissing(): void {
    this.#isMissing = true;
  }

  /** Returns the value with the texts filled in; the same object if it has no references. */
  fillIn(view: JsonView): JsonView {
    const bytes = Buffer.from(view.bytes.buffer, view.bytes.byteOffset, view.bytes.length);
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
      const [reference = '', hash = ''] =
        REFERENCE.exec(bytes.toString('latin1', at, at + MAX_REFERENCE)) ?? [];
      const text = this.#texts.get(hash);
      if (text === undefined && HASH.test(hash)) this.#isMissing = true;
      if (text === undefined) continue;
      pieces.push(bytes.subarray(from, at), text);
      from = at + reference.length;
    }
    return pieces.length === 0 ? view : new JsonView(concat([...pieces, bytes.subarray(from)]));
  }
}

const inspect: Dialect = defineDialect({
  name: 'inspect',
  summary: 'Evaluation logs of Inspect as JSON: {eval, plan, samples}, each sample a conversation.',
  keys: ['eval', 'plan', 'status', 'samples', 'id', 'epoch', 'messages', 'attachments'],
  inside: 'samples',
  alone: true,
  lacks: ['marks'],
  marks: ['eval', 'plan', 'status'],
  memory: ({ keepSealed = false }) => new InspectLog(keepSealed),
  detect,
  read: (json, context, log) => log.read(json, context),
});

export default inspect;
