/**
 * Sessions of model calls with retries, rewinds, sub-agents, titles, compactions and texts that a client adds to each request. Calls of
 * a session overlap. The calls can be packed as loggers do: a file for each session, each call or each hour, or one daily file.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDice, type Dice } from './odd-logs/dice.ts';

export interface Turn {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

/** A call, with the messages that its client added for this request only left out. */
export interface Call {
  readonly session: string;
  /** Seconds since midnight. */
  readonly at: number;
  readonly messages: readonly Turn[];
  readonly reply: Turn | null;
  /** The time that the client adds as the last message; undefined if it adds none. */
  readonly clock: string | undefined;
}

const FIRST_HOUR = 6;
const HOUR = 3600;

/** A conversation of a session: the main one, or that of a sub-agent. */
class Talk {
  readonly #dice: Dice;
  readonly #next: (messages: readonly Turn[]) => Call;
  #history: readonly Turn[];
  #calls: Call[] = [];

  constructor(dice: Dice, history: readonly Turn[], next: (messages: readonly Turn[]) => Call) {
    this.#dice = dice;
    this.#history = history;
    this.#next = next;
  }

  /** Asks the model, and tells it what its calls gave. */
  *turn(question: string): Generator<Call> {
    this.#say({ role: 'user', content: question });
    yield* this.#ask();
    const { tool_calls: calls = [] } = this.#history.at(-1) ?? {};
    for (const call of calls as readonly { id: string }[])
      this.#say({ role: 'tool', tool_call_id: call.id, content: `gave ${call.id} for ${question}` });
    if (calls.length > 0) yield* this.#ask();
  }

  #say(turn: Turn): void {
    this.#history = [...this.#history, turn];
  }

  /** Sends the history; sometimes again, because it had no answer or another one is wanted. */
  *#ask(): Generator<Call> {
    const tries = this.#dice.chance(0.15) ? 2 : 1;
    for (let i = 0; i < tries; i++) {
      const call = this.#next(this.#history);
      this.#calls.push(call);
      yield call;
      if (i === tries - 1) this.#say(call.reply ?? { role: 'assistant', content: 'There was no answer.' });
    }
  }

  /** Goes back to the messages before an earlier question. */
  rewind(): void {
    const asked = this.#history.flatMap(({ role }, i) => (role === 'user' ? [i] : []));
    const at = asked[this.#dice.int(asked.length)];
    if (at !== undefined && at > 0) this.#history = this.#history.slice(0, at);
  }

  /** Replaces the history by a summary, or leaves out its oldest turns. */
  compact(): void {
    const [system] = this.#history;
    const summary: Turn = { role: 'user', content: `In short: ${this.#calls.length} calls.` };
    const kept = this.#dice.chance(0.5) ? [summary] : this.#history.slice(-2);
    this.#history = [...(system?.role === 'system' ? [system] : []), ...kept];
  }
}

/** The calls of a session in the order of its log, which is not always that of their times. */
export function branchingSession(seed: number): readonly Call[] {
  const dice = createDice(seed, new Map());
  const session = `session-${seed}`;
  const hasClock = dice.chance(0.5);
  let at = FIRST_HOUR * HOUR + dice.int(10 * HOUR);
  let answers = 0;
  const next = (messages: readonly Turn[]): Call => {
    at += 1 + dice.int(dice.chance(0.1) ? HOUR : 120);
    const number = ++answers;
    const clock = hasClock ? `<info-msg>It is ${at}.</info-msg>` : undefined;
    const reply = dice.chance(0.08) ? null : answerOf(dice, dice.chance(0.1) ? 0 : number);
    return { session, at, messages, reply, clock };
  };
  const system: Turn = { role: 'system', content: `You are mill ${dice.int(3)}.` };
  const main = new Talk(dice, [system, { role: 'user', content: `Task ${seed}` }], next);
  const calls: Call[] = [];
  for (let turn = dice.int(7); turn >= 0; turn--) {
    const what = dice.int(10);
    if (what === 0) main.rewind();
    if (what === 1) main.compact();
    if (what === 2) calls.push(...agent(dice, next));
    calls.push(...main.turn(`Question ${dice.int(4)}`));
    if (what === 3) calls.push(...title(next));
  }
  return dice.chance(0.3) ? swapped(dice, calls) : calls;
}

function answerOf(dice: Dice, number: number): Turn {
  if (dice.chance(0.7)) return { role: 'assistant', content: `Answer ${number}` };
  const call = {
    id: `call-${number}`,
    type: 'function',
    function: { name: 'look', arguments: `{"n":${number}}` },
  };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

function* agent(dice: Dice, next: (messages: readonly Turn[]) => Call): Generator<Call> {
  const talk = new Talk(dice, [{ role: 'system', content: 'You help the mill.' }], next);
  for (let turn = dice.int(3); turn >= 0; turn--) yield* talk.turn(`Help ${dice.int(3)}`);
}

function* title(next: (messages: readonly Turn[]) => Call): Generator<Call> {
  yield next([
    { role: 'system', content: 'Write a title.' },
    { role: 'user', content: 'About flour' },
  ]);
}

/** Calls that overlap are logged when they end, so that neighbours may be in the other order. */
function swapped(dice: Dice, calls: readonly Call[]): readonly Call[] {
  const list = [...calls];
  const i = dice.int(Math.max(list.length - 1, 1));
  const [one, other] = [list[i], list[i + 1]];
  if (one !== undefined && other !== undefined) list.splice(i, 2, other, one);
  return list;
}

function lineOf({ session, at, messages, reply, clock }: Call): string {
  const sent = clock === undefined ? messages : [...messages, { role: 'user', content: clock }];
  const tools = [
    { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
  ];
  const time = new Date(Date.UTC(2026, 0, 14, 0, 0, at)).toISOString();
  const response = reply === null ? null : { choices: [{ index: 0, message: reply }] };
  return `${JSON.stringify({ timestamp: time, session_id: session, request: { messages: sent, tools }, response })}\n`;
}

export type Packing = 'a file for each session' | 'a file for each call' | 'hourly files' | 'a daily file';

/** Writes the calls of sessions as files. @returns their number */
export function writeCalls(root: string, sessions: readonly (readonly Call[])[], packing: Packing): number {
  const files = new Map<string, string>();
  const put = (name: string, call: Call): void =>
    void files.set(name, (files.get(name) ?? '') + lineOf(call));
  const calls = sessions.flat();
  const inTime = (): readonly Call[] => calls.toSorted((a, b) => a.at - b.at);
  if (packing === 'a file for each session') for (const call of calls) put(`${call.session}.jsonl`, call);
  else if (packing === 'a file for each call')
    for (const [i, call] of calls.entries()) put(`${call.session}/${String(i).padStart(5, '0')}.jsonl`, call);
  else
    for (const call of inTime())
      put(packing === 'hourly files' ? `${Math.floor(call.at / HOUR)}.jsonl` : 'day.jsonl', call);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return files.size;
}
