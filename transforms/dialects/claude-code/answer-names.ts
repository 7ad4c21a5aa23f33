/**
 * Names the answer that an assistant line belongs to. The lines of one answer share the id of its message, but some
 * servers give several answers the same id, and some clients give each line its own.
 */
import { AssistantDraft, type FoldBlock } from '../fold/assistant-draft.ts';
import type { FoldPlace } from '../fold/fold.ts';
import type { ClaudeLine } from './line.ts';

/** A longer answer is not searched for each of its lines. */
const MAX_BLOCKS = 1000;

/** The last answer of a thread. */
interface Answer {
  /** The turn and the id of the message. */
  readonly key: string;
  /** Number of answers before this one with the same key. */
  readonly part: number;
  readonly request: string | undefined;
  place?: FoldPlace;
  /** Whether a line has given the reason why the model stopped. */
  isEnded: boolean;
  /** Whether the next line belongs to it too, under any id (see `isUnfinishedPiece`). */
  isUnfinished: boolean;
}

export class AnswerNames {
  readonly #last = new Map<string, Answer>();

  /** @param key the turn and the id of the message */
  nameOf(line: ClaudeLine, thread: string, key: string, blocks: readonly FoldBlock[]): string {
    const last = this.#last.get(thread);
    const isSame = last !== undefined && (last.isUnfinished || last.key === key);
    if (isSame && (last.isUnfinished || !isNext(last, line, blocks))) return nameOf(last);
    const part = isSame ? last.part + 1 : 0;
    const answer = { key, part, request: line.requestId, isEnded: false, isUnfinished: false };
    this.#last.set(thread, answer);
    return nameOf(answer);
  }

  /** Called when the line was read. */
  record(line: ClaudeLine, thread: string, place: FoldPlace): void {
    const last = this.#last.get(thread);
    if (last === undefined) return;
    last.place = place;
    last.isEnded ||= line.stopReason !== undefined;
    last.isUnfinished = line.isUnfinishedPiece;
  }

  /** A line of the user ends an answer whose lines have different ids. */
  endPiece(thread: string): void {
    const last = this.#last.get(thread);
    if (last !== undefined) last.isUnfinished = false;
  }
}

const nameOf = ({ key, part }: Answer): string => (part === 0 ? key : `${key} ${part}`);

/**
 * Whether a line begins another answer although its id is that of the last one: it has another call with the id of an
 * answered one, it is of another request, or, if the log names no requests, the last one had ended and has results.
 * Lines that are logged again are not another answer.
 */
function isNext(
  { place, request, isEnded }: Answer,
  line: ClaudeLine,
  blocks: readonly FoldBlock[],
): boolean {
  const draft = place?.content;
  if (place === undefined || !(draft instanceof AssistantDraft) || draft.size > MAX_BLOCKS) return false;
  const fresh = blocks.filter((block) => !draft.has(block));
  if (fresh.length === 0) return false;
  const answered = place.calls.filter(({ result }) => result !== undefined);
  if (fresh.some((block) => block.kind === 'call' && answered.some(({ id }) => id === block.id))) return true;
  const { requestId } = line;
  if (request !== undefined && requestId !== undefined) return request !== requestId;
  return isEnded && answered.length > 0;
}
