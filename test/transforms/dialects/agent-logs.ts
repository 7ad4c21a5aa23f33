/** Random event logs of coding agents, with tokens that the tests count in the records. */
import fc from 'fast-check';

/** Lines of a log, and the tokens that belong in a record. */
export interface AgentLog {
  readonly lines: readonly string[];
  readonly tokens: readonly string[];
}

/** One turn: a question, rounds of calls with results in or out of order, and the answer. */
export interface Turn {
  readonly rounds: readonly {
    readonly calls: number;
    readonly reversed: boolean;
    readonly thinks: boolean;
  }[];
  readonly noise: boolean;
}

export const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    rounds: fc.array(
      fc.record({ calls: fc.integer({ min: 1, max: 4 }), reversed: fc.boolean(), thinks: fc.boolean() }),
      { maxLength: 3 },
    ),
    noise: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

class Writer {
  readonly lines: string[] = [];
  readonly tokens: string[] = [];
  readonly #used: string;

  constructor(name: string) {
    this.#used = name;
  }

  token(): string {
    const token = `${this.#used}${this.tokens.length}x`;
    this.tokens.push(token);
    return token;
  }

  put(line: object): void {
    this.lines.push(JSON.stringify(line));
  }
}

const inOrder = <T>(items: readonly T[], reversed: boolean): readonly T[] =>
  reversed ? items.toReversed() : items;

/** A Claude Code transcript; call ids repeat from round to round. */
export function claudeLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('c');
  let parent: string | null = null;
  const put = (type: string, message: object | undefined): void => {
    const uuid = `u${log.lines.length}`;
    log.put({ type, uuid, parentUuid: parent, sessionId: 's', isSidechain: false, message });
    parent = uuid;
  };
  for (const [n, { rounds, noise }] of conversation.entries()) {
    put('user', { role: 'user', content: log.token() });
    if (noise) put('progress', undefined);
    for (const [r, { calls, reversed, thinks }] of rounds.entries()) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const block = (content: object): void =>
        put('assistant', { id: `m${n}-${r}`, role: 'assistant', content: [content] });
      if (thinks) block({ type: 'thinking', thinking: log.token(), signature: 's' });
      for (const id of ids) block({ type: 'tool_use', id, name: 'f', input: { t: log.token() } });
      for (const id of inOrder(ids, reversed)) {
        const content = [{ type: 'tool_result', tool_use_id: id, content: log.token() }];
        put('user', { role: 'user', content });
      }
    }
    put('assistant', { id: `m${n}`, role: 'assistant', content: [{ type: 'text', text: log.token() }] });
  }
  return log;
}

/** A Codex rollout with the same turns. */
export function codexLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('d');
  const item = (payload: object): void => log.put({ type: 'response_item', payload });
  const text = (role: string, type: string): void =>
    item({ type: 'message', role, content: [{ type, text: log.token() }] });
  log.put({ type: 'session_meta', payload: { id: 's', base_instructions: { text: log.token() } } });
  for (const { rounds, noise } of conversation) {
    text('user', 'input_text');
    if (noise) log.put({ type: 'event_msg', payload: { type: 'token_count', info: null } });
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      if (thinks) item({ type: 'reasoning', summary: [{ type: 'summary_text', text: log.token() }] });
      for (const call_id of ids)
        item({ type: 'function_call', call_id, name: 'f', arguments: JSON.stringify({ t: log.token() }) });
      for (const call_id of inOrder(ids, reversed))
        item({ type: 'function_call_output', call_id, output: log.token() });
    }
    text('assistant', 'output_text');
  }
  return log;
}

/** A list of bare messages with the same turns, an object each. */
export function runsLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('r');
  log.put({ role: 'system', content: log.token() });
  for (const { rounds, noise } of conversation) {
    log.put({ role: 'user', content: log.token() });
    if (noise) log.put({ role: 'exit', content: 'noise' });
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const callList = ids.map((id) => ({
        id,
        type: 'function',
        function: { name: 'f', arguments: JSON.stringify({ t: log.token() }) },
      }));
      const thought = thinks ? { reasoning_content: log.token() } : {};
      log.put({ role: 'assistant', content: null, ...thought, tool_calls: callList });
      for (const tool_call_id of inOrder(ids, reversed))
        log.put({ role: 'tool', tool_call_id, content: log.token() });
    }
    log.put({ role: 'assistant', content: log.token() });
  }
  return log;
}

/** Events of the OpenHands SDK with the same turns; the calls of a round are of one response. */
export function openHandsLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('o');
  const put = (kind: string, more: object): void => log.put({ kind, id: `e${log.lines.length}`, ...more });
  const text = (): readonly object[] => [{ type: 'text', text: log.token() }];
  put('SystemPromptEvent', {
    source: 'agent',
    system_prompt: { type: 'text', text: log.token() },
    tools: [],
  });
  for (const [n, { rounds, noise }] of conversation.entries()) {
    put('MessageEvent', { source: 'user', llm_message: { role: 'user', content: text() } });
    if (noise) put('PauseEvent', { source: 'user' });
    for (const [r, { calls, reversed, thinks }] of rounds.entries()) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      for (const [i, id] of ids.entries()) {
        const thought =
          thinks && i === 0 ? { thought: text(), reasoning_content: log.token() } : { thought: [] };
        const tool_call = { id, name: 'f', arguments: JSON.stringify({ t: log.token() }) };
        put('ActionEvent', { source: 'agent', ...thought, tool_call, llm_response_id: `r${n}-${r}` });
      }
      for (const tool_call_id of inOrder(ids, reversed))
        put('ObservationEvent', { source: 'environment', tool_call_id, observation: { content: text() } });
    }
    put('MessageEvent', { source: 'agent', llm_message: { role: 'assistant', content: text() } });
  }
  return log;
}

/** A pi session with the same turns. */
export function piLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('p');
  let parent: string | null = null;
  const put = (type: string, more: object): void => {
    const id = `e${log.lines.length}`;
    log.put({ type, id, parentId: parent, ...more });
    parent = id;
  };
  const message = (role: string, more: object): void => put('message', { message: { role, ...more } });
  const text = (): object => ({ type: 'text', text: log.token() });
  log.put({ type: 'session', version: 3, id: 's', cwd: '/' });
  for (const { rounds, noise } of conversation) {
    message('user', { content: log.token() });
    if (noise) put('model_change', { modelId: 'm' });
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const thought = thinks ? [{ type: 'thinking', thinking: log.token() }] : [];
      const callList = ids.map((id) => ({ type: 'toolCall', id, name: 'f', arguments: { t: log.token() } }));
      message('assistant', { content: [...thought, ...callList], stopReason: 'toolUse' });
      for (const toolCallId of inOrder(ids, reversed))
        message('toolResult', { toolCallId, content: [text()] });
    }
    message('assistant', { content: [text()], stopReason: 'stop' });
  }
  return log;
}

/** A session trace of the Hub with the same turns. */
export function stsLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('t');
  const message = (role: string, more: object): void =>
    log.put({ type: 'message', message: { role, ...more } });
  log.put({ type: 'session', harness: 'h', id: 's' });
  message('system', { content: log.token() });
  for (const { rounds, noise } of conversation) {
    message('user', { content: log.token() });
    if (noise) log.put({ type: 'note' });
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const thought = thinks ? { reasoningContent: log.token() } : {};
      const toolCalls = ids.map((id) => ({
        id,
        function: { name: 'f', arguments: JSON.stringify({ t: log.token() }) },
      }));
      message('assistant', { content: '', ...thought, toolCalls });
      for (const toolCallId of inOrder(ids, reversed)) message('tool', { toolCallId, content: log.token() });
    }
    message('assistant', { content: log.token() });
  }
  return log;
}

/** A recording of Gemini CLI with the same turns: an answer is written with its calls, and again with their results. */
export function geminiLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('g');
  const put = (type: string, more: object, id = `m${log.lines.length}`): string => {
    log.put({ id, type, ...more });
    return id;
  };
  log.put({ sessionId: 's', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' });
  for (const { rounds, noise } of conversation) {
    put('user', { content: [{ text: log.token() }] });
    if (noise) put('info', { content: 'noise' });
    for (const { calls, thinks } of rounds) {
      const thoughts = thinks ? [{ subject: log.token() }] : [];
      const callList = Array.from({ length: calls }, (_, i) => ({
        id: `call${i}`,
        name: 'f',
        args: { t: log.token() },
      }));
      const id = put('gemini', { content: '', thoughts, toolCalls: callList });
      const toolCalls = callList.map((call) => ({
        ...call,
        result: [{ functionResponse: { id: call.id, response: { output: log.token() } } }],
      }));
      put('gemini', { content: '', thoughts, toolCalls }, id);
    }
    put('gemini', { content: log.token() });
  }
  return log;
}

/** Lines of an older goose session with the same turns: a head, then messages. */
export function gooseLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('w');
  const message = (role: string, content: readonly object[]): void =>
    log.put({ role, created: 1770112800 + log.lines.length, content });
  const text = (): object => ({ type: 'text', text: log.token() });
  log.put({ working_dir: '/', description: 'd' });
  for (const { rounds, noise } of conversation) {
    message('user', [text()]);
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const thought = thinks ? [{ type: 'thinking', thinking: log.token(), signature: 's' }] : [];
      const requests = ids.map((id) => {
        const value = { name: 'f', arguments: { t: log.token() } };
        return { type: 'toolRequest', id, toolCall: { status: 'success', value } };
      });
      message('assistant', [...thought, ...requests]);
      const results = inOrder(ids, reversed).map((id) => {
        const toolResult = noise
          ? { status: 'error', error: log.token() }
          : { status: 'success', value: { content: [text()], isError: false } };
        return { type: 'toolResponse', id, toolResult };
      });
      message('user', results);
    }
    message('assistant', [text()]);
  }
  return log;
}

/** A history of Cline with the same turns; in turns with noise, results are texts, as older versions wrote them. */
export function clineLog(conversation: readonly Turn[]): AgentLog {
  const log = new Writer('l');
  const message = (role: string, content: readonly object[]): void =>
    log.put({ role, content, ts: 1770112800000 + log.lines.length });
  const text = (): object => ({ type: 'text', text: log.token() });
  for (const { rounds, noise } of conversation) {
    message('user', [text()]);
    for (const { calls, reversed, thinks } of rounds) {
      const ids = Array.from({ length: calls }, (_, i) => `call${i}`);
      const thought = thinks ? [{ type: 'thinking', thinking: log.token(), signature: 's' }] : [];
      const uses = ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: { t: log.token() } }));
      message('assistant', [...thought, ...uses]);
      const results = inOrder(ids, reversed).map((tool_use_id) =>
        noise ? text() : { type: 'tool_result', tool_use_id, content: log.token() },
      );
      message('user', results);
    }
    message('assistant', [text()]);
  }
  return log;
}
