/** What a record puts together: each result with its call, and each answer with the last thing that was said to the model before it. */

interface WrittenMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly function?: unknown }[];
  readonly tool_call_id?: string;
}

export interface Answer {
  /** JSON text of what was asked. */
  readonly question: string;
  /** Its text; that of a list of parts is the JSON text without the end, since a list may go on. */
  readonly said: string;
}

export interface SaidPairs {
  /** JSON texts of a call and the content of its result. */
  readonly results: readonly string[];
  readonly answers: readonly Answer[];
  /** Results whose id no open call of the assistant message before them has. */
  readonly orphans: number;
  /** Calls without a result. */
  readonly open: number;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return content === undefined || content === null ? '' : JSON.stringify(content).slice(0, -1);
}

export function saidPairs(record: Uint8Array): SaidPairs {
  const { messages } = JSON.parse(Buffer.from(record).toString()) as {
    readonly messages: readonly WrittenMessage[];
  };
  const results: string[] = [];
  const answers: Answer[] = [];
  let [orphans, open, question] = [0, 0, ''];
  let calls: { readonly id?: string; readonly function?: unknown }[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      open += calls.length;
      calls = [...(message.tool_calls ?? [])];
      answers.push({ question, said: textOf(message.content) });
    } else if (message.role === 'tool') {
      const at = calls.findIndex(({ id }) => id === message.tool_call_id);
      if (at < 0) orphans++;
      else results.push(JSON.stringify([calls.splice(at, 1)[0]?.function, message.content]));
    } else question = JSON.stringify(message.content);
  }
  return { results, answers, orphans, open: open + calls.length };
}
