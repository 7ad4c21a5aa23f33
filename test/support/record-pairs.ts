/** Finds the pairs of a record: each result with its call, and each answer with the last message before it. */

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
  /** JSON text of the message that it answers. */
  readonly question: string;
  /** Text of the answer; for a list of parts the JSON text without its end, since the list may continue in the uncut log. */
  readonly text: string;
}

export interface RecordPairs {
  /** JSON texts, each of a call and the content of its result. */
  readonly results: readonly string[];
  readonly answers: readonly Answer[];
  /** Results without an open call of the same id in the assistant message before them. */
  readonly orphans: number;
  /** Results far from their call, or out of the order of the calls. */
  readonly strayed: number;
  /** Calls without a result. */
  readonly open: number;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return content === undefined || content === null ? '' : JSON.stringify(content).slice(0, -1);
}

export function recordPairs(record: Uint8Array): RecordPairs {
  const { messages } = JSON.parse(Buffer.from(record).toString()) as {
    readonly messages: readonly WrittenMessage[];
  };
  const results: string[] = [];
  const answers: Answer[] = [];
  const left: WrittenCall[] = [];
  let [orphans, strayed, next, question] = [0, 0, 0, ''];
  let calls: WrittenCall[] = [];
  for (const { role, content, tool_calls: toolCalls = [], tool_call_id: answered } of messages) {
    if (role === 'assistant') {
      left.push(...calls);
      calls = [...toolCalls];
      next = 0;
      answers.push({ question, text: textOf(content) });
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
