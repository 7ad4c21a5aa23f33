/** The same small conversation as a log of each client: a question, a call with its result, an answer, and another question with its answer. */

/** Parts of a log that a test replaces, as JSON text. */
export interface TurnTexts {
  /** Arguments of the call. */
  readonly args?: string;
  /** The first question. */
  readonly question?: string;
  /** Result of the call. */
  readonly result?: string;
}

type LinesOf = (args: string, question: string, result: string) => readonly string[];

const quoted = (text: string): string => JSON.stringify(text);
const item = (payload: string): string => `{"type":"response_item","payload":${payload}}`;
const said = (role: string, text: string): string =>
  item(`{"type":"message","role":"${role}","content":[{"type":"output_text","text":${text}}]}`);
const claude = (uuid: number, message: string): string => {
  const [, type] = /"role":"(\w+)"/.exec(message) as RegExpExecArray;
  const parent = uuid === 1 ? 'null' : `"${uuid - 1}"`;
  return `{"type":"${type}","uuid":"${uuid}","parentUuid":${parent},"sessionId":"S","message":${message}}`;
};
const event = (id: number, source: string, more: string): string =>
  `{"kind":"${source === 'environment' ? 'ObservationEvent' : more.includes('tool_call') ? 'ActionEvent' : 'MessageEvent'}","id":"${id}","source":"${source}",${more}}`;
const spoken = (role: string, text: string): string =>
  `"llm_message":{"role":"${role}","content":[{"type":"text","text":${text}}]}`;
const entry = (id: number, message: string): string =>
  `{"type":"message","id":"${id}","parentId":${id === 1 ? 'null' : `"${id - 1}"`},"message":${message}}`;
const goose = (role: string, part: string): string => `{"role":"${role}","created":1,"content":[${part}]}`;
const textPart = (text: string): string => `{"type":"text","text":${text}}`;

const LOGS: Readonly<Record<string, LinesOf>> = {
  'claude-code': (args, question, result) => [
    claude(1, `{"role":"user","content":${question}}`),
    claude(
      2,
      `{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"c","name":"f","input":${args}}]}`,
    ),
    claude(3, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":${result}}]}`),
    claude(4, '{"role":"assistant","id":"m2","content":[{"type":"text","text":"1."}]}'),
    claude(5, '{"role":"user","content":"Two?"}'),
    claude(6, '{"role":"assistant","id":"m3","content":[{"type":"text","text":"2."}]}'),
  ],
  codex: (args, question, result) => [
    '{"type":"session_meta","payload":{"id":"C"}}',
    said('user', question),
    item(`{"type":"function_call","call_id":"c","name":"f","arguments":${quoted(args)}}`),
    item(`{"type":"function_call_output","call_id":"c","output":${result}}`),
    said('assistant', '"1."'),
    said('user', '"Two?"'),
    said('assistant', '"2."'),
  ],
  'codex exec': (args, _question, result) => [
    '{"type":"thread.started","thread_id":"X"}',
    `{"type":"item.completed","item":{"id":"c","type":"mcp_tool_call","server":"s","tool":"f","arguments":${args},"result":{"content":[{"type":"text","text":${result}}]},"status":"completed"}}`,
    '{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"1."}}',
    '{"type":"turn.completed","usage":{}}',
  ],
  openhands: (args, question, result) => [
    event(1, 'user', spoken('user', question)),
    event(
      2,
      'agent',
      `"thought":[],"tool_call":{"id":"c","name":"f","arguments":${quoted(args)}},"llm_response_id":"r"`,
    ),
    event(3, 'environment', `"tool_call_id":"c","observation":{"content":[${textPart(result)}]}`),
    event(4, 'agent', spoken('assistant', '"1."')),
    event(5, 'user', spoken('user', '"Two?"')),
    event(6, 'agent', spoken('assistant', '"2."')),
  ],
  'older openhands': (args, question, result) => [
    `{"id":0,"source":"user","action":"message","args":{"content":${question}}}`,
    `{"id":1,"source":"agent","action":"run","args":${args}}`,
    `{"id":2,"cause":1,"source":"agent","observation":"run","content":${result},"extras":{}}`,
    '{"id":3,"source":"agent","action":"message","args":{"content":"1."}}',
    '{"id":4,"source":"user","action":"message","args":{"content":"Two?"}}',
    '{"id":5,"source":"agent","action":"message","args":{"content":"2."}}',
  ],
  'gemini-cli': (args, question, result) => [
    '{"sessionId":"S","projectHash":"h","startTime":"2026-02-03T10:00:00Z"}',
    `{"id":"1","type":"user","content":${question}}`,
    `{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"f","args":${args},"result":[{"functionResponse":{"id":"c","response":{"output":${result}}}}]}]}`,
    '{"id":"3","type":"gemini","content":"1."}',
    '{"id":"4","type":"user","content":"Two?"}',
    '{"id":"5","type":"gemini","content":"2."}',
  ],
  pi: (args, question, result) => [
    '{"type":"session","version":3,"id":"S","cwd":"/"}',
    entry(1, `{"role":"user","content":${question}}`),
    entry(
      2,
      `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"f","arguments":${args}}],"stopReason":"toolUse"}`,
    ),
    entry(3, `{"role":"toolResult","toolCallId":"c","content":[${textPart(result)}]}`),
    entry(4, '{"role":"assistant","content":[{"type":"text","text":"1."}],"stopReason":"stop"}'),
    entry(5, '{"role":"user","content":"Two?"}'),
    entry(6, '{"role":"assistant","content":[{"type":"text","text":"2."}],"stopReason":"stop"}'),
  ],
  goose: (args, question, result) => [
    '{"working_dir":"/","description":"d"}',
    goose('user', textPart(question)),
    goose(
      'assistant',
      `{"type":"toolRequest","id":"c","toolCall":{"status":"success","value":{"name":"f","arguments":${args}}}}`,
    ),
    goose(
      'user',
      `{"type":"toolResponse","id":"c","toolResult":{"status":"success","value":[${textPart(result)}]}}`,
    ),
    goose('assistant', textPart('"1."')),
    goose('user', textPart('"Two?"')),
    goose('assistant', textPart('"2."')),
  ],
  cline: (args, question, result) => [
    `{"role":"user","ts":1770112800000,"content":${question}}`,
    `{"role":"assistant","ts":1770112800001,"content":[{"type":"tool_use","id":"c","name":"f","input":${args}}]}`,
    `{"role":"user","ts":1770112800002,"content":[{"type":"tool_result","tool_use_id":"c","content":${result}}]}`,
    '{"role":"assistant","ts":1770112800003,"content":"1."}',
    '{"role":"user","ts":1770112800004,"content":"Two?"}',
    '{"role":"assistant","ts":1770112800005,"content":"2."}',
  ],
  sts: (args, question, result) => [
    '{"type":"session","harness":"h","id":"S"}',
    `{"type":"message","message":{"role":"user","content":${question}}}`,
    `{"type":"message","message":{"role":"assistant","content":"","toolCalls":[{"id":"c","function":{"name":"f","arguments":${quoted(args)}}}]}}`,
    `{"type":"message","message":{"role":"tool","content":${result},"toolCallId":"c"}}`,
    '{"type":"message","message":{"role":"assistant","content":"1."}}',
    '{"type":"message","message":{"role":"user","content":"Two?"}}',
    '{"type":"message","message":{"role":"assistant","content":"2."}}',
  ],
  opencode: (args, question, result) => [
    `{"info":{"id":"s","projectID":"p"},"messages":[{"info":{"id":"1","role":"user"},"parts":[${textPart(question)}]},{"info":{"id":"2","role":"assistant"},"parts":[{"type":"tool","callID":"c","tool":"f","state":{"status":"completed","input":${args},"output":${result}}},{"type":"step-start"},{"type":"text","text":"1."}]}]}`,
    '{"info":{"id":"t","projectID":"p"},"messages":[{"info":{"id":"1","role":"user"},"parts":[{"type":"text","text":"Two?"}]},{"info":{"id":"2","role":"assistant"},"parts":[{"type":"text","text":"2."}]}]}',
  ],
  spans: (args, question, result) => {
    const span = (id: number, trace: string, input: string, output: string): string =>
      `{"traceId":"${trace}","spanId":"${id}","name":"chat m","start_time":"2026-02-03T10:00:0${id}Z","attributes":{"gen_ai.operation.name":"chat","gen_ai.input.messages":[${input}],"gen_ai.output.messages":[${output}]}}`;
    const words = (role: string, text: string): string =>
      `{"role":"${role}","parts":[{"type":"text","content":${text}}]}`;
    const call = `{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":${args}}]}`;
    const answer = `{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":${result}}]}`;
    return [
      span(1, 'T', words('user', question), call),
      span(2, 'T', `${words('user', question)},${call},${answer}`, words('assistant', '"1."')),
      span(3, 'U', words('user', '"Two?"'), words('assistant', '"2."')),
    ];
  },
  responses: (args, question, result) => {
    const pair = (id: number, request: string, output: string): string =>
      `{"request":{"model":"m",${id > 1 ? `"previous_response_id":"${id - 1}",` : ''}"input":${request}},"response":{"id":"${id}","object":"response","output":[${output}]}}`;
    const message = (text: string): string => `{"type":"message","role":"assistant","content":"${text}"}`;
    return [
      pair(1, question, `{"type":"function_call","call_id":"c","name":"f","arguments":${quoted(args)}}`),
      pair(2, `[{"type":"function_call_output","call_id":"c","output":${result}}]`, message('1.')),
      pair(3, '"Two?"', message('2.')),
    ];
  },
};

/** Names of the logs. */
export const turnLogs: readonly string[] = Object.keys(LOGS);

/** Lines of a log, without line ends. */
export const turnLines = (
  name: string,
  { args = '{"n":1}', question = '"One?"', result = '"R"' }: TurnTexts = {},
) => (LOGS[name] as LinesOf)(args, question, result);
