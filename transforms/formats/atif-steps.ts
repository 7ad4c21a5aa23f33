/** Builds the steps of a trajectory: one per message, except that a result goes into the step whose call it answers. */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { inString, quote } from '../json/respace.ts';
import { decode, encode } from '../json/utf8.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { objectBytes, otherContent, reasoningOf, stringValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { UnansweredCalls } from '../model/unanswered-calls.ts';
import { AS_JSON_TEXT, reportOtherContent } from './content-not-text.ts';
import type { Report } from './format.ts';
import { loggedCalls, malformed } from './logged-calls.ts';
import { fatal, PARTS_JOINED, reportOtherMembers, warning } from './shared-rules.ts';
import { oneText, textIn } from './template-contents.ts';
import { readObject } from './tool-arguments.ts';

const NO_TEXT = '""';
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'agent'],
]);
const RESULTS: ReadonlySet<string> = new Set(['tool', 'function']);
/** Image types that the format allows, by extension of the URL. */
const IMAGES: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ...['jpeg', 'png', 'gif', 'webp'].map((ending) => [ending, `image/${ending}`] as const),
]);
const DATA_URI = /^data:(image\/(?:jpeg|png|gif|webp))[;,]/;
const ENDING = /\.(jpe?g|png|gif|webp)$/i;
const QUERY = /[?#]/;

interface Call {
  readonly id: string;
  readonly json: string;
}

interface Step {
  /** Index of the message. */
  readonly at: number;
  readonly role: string;
  /** JSON text of the members before the observation, without braces. */
  readonly head: string;
  readonly open: UnansweredCalls<Call>;
  readonly results: string[];
}

export class AtifSteps {
  readonly #report: Report;
  readonly #steps: Step[] = [];
  /** Steps by the id of a call in them, and all steps with calls (key undefined); the nearest one last. */
  readonly #callers = new Map<string | undefined, Step[]>();
  /** Ids of calls in the log. */
  readonly #loggedIds: ReadonlySet<string | undefined>;
  #ids = 0;

  constructor(messages: readonly Message[], report: Report) {
    this.#report = report;
    this.#loggedIds = new Set(messages.flatMap((message) => assistantCalls(message).map(({ id }) => id)));
    reportOtherMembers(messages, 'a step', report);
    for (const [at, message] of messages.entries()) {
      reportOtherContent(message, at, AS_JSON_TEXT, report);
      if (RESULTS.has(message.role)) this.#answer(message, at);
      else this.#add(message, at);
    }
  }

  /** The JSON texts of the steps. */
  steps(): readonly Message[] {
    return this.#steps.map(({ role, head, results }, i) => {
      const observed = results.length === 0 ? '' : `,"observation":{"results":[${results.join(',')}]}`;
      return { bytes: encode(`{"step_id":${i + 1},${head}${observed}}`), role };
    });
  }

  #add(message: Message, at: number): void {
    const source = SOURCES.get(message.role);
    if (source === undefined) {
      const text = `messages[${at}] has a role that a step cannot have: written as a user message`;
      this.#report(fatal('unknown-role', text));
    }
    const members = [`"source":"${source ?? 'user'}"`, `"message":${this.#content(message, at)}`];
    const isAgent = source === 'agent';
    const reasoning = isAgent ? reasoningOf(message) : '';
    if (reasoning !== '') members.push(`"reasoning_content":${quote(reasoning)}`);
    const calls = isAgent ? this.#calls(message, at) : [];
    if (calls.length > 0) members.push(`"tool_calls":[${calls.map(({ json }) => json).join(',')}]`);
    const role = isAgent ? 'assistant' : (source ?? 'user');
    this.#push(at, role, members.join(','), calls);
  }

  #push(at: number, role: string, head: string, calls: readonly Call[] = []): void {
    const step: Step = { at, role, head, open: new UnansweredCalls(calls), results: [] };
    this.#steps.push(step);
    if (calls.length === 0) return;
    for (const id of new Set([undefined, ...calls.map((call) => call.id)])) {
      const callers = this.#callers.get(id);
      if (callers === undefined) this.#callers.set(id, [step]);
      else callers.push(step);
    }
  }

  #calls(message: Message, at: number): readonly Call[] {
    return loggedCalls(message, `messages[${at}]`, this.#report).flatMap((logged, i) => {
      const where = `messages[${at}].tool_calls[${i}]`;
      const { name } = logged;
      if (!name) {
        this.#report(malformed(where));
        return [];
      }
      const id = logged.id || this.#newId();
      const json = `{"tool_call_id":${quote(id)},"function_name":${quote(name)},"arguments":${this.#arguments(logged, where)}}`;
      return [{ id, json }];
    });
  }

  /** An id for a call that has none in the log. */
  #newId(): string {
    let id: string;
    do id = `call_${++this.#ids}`;
    while (this.#loggedIds.has(id));
    return id;
  }

  #arguments({ arguments: json }: ToolCall, where: string): string {
    const { holds, source } = readObject(json, where, this.#report);
    return holds === 'object' ? decode(source) : '{}';
  }

  /** Adds a result to the nearest step with an open call of its id, or with any open call if it has no id. */
  #answer(message: Message, at: number): void {
    const id = stringValue(message.bytes, 'tool_call_id') || undefined;
    const step = this.#callerOf(id);
    const call = id === undefined ? step?.open.takeFirst() : step?.open.take(id);
    const content = this.#content(message, at);
    if (step === undefined || call === undefined) {
      const text = `messages[${at}] answers no open call: written as a user message`;
      this.#report({ rule: 'result-without-call', severity: 'ERROR', message: text, rejects: true });
      this.#push(at, 'user', `"source":"user","message":${content}`);
      return;
    }
    if (step !== this.#steps.at(-1)) {
      const text = `messages[${at}] is put into the step of messages[${step.at}], whose call it answers`;
      this.#report(warning('results-reordered', text));
    }
    step.results.push(`{"source_call_id":${quote(call.id)},"content":${content}}`);
  }

  /** The nearest step with an open call of this id, or with any open call if the id is undefined. */
  #callerOf(id: string | undefined): Step | undefined {
    const callers = this.#callers.get(id) ?? [];
    const isOpen = ({ open }: Step): boolean => (id === undefined ? open.count > 0 : open.has(id));
    for (let step = callers.at(-1); step !== undefined; step = callers.at(-1)) {
      if (isOpen(step)) return step;
      callers.pop(); // no call opens again
    }
    return undefined;
  }

  /** The content as a JSON string, or as a list of texts and images. Harbor's export fails on an answer that is a list. */
  #content(message: Message, at: number): string {
    const content = valueBytes(message.bytes, 'content');
    if (content?.[0] === QUOTE) return decode(content);
    const other = otherContent(message);
    if (other !== undefined) return decode(inString(other));
    if (content?.[0] !== OPEN_ARRAY) return NO_TEXT;
    const logged = elementsOf(content);
    const parts = logged.map(partOf);
    if (parts.includes(undefined)) {
      const text = `messages[${at}] has parts that are neither text nor an image of a known type: left out`;
      this.#report(warning('non-text-part', text));
    }
    const kept = parts.filter((part) => part !== undefined);
    const held = logged.filter((_, i) => parts[i] !== undefined);
    const answer = message.role === 'assistant' ? oneText(held) : undefined;
    if (answer !== undefined) {
      if (held.length > 1) this.#report(warning('parts-joined', `messages[${at}] has ${PARTS_JOINED}`));
      return decode(answer);
    }
    return kept.length === 0 ? NO_TEXT : `[${kept.join(',')}]`;
  }
}

/** Converts a part of a content; undefined if the format has no such part. */
function partOf(part: Uint8Array): string | undefined {
  const text = textIn(part);
  if (text !== undefined) return `{"type":"text","text":${decode(text)}}`;
  if (part[0] !== OPEN_OBJECT || stringValue(part, 'type') !== 'image_url') return undefined;
  const image = objectBytes(part, 'image_url');
  const url = (image && stringValue(image, 'url')) ?? stringValue(part, 'image_url');
  const media = url === undefined ? undefined : mediaOf(url);
  if (url === undefined || media === undefined) return undefined;
  return `{"type":"image","source":{"media_type":"${media}","path":${quote(url)}}}`;
}

/** The image type of a URL, by its data or its ending; undefined if it is unknown. */
function mediaOf(url: string): string | undefined {
  const data = DATA_URI.exec(url)?.[1];
  if (data !== undefined) return data;
  const query = url.search(QUERY);
  const ending = ENDING.exec(query < 0 ? url : url.slice(0, query))?.[1];
  return ending === undefined ? undefined : IMAGES.get(ending.toLowerCase());
}
