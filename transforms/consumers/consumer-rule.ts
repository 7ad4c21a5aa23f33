/** The type of the rules in consumer-rules.ts, and a function that most of them use. */
import type { Message, WrittenRecord } from '../model/element.ts';

/** How the consumer treats the record, or a part of it. */
export type Effect = 'drops' | 'alters' | 'refuses';

/** The parts of a record that the rules read. */
export type ConsumedRecord = Pick<WrittenRecord, 'bytes' | 'written'> &
  Partial<Pick<WrittenRecord, 'format'>>;

/** Who usually reads the records of a format that some consumers refuse, as the subject of a sentence. */
export const USUAL_CONSUMERS: Readonly<Record<string, string>> = {
  chat: 'a chat template',
  'chat-inline': 'a chat template',
  trl: 'TRL',
  axolotl: 'axolotl',
  openai: 'OpenAI',
};

/** A rule whose records are refused. */
export interface Refusal {
  /** Names the part that is refused: `reasoning`. */
  readonly summary: string;
  /** Says what to type about it. */
  readonly remedy: string;
}

export interface ConsumerRule {
  readonly name: string;
  readonly effect: Effect;
  readonly formats: readonly string[];
  /** Rest of a sentence that begins with a place such as `messages[3]`. */
  readonly problem: string;
  /** Returns the end of that sentence, after a colon, if it depends on the record. */
  readonly detail?: (record: ConsumedRecord) => string;
  /** Indexes of the messages that break the rule; -1 for the record as a whole. */
  broken(record: ConsumedRecord): readonly number[];
  /** Set if its effect is `refuses`. */
  readonly refusal?: Refusal;
}

/** Indexes of the messages for which `test` returns true. */
export const where = (
  record: ConsumedRecord,
  test: (message: Message, at: number) => boolean,
): readonly number[] => record.written.flatMap((message, at) => (test(message, at) ? [at] : []));
