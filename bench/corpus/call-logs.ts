/** Corpora of logged calls: pairs of the Responses API, and dumps of streams of server-sent events. */
import { type Client, joinWithCommas, type Lines, type Piece } from './log-lines.ts';

/** The definitions of the tools, as JSON. */
export const TOOLS =
  '[{"type":"function","name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"strict":true}]';
/** Bytes of text per stream chunk: a few tokens. */
const CHUNK_BYTES = 14;

/** Writes the pairs of one session. Half of the sessions resend the whole history; half refer to the previous response by its id. */
export class ResponsesLog implements Client {
  readonly records = 1;
  readonly #lines: Lines;
  readonly #id: string;
  readonly #isChain: boolean;
  readonly #instructions: Buffer;
  #input: Buffer[] = [];
  #count = 0;
  #call = 0;

  constructor(lines: Lines, id: string) {
    this.#lines = lines;
    this.#id = id;
    this.#isChain = lines.random.chance(0.5);
    this.#instructions = lines.render(lines.text());
  }

  begin(): void {}

  question(): void {
    const words = this.#lines.text();
    this.#input.push(
      this.#lines.render('{"role":"user","content":[{"type":"input_text","text":', words, '}]}'),
    );
  }

  calls(count: number): void {
    const first = this.#call;
    const sealed = this.#lines.text('argument');
    const output = [
      this.#lines.render('{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":', sealed, '}'),
    ];
    for (let i = 0; i < count; i++) {
      const head = `{"type":"function_call","id":"fc_${this.#call}","call_id":"call_${this.#call++}",`;
      output.push(this.#lines.render(head, '"name":"read_file","arguments":"{}","status":"completed"}'));
    }
    this.#answer(output);
    for (let i = 0; i < count; i++) {
      const head = `{"type":"function_call_output","call_id":"call_${first + i}","output":`;
      this.#input.push(this.#lines.render(head, this.#lines.result(), '}'));
    }
  }

  answer(): void {
    const head = '{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":';
    const text: readonly Piece[] = [
      '[{"type":"output_text","text":',
      this.#lines.text(),
      ',"annotations":[]}]}',
    ];
    this.#answer([this.#lines.render(head, ...text)]);
  }

  compact(): void {}

  #answer(output: readonly Buffer[]): void {
    const before =
      this.#isChain && this.#count > 0 ? `"previous_response_id":"${this.#id}_${this.#count}",` : '';
    const response = `{"id":"${this.#id}_${++this.#count}","object":"response","status":"completed","model":"m","output":[`;
    this.#lines.put(
      `{"timestamp":"2026-02-03T10:00:09.000Z","session_id":"${this.#id}","request":{"model":"m",${before}"instructions":`,
      ...[
        this.#instructions,
        ',"input":[',
        ...joinWithCommas(this.#input),
        `],"tools":${TOOLS},"store":true},"response":`,
      ],
      ...[response, ...joinWithCommas(output), '],"usage":{"input_tokens":140,"output_tokens":14}}}'],
    );
    this.#input = this.#isChain ? [] : [...this.#input, ...output];
  }
}

/** Writes streams one after another, as a proxy dumps them: chat completion chunks of a few tokens each. */
export class StreamDump implements Client {
  readonly #lines: Lines;
  readonly #first: number;
  #streams: number;

  /** @param streams the number of streams before these, which their ids continue */
  constructor(lines: Lines, streams: number) {
    this.#lines = lines;
    this.#first = streams;
    this.#streams = streams;
  }

  get records(): number {
    return this.#streams - this.#first;
  }

  begin(): void {
    this.#event(': OPENROUTER PROCESSING');
  }

  question(): void {
    this.#streams++;
    this.#chunk('{"role":"assistant","content":""}');
  }

  calls(count: number): void {
    for (let i = 0; i < count; i++) {
      const head = `{"tool_calls":[{"index":${i},"id":"call_${i}","type":"function","function":{"name":"read_file"`;
      this.#chunk(`${head},"arguments":""}}]}`);
      for (const text of ['{', 'path', ':', 'diary', '}']) {
        const argument = text.length === 1 ? text : `\\"${text}\\"`;
        this.#chunk(`{"tool_calls":[{"index":${i},"function":{"arguments":"${argument}"}}]}`);
      }
    }
  }

  answer(): void {
    const chunks = this.#lines.random.logUniform(8, 160);
    for (let i = 0; i < chunks; i++) this.#chunk('{"content":', ['prose', CHUNK_BYTES], '}');
    this.#choice('{},"finish_reason":"stop"');
    this.#event('data: [DONE]');
  }

  compact(): void {}

  #chunk(...delta: readonly Piece[]): void {
    this.#choice(...delta, ',"finish_reason":null');
  }

  #choice(...choice: readonly Piece[]): void {
    const head = `data: {"id":"gen-${this.#streams}","object":"chat.completion.chunk","created":1770112800,"model":"m",`;
    this.#event(head, '"choices":[{"index":0,"delta":', ...choice, '}]}');
  }

  #event(...line: readonly Piece[]): void {
    this.#lines.put(...line);
    this.#lines.put('');
  }
}
