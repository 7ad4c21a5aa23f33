/**
 * Recognises a text that a logger printed in place of an answer: the object of a client library as its language shows
 * it (Python's repr, the `toString` of Java), not as JSON. Such a text is recognised by its whole form: brackets that
 * close at its end, or that the logger cut, around members that only an answer has. A model may print other values.
 */

import { JsonView } from '../../json/json-view.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import { latin1 } from '../../json/utf8.ts';
import { wordSet } from '../../model/words.ts';

/** Something in brackets, or named values without them. */
interface Printed {
  /** The name before the bracket; empty if there is none. */
  readonly name: string;
  /** The bracket, empty around values without one. */
  readonly open: string;
  /** Values by name: a text as it is printed, or what is in brackets. */
  readonly members: Map<string, Printed | string>;
  /** Values in brackets that have no name. */
  readonly items: Printed[];
}

/**
 * Classes of answers and of their parts. OpenAI (openai-python, openai-java), Anthropic (anthropic-sdk-python), Google
 * (python-genai), LiteLLM (litellm/types/utils.py), LangChain (langchain_core/messages, langchain_core/outputs), LlamaIndex
 * (llama_index/core/base/llms/types.py), Ollama, Mistral, Cohere, Hugging Face (huggingface_hub/inference), vLLM
 * (vllm/outputs.py), Pydantic AI (pydantic_ai/messages.py, run.py).
 */
const CLASSES: ReadonlySet<string> = wordSet(`
  ChatCompletion ChatCompletionChunk ChatCompletionMessage Completion CompletionChoice Choice ChoiceDelta
  ParsedChatCompletion ParsedChatCompletionMessage ParsedChoice ChatCompletionMessageToolCall
  ChatCompletionMessageFunctionToolCall Response ParsedResponse ResponseOutputMessage ResponseOutputText
  ResponseFunctionToolCall ResponseReasoningItem Message BetaMessage ParsedMessage TextBlock BetaTextBlock
  ParsedTextBlock ThinkingBlock BetaThinkingBlock RedactedThinkingBlock ToolUseBlock BetaToolUseBlock
  GenerateContentResponse Candidate Content Part FunctionCall ModelResponse ModelResponseStream
  TextCompletionResponse Choices StreamingChoices Delta TextChoices ResponsesAPIResponse AIMessage
  AIMessageChunk LLMResult ChatResult ChatGeneration ChatGenerationChunk Generation GenerationChunk
  ChatMessage ChatResponse CompletionResponse GenerateResponse ChatCompletionResponse ChatCompletionChoice
  AssistantMessage AssistantMessageResponse V2ChatResponse NonStreamedChatResponse ChatCompletionOutput
  ChatCompletionOutputComplete ChatCompletionOutputMessage TextGenerationOutput RequestOutput
  CompletionOutput AgentRunResult TextPart ThinkingPart ToolCallPart
`);

/** Classes of messages in requests: of LangChain, LiteLLM and the clients of the APIs. */
const MESSAGES: ReadonlySet<string> = wordSet(`
  HumanMessage SystemMessage AIMessage ToolMessage FunctionMessage ChatMessage Message UserMessage
  AssistantMessage Content
`);

/** Objects without a text: of Python, with their address, and of JavaScript. */
const OBJECT = /^(?:<[\w.]+(?: [\w.<>]+)* at 0x[\da-fA-F]+>|\[object \w+\](?:,\[object \w+\])*)$/;
/** How the texts begin that are worth a look, as JSON strings: most do not. */
const MAY_BE = /^(?:\s|\\[nrt])*(?:[[{(<]|[\w.]{1,80} ?[({=:])/;
/** How the texts begin that may be lists of objects. */
const LIST = /^(?:\s|\\[nrt])*\[(?: ?[A-Za-z_]|(?:\s|\\[nrt])*\{)/;
/** The old client of Gemini prints a title first. */
const TITLE = /^response:\s*(?=GenerateContentResponse\()/;

/**
 * - `answer`: an answer, or a part of one, as a language other than JSON prints it; its end may be missing
 * - `cut`: an answer as JSON whose end is missing
 * - `value`: another list or object as such a language prints it: a model may write one
 */
type PrintedForm = 'answer' | 'cut' | 'value';

/** The form of a text that is not whole JSON; undefined if it is anything else, as most are. @param view a JSON string */
export function printedForm(view: JsonView): PrintedForm | undefined {
  return MAY_BE.test(latin1(view.bytes.subarray(1, BEGINNING_BYTES)))
    ? formOf((view.text() ?? '').trim().replace(TITLE, ''))
    : undefined;
}

/** Whether a text is an answer that was printed or cut, where one that was only cut is not expected. */
export function isPrintedAnswer(view: JsonView): boolean {
  const form = printedForm(view);
  return form === 'answer' || form === 'cut';
}

/** Whether an answer is the text of a stream: lines of server-sent events, with data as the APIs send it. */
export function isPrintedStream(view: JsonView): boolean {
  if (!BEGINS_EVENTS.test(latin1(view.bytes.subarray(1, BEGINNING_BYTES)))) return false;
  const lines = (view.text() ?? '').split(/[\r\n]+/);
  return lines.every((line) => EVENT_LINE.test(line)) && lines.some((line) => EVENT_DATA.test(line));
}

const BEGINS_EVENTS = /^(?:\s|\\[nrt])*(?:data|event|id|retry)?:/;
const EVENT_LINE = /^(?:\s*$|(?:data|event|id|retry)?:)/;
const EVENT_DATA = /^data: ?\{.*"(?:choices|candidates|delta)":/;

/**
 * Whether an answer is the list of its blocks as a language prints it, such as `[TextBlock(text='Hello')]`, or as the
 * text of JSON. Looks at the beginning first, because the text may be a giant one.
 * @param at index of the text, a JSON string
 */
export function isPrintedBlocks(bytes: Uint8Array, at: number): boolean {
  if (!LIST.test(latin1(bytes.subarray(at + 1, at + BEGINNING_BYTES)))) return false;
  const view = new JsonView(bytes, at, trustingScanner.value(bytes, at, 1));
  return printedForm(view) === 'answer' || areBlocks((view.text() ?? '').trim());
}

/** Is a text the JSON of a list of blocks, whole or cut? */
function areBlocks(text: string): boolean {
  const scan = new Scan(text);
  const root = scan.read();
  if (root?.open !== '[' || !scan.isJson) return false;
  return root.items.some(isBlock) && root.items.every((one) => isPart(one) && mayBeOfApi(one));
}

const OF_TEXT = wordSet('type text citations annotations cache_control');

/** A model may write texts with other members, such as parts of a page. */
const mayBeOfApi = ({ members }: Printed): boolean =>
  members.get('type') !== 'text' || [...members.keys()].every((key) => OF_TEXT.has(key));

/**
 * Whether a text is a list of messages, of any speakers, as a language prints it, or the beginning of messages, of parts
 * or of a request with them as JSON whose end is missing.
 */
export function isPrintedMessages(view: JsonView): boolean {
  if (!MAY_BE.test(latin1(view.bytes.subarray(1, BEGINNING_BYTES)))) return false;
  const scan = new Scan((view.text() ?? '').trim());
  const root = scan.read();
  if (root === undefined) return false;
  if (scan.isCut && scan.isJson) return beginsMessages(root);
  const items = root.open === '[' ? root.items : [];
  return (
    items.length > 0 &&
    items.every((one) => MESSAGES.has(one.name) || (has(one, 'role') && has(one, 'content', 'parts')))
  );
}

/** Whether a text is a list of parts, in place of a content, that was printed or whose end is missing. */
export const isPrintedParts = (view: JsonView): boolean =>
  (view.text() ?? '').trimStart().startsWith('[') && isPrintedMessages(view);

/** Members of a request that hold its messages. */
const LISTED = ['messages', 'contents', 'input', 'prompt'] as const;

/** Is what can be seen of cut JSON a message, a part, a list of them, or a request that has one? */
function beginsMessages(root: Printed): boolean {
  const [first] = root.items;
  if (root.open === '[') return first !== undefined && beginsMessages(first);
  if (LISTED.some((key) => inBrackets(root.members.get(key)) !== undefined)) return true;
  return has(root, 'role', 'content', 'parts') || isPart(root);
}

function formOf(text: string): PrintedForm | undefined {
  if (OBJECT.test(text)) return 'answer';
  const scan = new Scan(text);
  const root = scan.read();
  if (root === undefined) return undefined;
  if (isAnswer(root)) return scan.isJson ? (scan.isCut ? 'cut' : undefined) : 'answer';
  return scan.isJson || scan.isCut || root.open === '' || root.name !== '' ? undefined : 'value';
}

const has = (value: Printed, ...keys: readonly string[]): boolean =>
  keys.some((key) => value.members.has(key));

const inBrackets = (value: Printed | string | undefined): Printed | undefined =>
  typeof value === 'object' ? value : undefined;

/** The first thing in brackets in a list of this name. */
const firstIn = (value: Printed, key: string): Printed | undefined =>
  inBrackets(value.members.get(key))?.items[0];

const isOfClass = ({ name }: Printed): boolean => CLASSES.has(name.slice(name.lastIndexOf('.') + 1));

function isAnswer(value: Printed): boolean {
  if (value.name !== '') return isOfClass(value) && value.members.size + value.items.length > 0;
  if (value.open === '[' || value.open === '(')
    return value.members.size === 0 && value.items.length > 0 && value.items.every(isAnswer);
  return isResponse(value) || isMessage(value) || isBlock(value);
}

/** The list that a response of each API has, and members of what is in it. */
const LISTS: readonly (readonly [list: string, ...members: readonly string[]])[] = [
  ['choices', 'message', 'delta', 'text', 'finish_reason'],
  ['candidates', 'content', 'finish_reason', 'finishReason'],
  ['generations', 'text', 'message'],
  ['output', 'type', 'role'],
  ['outputs', 'text', 'token_ids'],
];

function isResponse(value: Printed): boolean {
  const isListed = LISTS.some(([list, ...members]) => {
    const first = firstIn(value, list);
    const one = first?.open === '[' ? first.items[0] : first; // LangChain has a list for each prompt
    return one !== undefined && (isOfClass(one) || has(one, ...members));
  });
  const members = inBrackets(value.members.get('output'))?.members ?? value.members; // Converse has it in `output`
  const message = inBrackets(members.get('message'));
  return isListed || (message !== undefined && (isOfClass(message) || isMessage(message)));
}

const SPEAKERS: ReadonlySet<string> = new Set(['assistant', 'model', 'ai']);

function isMessage(value: Printed): boolean {
  const speaker = value.members.get('role') ?? value.members.get('type');
  const isOfModel = typeof speaker === 'string' && SPEAKERS.has(speaker);
  if (isOfModel && has(value, 'content', 'parts', 'tool_calls')) return true;
  return has(value, 'content') && has(value, 'additional_kwargs', 'response_metadata', 'stop_reason');
}

/** Members of blocks with the words, by type. */
const BLOCKS: ReadonlyMap<string, string> = new Map([
  ...['text', 'output_text'].map((type) => [type, 'text'] as const),
  ...['tool_use', 'function_call', 'toolCall'].map((type) => [type, 'name'] as const),
  ['tool-call', 'toolName'],
  ['thinking', 'thinking'],
]);

/** Types of messages and of parts, in any API. */
const PARTS: ReadonlySet<string> = new Set([
  ...BLOCKS.keys(),
  ...['input_text', 'image', 'image_url', 'input_image', 'file', 'tool_result', 'function_call_output'],
  ...['tool_call', 'tool_call_response', 'reasoning', 'message', 'human', 'ai', 'system', 'tool'],
  ...['redacted_thinking', 'server_tool_use', 'refusal'],
]);

function isPart({ members }: Printed): boolean {
  const type = members.get('type');
  return typeof type === 'string' && PARTS.has(type);
}

function isBlock(value: Printed): boolean {
  const type = value.members.get('type');
  const words = typeof type === 'string' ? BLOCKS.get(type) : undefined;
  return words !== undefined && has(value, words);
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const TOKEN = /\s+|[([{]|[)\]}]|,|=>|[=:]|["']|[^\s([{)\]},=:"']+/y;
/** The rest of a text after its quote. */
const IN_SINGLE = /[^'\\]*(?:\\[\s\S][^'\\]*)*/y;
const IN_DOUBLE = /[^"\\]*(?:\\[\s\S][^"\\]*)*/y;
/** A letter before the quote of a text: bytes, raw or Unicode of Python. */
const PREFIX = /^[bBrRuU]{1,2}$/;
const BLANK = /^\s/;
const WORD = /^[^,:=]/;
/** Tokens that JSON does not have. */
const FOREIGN: ReadonlySet<string> = wordSet("' = => ( None True False nil undefined");
const BEGINNING_BYTES = 128;
const MAX_DEPTH = 64;
/** Most values that are kept of those in one pair of brackets. */
const MAX_KEPT = 64;

/** The token before the current one. */
type Before = 'start' | 'open' | 'comma' | 'separator' | 'word' | 'text' | 'close';

/** Reads a text from its start to its end. */
class Scan {
  readonly #text: string;
  readonly #root: Printed = createPrinted('', '');
  readonly #open: Printed[] = [];
  /** The name of the next value in the innermost brackets. */
  #key: string | undefined;
  /** The last text or word, and where it ends. */
  #last = '';
  #lastEnd = 0;
  /** Whether the last word is a value, not the name of one. */
  #isValue = false;
  #before: Before = 'start';
  #at = 0;
  #isJson = true;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether all that was read may be JSON. */
  get isJson(): boolean {
    return this.#isJson;
  }

  /** Whether brackets were still open at the end. */
  get isCut(): boolean {
    return this.#open.length > 0;
  }

  /**
   * Returns what is in the brackets around the whole text, or its values without brackets; undefined if the brackets do
   * not fit, or end before the text.
   */
  read(): Printed | undefined {
    while (this.#at < this.#text.length) if (!this.#step(this.#token())) return undefined;
    const { items, members } = this.#root;
    return members.size > 0 ? this.#root : items[0];
  }

  #token(): string {
    TOKEN.lastIndex = this.#at;
    const [token] = TOKEN.exec(this.#text) as RegExpExecArray;
    this.#at += token.length;
    return token;
  }

  /** @returns false if the token does not fit */
  #step(token: string): boolean {
    if (BLANK.test(token)) return true;
    if (FOREIGN.has(token)) this.#isJson = false;
    if (this.#open.length === 0 && !this.#mayBeBare(token)) return false;
    if (CLOSERS.has(token)) return this.#begin(token);
    if (token === ')' || token === ']' || token === '}') return this.#end(token);
    if (token === ',') this.#comma();
    else if (token === '=' || token === ':' || token === '=>') this.#name();
    else if (token === "'" || token === '"') this.#quote(token);
    else this.#put('word', token);
    return true;
  }

  /** Whether a token may be outside of brackets: only a whole value, or values with a name and `=` each. */
  #mayBeBare(token: string): boolean {
    const before = this.#before;
    const isNamed = this.#root.members.size > 0;
    if (token === '=') return before === 'word' && !this.#isValue;
    if (CLOSERS.has(token)) return before !== 'close' && before !== 'text';
    if (token === "'" || token === '"') return before === 'separator' || before === 'word';
    if (!WORD.test(token)) return false;
    return before === 'start' || before === 'separator' || (isNamed && (before !== 'word' || this.#isValue));
  }

  #begin(open: string): boolean {
    const isName = this.#before === 'word' && (open === '{' || this.#lastEnd === this.#at - 1);
    if (this.#before === 'word' && !isName && this.#open.length === 0) return false;
    const one = createPrinted(isName && open !== '[' ? this.#last : '', open);
    this.#keep(one);
    this.#open.push(one);
    this.#key = undefined;
    this.#before = 'open';
    return this.#open.length <= MAX_DEPTH;
  }

  #end(close: string): boolean {
    const one = this.#open.pop();
    this.#key = undefined;
    this.#before = 'close';
    return one !== undefined && CLOSERS.get(one.open) === close;
  }

  #keep(value: Printed | string): void {
    const { items, members } = this.#open.at(-1) ?? this.#root;
    if (this.#key === undefined) {
      if (typeof value === 'object' && items.length < MAX_KEPT) items.push(value);
    } else if (typeof value === 'object' || !members.has(this.#key))
      if (members.size < MAX_KEPT) members.set(this.#key, value);
  }

  #comma(): void {
    this.#key = undefined;
    this.#before = 'comma';
  }

  #name(): void {
    if (this.#before === 'word') this.#isJson = false;
    if (this.#before === 'word' || this.#before === 'text') this.#key = this.#last;
    this.#before = 'separator';
  }

  #put(before: 'word' | 'text', text: string): void {
    this.#last = text;
    this.#lastEnd = this.#at;
    this.#isValue = this.#before === 'separator';
    this.#before = before;
    this.#keep(text);
  }

  /** A quote inside of a word, or after one, begins no text. */
  #quote(quote: string): void {
    if (this.#before === 'word' && !PREFIX.test(this.#last)) return;
    const text = quote === "'" ? IN_SINGLE : IN_DOUBLE;
    text.lastIndex = this.#at;
    const [token] = text.exec(this.#text) as RegExpExecArray;
    this.#at += token.length + 1;
    this.#put('text', token);
  }
}

const createPrinted = (name: string, open: string): Printed => ({
  name,
  open,
  members: new Map(),
  items: [],
});
