/** Random answers as streams of each API, cut into deltas anywhere, with tokens that the tests count in the records. */
import fc from 'fast-check';

export interface RandomAnswer {
  readonly thinks: boolean;
  readonly words: number;
  readonly calls: number;
  /** Lengths of the pieces of a text, used in turn. */
  readonly cuts: readonly number[];
}

export const answers: fc.Arbitrary<RandomAnswer> = fc.record({
  thinks: fc.boolean(),
  words: fc.integer({ min: 0, max: 4 }),
  calls: fc.integer({ min: 0, max: 3 }),
  cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
});

/** An answer and its events. */
export interface StreamedSample {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly events: readonly object[];
}

/** Cuts a text between any two UTF-16 units, even inside a surrogate pair. */
function pieces(text: string, cuts: readonly number[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = cuts[i % cuts.length] as number;
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

function wordsOf({ thinks, words, calls }: RandomAnswer): Omit<StreamedSample, 'events'> {
  const text = Array.from({ length: words }, (_, i) => `w${i}x 🌷"\\\n`).join(' ');
  const toolCalls = Array.from({ length: calls }, (_, i) => ({
    ...{ id: `call_${i}`, name: `f${i}` },
    arguments: JSON.stringify({ t: `a${i}x 🌱`, deep: [{ n: i }] }),
  }));
  return { text, thought: thinks ? 't0x thinks 🌍' : '', calls: toolCalls };
}

const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: '', object: 'chat.completion.chunk', model: 'm' },
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export function chatStream(answer: RandomAnswer): StreamedSample {
  const words = wordsOf(answer);
  const { cuts } = answer;
  const events = [
    chunk({ role: 'assistant', content: null }),
    ...pieces(words.thought, cuts).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(words.text, cuts).map((content) => chunk({ content })),
    ...words.calls.flatMap(({ id, name, arguments: args }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args, cuts).map((piece) =>
        chunk({ tool_calls: [{ index, id: null, function: { name: null, arguments: piece } }] }),
      ),
    ]),
    chunk({}, words.calls.length > 0 ? 'tool_calls' : 'stop'),
    { object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 7 } },
  ];
  return { ...words, events };
}

export function anthropicStream(answer: RandomAnswer): StreamedSample {
  const words = wordsOf(answer);
  const { cuts } = answer;
  const blocks: (readonly [start: object, deltas: readonly object[]])[] = [];
  if (words.thought !== '') {
    const deltas = pieces(words.thought, cuts).map((thinking) => ({ type: 'thinking_delta', thinking }));
    blocks.push([
      { type: 'thinking', thinking: '' },
      [...deltas, { type: 'signature_delta', signature: 's' }],
    ]);
  }
  if (words.text !== '') {
    const deltas = pieces(words.text, cuts).map((text) => ({ type: 'text_delta', text }));
    blocks.push([{ type: 'text', text: '' }, deltas]);
  }
  for (const { id, name, arguments: args } of words.calls) {
    const deltas = pieces(args, cuts).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    blocks.push([{ type: 'tool_use', id, name, input: {} }, deltas]);
  }
  const events = [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    ...blocks.flatMap(([content_block, deltas], index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'ping' },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
  return { ...words, events };
}

/** @param hasItems whether items end with a separate event @param isWhole whether the last event holds the response */
export function responsesStream(answer: RandomAnswer, hasItems: boolean, isWhole: boolean): StreamedSample {
  const words = wordsOf(answer);
  const { cuts } = answer;
  const items: (readonly [item: object, start: object, type: string, text: string])[] = [];
  if (words.thought !== '') {
    const summary = [{ type: 'summary_text', text: words.thought }];
    items.push([
      { type: 'reasoning', summary },
      { type: 'reasoning', summary: [] },
      ...(['reasoning_summary_text', words.thought] as const),
    ]);
  }
  if (words.text !== '') {
    const message = { type: 'message', role: 'assistant' };
    const content = [{ type: 'output_text', text: words.text }];
    items.push([{ ...message, content }, { ...message, content: [] }, 'output_text', words.text]);
  }
  for (const { id, name, arguments: args } of words.calls) {
    const call = { type: 'function_call', call_id: id, name };
    items.push([{ ...call, arguments: args }, { ...call, arguments: '' }, 'function_call_arguments', args]);
  }
  const head = { id: 'resp_1', object: 'response', status: 'in_progress', output: [] };
  const output = items.map(([item]) => item);
  const events = [
    { type: 'response.created', response: head },
    ...items.flatMap(([item, start, type, text], output_index) => [
      { type: 'response.output_item.added', output_index, item: start },
      ...pieces(text, cuts).map((delta) => ({ type: `response.${type}.delta`, output_index, delta })),
      ...(hasItems ? [{ type: 'response.output_item.done', output_index, item }] : []),
    ]),
    ...(isWhole ? [{ type: 'response.completed', response: { ...head, status: 'completed', output } }] : []),
  ];
  return { ...words, events };
}

/** Writes events as text, with varying line ends and comments. */
export function asText(events: readonly object[], lineEnd: string, done: boolean): string {
  const texts = events.map((event, i) => {
    const comment = i % 3 === 0 ? `: keep-alive${lineEnd}${lineEnd}` : '';
    const name = 'type' in event ? `event: ${event.type}${lineEnd}` : '';
    const space = i % 2 === 0 ? ' ' : '';
    return `${comment}${name}data:${space}${JSON.stringify(event)}${lineEnd}${lineEnd}`;
  });
  return texts.join('') + (done ? `data: [DONE]${lineEnd}${lineEnd}` : '');
}
