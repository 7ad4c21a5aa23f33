/**
 * Writes a conversation as FunctionGemma's turns. A call, its result and the model's next text form one turn of the
 * model. The syntax has no ids: a result has the name of its function instead, from the nearest open call with its id.
 */
import type { Conversation, Message } from '../model/element.ts';
import { otherContent, stringValue } from '../model/message.ts';
import { strip } from '../model/white-space.ts';
import { resultText } from './chat-inline.ts';
import { GemmaCalls } from './gemma-calls.ts';
import { declarationText } from './gemma-declaration.ts';
import { callArguments, messageText, namedCalls, noteMembers, textOnly } from './gemma-message.ts';
import type { GemmaReport, Note, ValueRule } from './gemma-rules.ts';
import { bare, escaped, objectIn, plain, sortedObject } from './gemma-value.ts';

/** All turns as one text, and the same text split before the model's last answer. */
export interface GemmaText {
  readonly text: string;
  readonly prompt: string;
  readonly completion: string;
  /** For each message, whether it is an answer of the model with a text or a call. */
  readonly answers: readonly boolean[];
}

const END = '<end_of_turn>\n';
const AWAITS_RESULT = '<start_function_response>';
/** Members with the name of the function of a result: Ollama writes `tool_name`. */
const NAMES = ['name', 'tool_name'];
const SYSTEM = new Set(['system', 'developer']);

/** @param trigger sentence before the declarations */
export function gemmaTurns(
  { messages, tools }: Pick<Conversation, 'messages' | 'tools'>,
  trigger: string,
  report: GemmaReport,
): GemmaText {
  const declarations = tools.flatMap((tool, i) => declarationText(tool, report.at(`tools[${i}]`)) ?? []);
  const declared = declarations
    .map((text) => `<start_function_declaration>${text}<end_function_declaration>`)
    .join('');
  const turns = new Turns();
  const needsDeveloper = declared !== '' && !SYSTEM.has(messages[0]?.role ?? '');
  if (needsDeveloper) turns.addText('developer', trigger + declared);
  const answers = messages.map((message, i) => {
    const note = report.at(`messages[${i}]`);
    noteMembers(message, note);
    if (message.role === 'assistant') return turns.addAssistant(message, note);
    if (message.role === 'tool') turns.addResult(message, note);
    else {
      const isSystem = SYSTEM.has(message.role);
      if (!isSystem && message.role !== 'user') note('unknown-role');
      const text = trimmed(message, note);
      const declares = i === 0 && isSystem && declared !== '';
      turns.addText(isSystem ? 'developer' : 'user', declares ? withTrigger(text, trigger) + declared : text);
    }
    return false;
  });
  return { ...turns.end(), answers };
}

/** Appends messages to the open turn, or begins a new one. */
class Turns {
  readonly #pieces: string[] = [];
  /** Index of the piece with which the model's last answer begins. */
  #answerAt: number | undefined;
  #completion = '';
  /** The last piece of the open turn of the model; undefined if none is open. */
  #open: 'text' | 'call' | 'result' | undefined;
  #calls = new GemmaCalls();

  /** Adds a complete turn of the user or the developer. */
  addText(role: 'developer' | 'user', text: string): void {
    this.#start(role);
    this.#pieces.push(text, END);
  }

  /** @returns false if the message is empty */
  addAssistant(message: Message, note: Note): boolean {
    if (this.#open !== 'call' && this.#open !== 'result') this.#start('model');
    const startsAt = this.#pieces.length;
    this.#pieces.push(trimmed(message, note));
    const calls = namedCalls(message, note);
    for (const { id, name, arguments: json } of calls) {
      this.#calls.add(id, name);
      const text = sortedObject(callArguments(json, note), note);
      this.#pieces.push(`<start_function_call>call:${bare(name, note)}${text}<end_function_call>`);
    }
    this.#open = calls.length > 0 ? 'call' : 'text';
    const turn = this.#pieces.slice(startsAt).join('');
    if (turn === '') return false;
    this.#answerAt = startsAt;
    this.#completion = turn + (calls.length > 0 ? AWAITS_RESULT : END);
    return true;
  }

  addResult(message: Message, note: Note): void {
    if (this.#open === undefined) this.#start('model');
    const name = answer(this.#calls, message, note) ?? '';
    const result = resultObject(message, note);
    this.#pieces.push(`<start_function_response>response:${name}${result}<end_function_response>`);
    this.#open = 'result';
  }

  end(): Omit<GemmaText, 'answers'> {
    const pieces = this.#pieces;
    if (this.#open === 'call') pieces.push(AWAITS_RESULT);
    else if (this.#open === 'text') pieces.push(END);
    const prompt = pieces.slice(0, this.#answerAt).join('');
    return { text: pieces.join(''), prompt, completion: this.#completion };
  }

  #start(role: string): void {
    if (this.#open !== undefined) this.#pieces.push(END);
    this.#open = undefined;
    this.#calls = new GemmaCalls();
    this.#pieces.push(`<start_of_turn>${role}\n`);
  }
}

function trimmed(message: Message, note: Note): string {
  return plain(strip(messageText(message, note)), note);
}

function withTrigger(system: string, trigger: string): string {
  if (system.includes(trigger)) return system;
  return system === '' ? trigger : `${system}\n${trigger}`;
}

/** Closes the call that a result answers, and returns its name. */
function answer(calls: GemmaCalls, { bytes }: Message, note: Note): string | undefined {
  const id = stringValue(bytes, 'tool_call_id');
  if (id === undefined) {
    const named = NAMES.map((key) => stringValue(bytes, key)).find((name) => name !== undefined);
    const call = calls.answerWithoutId(named);
    if (call === undefined) note('result-without-call');
    return call?.name;
  }
  const call = calls.answer(id);
  if (call === undefined) note('result-without-call');
  // without ids, a result is read as that of the first open call of its function
  if (call?.isLate === true) note('result-order-lost');
  return call?.name;
}

/** The result as an object: its own, or `{value: TEXT}` if it is not an object or the syntax cannot express it. */
function resultObject(message: Message, note: Note): string {
  const text = textOnly(resultText(message), note);
  const json = objectIn(text);
  if (json === undefined && otherContent(message) !== undefined) note('content-not-text');
  if (json !== undefined) {
    const problems = new Set<ValueRule>();
    const written = sortedObject(json, (rule) => problems.add(rule));
    if (!problems.has('key-not-bare') && !problems.has('number-out-of-range')) {
      problems.forEach(note);
      return written;
    }
    note('result-as-text');
  }
  return `{value:${escaped(text, note)}}`;
}
