/**
 * Prompts that the user typed while the model was working. Current versions log those that the model received as
 * attachments. Before about 2.1.101 only the events of the queue have the text: `enqueue`, and `remove` when the model
 * receives it. A prompt that begins a turn is taken out by `dequeue`, and a user line has it too.
 */
import type { FoldPlace } from '../fold/fold.ts';
import type { UserContent } from './line.ts';

const MOST = 64;

interface Received {
  readonly text: string;
  readonly place: FoldPlace;
}

export class PromptQueue {
  #waiting: UserContent[] = [];
  /** Prompts that were taken from the queue's events: the log may have them again. */
  #received: Received[] = [];
  #hasAttachments = false;

  /** Handles an event of the queue. @returns the prompt that the model received, if no attachment has it */
  read(operation: string | undefined, content: UserContent | undefined): UserContent | undefined {
    if (operation === 'enqueue' && content !== undefined) {
      if (this.#waiting.length < MOST) this.#waiting.push(content);
    } else if (operation === 'dequeue') this.#waiting.shift();
    else if (operation === 'popAll') {
      // back to the user: one event per prompt, or one without a text for all
      if (content === undefined || this.#take(content) === undefined) this.#waiting = [];
    } else if (operation === 'remove') {
      const prompt = this.#take(content) ?? content;
      return this.#hasAttachments ? undefined : prompt;
    }
    return undefined;
  }

  /** Takes a prompt out of the queue: the first one with that text, or the first one if no text is known. */
  #take(content: UserContent | undefined): UserContent | undefined {
    const text = textOf(content);
    let at = this.#waiting.findIndex((one) => text === undefined || textOf(one) === text);
    // only the first event of a prompt has its images
    if (at < 0) at = this.#waiting.findIndex(({ texts }) => texts === undefined);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  receive(content: UserContent, place: FoldPlace): void {
    const text = textOf(content);
    if (text !== undefined) this.#received = [...this.#received.slice(1 - MOST), { text, place }];
  }

  /**
   * Handles an attachment with a prompt; after the first one, the events of the queue say nothing new.
   * @returns the message with that prompt, if an event of the queue had it before
   */
  attach(content: UserContent): FoldPlace | undefined {
    this.#hasAttachments = true;
    const text = textOf(content);
    const at = this.#received.findIndex((one) => one.text === text);
    return at < 0 ? undefined : this.#received.splice(at, 1)[0]?.place;
  }
}

/** The texts of a prompt; undefined if it has none. */
function textOf(content: UserContent | undefined): string | undefined {
  const text = content?.said.trim();
  return text === '' ? undefined : text;
}
