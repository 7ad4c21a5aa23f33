/**
 * Logs of Claude Code in which one session lies in several files: checkpoints, resumed and forked sessions, rewinds, retries of an
 * answer, and sub-agents. Answers differ unless they are copies.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomFrom } from './plain-logs.ts';

interface Step {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly type: 'user' | 'assistant';
  readonly content: object[];
  readonly isSidechain?: true;
}

type Random = () => number;

const below = (random: Random, n: number): number => Math.floor(random() * n);
const words = (text: string): object[] => [{ type: 'text', text }];

/** One session with its branches, growing step by step. */
class Growing {
  readonly steps: Step[] = [];
  readonly #random: Random;
  readonly #name: string;

  constructor(name: string, random: Random, steps: readonly Step[] = []) {
    this.#name = name;
    this.#random = random;
    this.steps.push(...steps);
  }

  /** Adds a turn: after the last step, or after an earlier one that the user went back to. */
  grow(): void {
    const main = this.steps.filter(({ isSidechain }) => isSidechain !== true);
    const answers = main.filter(({ type }) => type === 'assistant');
    const back = below(this.#random, 4) === 0;
    const from = back ? answers[below(this.#random, answers.length)] : main.at(-1);
    const asked = this.#add('user', from?.uuid ?? null, words(`question ${below(this.#random, 4)}`));
    if (below(this.#random, 3) === 0) this.#call(asked.uuid);
    else this.#add('assistant', asked.uuid, words(`answer ${this.#name} ${this.steps.length}`));
    if (below(this.#random, 6) === 0) this.#agent();
  }

  #call(parent: string): void {
    const id = `call-${this.#name}-${this.steps.length}`;
    const call = this.#add('assistant', parent, [
      { type: 'tool_use', id, name: 'read', input: { file: id } },
    ]);
    const result = this.#add('user', call.uuid, [
      { type: 'tool_result', tool_use_id: id, content: `of ${id}` },
    ]);
    this.#add('assistant', result.uuid, words(`answer ${this.#name} ${this.steps.length}`));
  }

  #agent(): void {
    const task = this.#add('user', null, words(`task ${below(this.#random, 3)}`), true);
    this.#add('assistant', task.uuid, words(`done ${this.#name} ${this.steps.length}`), true);
  }

  #add(type: Step['type'], parentUuid: string | null, content: object[], isSidechain?: true): Step {
    const uuid = `${this.#name}-${this.steps.length}`;
    const step = { uuid, parentUuid, type, content, ...(isSidechain && { isSidechain }) };
    this.steps.push(step);
    return step;
  }
}

function linesOf(steps: readonly Step[], sessionId: string): string {
  return steps
    .map(({ type, content, ...rest }, i) => {
      const timestamp = new Date(Date.UTC(2026, 0, 14, 8, 0, i)).toISOString();
      const message = { id: `m-${rest.uuid}`, role: type, content };
      return `${JSON.stringify({ ...rest, type, sessionId, timestamp, message })}\n`;
    })
    .join('');
}

/** Returns the logs by path. */
export function copiedLogs(seed: number, sessions: number): Readonly<Record<string, string>> {
  const random = randomFrom(seed);
  const all: Growing[] = [];
  const logs: Record<string, string> = {};
  for (let n = 0; n < sessions; n++) {
    const origin = below(random, 2) === 0 ? all[below(random, all.length)] : undefined;
    // a resumed session begins with the lines of another one, or some of them
    const copied = origin?.steps.slice(0, 1 + below(random, origin.steps.length)) ?? [];
    const whole = copied.at(-1)?.type === 'user' ? copied.slice(0, -1) : copied;
    const session = new Growing(`s${n}`, random, whole);
    for (let turn = below(random, 5) + (whole.length === 0 ? 1 : 0); turn > 0; turn--) session.grow();
    all.push(session);
    const name = `2026-01-1${3 + below(random, 3)}/${below(random, 100)}-${n}.jsonl`;
    logs[name] = linesOf(session.steps, `session-${n}`);
  }
  return logs;
}

export function writeCopiedLogs(root: string, seed: number, sessions: number): void {
  for (const [name, text] of Object.entries(copiedLogs(seed, sessions))) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
