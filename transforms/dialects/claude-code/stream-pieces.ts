/**
 * The pieces of answers (`stream_event`) and the last text (`result`) of stream-json, which other lines have as whole
 * messages. Compares lengths, not texts, so that the pieces need not be held.
 */
import type { JsonView } from '../../json/json-view.ts';
import { parseString } from '../../json/utf8.ts';
import type { Origin, Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import type { Fold } from '../fold/fold.ts';
import { isTrue } from '../shared/logged-values.ts';
import { OpenPieces } from '../shared/open-pieces.ts';

const SPACE = 32;

/** The answer of which pieces come. */
interface Streamed {
  /** Undefined if the event with which it began is lost. */
  readonly id: string | undefined;
  /** Characters of its texts that no whole line has repeated, without white space. */
  texts: number;
}

export class StreamPieces {
  /** Name of the main conversation. */
  readonly #main: string;
  readonly #open = new OpenPieces();
  readonly #streamed = new Map<string, Streamed>();
  /** The last blocks with a text of the main conversation since the last `result`; none if the client wrote it. */
  #last: readonly FoldBlock[] | undefined;

  constructor(main: string) {
    this.#main = main;
  }

  /** Adds an event of a stream. */
  add(thread: string, event: JsonView | undefined, { fold, origin }: ReadContext): void {
    const type = event?.textOf('type');
    if (type === 'message_start') {
      this.#open.settle(thread, fold);
      this.#streamed.set(thread, { id: event?.get('message')?.textOf('id'), texts: 0 });
    } else if (type === 'content_block_start') this.#addPiece(thread, event?.get('content_block'), origin);
    else if (type === 'content_block_delta') this.#addPiece(thread, event?.get('delta'), origin);
  }

  #addPiece(thread: string, piece: JsonView | undefined, origin: Origin): void {
    const kind = kindOf(piece);
    if (kind === undefined) return;
    const streamed = this.#streamed.get(thread) ?? { id: undefined, texts: 0 };
    this.#streamed.set(thread, streamed);
    if (kind === 'text') streamed.texts += lengthOf(piece?.textOf('text') ?? '');
    if (kind !== 'text' || streamed.texts > 0) this.#open.add(thread, kind, origin);
  }

  /** Called for a line with a message of the model. */
  repeat(thread: string, message: JsonView | undefined, blocks: readonly FoldBlock[]): void {
    if (thread === this.#main && blocks.some(({ kind }) => kind === 'text')) this.#last = blocks;
    const streamed = this.#streamed.get(thread);
    if (streamed === undefined) return;
    const id = message?.textOf('id');
    if (streamed.id !== undefined && id !== undefined && id !== streamed.id) return;
    this.#open.repeat(thread, 'thought');
    for (const block of blocks) {
      if (block.kind === 'text') streamed.texts -= lengthOf(textOf(block.text));
      else this.#open.repeat(thread, 'call');
    }
    if (streamed.texts > 0) return;
    streamed.texts = 0;
    this.#open.repeat(thread, 'text');
  }

  /** Called for a line with a text that the client wrote in place of an answer. */
  skip(): void {
    this.#last = [];
  }

  /** Reports the pieces of a thread that no line has repeated. */
  settle(thread: string, fold: Fold): void {
    this.#streamed.delete(thread);
    this.#open.settle(thread, fold);
  }

  /** The client dropped the pieces of an answer, because the user interrupted it or because it tries again. */
  forget(thread: string): void {
    this.#streamed.delete(thread);
    this.#open.forget(thread);
  }

  /** Compares the text of a `result` with the last text of the main conversation. */
  endRun(result: JsonView, { fold, origin }: ReadContext): void {
    this.settle(this.#main, fold);
    const last = this.#last;
    this.#last = undefined;
    const text = result.textOf('result')?.trim() ?? '';
    if (text === '' || last?.length === 0 || isOfClient(result)) return;
    const isSaid = last?.some((block) => block.kind === 'text' && isSame(textOf(block.text).trim(), text));
    if (isSaid === true) return;
    this.#open.add(this.#main, 'result', origin);
    this.#open.settle(this.#main, fold);
  }

  /** Called at the end of the session. */
  end(fold: Fold): Rejection | undefined {
    return this.#open.end(fold);
  }
}

/** Whether a result is an error, the output of a command that the client ran itself, or in a form that the user asked for. */
function isOfClient(result: JsonView): boolean {
  const isError = result.get('is_error');
  if (isError !== undefined && isTrue(isError)) return true;
  return (
    result.get('structured_output') !== undefined || result.get('usage')?.get('output_tokens')?.parsed() === 0
  );
}

/** Qwen Code prints all texts of a run as its result. */
const isSame = (said: string, text: string): boolean =>
  said !== '' && (text.includes(said) || said.includes(text));

const textOf = (json: Uint8Array): string => parseString(json, 0, json.length);

function kindOf(piece: JsonView | undefined): 'text' | 'thought' | 'call' | undefined {
  if (piece?.textOf('text')) return 'text';
  if (piece?.textOf('thinking')) return 'thought';
  const type = piece?.textOf('type') ?? '';
  return piece?.textOf('partial_json') || type.endsWith('tool_use') ? 'call' : undefined;
}

/** Characters without white space, which clients trim. */
function lengthOf(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > SPACE) length++;
  return length;
}
