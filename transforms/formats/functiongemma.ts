/**
 * Format `functiongemma`: the official syntax of Google's FunctionGemma, one text with all turns and control tokens.
 * Rejects conversations that the syntax cannot express.
 */

import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation } from '../model/element.ts';
import { defaultsOf, type OptionSpecs } from '../stage.ts';
import type { EncodedRecord, Format } from './format.ts';
import { isEmptyAnswer } from './gemma-message.ts';
import { createReport, type GemmaRule } from './gemma-rules.ts';
import { gemmaTurns } from './gemma-turns.ts';
import { lastAnswer } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';

export interface FunctionGemmaOptions {
  /** Starts the text with `<bos>`. Trainers usually add it themselves. */
  readonly bos: boolean;
  /** Sentence before the declarations. */
  readonly trigger: string;
  /** Writes `{"prompt", "completion"}` instead of `{"text"}`, split before the model's last message. */
  readonly promptCompletion: boolean;
}

const options: OptionSpecs<FunctionGemmaOptions> = {
  bos: { describe: 'Begin the text with <bos>, which trainers usually add themselves', default: false },
  trigger: {
    describe: 'Put this sentence before the declarations',
    default: 'You are a model that can do function calling with the following functions',
  },
  promptCompletion: {
    describe: "Write two members: prompt, up to the model's last message, and completion, that message",
    default: false,
  },
};
const DEFAULTS = defaultsOf(options);

const rules: readonly (GemmaRule | 'unanswered-end')[] = [
  ...(['control-token-in-content', 'key-not-bare', 'number-out-of-range'] as const),
  ...(['call-unreadable', 'arguments-not-object', 'empty-arguments'] as const),
  ...(['result-without-call', 'result-order-lost'] as const),
  ...([
    'unknown-role',
    'result-as-text',
    'content-not-text',
    'non-text-part',
    'parts-joined',
    'member-left-out',
    'definition-left-out',
  ] as const),
  'unanswered-end',
];

/** Builds one record. `written` is empty, because the record is a text. */
export function functionGemmaRecord(
  conversation: Conversation,
  options: Partial<FunctionGemmaOptions> = {},
): EncodedRecord {
  const { bos, trigger, promptCompletion } = { ...DEFAULTS, ...options };
  const report = createReport();
  const messages = spokenAsText(conversation.messages);
  const end = messages.findLastIndex((message) => !isEmptyAnswer(message)) + 1;
  const { text, prompt, completion, answers } = gemmaTurns(
    { messages: messages.slice(0, end), tools: conversation.tools },
    trigger,
    report,
  );
  const head = bos ? '<bos>' : '';
  const findings = [...report.findings];
  if (promptCompletion || end < messages.length) {
    const isAnswer = messages.map((_message, i) => (promptCompletion ? answers[i] === true : i < end));
    lastAnswer(isAnswer, (finding) => findings.push(finding));
  }
  if (!promptCompletion) {
    const bytes = encode(`{"text":${quote(head + text)}}`);
    return { bytes, written: [], findings };
  }
  const json = `{"prompt":${quote(head + prompt)},"completion":${quote(completion)}}`;
  return { bytes: encode(json), written: [], findings };
}

const functiongemma: Format<FunctionGemmaOptions> = {
  name: 'functiongemma',
  summary: 'The official syntax of FunctionGemma: {"text": ...} with all turns and control tokens.',
  rules,
  otherContent: 'is written as its JSON text; an object that is the result of a tool as that object',
  options,
  columns: ({ promptCompletion = false }) =>
    promptCompletion ? { prompt: 'text', completion: 'text' } : { text: 'text' },
  metadata: () => 'object',
  encode: functionGemmaRecord,
};

export default functiongemma;
