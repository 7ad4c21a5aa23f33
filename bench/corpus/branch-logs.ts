/**
 * Generates single sessions whose cost could grow faster than their size: turns taken back in event logs, responses that continue
 * each other by id, traces with many calls, and many tiny sessions. A log is a function of its kind, its size and its seed.
 */
import { seededRandom } from './random.ts';

export const branchKinds = [
  'codex',
  'claude-code',
  'pi',
  'gemini-cli',
  'chain',
  'mixed',
  'chat-chain',
  'trace',
  'tiny',
] as const;
export type BranchKind = (typeof branchKinds)[number];

/** Returns a short text without characters that JSON escapes. */
type Words = () => string;

const TIME = '2026-02-03T10:00:09.000Z';

function wordsOf(kind: BranchKind, seed: number): Words {
  const random = seededRandom([seed, kind]);
  const list = 'the log of a mill says what was ground and when in words that grow'.split(' ');
  return () => Array.from({ length: random.integer(4, 12) }, () => random.pick(list)).join(' ');
}

/** Two turns forward and one back, `count` times: every branch is one turn longer than the one before. */
function* codexLog(count: number, words: Words): Generator<object> {
  const line = (type: string, payload: object): object => ({ timestamp: TIME, type, payload });
  const say = (role: string, type: string): object =>
    line('response_item', { type: 'message', role, content: [{ type, text: words() }] });
  yield line('session_meta', { id: 'mill', cli_version: '0.120.0', base_instructions: { text: words() } });
  for (let i = 0; i < count; i++) {
    for (let turn = 0; turn < 2; turn++) yield* [say('user', 'input_text'), say('assistant', 'output_text')];
    yield line('event_msg', { type: 'thread_rolled_back', num_turns: 1 });
  }
  yield* [say('user', 'input_text'), say('assistant', 'output_text')];
}

/** The same shape for logs whose lines name their parents. @param line makes a line of a role */
function* treeLog(
  count: number,
  line: (role: 'user' | 'assistant', id: string, parent: string | null) => object,
): Generator<object> {
  let kept: string | null = null;
  for (let i = 0; i <= count; i++) {
    yield* [line('user', `q${i}`, kept), line('assistant', `a${i}`, `q${i}`)];
    kept = `a${i}`;
    if (i < count) yield* [line('user', `lost-q${i}`, kept), line('assistant', `lost-a${i}`, `lost-q${i}`)];
  }
}

function* piLog(count: number, words: Words): Generator<object> {
  yield { type: 'session', version: 3, id: 'mill', timestamp: TIME, cwd: '/home/ada/garden' };
  yield* treeLog(count, (role, id, parentId) => {
    const content = [{ type: 'text', text: words() }];
    return { type: 'message', id, parentId, timestamp: TIME, message: { role, content } };
  });
}

const claudeLog = (count: number, words: Words): Generator<object> =>
  treeLog(count, (type, uuid, parentUuid) => {
    const content = type === 'user' ? words() : [{ type: 'text', text: words() }];
    const id = type === 'user' ? {} : { id: `msg_${uuid}`, model: 'm' };
    return {
      parentUuid,
      sessionId: 'mill',
      type,
      message: { role: type, ...id, content },
      uuid,
      timestamp: TIME,
    };
  });

function* geminiLog(count: number, words: Words): Generator<object> {
  yield { sessionId: 'mill', projectHash: 'p', startTime: TIME, lastUpdated: TIME, kind: 'main' };
  for (const line of treeLog(count, (role, id) => {
    const said = role === 'user' ? { type: 'user', content: words() } : { type: 'gemini', content: words() };
    return { id, timestamp: TIME, ...said };
  })) {
    yield line;
    const { id } = line as { id: string };
    if (id.startsWith('lost-a')) yield { $rewindTo: id.replace('lost-a', 'lost-q') };
  }
}

/** A pair of the Messages API, and a chain of responses. */
function* mixedLog(count: number, words: Words): Generator<object> {
  const request = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: words() }] };
  const content = [{ type: 'text', text: words() }];
  yield { session_id: 'first', request, response: { type: 'message', role: 'assistant', content } };
  for (const call of chainLog(count, words)) yield { session_id: 'mill', ...call };
}

/** A pair of chat completions, and a chain of responses in the same session. */
function* chatChainLog(count: number, words: Words): Generator<object> {
  const time = (i: number): string => new Date(Date.parse(TIME) + i * 1000).toISOString();
  const message = { role: 'assistant', content: words() };
  const request = { model: 'm', messages: [{ role: 'user', content: words() }] };
  yield { session_id: 'mill', timestamp: time(0), request, response: { choices: [{ index: 0, message }] } };
  let i = 0;
  for (const call of chainLog(count, words)) yield { session_id: 'mill', ...call, timestamp: time(++i) };
}

/** Calls of the Responses API that each continue the one before by its id. */
function* chainLog(count: number, words: Words): Generator<object> {
  for (let i = 0; i < count; i++) {
    const before = i === 0 ? {} : { previous_response_id: `resp_${i - 1}` };
    const content = [{ type: 'output_text', text: words(), annotations: [] }];
    const output = [{ type: 'message', id: `msg_${i}`, role: 'assistant', status: 'completed', content }];
    const response = { id: `resp_${i}`, object: 'response', status: 'completed', model: 'm', output };
    yield { timestamp: TIME, request: { model: 'm', ...before, input: words() }, response };
  }
}

/** One trace of OpenTelemetry: model calls that do not continue each other, a span on each line. */
function* traceLog(count: number, words: Words): Generator<object> {
  for (let i = 0; i < count; i++) {
    const messages = (role: string): string => JSON.stringify([{ role, content: `${words()} ${i}` }]);
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.input.messages': messages('user'),
      'gen_ai.output.messages': messages('assistant'),
      'gen_ai.usage.input_tokens': 14,
    };
    yield {
      name: 'chat m',
      traceId: 'b7ad6b7169203331',
      spanId: `${i}`,
      startTimeUnixNano: `${17e17 + i * 1e6}`,
      attributes,
    };
  }
}

/** Sessions of one entry each. */
function* tinyLog(count: number, words: Words): Generator<object> {
  for (let i = 0; i < count; i++) {
    const request = { model: 'm', messages: [{ role: 'user', content: words() }] };
    const message = { role: 'assistant', content: words() };
    yield { session_id: `s${i}`, timestamp: TIME, request, response: { choices: [{ index: 0, message }] } };
  }
}

const LOGS = {
  codex: codexLog,
  'claude-code': claudeLog,
  pi: piLog,
  'gemini-cli': geminiLog,
  chain: chainLog,
  mixed: mixedLog,
  'chat-chain': chatChainLog,
  trace: traceLog,
  tiny: tinyLog,
};

/** Yields the lines of a log. @param count branches, calls or sessions */
export function* branchLog(kind: BranchKind, count: number, seed: number): Generator<string> {
  for (const line of LOGS[kind](count, wordsOf(kind, seed))) yield `${JSON.stringify(line)}\n`;
}
