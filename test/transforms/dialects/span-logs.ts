/** Random traces of one agent in the forms of four platforms, with tokens that the tests count in the records. */
import type { AgentLog, Turn } from './agent-logs.ts';

interface Call {
  readonly id: string;
  readonly token: string;
}

/** A message before it is put into the form of a platform. */
type PlainMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
  | { readonly role: 'tool'; readonly id: string; readonly text: string };

interface ModelCall {
  readonly context: readonly PlainMessage[];
  readonly answer: Extract<PlainMessage, { role: 'assistant' }>;
}

/** Each answer with its context, and in turns with noise a model call outside the conversation. */
function callsOf(turns: readonly Turn[]): {
  readonly calls: readonly ModelCall[];
  readonly tokens: readonly string[];
} {
  const tokens: string[] = [];
  const token = (): string => {
    tokens.push(`t${tokens.length}x`);
    return tokens.at(-1) as string;
  };
  const calls: ModelCall[] = [];
  const history: PlainMessage[] = [];
  const answer = (text: string, toolCalls: readonly Call[]): void => {
    const reply = { role: 'assistant', text, calls: toolCalls } as const;
    calls.push({ context: [...history], answer: reply });
    history.push(reply);
  };
  for (const [n, { rounds, noise }] of turns.entries()) {
    history.push({ role: 'user', text: token() });
    for (const [r, { calls: count, reversed }] of rounds.entries()) {
      const toolCalls = Array.from({ length: count }, (_, i) => ({ id: `c${n}-${r}-${i}`, token: token() }));
      answer('', toolCalls);
      for (const { id } of reversed ? toolCalls.toReversed() : toolCalls)
        history.push({ role: 'tool', id, text: token() });
    }
    answer(token(), []);
    if (noise)
      calls.push({
        context: [{ role: 'user', text: token() }],
        answer: { role: 'assistant', text: token(), calls: [] },
      });
  }
  return { calls, tokens };
}

const args = ({ token }: Call): string => JSON.stringify({ t: token });

function openAi(message: PlainMessage): object {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.id, content: message.text };
  const calls = message.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: 'f', arguments: args(call) },
  }));
  return { role: 'assistant', content: message.text, ...(calls.length > 0 && { tool_calls: calls }) };
}

function genAi(message: PlainMessage): object {
  if (message.role === 'user') return { role: 'user', parts: [{ type: 'text', content: message.text }] };
  if (message.role === 'tool')
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.id, response: message.text }] };
  const calls = message.calls.map(({ id, token }) => ({
    type: 'tool_call',
    id,
    name: 'f',
    arguments: { t: token },
  }));
  const texts = message.text === '' ? [] : [{ type: 'text', content: message.text }];
  return { role: 'assistant', parts: [...texts, ...calls] };
}

function langChain(message: PlainMessage): object {
  const make = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['m', name], kwargs });
  if (message.role === 'user') return make('HumanMessage', { content: message.text });
  if (message.role === 'tool')
    return make('ToolMessage', { content: message.text, tool_call_id: message.id });
  const calls = message.calls.map(({ id, token }) => ({
    name: 'f',
    args: { t: token },
    id,
    type: 'tool_call',
  }));
  return make('AIMessage', { content: message.text, tool_calls: calls });
}

type Pair = readonly [key: string, value: string];

function flat(prefix: string, all: readonly PlainMessage[]): readonly Pair[] {
  return all.flatMap((message, i): readonly Pair[] => {
    const at = `${prefix}.${i}.message`;
    const head: readonly Pair[] = [
      [`${at}.role`, message.role],
      [`${at}.content`, message.text],
    ];
    if (message.role === 'tool') return [...head, [`${at}.tool_call_id`, message.id]];
    if (message.role === 'user') return head;
    const calls = message.calls.flatMap((call, k): readonly Pair[] => {
      const one = `${at}.tool_calls.${k}.tool_call`;
      return [
        [`${one}.id`, call.id],
        [`${one}.function.name`, 'f'],
        [`${one}.function.arguments`, args(call)],
      ];
    });
    return [...head, ...calls];
  });
}

const traceId = 'abc';
type Platform = (call: ModelCall, second: number) => object;

const startNano = (second: number): string => `${1770112800 + second}000000000`;

const PLATFORMS: Readonly<Record<string, Platform>> = {
  otel: ({ context, answer }, second) => {
    const attributes = [
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.input.messages', JSON.stringify(context.map(genAi))],
      ['gen_ai.output.messages', JSON.stringify([genAi(answer)])],
    ].map(([key, stringValue]) => ({ key, value: { stringValue } }));
    const span = { traceId, startTimeUnixNano: startNano(second), attributes };
    return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  },
  openinference: ({ context, answer }, second) => ({
    context: { trace_id: traceId },
    start_time: 1770112800 + second,
    attributes: Object.fromEntries([
      ['openinference.span.kind', 'LLM'],
      ...flat('llm.input_messages', context),
      ...flat('llm.output_messages', [answer]),
    ]),
  }),
  langfuse: ({ context, answer }, second) => ({
    ...{ traceId, type: 'GENERATION', startTime: 1770112800 + second },
    ...{ input: JSON.stringify(context.map(openAi)), output: openAi(answer) },
  }),
  langsmith: ({ context, answer }, second) => ({
    ...{ trace_id: traceId, run_type: 'llm', start_time: 1770112800 + second },
    ...{
      inputs: { messages: [context.map(langChain)] },
      outputs: { generations: [[{ message: langChain(answer) }]] },
    },
  }),
};

export const PLATFORM_NAMES: readonly string[] = Object.keys(PLATFORMS);

/** @param reversed whether the spans are logged in reverse order */
export function spanLog(platform: string, turns: readonly Turn[], reversed: boolean): AgentLog {
  const { calls, tokens } = callsOf(turns);
  const lines = calls.map((call, i) => JSON.stringify((PLATFORMS[platform] as Platform)(call, i)));
  return { lines: reversed ? lines.toReversed() : lines, tokens };
}
