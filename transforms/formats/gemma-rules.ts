/**
 * The rules of the FunctionGemma formats for anything that they cannot express: severity, message, and whether the
 * session is rejected. A report collects the findings, one per rule and place.
 */
import type { Severity } from '../model/element.ts';
import type { FormatFinding } from './format.ts';
import { PARTS_JOINED } from './shared-rules.ts';

interface RuleText {
  readonly severity: Severity;
  readonly rejects?: true;
  /** Rest of a sentence that begins with a place such as `messages[3]`. */
  readonly problem: string;
}

const fatal = (problem: string): RuleText => ({ severity: 'ERROR', rejects: true, problem });
const warning = (problem: string): RuleText => ({ severity: 'WARNING', problem });

/** Rules that apply to values, names and texts. */
export type ValueRule = 'control-token-in-content' | 'key-not-bare' | 'number-out-of-range';

/** Rules that apply to the teaching layout. */
export type LessonRule = ValueRule | 'nested-arguments' | 'comment-end-in-reasoning';

export type GemmaRule =
  | LessonRule
  | 'call-unreadable'
  | 'arguments-not-object'
  | 'empty-arguments'
  | 'result-without-call'
  | 'result-order-lost'
  | 'unknown-role'
  | 'no-final-call'
  | 'several-final-calls'
  | 'input-missing'
  | 'no-user-turn'
  | 'result-as-text'
  | 'content-not-text'
  | 'non-text-part'
  | 'parts-joined'
  | 'member-left-out'
  | 'definition-left-out'
  | 'messages-left-out';

const RULES: Readonly<Record<GemmaRule, RuleText>> = {
  'control-token-in-content': fatal('contains a control token of the format'),
  'key-not-bare': fatal('has a name or key that cannot be written without quotes'),
  'number-out-of-range': fatal('has a number that is too long without its exponent'),
  'call-unreadable': fatal('has a call without a function name'),
  'arguments-not-object': fatal('has a call whose arguments are not a JSON object'),
  'empty-arguments': warning('has a call without arguments: written as {}'),
  'result-without-call': fatal('answers no open call of its turn'),
  'result-order-lost': fatal('answers a call before an earlier one of the same function'),
  'unknown-role': fatal('has a role that the format has no turn for'),
  'no-final-call': fatal('does not end in a call'),
  'several-final-calls': fatal('ends in more than one call'),
  'no-user-turn': fatal('has no user message before its last call'),
  'nested-arguments': fatal('has a call with an object inside its arguments'),
  'input-missing': fatal("has a call without arguments: Missing 'input' in tool_use block"),
  'comment-end-in-reasoning': fatal('contains the end of a comment'),
  'result-as-text': warning('has a result that the syntax cannot express as an object: written as text'),
  'content-not-text': fatal('has a content that is neither text nor parts'),
  'non-text-part': warning('has parts that are not text: left out'),
  'parts-joined': warning(`has ${PARTS_JOINED}`),
  'member-left-out': warning('has members that the layout has no place for: left out'),
  'definition-left-out': warning('is only partly declared: a declaration has no place for the rest'),
  'messages-left-out': warning('has messages outside the three turns: left out'),
};

/** Reports a finding of a rule at a fixed place. */
export type Note<Rule extends GemmaRule = GemmaRule> = (rule: Rule) => void;

export interface GemmaReport {
  /** @param where the place, as the finding's message shows it; never content of the log */
  at(where: string): Note;
  readonly findings: readonly FormatFinding[];
}

export function createReport(): GemmaReport {
  const findings: FormatFinding[] = [];
  const seen = new Set<string>();
  return {
    findings,
    at: (where) => (rule) => {
      const { problem, ...text } = RULES[rule];
      const message = `${where} ${problem}`;
      if (seen.has(message)) return;
      seen.add(message);
      findings.push({ rule, ...text, message });
    },
  };
}
