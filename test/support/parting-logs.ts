/**
 * Sessions whose entries do not all continue each other: edits, side calls, retries, system texts that change and change back, and
 * histories that say the same in another way. `lostEntries` computes independently which entries are not the beginning of the written
 * conversation.
 */
import { entryLine } from './build-logs.ts';
import type { Dice } from './odd-logs/dice.ts';

interface Turn {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
  readonly refusal?: null;
}
interface Call {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Request {
  readonly messages: readonly Turn[];
  readonly reply: Turn | null;
}

const TEXTS = ['a', 'b', 'line\nand "quotes"', 'é 😀 ü', '\u0001/', 'a longer text '.repeat(40)] as const;
const ARGUMENTS = ['{"a": 1, "b": "x"}', '{"b":"x","a":1}', '{"a": 2, "b": "x"}', '{}', 'no JSON'] as const;

function answer(dice: Dice, id: string): Turn {
  const content = dice.pick(TEXTS);
  if (dice.chance(0.6)) return { role: 'assistant', content };
  const call: Call = {
    id,
    type: 'function',
    function: { name: dice.pick(['f', 'g']), arguments: dice.pick(ARGUMENTS) },
  };
  return { role: 'assistant', content: dice.chance(0.5) ? null : content, tool_calls: [call] };
}

/** The same message as a client may repeat it: with other ids, other members, an empty text for null. */
function repeated(dice: Dice, turn: Turn): Turn {
  if (turn.role !== 'assistant') return turn;
  const [call] = turn.tool_calls ?? [];
  const calls =
    call === undefined
      ? {}
      : { tool_calls: [{ ...call, id: dice.chance(0.3) ? `${call.id}-again` : call.id }] };
  const content = turn.content === null && dice.chance(0.3) ? '' : turn.content;
  return { role: 'assistant', ...(dice.chance(0.3) ? { refusal: null } : {}), content, ...calls };
}

/** The history and the answer as messages of the next request, with the result of a call and a new text of the user. */
function continued(dice: Dice, { messages, reply }: Request, number: number): readonly Turn[] {
  const said = reply === null ? [] : [repeated(dice, reply)];
  const results = said.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ id }): Turn => ({ role: 'tool', tool_call_id: id, content: `result ${number}` })),
  );
  const asks: readonly Turn[] =
    results.length > 0 && dice.chance(0.5) ? [] : [{ role: 'user', content: dice.pick(TEXTS) }];
  return [...messages, ...said, ...results, ...asks];
}

function nextMessages(dice: Dice, earlier: readonly Request[], number: number): readonly Turn[] {
  const last = earlier.at(-1) as Request;
  const what = dice.int(10);
  if (what === 0)
    return [
      { role: 'system', content: 'Write a title.' },
      { role: 'user', content: 'a' },
    ];
  if (what === 1) return last.messages; // a retry
  if (what === 2) return continued(dice, earlier[dice.int(earlier.length)] as Request, number);
  if (what > 4) return continued(dice, last, number);
  const role = dice.pick(['system', 'developer']);
  return [
    { role, content: dice.pick(['Be brief.', 'Be polite.']) },
    ...continued(dice, last, number).slice(1),
  ];
}

export function partingSession(dice: Dice): readonly Request[] {
  const first = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a' },
  ];
  const requests: Request[] = [{ messages: first, reply: answer(dice, 'c0') }];
  for (let i = 1; i < 3 + dice.int(8); i++) {
    const messages = nextMessages(dice, requests, i);
    requests.push({ messages, reply: dice.chance(0.1) ? null : answer(dice, `c${i}`) });
  }
  return requests;
}

/** Log lines; some are ASCII only, with escapes. */
export function partingLog(dice: Dice, id: string, requests: readonly Request[]): string {
  return logOf(dice, requests, (request, at) => entryLine({ id, at, ...request }));
}

/** Log lines that differ in more than their messages: in their times, tools or models, or in answers that are cut or have reasoning. */
export function variedLog(dice: Dice, id: string, requests: readonly Request[]): string {
  const what = dice.pick(['equal times', 'times', 'tools', 'models', 'cut answers', 'reasoning']);
  return logOf(dice, requests, ({ messages, reply }, i) => {
    const varies = (kind: string): boolean => what === kind && dice.chance(0.3);
    const at = what === 'equal times' ? i >> 1 : varies('times') ? 1 : i;
    const message = reply !== null && varies('reasoning') ? { ...reply, reasoning_content: 'hm' } : reply;
    const finish = varies('cut answers') ? { finish_reason: 'length' } : {};
    const model = varies('models') ? { model: 'm-1' } : {};
    const tools = varies('tools') ? { tools: [] } : {};
    return entryLine({
      id,
      at,
      messages,
      ...tools,
      response: { ...model, choices: [{ message, ...finish }] },
    });
  });
}

function logOf(
  dice: Dice,
  requests: readonly Request[],
  lineOf: (request: Request, index: number) => string,
): string {
  const lines = requests.map((request, i) => {
    const line = lineOf(request, i);
    return dice.chance(0.2) ? escaped(line) : line;
  });
  return `${lines.join('\n')}\n`;
}

const escaped = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function argumentsKey(text: string): string {
  try {
    return JSON.stringify(Object.entries(JSON.parse(text)).sort());
  } catch {
    return text;
  }
}

/** Messages as text, without what does not count. A result names the number of the call that it answers. */
function pathKeys({ messages, reply }: Request): readonly string[] {
  const ids: string[] = [];
  return [...messages, ...(reply === null ? [] : [reply])].map((turn) => {
    const calls = (turn.tool_calls ?? []).map((call) => {
      ids.push(call.id);
      return [call.function.name, argumentsKey(call.function.arguments)];
    });
    const role = turn.role === 'developer' ? 'system' : turn.role;
    const answers = role === 'tool' ? ids.lastIndexOf(turn.tool_call_id ?? '') : null;
    return JSON.stringify([role, turn.content ?? '', calls, answers]);
  });
}

/** The lines of the entries, from 1, that are not the beginning of the last longest one. */
export function lostEntries(requests: readonly Request[]): readonly number[] {
  const most = Math.max(...requests.map(({ messages }) => messages.length));
  const snapshot = pathKeys(requests.findLast(({ messages }) => messages.length === most) as Request);
  return requests.flatMap((request, i) =>
    pathKeys(request).every((key, at) => key === snapshot[at]) ? [] : [i + 1],
  );
}
