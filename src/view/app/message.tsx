/** A turn of a conversation: the role, the text, and a line for each call with its result. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { showBytes, showCount } from '../../charts/numbers.ts';
import { marked } from './address.ts';
import { indented, keepsNumbers, laidOut, parseExact } from './exact.ts';
import { endOfHit } from './highlight.ts';
import { Markdown } from './markdown.tsx';
import { callIdOf, callsOf, reasoningOf } from './messages.ts';
import { endOfImage, Picture } from './picture.tsx';
import type { Call, Message, Shown, ShownPart } from './types.ts';

const CLIP = 6000;
const GROW = 4;
const HINT = 90;
const EMPTY: Shown = {};

/** Shows a text, as Markdown unless it is `mono`; of a long one, only a part, and how much more there is. */
export function Text(props: {
  readonly text: string;
  readonly mono?: boolean;
  readonly clip?: number;
}): VNode {
  const { text, mono = false, clip = CLIP } = props;
  const [most, setMost] = useState(clip);
  const shown = text.length > most ? Math.max(most, endOfHit(text)) : most;
  const end = endOfImage(text, shown);
  const isCut = text.length > end;
  const part = isCut ? text.slice(0, end) : text;
  return (
    <div class={mono ? 'text mono' : 'text'} dir="auto">
      <pre>{mono ? part : <Markdown text={part} />}</pre>
      {isCut ? (
        <button type="button" class="more" onClick={() => setMost(shown * GROW)}>
          {showBytes(text.length - end)} more
        </button>
      ) : null}
    </div>
  );
}

function Part({ part }: { readonly part: unknown }): VNode {
  if (typeof part === 'string') return <Text text={part} />;
  const { text, image_url: image } = (part ?? {}) as { text?: unknown; image_url?: unknown };
  if (typeof text === 'string') return <Text text={text} />;
  const address = typeof image === 'string' ? image : (image as { url?: unknown } | undefined)?.url;
  return typeof address === 'string' ? <Picture address={address} /> : <Text mono text={indented(part)} />;
}

function Thought({ text }: { readonly text: string }): VNode {
  return (
    <details class="think">
      <summary>
        reasoning <span class="size">{showBytes(text.length)}</span>
      </summary>
      <Text text={text} />
    </details>
  );
}

export interface Answer {
  readonly message: Message;
  /** Number of the message. */
  readonly at: number;
  readonly failed: boolean;
}

interface CallProps {
  readonly activity: string;
  readonly args: string;
  readonly answer: Answer | undefined;
  readonly isOpen: boolean;
}

function CallView({ activity, args, answer, isOpen }: CallProps): VNode {
  const result = answer === undefined ? undefined : plain(answer.message.content);
  const isMarked = answer !== undefined && answer.at === marked.value;
  return (
    <details class={isMarked ? 'call marked' : 'call'} open={isOpen || isMarked}>
      <summary>
        <span class="activity">{activity}</span>
        <bdi class="hint">{hintOf(args)}</bdi>
        {result === undefined ? (
          <span class="tag warn">no result</span>
        ) : answer?.failed ? (
          <span class="tag bad">error</span>
        ) : (
          <span class="size">{showBytes(result.length)}</span>
        )}
      </summary>
      <div class="io">
        <p class="cap">arguments</p>
        <Text mono text={laidOut(args)} />
        {result === undefined ? null : (
          <>
            <p class="cap">result</p>
            <Text mono text={laidOut(result)} />
          </>
        )}
      </div>
    </details>
  );
}

/** Formats arguments on one line. */
function hintOf(args: string): string {
  let line = args;
  if (keepsNumbers) {
    try {
      const value = parseExact(args);
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        line = Object.entries(value)
          .map(([key, item]) => `${key}=${typeof item === 'string' ? item : JSON.stringify(item)}`)
          .join('  ');
    } catch {
      line = args;
    }
  }
  const flat = line.slice(0, 4 * HINT).replace(/\s+/g, ' ');
  return flat.length > HINT ? `${flat.slice(0, HINT - 1)}…` : flat;
}

/** Returns the text of the arguments, which may be a string or an object. */
function argumentsOf({ function: fn, ...call }: Call): string {
  const args = fn?.arguments ?? call.arguments ?? call.args ?? {};
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return indented(content);
  return content
    .map((part) => (typeof part === 'string' ? part : ((part as { text?: string })?.text ?? indented(part))))
    .join('');
}

interface TurnProps {
  readonly message: Message;
  readonly shown: Shown;
  readonly number: number;
  readonly answers: ReadonlyMap<number, Answer>;
  readonly isRaw: boolean;
  readonly isOpen: boolean;
}

function Turn({ message, shown, number, answers, isRaw, isOpen }: TurnProps): VNode {
  const role = String(message.role ?? message.from ?? '?');
  const reasoning = reasoningOf(message);
  const content = message.content ?? message.value;
  const parts: readonly unknown[] = Array.isArray(content)
    ? content
    : content === null || content === undefined || content === ''
      ? []
      : [content];
  const calls = callsOf(message);
  return (
    <article
      class={`msg ${roleClass(role)}${marked.value === number ? ' marked' : ''}`}
      aria-label={`message ${number}, ${role}`}
    >
      <header>
        <b>
          <bdi>{role}</bdi>
        </b>
        <span class="at">{number}</span>
      </header>
      {isRaw ? (
        <div class="body">
          <Text mono text={indented(message)} />
        </div>
      ) : (
        <div class="body">
          {reasoning !== '' ? <Thought text={reasoning} /> : null}
          {parts.map((part, i) =>
            shown.parts?.[i] === undefined ? (
              <Part part={part} />
            ) : (
              <Segments part={shown.parts[i] as ShownPart} isOpen={isOpen} />
            ),
          )}
          {calls.map((call, i) => (
            <CallView
              activity={shown.calls?.[i] ?? 'tool: ?'}
              args={argumentsOf(call ?? {})}
              answer={answers.get(i)}
              isOpen={isOpen}
            />
          ))}
          {parts.length === 0 && calls.length === 0 && reasoning === '' ? <p class="note">empty</p> : null}
          {isThoughtOnly(shown, calls) ? (
            <p class="note">(No final answer was produced — expand Think)</p>
          ) : null}
        </div>
      )}
    </article>
  );
}

const KNOWN_ROLES: Readonly<Record<string, string>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'assistant', tool: 'tool' },
  ...{ human: 'user', gpt: 'assistant', function_call: 'assistant', observation: 'tool', function: 'tool' },
};
const roleClass = (role: string): string =>
  Object.hasOwn(KNOWN_ROLES, role) ? `r-${KNOWN_ROLES[role]}` : '';

/** Returns whether the model produced only reasoning. */
function isThoughtOnly({ parts = {} }: Shown, calls: readonly Call[]): boolean {
  const segments = Object.values(parts).flatMap((part) => part.segments);
  return calls.length === 0 && segments.length > 0 && segments.every(({ kind }) => kind === 'think');
}

function Segments({ part, isOpen }: { readonly part: ShownPart; readonly isOpen: boolean }): VNode {
  return (
    <>
      {part.segments.map((segment) => {
        if (segment.kind === 'think') return <Thought text={segment.text} />;
        if (segment.kind === 'text') return <Text text={segment.text} />;
        if (segment.activity === undefined) return <p class="note">a call that cannot be read</p>;
        return (
          <CallView activity={segment.activity} args={segment.text} answer={undefined} isOpen={isOpen} />
        );
      })}
      {part.states.length === 0 ? null : (
        <p class="states" title="protocol lines of the log, not shown as text">
          {part.states.map((line) => (
            <span>{line}</span>
          ))}
        </p>
      )}
    </>
  );
}

export interface Turns {
  readonly messages: readonly Message[];
  readonly shown: readonly Shown[];
}

interface OpenCall {
  readonly id: unknown;
  /** The call as JSON text. */
  readonly text: string;
  readonly turn: number;
  readonly call: number;
}

/**
 * Pairs calls with results: results belong to the calls before them, up to the next message with calls.
 * @param isGrowing whether the messages are those of consecutive entries: a repeated call gets the result of the later
 * entry
 */
export function pairOf(
  { messages, shown }: Turns,
  isGrowing = false,
): {
  readonly answers: ReadonlyMap<number, ReadonlyMap<number, Answer>>;
  readonly used: ReadonlySet<number>;
} {
  const answers = new Map<number, Map<number, Answer>>();
  const used = new Set<number>();
  let open: OpenCall[] = [];
  let previous: OpenCall[] = [];
  const setAnswer = ({ turn, call }: OpenCall, answer: Answer): void => {
    const ofTurn = answers.get(turn) ?? new Map<number, Answer>();
    answers.set(turn, ofTurn.set(call, answer));
  };
  messages.forEach((message, i) => {
    const calls = callsOf(message);
    if (calls.length > 0) {
      if (isGrowing) previous = open;
      open = calls.map((call, k) => ({ id: call?.id, text: JSON.stringify(call), turn: i, call: k }));
    }
    const callId = callIdOf(message);
    if (message.role !== 'tool' || callId === undefined) return;
    const at = open.findIndex(({ id }) => id === callId);
    const [answered] = at < 0 ? [] : open.splice(at, 1);
    if (answered === undefined) return;
    const answer = { message, at: i, failed: shown[i]?.failed === true };
    setAnswer(answered, answer);
    for (const call of previous)
      if (call.id === answered.id && call.text === answered.text) setAnswer(call, answer);
    used.add(i);
  });
  return { answers, used };
}

const NO_ANSWERS: ReadonlyMap<number, Answer> = new Map();

export interface ConversationProps extends Turns {
  readonly tools?: readonly unknown[];
  /** Number of the first messages that an earlier record has too. */
  readonly context?: number | undefined;
  readonly isRaw: boolean;
  readonly isOpen: boolean;
}

export function Conversation(props: ConversationProps): VNode {
  const { messages, shown, tools = [], context = 0, isRaw, isOpen } = props;
  const all = { all: { messages, shown }, paired: pairOf({ messages, shown }), isRaw, isOpen };
  return (
    <>
      {tools.length > 0 ? <Offered tools={tools} /> : null}
      {context === 0 ? null : (
        <section class="context" aria-label="Context">
          <TurnsFrom {...all} from={0} count={context} first={0} />
          <p class="note">
            The messages above are context: an earlier record has them too, and trains their answers.
          </p>
        </section>
      )}
      <TurnsFrom {...all} from={context} count={messages.length} first={context} />
    </>
  );
}

/** A part of a longer list of turns, with the results of the whole list. */
export function TurnsFrom(props: {
  readonly all: Turns;
  readonly paired: ReturnType<typeof pairOf>;
  readonly from: number;
  readonly count: number;
  /** Number of the first turn. */
  readonly first: number;
  readonly isRaw: boolean;
  readonly isOpen: boolean;
}): VNode {
  const { all, paired, from, count, first, isRaw, isOpen } = props;
  return (
    <>
      {all.messages
        .slice(from, from + count)
        .map((message, k) =>
          !isRaw && paired.used.has(from + k) ? null : (
            <Turn
              key={k}
              message={message}
              shown={all.shown[from + k] ?? EMPTY}
              number={first + k}
              answers={paired.answers.get(from + k) ?? NO_ANSWERS}
              isRaw={isRaw}
              isOpen={isOpen}
            />
          ),
        )}
    </>
  );
}

const SHOWN_TOOLS = 6;

function Offered({ tools }: { readonly tools: readonly unknown[] }): VNode {
  const names = tools.map((tool) => {
    const { name, function: fn } = (tool ?? {}) as { name?: unknown; function?: { name?: unknown } };
    return String(name ?? fn?.name ?? '?');
  });
  const shown = names.slice(0, SHOWN_TOOLS).join(', ');
  return (
    <details class="tools">
      <summary>
        {showCount(tools.length, 'tool')} offered{' '}
        <span class="hint">
          <bdi>{names.length > SHOWN_TOOLS ? `${shown} …` : shown}</bdi>
        </span>
      </summary>
      <Text mono text={indented(tools)} />
    </details>
  );
}
