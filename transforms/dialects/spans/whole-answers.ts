/**
 * Finds an answer whole in the request of a later call. A span of the AI SDK has the texts of its answer joined, and no
 * results of the calls that the provider ran; later requests have them as parts, each at its place.
 */
import { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { pathHashes } from '../../model/path-hashes.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { heldMessage } from '../shared/history.ts';
import { isMarked } from '../shared/sdk-parts.ts';

export class WholeAnswers {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, Message>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The call; one whose answer lacks results waits for the end of the source, to have the answer of a later request.
   * @param all its messages, of which it remembers the answers
   */
  complete(call: EntryFields, all: readonly Message[]): EntryFields {
    this.#see(all);
    const { messages, reply } = call;
    if ('kind' in messages || reply === undefined || !hasParts(reply) || isWhole(reply)) return call;
    const find = (): Message | undefined => this.#answers.get(keyOf(pathHashes(messages).at(-1), reply));
    return { ...call, later: () => ({ ...call, reply: find() ?? reply }) };
  }

  #see(messages: readonly Message[]): void {
    if (!messages.some(hasParts)) return;
    const hashes = pathHashes(messages);
    for (const [i, message] of messages.entries()) {
      if (!hasParts(message) || !isWhole(message)) continue;
      const key = keyOf(hashes[i - 1], message);
      if (this.#answers.has(key) || this.#bytes + message.bytes.length > this.#maxBytes) continue;
      this.#bytes += message.bytes.length;
      this.#answers.set(key, heldMessage(message));
    }
  }
}

const partsOf = ({ bytes }: Message): readonly JsonView[] =>
  (new JsonView(bytes).get('content')?.elements() ?? []).filter(isMarked);

/** Has a message calls of the provider? */
const hasParts = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.notes?.some(({ rule }) => rule === 'block-kept') === true &&
  partsOf(message).length > 0;

const isWhole = (message: Message): boolean => partsOf(message).some(isResult);

const isResult = (part: JsonView): boolean => part.textOf('type') === 'tool-result';

/** Says the same of an answer with its parts and without: what comes before it, its texts, and its calls. */
function keyOf(before: string | undefined, { bytes }: Message): string {
  const answer = new JsonView(bytes);
  const content = answer.get('content')?.elements() ?? [];
  const texts = content.flatMap((part) =>
    part.textOf('type') === 'text' ? (part.textOf('text') ?? '') : [],
  );
  const ran = content
    .filter((part) => isMarked(part) && !isResult(part))
    .map((part) => part.textOf('toolCallId'));
  const calls = (answer.get('tool_calls')?.elements() ?? []).map((call) => call.textOf('id'));
  return JSON.stringify([before, texts.join(''), ran.toSorted(), calls]);
}
