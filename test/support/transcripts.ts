/**
 * A folder of Claude Code transcripts in the shape of real ones: an answer is written block by block, results of tools come with a
 * second copy for the client, some sessions have a sub-agent, and one file in five holds a session that another file holds too
 * (checkpoints, resumed sessions, one fork). Each answer has a mark that no other one has, so that counting needs no comparison of texts.
 */
import { randomFrom } from './plain-logs.ts';

export interface Transcripts {
  readonly files: number;
  /** Mean number of answers in a session. */
  readonly answers: number;
  /** Mean characters of the result of a tool. */
  readonly resultChars: number;
  readonly seed: number;
}

export interface Transcript {
  readonly name: string;
  readonly lines: readonly string[];
}

export const MARK: RegExp = /\bmark-\d+-\d+\b/g;

const COPIES = 30 / 140;
const WORDS =
  'the file has a list of plants and their dates in it but not all rows are dated so I look again at'.split(
    ' ',
  );
const COPIES_OF_A_RESULT = 3;

type Step = Readonly<Record<string, unknown>>;

/** A session that grows question by question. */
class Growing {
  readonly steps: Step[] = [];
  readonly #number: number;
  readonly #random: () => number;
  readonly #resultChars: number;
  #marks = 0;
  #uuids = 0;
  /** The uuid of the last step on the main thread. */
  #last: string | null = null;

  constructor(number: number, resultChars: number, copied: readonly Step[] = []) {
    this.#number = number;
    this.#random = randomFrom(number * 7919 + 13);
    this.#resultChars = resultChars;
    this.steps.push(...copied);
    this.#last =
      (copied.findLast(({ isSidechain, uuid }) => isSidechain === false && uuid !== undefined)
        ?.uuid as string) ?? null;
  }

  /** Asks and answers until there are this many answers more. */
  grow(answers: number): void {
    const end = this.#marks + answers;
    while (this.#marks < end) {
      this.#ask(`Question ${this.#number}.${this.#marks}: ${this.#text(80)}`);
      for (let calls = Math.min(this.#below(9), end - this.#marks - 1); calls > 0; calls--) this.#call();
      this.#answer([{ type: 'text', text: `${this.#mark()} ${this.#text(600)}` }]);
    }
  }

  /** Lets a sub-agent work. */
  agent(): void {
    const main = this.#last;
    this.#last = null;
    this.#ask(`Task ${this.#number}: ${this.#text(200)}`, true);
    for (let calls = 2; calls > 0; calls--) this.#call(true);
    this.#answer([{ type: 'text', text: `${this.#mark()} ${this.#text(300)}` }], true);
    this.#last = main;
  }

  #ask(content: string, isSidechain = false): void {
    if (!isSidechain)
      this.steps.push({ type: 'file-history-snapshot', snapshot: { trackedFileBackups: {} } });
    this.#add({ type: 'user', isSidechain, message: { role: 'user', content } });
  }

  #call(isSidechain = false): void {
    const mark = this.#mark();
    const id = `toolu_${mark}`;
    const texts = this.#below(2) === 0 ? [] : [{ type: 'text', text: `${mark} ${this.#text(120)}` }];
    this.#answer(
      [...texts, { type: 'tool_use', id, name: 'Read', input: { file_path: `${mark}.md` } }],
      isSidechain,
    );
    const content = this.#text(2 * this.#below(this.#resultChars));
    this.#add({
      ...{ type: 'user', isSidechain },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
      toolUseResult: { type: 'text', file: { content, copies: Array(COPIES_OF_A_RESULT - 1).fill(content) } },
    });
  }

  /** Writes a line for each block, as the client does while they arrive. */
  #answer(blocks: readonly object[], isSidechain = false): void {
    const id = `msg_${this.#number}_${this.#uuids}`;
    for (const block of blocks)
      this.#add({
        type: 'assistant',
        isSidechain,
        message: { id, role: 'assistant', model: 'm', content: [block] },
      });
  }

  #add(step: Step): void {
    const uuid = `u-${this.#number}-${this.#uuids++}`;
    this.steps.push({ parentUuid: this.#last, ...step, uuid });
    this.#last = uuid;
  }

  #mark(): string {
    return `mark-${this.#number}-${this.#marks++}`;
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #text(chars: number): string {
    const words: string[] = [];
    for (let length = 0; length < chars; length += (words.at(-1) as string).length + 1)
      words.push(WORDS[this.#below(WORDS.length)] as string);
    return words.join(' ');
  }
}

/** The steps up to the end of a question that is not the last one. */
function checkpointOf(steps: readonly Step[], share: number): readonly Step[] {
  const questions = steps.flatMap(({ type }, i) => (type === 'file-history-snapshot' ? [i] : []));
  return steps.slice(0, questions[Math.max(1, Math.floor(share * questions.length))]);
}

/** The steps before the second answer. */
function firstAnswerOf(steps: readonly Step[]): readonly Step[] {
  const ids = steps.map(({ message }) => (message as { readonly id?: string } | undefined)?.id);
  const first = ids.find((id) => id !== undefined);
  return steps.slice(
    0,
    ids.findIndex((id) => id !== undefined && id !== first),
  );
}

/** Yields the transcripts, with names that are not in the order in which the sessions began. */
export function* transcripts({ files, answers, resultChars, seed }: Transcripts): Generator<Transcript> {
  const random = randomFrom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const copies = Math.round(files * COPIES);
  const sessions: Growing[] = [];
  const resumed = new Set<Growing>();
  /** The longest of a few sessions: long sessions are resumed more often. */
  const pick = (): Growing => {
    const free = sessions.filter((one) => !resumed.has(one));
    const few = Array.from({ length: 3 }, () => free[below(free.length)] as Growing);
    return few.reduce((long, one) => (one.steps.length > long.steps.length ? one : long));
  };
  const transcript = (steps: readonly Step[], id: string): Transcript => {
    const time = (i: number): string => new Date(Date.UTC(2026, 0, 13, 8, 0, i)).toISOString();
    const lines = steps.map((step, i) =>
      JSON.stringify({ ...step, sessionId: id, cwd: '/home/ada', timestamp: time(i) }),
    );
    return { name: `${String(below(1e6)).padStart(6, '0')}-${id}.jsonl`, lines };
  };
  for (let n = 0; n < files - copies; n++) {
    const session = new Growing(n, resultChars);
    session.grow(Math.ceil(2 * answers * random()));
    if (n % 4 === 0) session.agent();
    session.grow(1 + below(answers / 4));
    sessions.push(session);
  }
  const originals = [...sessions];
  for (let n = files - copies; n < files; n++) {
    const origin = pick();
    resumed.add(origin);
    if (n === files - 1) {
      const fork = new Growing(n, resultChars, firstAnswerOf(origin.steps));
      fork.grow(answers);
      yield transcript(fork.steps, `fork-${n}`);
    } else if (n % 2 === 0) {
      yield transcript(checkpointOf(origin.steps, 0.6 + 0.4 * random()), `checkpoint-${n}`);
    } else {
      const longer = new Growing(n, resultChars, origin.steps);
      longer.grow(Math.ceil(answers * random()));
      yield transcript(longer.steps, `resumed-${n}`);
    }
  }
  for (const [n, { steps }] of originals.entries()) yield transcript(steps, `session-${n}`);
}
