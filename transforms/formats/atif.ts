/**
 * Format `atif`: trajectories in the Agent Trajectory Interchange Format 1.7, which Harbor reads. Each message is a
 * step; the results of calls are the observation of the step that has the calls. Arguments are objects.
 */
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { AtifSteps } from './atif-steps.ts';
import { withCommas } from './chat.ts';
import type { Format, FormatFinding } from './format.ts';
import { wrapTools } from './openai.ts';
import type { Report } from './tool-arguments.ts';

const VERSION = 'ATIF-v1.7';
/** Name and version of the agent: the format requires both, and logs rarely have them. */
const AGENT = '"name":"unknown","version":"unknown"';
const TAIL = encode(']}');

const atif: Format = {
  name: 'atif',
  summary: 'Trajectories of steps with their observations (ATIF 1.7): for Harbor and its tools.',
  rules: [
    'arguments-not-object',
    'content-not-text',
    'empty-arguments',
    'malformed-call',
    'members-dropped',
    'no-messages',
    'non-text-part',
    'result-without-call',
    'results-reordered',
    'tool-not-function',
    'unknown-role',
  ],
  otherContent: 'is written as its JSON text',
  options: {},
  metadata: () => 'object',
  metadataMember: 'extra',
  encode({ messages, tools }: Conversation) {
    const findings: FormatFinding[] = [];
    const report: Report = (finding) => findings.push(finding);
    const written: readonly Message[] = new AtifSteps(messages, report).steps();
    if (written.length === 0) {
      const message = 'the conversation has no messages';
      report({ rule: 'no-messages', severity: 'ERROR', message, rejects: true });
    }
    const definitions = tools.length === 0 ? [] : withCommas(wrapTools(tools, report));
    const head = `{"schema_version":"${VERSION}","agent":{${AGENT}${tools.length === 0 ? '' : ',"tool_definitions":['}`;
    const middle = `${tools.length === 0 ? '' : ']'}},"steps":[`;
    const bytes = concat([encode(head), ...definitions, encode(middle), ...withCommas(written), TAIL]);
    return { bytes, written, findings };
  },
};

export default atif;
