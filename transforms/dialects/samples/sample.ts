/** Validates samples for a grader: a conversation whose messages have a role and a text, and the expected result. */
import { isObject } from '../../model/message.ts';

export const SAMPLE_FAULTS = {
  'messages-missing': 'Sample must have messages array',
  'old-shape':
    'Sample must have messages array: userMessage and assistantResponse are no longer read, write them as messages, [{role: "user", content: ...}, {role: "assistant", content: ...}]',
  'messages-empty': 'Messages array cannot be empty',
  'role-missing': 'Each message must have a role string',
  'content-missing': 'Each message must have a content string',
} as const;

export type SampleFault = keyof typeof SAMPLE_FAULTS;

export interface SampleMessage {
  readonly role: string;
  readonly content: string;
}

export interface Sample {
  readonly messages: readonly SampleMessage[];
  readonly expected?: unknown;
  readonly tags?: unknown;
}

/** Thrown by `validateSample`, with a code and a message for each problem. */
export class SampleError extends Error {
  readonly code: SampleFault;

  constructor(code: SampleFault) {
    super(SAMPLE_FAULTS[code]);
    this.name = 'SampleError';
    this.code = code;
  }
}

/** The code of what is wrong with a sample; undefined if it is valid. */
export function sampleFault(sample: unknown): SampleFault | undefined {
  const { messages, userMessage, assistantResponse } = isObject(sample) ? sample : {};
  if (!Array.isArray(messages))
    return userMessage === undefined && assistantResponse === undefined ? 'messages-missing' : 'old-shape';
  if (messages.length === 0) return 'messages-empty';
  for (const message of messages as readonly unknown[]) {
    const { role, content } = isObject(message) ? message : {};
    if (typeof role !== 'string' || role === '') return 'role-missing';
    if (typeof content !== 'string' || content === '') return 'content-missing';
  }
  return undefined;
}

/**
 * Returns the value if it is a valid sample.
 * @throws SampleError if it has no messages, or a message without a role or a text
 */
export function validateSample(sample: unknown): Sample {
  const fault = sampleFault(sample);
  if (fault !== undefined) throw new SampleError(fault);
  return sample as Sample;
}

/** The input for a grader: the whole conversation and the expected result. */
export function gradingContext({ messages, expected }: Sample): {
  readonly fullConversation: readonly SampleMessage[];
  readonly expected: unknown;
} {
  return { fullConversation: messages, expected };
}
