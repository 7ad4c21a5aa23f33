/**
 * Folds the output of `gemini --output-format stream-json`: an `init`, then messages, calls and results, one event a
 * line. The text of an answer comes in pieces (`delta`).
 */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { Fate, LineFate } from '../../model/element.ts';
import { unknownSpeaker } from '../../model/known-roles.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import { callBlock, type FoldBlock } from '../fold/assistant-draft.ts';
import { makeMessage, toolMessage } from '../shared/build-messages.ts';
import { argumentsOf } from '../shared/call-arguments.ts';
import { leaveUnknown } from '../shared/carried-content.ts';
import { LastObject } from '../shared/last-object.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isTrue, present } from '../shared/logged-values.ts';
import { noted, RESPONSE_ERROR, RESULT_ERROR, unknownEvent, unreadText } from '../shared/reading-notes.ts';
import { known } from '../shared/unread-text.ts';

const MAIN = 'main';
const HARNESS = 'gemini-cli';
const QUOTE = encode('"');
/** Pieces of a text that wait until they are joined: this bounds the memory that no conversation counts. */
const MAX_WAITING = 1024 * 1024;

/** Whether the object is an event of this output; a message without `delta` may be one of other programs. */
export function isStreamEvent(json: FirstObject): boolean {
  const isText = (key: string): boolean => json.get(key)?.type === 'string';
  if (!isText('timestamp')) return false;
  const type = json.get('type')?.text();
  if (type === 'init') return isText('session_id') && isText('model');
  if (type === 'message') return isText('role') && isText('content') && isTrue(json.get('delta'));
  if (type === 'tool_use') return isText('tool_name') && isText('tool_id');
  return type === 'tool_result' && isText('tool_id') && isText('status');
}

const EVENT = 'type timestamp session_id';
const MESSAGE = known(`${EVENT} role content:text! delta`);
const CALL = known(`${EVENT} tool_name:text tool_id parameters!`);
const RESULT = known(`${EVENT} tool_id status output:text!`, {
  'error:object!': known('type message:text! code'),
});
/** For an answer of which a piece was rejected. */
const PIECE_LOST = unreadText('a piece of an answer cannot be read');
const TYPES: ReadonlySet<string> = new Set(['init', 'message', 'tool_use', 'tool_result', 'error', 'result']);

/** Whether the object can only be an event of this output: lines of recordings have an id. */
export const isStreamLine = (json: JsonView): boolean =>
  TYPES.has(json.get('type')?.text() ?? '') &&
  json.get('timestamp')?.type === 'string' &&
  ['id', 'uuid'].every((key) => json.get(key) === undefined);

const valuesIn = (event: JsonView): readonly JsonView[] => event.members().map(([, value]) => value);

export class StreamJsonSource {
  #session: string | undefined;
  #model: string | undefined;
  #answers = 0;
  /** Whether the last event was of an answer, to which the next one belongs. */
  #isAnswering = false;
  readonly #last = new LastObject();
  /** Pieces of the text that is being written, without quotes. */
  #pieces: Uint8Array[] = [];
  #waiting = 0;

  read(event: JsonView, context: ReadContext): LineFate {
    const type = event.get('type')?.text();
    // the model may write a piece of a text twice at one time
    const mark = isTrue(event.get('delta')) ? undefined : event.textOf('timestamp');
    if (this.#last.isAgain(event, mark, context.origin)) return context.drop('copied-line');
    if (type === 'message') return this.#readMessage(event, context);
    if (type !== 'error') this.#endText(context); // the text goes on after a warning
    if (type === 'init') return this.#begin(event, context);
    if (type === 'tool_use') return this.#readCall(event, context);
    if (type === 'tool_result') return this.#readResult(event, context);
    if (type === 'result' || type === 'error') return this.#readState(event, context);
    this.#losePiece(event, context);
    this.#open(context, event);
    context.fold.note(unknownEvent(type));
    const ofCall =
      event.get('tool_id') === undefined ? undefined : 'an event of an unknown type names a call';
    const within = valuesIn(event).some(isStreamLine) ? 'an event lies in another object' : undefined;
    const left = leaveUnknown(type, event, context);
    const lost = left.kind === 'fate' ? (ofCall ?? within) : undefined;
    return lost === undefined ? left : context.reject('bad-event', lost, event);
  }

  /** Ends the text at the end of the source. */
  end(context: ReadContext): undefined {
    this.#endText(context);
    return undefined;
  }

  #begin(event: JsonView, context: ReadContext): Fate {
    context.fold.closeAll();
    this.#session = event.get('session_id')?.text();
    this.#model = event.get('model')?.text();
    this.#isAnswering = false;
    this.#open(context, event);
    return context.drop('client-event');
  }

  #readMessage(event: JsonView, context: ReadContext): LineFate {
    const role = event.get('role')?.text();
    const content = event.get('content');
    const isKnown = role === 'user' || role === 'assistant';
    if (!isKnown || content?.type !== 'string') {
      this.#losePiece(event, context);
      return isKnown
        ? context.reject('unknown-content', 'the content of a message is not a text', content ?? event)
        : context.reject('unknown-speaker', unknownSpeaker('a message'), event);
    }
    context.fold.expect(event, MESSAGE, 'event');
    if (role === 'assistant' && isTrue(event.get('delta'))) return this.#addPiece(content, event, context);
    const written = this.#endText(context);
    if (role === 'assistant' && written.length > 0 && isSameBytes(written, content.bytes.subarray(1, -1)))
      return context.drop('copied-line');
    this.#open(context, event);
    if (role === 'assistant') this.#amend(context, { kind: 'text', text: content.copy() });
    else {
      this.#isAnswering = false;
      context.fold.add(makeMessage('user', [['content', content.copy()]]), { isTurn: true });
    }
    return undefined;
  }

  /** Ends an answer of which a piece is lost. */
  #losePiece(event: JsonView, context: ReadContext): void {
    if ([event, ...valuesIn(event)].some((one) => isTrue(one.get('delta')))) {
      this.#open(context, event);
      context.fold.note(PIECE_LOST);
    }
    this.#endText(context);
    this.#isAnswering = false;
  }

  #addPiece(content: JsonView, event: JsonView, context: ReadContext): undefined {
    const text = content.copy();
    this.#open(context, event);
    if (this.#pieces.length === 0) this.#amend(context, { kind: 'text', text });
    this.#pieces.push(text.subarray(1, -1));
    this.#waiting += text.length;
    if (this.#waiting < MAX_WAITING) return;
    const joined = this.#endText(context);
    this.#pieces = [joined];
  }

  /** Replaces the first pieces of the text by the whole text. @returns the text without quotes */
  #endText(context: ReadContext): Uint8Array {
    const joined = concat(this.#pieces);
    if (this.#pieces.length > 1) {
      const text = concat([QUOTE, joined, QUOTE]);
      context.fold.open(MAIN, this.#session ?? context.origin.source);
      context.fold.amend(`${this.#answers}`, [{ kind: 'text', text }], 'replace');
    }
    this.#pieces = [];
    this.#waiting = 0;
    return joined;
  }

  #readCall(event: JsonView, context: ReadContext): undefined {
    context.fold.expect(event, CALL, 'event');
    const id = event.get('tool_id')?.text();
    const args = event.get('parameters');
    this.#open(context, event);
    const written = args && argumentsOf(args.bytes);
    this.#amend(context, callBlock(id, event.get('tool_name')?.text(), written));
    return undefined;
  }

  /** Adds a result. Its text is what the client showed of it; without a text, the call has no result. */
  #readResult(event: JsonView, context: ReadContext): LineFate {
    const isError = event.get('status')?.text() === 'error';
    const message = event.get('error')?.get('message');
    const output = isError && present(message) ? message : event.get('output');
    this.#open(context, event);
    context.fold.expect(event, RESULT, 'event');
    this.#isAnswering = false;
    if (!present(output)) return context.drop('client-event');
    if (output.type !== 'string')
      return context.reject('unknown-content', 'the output of a result is not a text', output);
    const id = event.get('tool_id')?.text();
    context.fold.answer(id, noted(toolMessage(id, output.copy()), isError ? [RESULT_ERROR] : []));
    return undefined;
  }

  #readState(event: JsonView, context: ReadContext): Fate {
    this.#open(context, event);
    context.fold.describe(metaOf({ usage: event.get('stats') }));
    const isFailed = (event.get('status') ?? event.get('severity'))?.text() === 'error';
    if (isFailed) context.fold.noteLast(RESPONSE_ERROR);
    return context.drop('client-event');
  }

  #amend({ fold }: ReadContext, block: FoldBlock): void {
    if (!this.#isAnswering) this.#answers++;
    this.#isAnswering = true;
    fold.amend(`${this.#answers}`, [block], 'add', { meta: metaOf({ model: this.#model }) });
  }

  #open({ fold, origin }: ReadContext, event: JsonView): void {
    const isNew = fold.open(MAIN, this.#session ?? origin.source, event.get('timestamp'));
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness: HARNESS }));
  }
}
