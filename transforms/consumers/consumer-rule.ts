/** A rule of a consumer (reader-rules.ts), and the question that most of them ask. */
import type { Message, WrittenRecord } from '../model/element.ts';

/** How the consumer treats the record, or a part of it. */
export type Effect = 'drops' | 'alters' | 'refuses';

export interface ConsumerRule {
  readonly name: string;
  readonly effect: Effect;
  readonly formats: readonly string[];
  /** Follows the place: `messages[3] ...`. */
  readonly says: string;
  /** The numbers of the messages in question; -1 for the record as a whole. */
  broken(record: WrittenRecord): readonly number[];
}

/** The numbers of the messages for which it is so. */
export const where = (
  record: WrittenRecord,
  test: (message: Message, at: number) => boolean,
): readonly number[] => record.written.flatMap((message, at) => (test(message, at) ? [at] : []));
