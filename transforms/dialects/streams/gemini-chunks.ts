/** Assembles streams of the Gemini API: chunks with the next parts of a candidate. */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import { arrayOf, copiesOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { GEMINI_CONTENT } from '../shared/known-bodies.ts';
import { firstOf, isTrue, present } from '../shared/logged-values.ts';
import { geminiBody, isGeminiAnswer } from '../shared/other-apis.ts';
import { RESPONSE_ERROR } from '../shared/reading-notes.ts';
import { says } from '../shared/unread-text.ts';
import {
  isOtherId,
  STREAM_CUT,
  type StreamedAnswer,
  type StreamGrammar,
  stringIn,
  UnknownKinds,
} from './grammar.ts';
import { GrowingText } from './growing-text.ts';

const SEALS: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);
/** Members of a part whose text continues that of the part before it. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['text', 'thought', ...SEALS]);

/**
 * Whether the event is a chunk: candidates, the reason why there are none, or the tokens of all, without a request beside
 * them.
 */
export function isGeminiChunk(event: Pick<JsonView, 'get'>): boolean {
  const answer = geminiBody(event);
  return (
    (isGeminiAnswer(answer) || isUsage(answer)) &&
    !['contents', 'request'].some((key) => event.get(key) !== undefined)
  );
}

const isUsage = (answer: Pick<JsonView, 'get'>): boolean =>
  answer.get('usageMetadata')?.type === 'object' &&
  ['responseId', 'modelVersion'].some((key) => answer.get(key)?.type === 'string');

interface GrowingPart {
  /** A text that the next part may continue. */
  readonly text?: GrowingText;
  /** The signatures of a text. */
  readonly members: Piece[];
  readonly isThought: boolean;
}

export class GeminiChunks implements StreamGrammar {
  readonly #parts: GrowingPart[] = [];
  /** Members of the response and of its first candidate besides the parts; the last value counts. */
  readonly #head = new Map<string, Uint8Array>();
  readonly #candidate = new Map<string, Uint8Array>();
  readonly #unknown = new UnknownKinds();
  #isFailed = false;
  /** Was the prompt blocked? A chunk of an answer may have feedback to the prompt, too. */
  #isBlocked = false;

  put(event: JsonView): void {
    const answer = geminiBody(event);
    if (hidesParts(answer)) this.#unknown.lose('candidates');
    for (const [key, value] of answer.members())
      if (key !== 'candidates' && present(value)) this.#head.set(key, value.copy());
    this.#isFailed ||= present(answer.get('error'));
    this.#isBlocked ||= present(firstOf(answer.get('promptFeedback'), 'blockReason', 'block_reason'));
    const [first] = answer.get('candidates')?.elements() ?? [];
    for (const [key, value] of first?.members() ?? [])
      if (key !== 'content' && present(value)) this.#candidate.set(key, value.copy());
    for (const part of first?.get('content')?.get('parts')?.elements() ?? []) this.#add(part);
  }

  #add(part: JsonView): void {
    const text = part.get('text');
    const isThought = isTrue(part.get('thought'));
    const isText = text?.type === 'string' && part.keys().every((key) => TEXT_MEMBERS.has(key));
    const last = this.#parts.at(-1);
    const members = copiesOf(part.members().filter(([key]) => !isText || SEALS.has(key)));
    if (isText && last?.text !== undefined && last.isThought === isThought) {
      last.text.add(text.bytes);
      last.members.push(...members);
    } else if (isText) this.#parts.push({ text: new GrowingText().add(text.bytes), members, isThought });
    else this.#parts.push({ members, isThought });
  }

  begins(event: JsonView): boolean {
    const answer = geminiBody(event);
    const [first] = answer.get('candidates')?.elements() ?? [];
    if (!this.isOver || !present(first?.get('content'))) return false;
    const id = stringIn(answer, 'responseId');
    return id === undefined || !isSameBytes(id, this.#head.get('responseId') ?? NO_TEXT);
  }

  /** Some servers give a reason to end in every chunk. */
  isOfAnother(event: JsonView): boolean {
    const answer = geminiBody(event);
    const [first] = answer.get('candidates')?.elements() ?? [];
    const parts = first?.get('content')?.get('parts')?.elements() ?? [];
    if (!parts.some((part) => says(part.get('text')) || present(part.get('functionCall')))) return false;
    const isAfter = this.isOver && !present(first?.get('finishReason'));
    return isAfter || isOtherId(answer, this.#head.get('responseId'), 'responseId');
  }

  get isOver(): boolean {
    return this.#candidate.has('finishReason') || this.#isBlocked;
  }

  answer(): StreamedAnswer {
    const parts = this.#parts.flatMap(({ text, members, isThought }) =>
      text === undefined
        ? objectOf(members)
        : [
            objectOf([...(isThought ? [['thought', 'true'] as const] : []), ['text', text.json()]]),
            ...members.map((seal) => objectOf([['text', NO_TEXT], seal])),
          ],
    );
    const content = objectOf([
      ['role', '"model"'],
      ['parts', arrayOf(parts)],
    ]);
    const candidate = objectOf([['content', content], ...this.#candidate]);
    const notes = this.#isFailed ? [RESPONSE_ERROR] : this.isOver ? [] : [STREAM_CUT];
    const json = objectOf([['candidates', arrayOf([candidate])], ...this.#head]);
    return { json, notes: [...notes, ...this.#unknown.notes()] };
  }
}

/** Does a chunk lack its parts, but have content under a name that is not known? */
function hidesParts(answer: JsonView): boolean {
  const candidates = answer.get('candidates');
  const [first] = candidates?.elements() ?? [];
  const content = first?.get('content');
  const parts = content?.get('parts');
  if (isOdd(candidates, 'array') || isOdd(first, 'object') || isOdd(content, 'object')) return true;
  if (isOdd(parts, 'array') || parts?.elements().some((part) => part.type !== 'object') === true) return true;
  if (present(parts)) return false;
  if (content?.others(GEMINI_CONTENT.names).some(([, value]) => says(value)) === true) return true;
  return [first, answer].some((one) => one?.others(AROUND).some(([, value]) => carriesContent(value)));
}

/** Does a value say something in another form than this one? */
const isOdd = (value: JsonView | undefined, type: 'array' | 'object'): boolean =>
  value !== undefined && value.type !== type && says(value);

/** Members of a chunk and of a candidate besides what was said. */
const AROUND: ReadonlySet<string> = new Set([
  ...['candidates', 'content', 'groundingMetadata', 'grounding_metadata', 'citationMetadata', 'error'],
  ...['urlContextMetadata', 'promptFeedback', 'usageMetadata', 'avgLogprobs', 'logprobsResult'],
]);
