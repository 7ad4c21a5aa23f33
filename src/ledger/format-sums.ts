/** The counts of one format: records written and sessions refused. */
import type { Counts } from '../dataset/schema/ledger.ts';
import { type CountList, Tally } from './counts.ts';

/** The counts of a format as plain data. */
export interface FormatCounts {
  readonly name: string;
  readonly counts: CountList;
  readonly refused: CountList;
  readonly sessions: number;
  readonly answers: number;
  readonly trained: number;
  readonly context: number;
}

export class FormatSums {
  /** `records`, and `refused:REASON`. */
  readonly counts: Tally = new Tally();
  /** `consumer:RULE`: records that the usual consumer of the format refuses. */
  readonly refused: Tally = new Tally();
  /** Sessions with at least one record in the format. */
  sessions = 0;
  /** Answers in the records, with `--copies mark`, and those that are trained. */
  answers = 0;
  trained = 0;
  /** Answers that are trained in an earlier record. */
  context = 0;

  toCounts(name: string): FormatCounts {
    const { sessions, answers, trained, context } = this;
    const tallies = { counts: this.counts.sorted(), refused: this.refused.sorted() };
    return { name, ...tallies, sessions, answers, trained, context };
  }

  add({ counts, refused, sessions, answers, trained, context }: FormatCounts): void {
    this.counts.addAll(counts);
    this.refused.addAll(refused);
    this.sessions += sessions;
    this.answers += answers;
    this.trained += trained;
    this.context += context;
  }

  /**
   * Returns the counts as the summary has them, with the sessions if their number differs from that of the records.
   * @param marksContext whether to return the counts of answers
   */
  toObject(marksContext: boolean): Counts {
    const { counts, refused, sessions, answers, context, trained } = this;
    const records = counts.get('records');
    const ofAnswers = marksContext ? present({ answers, context, trained }) : {};
    const more = { ...(sessions === records ? {} : { sessions }), ...ofAnswers };
    const all = { records, ...counts.toObject(), ...refused.toObject(), ...more };
    return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const present = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
