/** Reads from the sums of a run what the consumers of its formats refuse. */
import { USUAL_CONSUMERS } from '../../transforms/consumers/consumer-rule.ts';
import { refusalNamed } from '../../transforms/consumers/consumer-rules.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { BY_CONSUMER } from './ledger.ts';

/** Records of a format that its usual consumer refuses, for one reason. */
export interface Refused {
  readonly consumer: string;
  readonly count: number;
  /** Noun: what such a record has. */
  readonly what: string;
  readonly remedy: string;
}

/** Returns what consumers refuse, the most frequent reason first. */
export function refusedIn({ formats }: LedgerSums): readonly Refused[] {
  return Object.entries(formats)
    .flatMap(([format, counts]) =>
      Object.entries(counts).flatMap(([name, count]): Refused[] => {
        const refusal = name.startsWith(BY_CONSUMER) && refusalNamed(name.slice(BY_CONSUMER.length));
        if (!refusal) return [];
        const { summary: what, remedy } = refusal;
        return [{ consumer: USUAL_CONSUMERS[format] ?? format, count, what, remedy }];
      }),
    )
    .sort((a, b) => b.count - a.count);
}
