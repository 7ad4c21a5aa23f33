/** A grader: the messages that it gets for a sample, its answer, and how its scores compare with the expected ones. */
import { SAMPLE_FAULTS, type Sample, sampleFault } from '../../transforms/dialects/samples/sample.ts';
import { valueBytes } from '../../transforms/json/members.ts';
import { isTooDeep } from '../../transforms/json/nesting.ts';
import { isObject } from '../../transforms/model/message.ts';
import { CLOSE_THOUGHT } from '../../transforms/model/reply.ts';
import type { DeckContext } from '../input/framing/deck-contexts.ts';
import type { LoopMessage } from './tape.ts';

/** Why a sample has no score. */
export type SkipReason = 'bad-sample' | 'no-expected-score' | 'no-answer' | 'bad-answer';

export interface Skipped {
  readonly skipped: SkipReason;
  /** Describes the fault, without content of the sample or the answer. */
  readonly problem: string;
}

/** A sample that a grader can be asked about. The values are JSON texts, as in the sample; those of strings are the strings. */
export interface GradingSample {
  readonly fullConversation: string;
  readonly expected: string;
  readonly expectedScore: number;
}

export interface ReadSample {
  readonly id: string | null;
  readonly sample: GradingSample | Skipped;
}

/** Reads the JSON text of a sample. The expected score is `expected.score`, or `score` in a sample without it. */
export function readSample(json: Uint8Array): ReadSample {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(json);
    value = isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return { id: null, sample: { skipped: 'bad-sample', problem: 'the sample is not JSON in UTF-8' } };
  }
  const id = isObject(value) && typeof value.id === 'string' ? value.id : null;
  const fault = sampleFault(value);
  return fault === undefined
    ? { id, sample: gradingSample(json, value as Sample & { readonly score?: unknown }) }
    : { id, sample: { skipped: 'bad-sample', problem: SAMPLE_FAULTS[fault] } };
}

function gradingSample(
  json: Uint8Array,
  { expected, score }: Sample & { readonly score?: unknown },
): GradingSample | Skipped {
  const expectedScore = isObject(expected) ? (expected.score ?? score) : score;
  if (typeof expectedScore !== 'number' || !Number.isFinite(expectedScore))
    return { skipped: 'no-expected-score', problem: 'the sample has no number expected.score' };
  const textOf = (key: string): string => Buffer.from(valueBytes(json, key) ?? '').toString();
  return {
    fullConversation: textOf('messages'),
    expected: typeof expected === 'string' ? expected : textOf('expected') || `{"score":${textOf('score')}}`,
    expectedScore,
  };
}

const FULL_CONVERSATION = 'fullConversation';
/** Contexts that a sample fills; the others need a default. */
export const FILLED: ReadonlySet<string> = new Set([FULL_CONVERSATION, 'expected']);

/**
 * Returns the text of the deck as system message, and each context as a question of the assistant with the user's answer.
 * If the deck does not ask for the conversation, it is the last message.
 */
export function graderMessages(
  text: string,
  contexts: ReadonlyMap<string, DeckContext>,
  { fullConversation, expected }: GradingSample,
): readonly LoopMessage[] {
  const filled = new Map([
    [FULL_CONVERSATION, fullConversation],
    ['expected', expected],
  ]);
  const messages: LoopMessage[] = [{ role: 'system', content: text }];
  for (const [name, { question, default: value = '' }] of contexts) {
    messages.push({ role: 'assistant', content: question });
    messages.push({ role: 'user', content: filled.get(name) ?? value });
  }
  if (!contexts.has(FULL_CONVERSATION))
    messages.push({ role: 'user', content: `{"${FULL_CONVERSATION}":${fullConversation}}` });
  return messages;
}

export interface Grade {
  readonly score: number;
  readonly reason: string | null;
}

const FENCE = '```';

/** Reads `{score, reason}` from an answer of a model: JSON, also in a fence of Markdown, or after the model's thinking. */
export function gradeIn(answer: string): Grade | Skipped {
  const bad = (problem: string): Skipped => ({ skipped: 'bad-answer', problem });
  const thinkingEnd = answer.lastIndexOf(CLOSE_THOUGHT);
  const said = thinkingEnd < 0 ? answer.trim() : answer.slice(thinkingEnd + CLOSE_THOUGHT.length).trim();
  const isFenced = said.startsWith(FENCE) && said.endsWith(FENCE);
  const text = isFenced ? said.slice(said.indexOf('\n') + 1, -FENCE.length) : said;
  let value: unknown;
  try {
    value = isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return bad('the answer of the grader is not JSON');
  }
  if (!isObject(value)) return bad('the answer of the grader is not an object');
  const { score, reason } = value;
  if (typeof score !== 'number' || !Number.isFinite(score))
    return bad('the answer of the grader has no number score');
  return { score, reason: typeof reason === 'string' ? reason : null };
}

/** A cell of the confusion table. */
export interface ConfusionCell {
  readonly expected: number;
  readonly score: number;
  readonly count: number;
}

export interface Agreement {
  readonly samples: number;
  readonly graded: number;
  readonly skipped: number;
  /** Samples whose score is the expected one. */
  readonly agreed: number;
  /** Share of the graded samples that agree; null without any. */
  readonly agreement: number | null;
  readonly mean_absolute_difference: number | null;
  /** Counts by expected and given score, in ascending order; those of 0 are left out. */
  readonly confusion: readonly ConfusionCell[];
}

/** @param scores of the graded samples @param samples number of all samples */
export function agreementOf(
  scores: readonly { readonly expected: number; readonly score: number }[],
  samples: number,
): Agreement {
  const graded = scores.length;
  const cells = new Map<string, ConfusionCell>();
  let agreed = 0;
  let difference = 0;
  for (const { expected, score } of scores) {
    const key = `${expected} ${score}`;
    cells.set(key, { expected, score, count: (cells.get(key)?.count ?? 0) + 1 });
    if (expected === score) agreed += 1;
    difference += Math.abs(expected - score);
  }
  return {
    samples,
    graded,
    skipped: samples - graded,
    agreed,
    agreement: graded === 0 ? null : agreed / graded,
    mean_absolute_difference: graded === 0 ? null : difference / graded,
    confusion: [...cells.values()].sort((a, b) => a.expected - b.expected || a.score - b.score),
  };
}
