/**
 * The logs of all goldens and examples with one place changed so that it is of no known form. Whatever the place: either
 * something was rejected, or the records still have all that was said; and no record has anything that the log did not
 * give to that speaker.
 */
import { expect, it } from 'vitest';
import type { Result } from '../../src/ledger/result.ts';
import { changedPlaces } from '../support/changed-places.ts';
import { type DialectLog, dialectLogs } from '../support/dialect-logs.ts';
import { LONG } from '../support/long.ts';
import { readLogs } from '../support/read-log.ts';

/** Every how many changes of a log are tried. */
const STEP = LONG ? 1 : 15;
/** Dialects of the logs of clients, and of recorded calls. */
const BUILDING: ReadonlySet<string> = new Set([
  ...['claude-code', 'codex', 'pi', 'gemini-cli', 'opencode', 'openhands', 'goose', 'sts', 'atif'],
  ...['astracodex', 'cline', 'inspect', 'runs', 'spans'],
  ...['anthropic', 'responses', 'calls', 'batches', 'streams', 'exchange', 'messages'],
]);
/** Dialects that copy messages with all their members. */
const COPYING: ReadonlySet<string> = new Set(['exchange', 'messages']);
/** Dialects whose results may be any JSON, so that an object in place of a text is the result. */
const ANY_RESULT: ReadonlySet<string> = new Set(['gemini-cli', 'astracodex', 'cline', 'spans']);
/** Findings that say that the log lacks a text. */
const LACKING: ReadonlySet<string> = new Set(['attachment-missing', 'body-placeholder']);
const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** A text or a call in a record, with its speaker. */
interface Said {
  readonly speaker: string;
  readonly text: string;
}

interface Read {
  readonly dialect: string | undefined;
  readonly said: readonly Said[];
  /** Whether something was rejected, or reported as missing. */
  readonly isReported: boolean;
  readonly findings: ReadonlySet<string>;
  /** All strings in the records. */
  readonly strings: ReadonlySet<string>;
}

interface LoggedMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
  }[];
}

function saidBy({
  role,
  content,
  reasoning_content: thought,
  tool_calls: calls,
}: LoggedMessage): readonly Said[] {
  const textOf = (part: { readonly text?: unknown } | string | null) =>
    typeof part === 'string' ? part : (part?.text ?? []);
  const parts = Array.isArray(content) ? content.flatMap(textOf) : [content ?? ''];
  const texts = parts.filter((text) => text !== '').map((text) => ({ speaker: role, text: asText(text) }));
  const thoughts = thought === undefined ? [] : [{ speaker: 'thought', text: thought }];
  const called = (Array.isArray(calls) ? calls : []).map(({ function: fn }) => ({
    speaker: typeof fn?.name === 'string' && fn.name !== '' ? 'call' : 'call without a name',
    text: fn?.arguments === undefined ? 'no arguments' : asText(fn.arguments),
  }));
  return [...texts, ...thoughts, ...called];
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : `JSON ${JSON.stringify(value)}`;

function readOf(results: readonly Result[]): Read {
  const records = results.filter(({ kind }) => kind === 'record') as Extract<Result, { kind: 'record' }>[];
  const parsed = records.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
  const messages = parsed.flatMap((record) => record.messages as readonly LoggedMessage[]);
  const source = results.find((result) => result.kind === 'source');
  const isReported = results.some(
    (result) =>
      result.kind === 'rejected-line' ||
      (result.kind === 'session' && result.rejection !== undefined) ||
      (result.kind === 'source' && result.status === 'rejected') ||
      (result.kind === 'finding' && LACKING.has(result.rule)),
  );
  const findings = new Set(results.flatMap((result) => (result.kind === 'finding' ? [result.rule] : [])));
  const strings = new Set(parsed.flatMap(stringsIn));
  return { dialect: source?.dialect, said: messages.flatMap(saidBy), isReported, findings, strings };
}

const isWithin = (json: string, strings: ReadonlySet<string>): boolean =>
  stringsIn(JSON.parse(json)).every((text) => strings.has(text));

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Whether a text is one of the log's, or lines of one: a part of the message may have been rejected. */
const isGiven = ({ speaker, text }: Said, before: readonly Said[], isReported: boolean): boolean =>
  before.some((one) => {
    if (one.speaker !== speaker) return false;
    return one.text === text || (isReported && areLinesOf(text, one.text));
  });

function areLinesOf(text: string, whole: string): boolean {
  const lines = new Set(whole.split('\n'));
  return text.split('\n').every((line) => lines.has(line));
}

/** Whether a text is made of texts of the log, or of their lines: a text may be JSON. */
const isLoggedText = (text: string, log: string): boolean =>
  text.split('\n').every((line) => {
    const json = JSON.stringify(line).slice(1, -1);
    return log.includes(json) || log.includes(JSON.stringify(json).slice(1, -1));
  });

/** Whether the change is in a place where anything may be: the arguments of a call, a text, or a result that is any JSON. */
function mayBeAny({ speaker, text }: Said, { dialect, said }: Read, log: string): boolean {
  if (!/spy|712/.test(text)) return false;
  if (text === 'JSON 712' && COPYING.has(dialect ?? '')) return true;
  if (speaker === 'call' || isLoggedText(text, log)) return true;
  const hasJson = said.some((one) => one.speaker === 'tool' && /^[[{]/.test(one.text));
  return speaker === 'tool' && (hasJson || ANY_RESULT.has(dialect ?? ''));
}

/** Findings about messages that were copied. */
const OF_COPIES = /^(?:members-ignored|unknown-speaker|content-not-text|tool-calls?-[a-z-]+)$/;

/** Whether a dialect that copies messages copied everything, or names what it did not copy. Reasoning is not copied. */
function isCopied(before: Read, { dialect, findings, strings }: Read): boolean {
  if (!COPYING.has(dialect ?? '')) return false;
  if ([...findings].some((rule) => OF_COPIES.test(rule))) return true;
  const isThere = ({ speaker, text }: Said): boolean =>
    speaker === 'thought' || strings.has(text) || (speaker === 'call' && isWithin(text, strings));
  return before.said.every(isThere);
}

/**
 * The fault of the records of a changed log; undefined if they have none.
 * @param lines what each line of the unchanged log says by itself: it shows again if a later line no longer repeats it
 */
function faultOf(before: Read, after: Read, log: string, lines: readonly Said[]): string | undefined {
  if (isCopied(before, after)) return undefined;
  const fresh = after.said.filter((one) => !isGiven(one, before.said, after.isReported));
  const strange = fresh.find((one) => {
    if (!ROLES.has(one.speaker) && one.speaker !== 'call' && one.speaker !== 'thought') return true;
    // an earlier version of a message stays if the later one is rejected, and other messages if words became a number
    const isLogged =
      (after.isReported || /712|spy [[{]/.test(log)) &&
      [one.text, JSON.stringify(one.text).slice(1, -1)].some((text) => log.includes(text));
    return !isGiven(one, lines, true) && !isLogged && !mayBeAny(one, before, log);
  });
  if (strange !== undefined) return `a record has something new of ${strange.speaker}: ${strange.text}`;
  if (after.isReported) return undefined;
  const lost = before.said.filter((one) => !isGiven(one, after.said, false));
  // JSON that is a text now is the text of the same speaker; results are in messages of users too
  const speakers = new Set([...lost.map(({ speaker }) => speaker), 'user']);
  if (fresh.some(({ speaker, text }) => /^"?spy [[{]/m.test(text) && speakers.has(speaker))) return undefined;
  return lost.length > fresh.length ? `lost without a rejection: ${lost[0]?.text}` : undefined;
}

const OPTIONS = {
  format: ['chat'],
  cleanup: [],
  reasoning: 'keep',
  groupBy: 'none',
  allowEmpty: true,
} as const;

/** Changes after which the log says what the record has, and where: the record is not at fault. */
const SAYS_SO: Readonly<Record<string, RegExp>> = {
  // the client says beside the output that the call was aborted
  'opencode-interrupted/logs/garden.json': /Tool execution aborted$/,
  // without its type the span is one call, whose messages of a tool may be any text
  'spans-koog/logs/trace.jsonl': /something new of tool: \[/,
  // a part that is a text is said, and the pieces around it are joined
  'spans-pieces/logs/spans.jsonl': /object as a text: a record has something new of assistant/,
  // a block whose start is of an unknown type has the index of the one before
  'stream-two-answers/logs/log.jsonl': /type is not content_block_start/,
};

/** Dialects whose logs were changed. */
const tried = new Set<string>();

async function faultsIn({ name, bytes, settings }: DialectLog): Promise<readonly string[]> {
  const log = Buffer.from(bytes).toString();
  const given = { ...OPTIONS, ...settings, format: ['chat'] };
  const [before] = await reads([{ name, bytes }], given);
  if (before === undefined || before.said.length === 0 || !BUILDING.has(before.dialect ?? '')) return [];
  const texts = before.said.map(({ text }) => text);
  const isSaid = (value: string): boolean =>
    value.length > 3 &&
    texts.some(
      (text) =>
        text === value ||
        (value.length > 6 && text.includes(value)) ||
        (text.length > 6 && value.includes(text)),
    );
  const isWhole = (value: string): boolean => texts.includes(value);
  const changes = changedPlaces(log, isSaid, isWhole).filter((_, i) => i % STEP === 0);
  if (changes.length > 0) tried.add(before.dialect as string);
  const lines = PAIRS.has(before.dialect ?? '') ? await linesOf(name, log, given) : [];
  const after = await reads(
    changes.map(({ text }) => ({ name, bytes: Buffer.from(text) })),
    given,
  );
  return changes.flatMap(({ what, line, text }, i) => {
    const fault = faultOf(before, after[i] as Read, text, lines);
    return fault === undefined ? [] : [`line ${line}, ${what}: ${fault}`];
  });
}

/** Dialects whose lines may each be a whole conversation. */
const PAIRS: ReadonlySet<string> = new Set([
  'exchange',
  'anthropic',
  'responses',
  'calls',
  'messages',
  'spans',
]);

async function linesOf(name: string, log: string, given: object): Promise<readonly Said[]> {
  const lines = log.split('\n').filter((line) => line !== '');
  const all = await reads(
    lines.map((line) => ({ name, bytes: Buffer.from(line) })),
    given,
  );
  return all.flatMap(({ said }) => said);
}

async function reads(...[logs, settings]: Parameters<typeof readLogs>): Promise<readonly Read[]> {
  const all: Read[] = [];
  for await (const results of readLogs(logs, settings)) all.push(readOf(results));
  return all;
}

const logs = Object.entries(dialectLogs()).filter(([, { name }]) =>
  /\.(?:jsonl?|har|traj|log|sse)$/.test(name),
);

it.each(logs)('%s: nothing is made up or lost', async (path, log) => {
  const faults = await faultsIn(log);
  expect(faults.filter((fault) => SAYS_SO[path]?.test(fault) !== true)).toEqual([]);
});

it('every dialect that builds messages was tried', () => {
  expect([...tried].sort()).toEqual([...BUILDING].sort());
});
