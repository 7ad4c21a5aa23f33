/**
 * The rules of the FunctionGemma formats for anything that they cannot express: severity, message, and whether the
 * session is rejected. A report collects the findings, one per rule and place.
 */
import type { FormatFinding } from './format.ts';
import { PARTS_JOINED } from './shared-rules.ts';

/** Rules that reject the session, each with the rest of a sentence that begins with a place such as `messages[3]`. */
const FATAL = {
  'control-token-in-content': 'contains a control token of the format',
  'key-not-bare': 'has a name or key that cannot be written without quotes',
  'number-out-of-range': 'has a number that is too long without its exponent',
  'call-unreadable': 'has a call without a function name',
  'arguments-not-object': 'has a call whose arguments are not a JSON object',
  'result-without-call': 'answers no open call of its turn',
  'result-order-lost': 'answers a call before an earlier one of the same function',
  'unknown-role': 'has a role that the format has no turn for',
  'no-final-call': 'does not end in a call',
  'several-final-calls': 'ends in more than one call',
  'no-user-turn': 'has no user message before its last call',
  'nested-arguments': 'has a call with an object inside its arguments',
  'input-missing': "has a call without arguments: Missing 'input' in tool_use block",
  'comment-end-in-reasoning': 'contains the end of a comment',
  'content-not-text': 'has a content that is neither text nor parts',
};
/** Rules that only warn. */
const WARNINGS = {
  'empty-arguments': 'has a call without arguments: written as {}',
  'result-as-text': 'has a result that the syntax cannot express as an object: written as text',
  'non-text-part': 'has parts that are not text: left out',
  'parts-joined': `has ${PARTS_JOINED}`,
  'member-left-out': 'has members that the layout has no place for: left out',
  'definition-left-out': 'is only partly declared: a declaration has no place for the rest',
  'messages-left-out': 'has messages outside the three turns: left out',
};
const PROBLEMS: Readonly<Record<GemmaRule, string>> = { ...FATAL, ...WARNINGS };

export type GemmaRule = keyof typeof FATAL | keyof typeof WARNINGS;

/** Rules that apply to values, names and texts. */
export type ValueRule = 'control-token-in-content' | 'key-not-bare' | 'number-out-of-range';

/** Rules that apply to the teaching layout. */
export type LessonRule = ValueRule | 'nested-arguments' | 'comment-end-in-reasoning';

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
      const message = `${where} ${PROBLEMS[rule]}`;
      if (seen.has(message)) return;
      seen.add(message);
      const isFatal = Object.hasOwn(FATAL, rule);
      findings.push({
        rule,
        severity: isFatal ? 'ERROR' : 'WARNING',
        ...(isFatal && { rejects: true }),
        message,
      });
    },
  };
}
