/** A corpus of model calls as spans of OpenTelemetry: the bodies that a collector's file exporter writes, one per line. */
import { TOOLS } from './call-logs.ts';
import { type Client, joinWithCommas, type Lines, type Piece } from './log-lines.ts';

const HEAD =
  '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"garden"}}]},"scopeSpans":[{"scope":{"name":"opentelemetry.instrumentation.openai_v2","version":"2.3b0"},"spans":[';
const FIRST_SECOND = 1_768_384_800;

/** The content of a JSON string that holds these bytes, which are JSON themselves. */
const quoted = (json: Buffer): Buffer => Buffer.from(JSON.stringify(json.toString()).slice(1, -1));

const TOOL_DEFINITIONS = quoted(Buffer.from(TOOLS));

const attribute = (name: string, ...text: readonly Piece[]): readonly Piece[] => [
  `{"key":"gen_ai.${name}","value":{"stringValue":"`,
  ...text,
  '"}}',
];

/** Writes the spans of one conversation: each turn is a trace with an agent, its model calls and its tools. A call repeats the history. */
export class SpanLog implements Client {
  readonly records = 1;
  readonly #lines: Lines;
  readonly #id: string;
  readonly #system: Buffer;
  readonly #history: Buffer[] = [];
  /** Spans of tools, which are exported with the next model call. */
  #tools: (readonly Piece[])[] = [];
  #trace = '';
  #agent = '';
  #spans = 0;
  #call = 0;

  constructor(lines: Lines, id: string) {
    this.#lines = lines;
    this.#id = id;
    this.#system = this.#quote('[{"type":"text","content":', lines.text(), '}]');
  }

  begin(): void {}

  question(): void {
    this.#trace = this.#hex(4);
    this.#agent = this.#hex(2);
    this.#history.push(
      this.#quote('{"role":"user","parts":[{"type":"text","content":', this.#lines.text(), '}]}'),
    );
  }

  calls(count: number): void {
    const first = this.#call;
    const parts: Piece[] = ['{"type":"reasoning","content":', this.#lines.text(), '}'];
    for (let i = 0; i < count; i++) {
      const head = `,{"type":"tool_call","id":"call_${this.#call++}","name":"read_file","arguments":{"path":`;
      parts.push(head, ['argument', 80], '}}');
    }
    this.#exportCall('tool_call', parts, []);
    for (let call = first; call < this.#call; call++) {
      const part = `{"type":"tool_call_response","id":"call_${call}","response":`;
      this.#history.push(this.#quote(`{"role":"tool","parts":[${part}`, this.#lines.result(), '}]}'));
      this.#tools.push(
        this.#span('execute_tool read_file', this.#agent, [
          attribute('operation.name', 'execute_tool'),
          attribute('tool.name', 'read_file'),
          attribute('tool.call.id', `call_${call}`),
        ]),
      );
    }
  }

  answer(): void {
    const agent = this.#span('invoke_agent gardener', '', [
      attribute('operation.name', 'invoke_agent'),
      attribute('agent.name', 'gardener'),
      attribute('conversation.id', this.#id),
    ]);
    this.#exportCall('stop', ['{"type":"text","content":', this.#lines.text(), '}'], [agent]);
  }

  compact(): void {}

  /** Writes a line with the tools since the last one, this model call, and the spans that end after it. */
  #exportCall(reason: string, parts: readonly Piece[], after: readonly (readonly Piece[])[]): void {
    const answer = this.#quote('{"role":"assistant","parts":[', ...parts, ']');
    const chat = this.#span('chat m', this.#agent, [
      attribute('operation.name', 'chat'),
      attribute('provider.name', 'openai'),
      attribute('request.model', 'm'),
      attribute('conversation.id', this.#id),
      attribute('system_instructions', this.#system),
      attribute('tool.definitions', TOOL_DEFINITIONS),
      attribute('input.messages', '[', ...joinWithCommas(this.#history), ']'),
      attribute('output.messages', '[', answer, `,\\"finish_reason\\":\\"${reason}\\"}]`),
      ['{"key":"gen_ai.usage.input_tokens","value":{"intValue":"140"}}'],
    ]);
    const spans = [...this.#tools, chat, ...after].map((span) => this.#lines.render(...span));
    this.#lines.put(HEAD, ...joinWithCommas(spans), ']}]}]}');
    this.#tools = [];
    this.#history.push(Buffer.concat([answer, Buffer.from('}')]));
  }

  /** A span of the open trace; the agent's is the one without a parent. */
  #span(name: string, parent: string, attributes: readonly (readonly Piece[])[]): readonly Piece[] {
    const second = FIRST_SECOND + this.#spans++;
    const id = parent === '' ? this.#agent : this.#hex(2);
    return [
      `{"traceId":"${this.#trace}","spanId":"${id}","parentSpanId":"${parent}","name":"${name}","kind":3,`,
      `"startTimeUnixNano":"${second}000000000","endTimeUnixNano":"${second}500000000","attributes":[`,
      ...attributes.flatMap((pieces, i) => (i === 0 ? pieces : [',', ...pieces])),
      '],"status":{}}',
    ];
  }

  #quote(...pieces: readonly Piece[]): Buffer {
    return quoted(this.#lines.render(...pieces));
  }

  #hex(words: number): string {
    const draw = (): string => this.#lines.random.integer(0, 0xffff_ffff).toString(16).padStart(8, '0');
    return Array.from({ length: words }, draw).join('');
  }
}
