/** Finds the pairs of a record: each result with its call, and each answer with the last thing that the model was told before it. */

interface WrittenCall {
  readonly id?: string;
  readonly function?: unknown;
}

interface WrittenMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly WrittenCall[];
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
  /** Results far from their call, or not in the order of the calls. */
  readonly strayed: number;
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
  const left: WrittenCall[] = [];
  let [orphans, strayed, next, question] = [0, 0, 0, ''];
  let calls: WrittenCall[] = [];
  for (const { role, content, tool_calls: made = [], tool_call_id: answered } of messages) {
    if (role === 'assistant') {
      left.push(...calls);
      calls = [...made];
      next = 0;
      answers.push({ question, said: textOf(content) });
    } else if (role === 'tool') {
      const at = calls.findIndex(({ id }) => id === answered);
      const [call] = at < 0 ? [] : calls.splice(at, 1);
      if (call === undefined) orphans++;
      else results.push(JSON.stringify([call.function, content]));
      if (call === undefined ? left.some(({ id }) => id === answered) : at < next) strayed++;
      next = Math.max(at, 0);
    } else question = JSON.stringify(content);
  }
  return { results, answers, orphans, strayed, open: left.length + calls.length };
}
