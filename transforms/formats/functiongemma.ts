/**
 * Format `functiongemma` (formats.md §2): Google's FunctionGemma in its official syntax, one text with all turns and control
 * tokens. What cannot be said in it rejects the session, by rule.
 */
import type { Conversation } from '../element.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import { defaultsOf, type OptionSpecs } from '../stage.ts';
import type { EncodedRow, Format } from './format.ts';
import { createReport, type GemmaRule } from './gemma-rules.ts';
import { gemmaTurns } from './gemma-turns.ts';

export interface FunctionGemmaOptions {
  /** `<bos>` in front of the text. Trainers usually add it themselves. */
  readonly bos: boolean;
  /** The sentence before the declarations. */
  readonly trigger: string;
  /** `{"prompt", "completion"}`, cut before the model's last message, in the place of `{"text"}`. */
  readonly promptCompletion: boolean;
}

const options: OptionSpecs<FunctionGemmaOptions> = {
  bos: { describe: 'Begin the text with <bos>; trainers usually add it themselves', default: false },
  trigger: {
    describe: 'The sentence before the declarations',
    default: 'You are a model that can do function calling with the following functions',
  },
  promptCompletion: {
    describe: "Two members, prompt and completion, cut before the model's last message",
    default: false,
  },
};
const DEFAULTS = defaultsOf(options);

const rules: readonly GemmaRule[] = [
  ...(['control-token-in-content', 'key-not-bare', 'number-out-of-range'] as const),
  ...(['call-unreadable', 'arguments-not-object', 'empty-arguments'] as const),
  ...(['result-without-call', 'result-order-lost'] as const),
  ...(['unknown-role', 'result-as-text', 'non-text-part', 'member-left-out', 'definition-left-out'] as const),
];

/** One record. `written` is empty: the record holds a text and no messages. */
export function functionGemmaRow(
  conversation: Conversation,
  given: Partial<FunctionGemmaOptions> = {},
): EncodedRow {
  const { bos, trigger, promptCompletion } = { ...DEFAULTS, ...given };
  const report = createReport();
  const { prompt, completion } = gemmaTurns(conversation, trigger, report);
  const head = bos ? `<bos>${prompt}` : prompt;
  const json = promptCompletion
    ? `{"prompt":${quote(head)},"completion":${quote(completion)}}`
    : `{"text":${quote(head + completion)}}`;
  return { bytes: encode(json), written: [], findings: report.findings };
}

const functiongemma: Format<FunctionGemmaOptions> = {
  name: 'functiongemma',
  summary: 'The official syntax of FunctionGemma: {"text": ...} with all turns and control tokens.',
  rules,
  options,
  encode: functionGemmaRow,
};

export default functiongemma;
