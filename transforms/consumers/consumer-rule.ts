/** The type of the rules in consumer-rules.ts, and a function that most of them use. */
import type { Message, WrittenRecord } from '../model/element.ts';

/** How the consumer treats the record, or a part of it. */
export type Effect = 'drops' | 'alters' | 'refuses';

export interface ConsumerRule {
  readonly name: string;
  readonly effect: Effect;
  readonly formats: readonly string[];
  /** Rest of a sentence that begins with a place such as `messages[3]`. */
  readonly problem: string;
  /** Indexes of the messages that break the rule; -1 for the record as a whole. */
  broken(record: WrittenRecord): readonly number[];
}

/** Indexes of the messages for which `test` returns true. */
export const where = (
  record: WrittenRecord,
  test: (message: Message, at: number) => boolean,
): readonly number[] => record.written.flatMap((message, at) => (test(message, at) ? [at] : []));
