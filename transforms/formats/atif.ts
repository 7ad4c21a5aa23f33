/**
 * Format `atif`: trajectories in the Agent Trajectory Interchange Format 1.7, which Harbor reads. Each message is a
 * step; the results of calls are the observation of the step that has the calls. Arguments are objects.
 */
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { words } from '../model/words.ts';
import { AtifSteps } from './atif-steps.ts';
import { withCommas } from './chat.ts';
import { type ContextMarks, editList, withMember } from './context-marks.ts';
import type { Format } from './format.ts';
import { wrapTools } from './openai.ts';
import { collectFindings, fatal } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';

const VERSION = 'ATIF-v1.7';
/** Name and version of the agent: the format requires both, and logs rarely have them. */
const AGENT = '"name":"unknown","version":"unknown"';
const TAIL = encode(']}');

/** Marks the steps up to the last answer that is context: a copied step may be one of the user too. */
const copiedSteps: ContextMarks = {
  meaning: 'the steps up to the last answer that is context have `"is_copied_context": true`',
  mark(record, answers) {
    let left = answers;
    return editList(record, 'steps', (step) => {
      if (left === 0) return undefined;
      if (stringValue(step, 'source') === 'agent') left--;
      return withMember(step, 'is_copied_context', 'true');
    });
  },
};

const atif: Format = {
  name: 'atif',
  summary: 'Trajectories of steps with their observations (ATIF 1.7): for Harbor and its tools.',
  rules: words(`
    arguments-not-object content-not-text empty-arguments malformed-call members-dropped no-messages
    non-text-part parts-joined result-without-call results-reordered tool-not-function unknown-role
  `),
  otherContent: 'is written as its JSON text',
  options: {},
  context: copiedSteps,
  columns: () => ({ schema_version: 'text', agent: 'json', steps: 'json-list' }),
  metadata: () => 'object',
  metadataMember: 'extra',
  encode({ messages, tools }: Conversation) {
    const { findings, report } = collectFindings();
    const written: readonly Message[] = new AtifSteps(spokenAsText(messages), report).steps();
    if (written.length === 0) report(fatal('no-messages', 'the conversation has no messages'));
    const definitions = tools.length === 0 ? [] : withCommas(wrapTools(tools, report));
    const head = `{"schema_version":"${VERSION}","agent":{${AGENT}${tools.length === 0 ? '' : ',"tool_definitions":['}`;
    const middle = `${tools.length === 0 ? '' : ']'}},"steps":[`;
    const bytes = concat([encode(head), ...definitions, encode(middle), ...withCommas(written), TAIL]);
    return { bytes, written, findings };
  },
};

export default atif;
