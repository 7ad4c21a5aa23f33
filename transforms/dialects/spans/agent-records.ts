/**
 * Reads log records of Amazon Bedrock AgentCore: the distribution of OpenTelemetry of AWS moves the messages of spans
 * into them, and groups them by what went in and what came out. Where several came out, their order is lost.
 */
import { JsonView } from '../../json/json-view.ts';
import { arrayOf, copiesOf, makeMessage, objectOf, type Piece } from '../shared/build-messages.ts';
import { firstOf, unpacked } from '../shared/logged-values.ts';
import type { LogRecord } from './log-records.ts';

/** Why a record cannot be read. */
export const AGENT_ORDER_LOST =
  'this record of AgentCore groups its messages by what went in and what came out: who said what, and in which order, is lost';

const STRANDS = 'strands.telemetry.tracer';
const ASKING: ReadonlySet<string> = new Set(['system', 'user']);

interface Sides {
  readonly input: readonly JsonView[];
  readonly output: readonly JsonView[];
}

function sidesOf(body: Pick<JsonView, 'get'> | undefined): Sides | undefined {
  const [input, output] = [body?.get('input')?.get('messages'), body?.get('output')?.get('messages')];
  if (input?.type !== 'array' && output?.type !== 'array') return undefined;
  return { input: input?.elements() ?? [], output: output?.elements() ?? [] };
}

/** Is the body of a log record one of AgentCore? */
export const isAgentBody = (body: JsonView | undefined): boolean => sidesOf(body) !== undefined;

const roleOf = (message: JsonView): string => message.get('role')?.text() ?? '';

/** The content of a message: a text, or the parts that Strands writes as JSON. */
function contentOf(content: JsonView | undefined, member: string): JsonView | undefined {
  const inner = content?.type === 'object' ? content.get(member) : content;
  const parts = unpacked(inner);
  return parts?.type === 'array' || parts?.type === 'string' ? parts : undefined;
}

/**
 * The record as a span with its messages; `other` for one of a tool or of an agent, whose answer is that of its last
 * model call; undefined if it cannot be read.
 */
export function spanOfAgent(record: LogRecord): JsonView | 'other' | undefined {
  const { input, output } = sidesOf(record.body) ?? { input: [], output: [] };
  if (record.scope !== STRANDS) return undefined;
  if (input.length > 0 && input.every((one) => roleOf(one) === 'tool')) return 'other';
  const [answer, ...others] = output;
  const content = answer?.get('content');
  const said = content?.type === 'object' ? contentOf(content, 'message') : undefined;
  const asked = input.map((one): Uint8Array | undefined => {
    const parts = ASKING.has(roleOf(one)) ? contentOf(one.get('content'), 'content') : undefined;
    return parts && makeMessage(roleOf(one), [['content', parts.copy()]]).bytes;
  });
  const isWhole = asked.every((one): one is Uint8Array => one !== undefined);
  const isAlone = others.length === 0 && content?.get('tool.result') === undefined;
  if (!isWhole || !isAlone || answer === undefined || roleOf(answer) !== 'assistant') return undefined;
  if (said?.type !== 'array') return said && 'other';
  const reply: Piece[] = [['content', said.copy()]];
  const finish = firstOf(content, 'finish_reason');
  if (finish !== undefined) reply.push(['finish_reason', finish.copy()]);
  return spanOf(record, asked as readonly Uint8Array[], makeMessage('assistant', reply).bytes);
}

function spanOf(record: LogRecord, asked: readonly Uint8Array[], reply: Uint8Array): JsonView {
  const attributes = [
    ...copiesOf(record.attributes.json()?.members() ?? []),
    ['gen_ai.input.messages', arrayOf(asked)] as const,
    ['gen_ai.output.messages', arrayOf([reply])] as const,
  ];
  return new JsonView(objectOf([...record.place, ['attributes', objectOf(attributes)]]));
}
