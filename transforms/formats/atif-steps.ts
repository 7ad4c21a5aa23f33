/** Builds the steps of a trajectory: one per message, except that a result goes into the step whose call it answers. */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { inString, quote } from '../json/respace.ts';
import { decode, encode } from '../json/utf8.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { objectBytes, otherContent, reasoningOf, stringValue, type ToolCall } from '../model/message.ts';
import { AS_JSON_TEXT, otherContentFinding } from './content-not-text.ts';
import { loggedCalls, malformed } from './logged-calls.ts';
import { reportOtherMembers } from './other-members.ts';
import { empty, notObject, type Report, readArguments } from './tool-arguments.ts';

const EMPTY_TEXT = '""';
const SOURCES: Readonly<Record<string, string>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'agent' },
};
const RESULTS: ReadonlySet<string> = new Set(['tool', 'function']);
/** Image types that the format allows, by extension of the URL. */
const IMAGES: Readonly<Record<string, string>> = {
  ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' },
};
const DATA_URI = /^data:(image\/(?:jpeg|png|gif|webp))[;,]/;
const ENDING = /\.(jpe?g|png|gif|webp)$/i;
const QUERY = /[?#]/;

interface Call {
  readonly id: string;
  isAnswered: boolean;
}

interface Step {
  /** Index of the message. */
  readonly at: number;
  readonly role: string;
  /** JSON text of the members before the observation, without braces. */
  readonly head: string;
  readonly calls: readonly Call[];
  readonly results: string[];
}

export class AtifSteps {
  readonly #report: Report;
  readonly #steps: Step[] = [];
  /** Ids of calls in the log. */
  readonly #loggedIds: ReadonlySet<string | undefined>;
  #ids = 0;

  constructor(messages: readonly Message[], report: Report) {
    this.#report = report;
    this.#loggedIds = new Set(messages.flatMap((message) => assistantCalls(message).map(({ id }) => id)));
    reportOtherMembers(messages, 'a step', report);
    for (const [at, message] of messages.entries()) {
      const other = otherContentFinding(message, at, AS_JSON_TEXT);
      if (other !== undefined) report(other);
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
    const { role } = message;
    const source = SOURCES[role];
    if (source === undefined) {
      const text = `messages[${at}] has a role that a step cannot have: written as a user message`;
      this.#report({ rule: 'unknown-role', severity: 'ERROR', message: text, rejects: true });
    }
    const members = [`"source":"${source ?? 'user'}"`, `"message":${this.#content(message, at)}`];
    const isAgent = source === 'agent';
    const reasoning = isAgent ? reasoningOf(message) : '';
    if (reasoning !== '') members.push(`"reasoning_content":${quote(reasoning)}`);
    const calls = isAgent ? this.#calls(message, at) : [];
    if (calls.length > 0) members.push(`"tool_calls":[${calls.map(({ json }) => json).join(',')}]`);
    this.#steps.push({
      at,
      role: isAgent ? 'assistant' : (source ?? 'user'),
      head: members.join(','),
      calls: calls.map(({ call }) => call),
      results: [],
    });
  }

  #calls(message: Message, at: number): readonly { readonly json: string; readonly call: Call }[] {
    return loggedCalls(message, `messages[${at}]`, this.#report).flatMap((logged, i) => {
      const where = `messages[${at}].tool_calls[${i}]`;
      const { name } = logged;
      if (!name) {
        this.#report(malformed(where));
        return [];
      }
      const id = logged.id || this.#newId();
      const json = `{"tool_call_id":${quote(id)},"function_name":${quote(name)},"arguments":${this.#arguments(logged, where)}}`;
      return [{ json, call: { id, isAnswered: false } }];
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
    const { holds, source } = readArguments(json);
    if (holds === 'none') this.#report(empty(where));
    else if (holds !== 'object') this.#report(notObject(where));
    return holds === 'object' ? decode(source) : '{}';
  }

  /** Adds a result to the nearest step with an open call of its id, or with any open call if it has no id. */
  #answer(message: Message, at: number): void {
    const id = stringValue(message.bytes, 'tool_call_id') || undefined;
    const isOpen = (call: Call): boolean => !call.isAnswered && (id === undefined || call.id === id);
    const index = this.#steps.findLastIndex(({ calls }) => calls.some(isOpen));
    const step = this.#steps[index];
    const content = this.#content(message, at);
    if (step === undefined) {
      const text = `messages[${at}] answers no open call: written as a user message`;
      this.#report({ rule: 'result-without-call', severity: 'ERROR', message: text, rejects: true });
      this.#steps.push({
        at,
        role: 'user',
        head: `"source":"user","message":${content}`,
        calls: [],
        results: [],
      });
      return;
    }
    if (index < this.#steps.length - 1) {
      const text = `messages[${at}] is put into the step of messages[${step.at}], whose call it answers`;
      this.#report({ rule: 'results-reordered', severity: 'WARNING', message: text });
    }
    const call = step.calls.find(isOpen) as Call;
    call.isAnswered = true;
    step.results.push(`{"source_call_id":${quote(call.id)},"content":${content}}`);
  }

  /** The content as a JSON string, or as a list of texts and images. */
  #content(message: Message, at: number): string {
    const content = valueBytes(message.bytes, 'content');
    if (content?.[0] === QUOTE) return decode(content);
    const other = otherContent(message);
    if (other !== undefined) return decode(inString(other));
    if (content?.[0] !== OPEN_ARRAY) return EMPTY_TEXT;
    const parts = elementsOf(content).map(partOf);
    if (parts.includes(undefined)) {
      const text = `messages[${at}] has parts that are neither text nor an image of a known type: left out`;
      this.#report({ rule: 'non-text-part', severity: 'WARNING', message: text });
    }
    const kept = parts.filter((part) => part !== undefined);
    return kept.length === 0 ? EMPTY_TEXT : `[${kept.join(',')}]`;
  }
}

/** Converts a part of a content; undefined if the format has no such part. */
function partOf(part: Uint8Array): string | undefined {
  if (part[0] === QUOTE) return `{"type":"text","text":${decode(part)}}`;
  if (part[0] !== OPEN_OBJECT) return undefined;
  const type = stringValue(part, 'type');
  const text = valueBytes(part, 'text');
  if (type === 'text' && text?.[0] === QUOTE) return `{"type":"text","text":${decode(text)}}`;
  if (type !== 'image_url') return undefined;
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
  return ending === undefined ? undefined : IMAGES[ending.toLowerCase()];
}
