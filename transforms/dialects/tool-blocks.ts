/**
 * Calls that an agent wrote into its text (formats.md §4): `<tool_call>{...}</tool_call>`, and in old chats a fence that begins
 * with three backticks and `tool`, `<tool_call>tool` and a tag that is never closed. A block without a call object is text.
 * Linear in the text: each opener is looked at once.
 */

import { createTextScanner } from '../json/elements.ts';
import { valuesOf } from '../json/members.ts';
import { skipBlanks } from '../json/scanner.ts';
import { decode, encode, parseJson } from '../json/utf8.ts';
import { textOfValue } from '../message.ts';

/** A call as it is stored. */
export interface ProtocolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A call with the JSON text of its arguments. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: Uint8Array;
}

/** The calls of a text in their order, and the text without their blocks; the same text when there are none. */
export interface TextWithoutBlocks {
  readonly calls: readonly WrittenCall[];
  readonly text: string;
}

const OPEN_OBJECT = 0x7b;
const TAG = '<tool_call>';
const END_TAG = '</tool_call>';
const FENCE = '```tool';
const END_FENCE = '```';
const OLD_WORD = 'tool';
const LONE_SURROGATE = /\p{Surrogate}/gu;
const NO_ARGUMENTS = encode('{}');
const scanner = createTextScanner();

/** @param json the JSON text of an object; `args` is an old name of `arguments`; undefined when it is no call */
export function readCallObject(json: Uint8Array): WrittenCall | undefined {
  const [name, args, oldArgs] = valuesOf(json, ['name', 'arguments', 'args']);
  const text = textOfValue(name);
  return text ? { name: text, arguments: args ?? oldArgs ?? NO_ARGUMENTS } : undefined;
}

export function cutToolBlocks(text: string): TextWithoutBlocks {
  if (!text.includes(TAG) && !text.includes(FENCE)) return { calls: [], text };
  const bytes = Buffer.from(encode(text.replace(LONE_SURROGATE, '\ufffd'))); // a lone one has no UTF-8
  const calls: WrittenCall[] = [];
  const kept: string[] = [];
  let from = 0; // of the text that is kept
  for (const at of openers(bytes)) {
    const block = at < from ? undefined : readBlock(bytes, at);
    if (block === undefined) continue;
    calls.push(block.call);
    kept.push(decode(bytes.subarray(from, at)));
    from = block.end;
  }
  if (calls.length === 0) return { calls, text };
  return { calls, text: [...kept, decode(bytes.subarray(from))].join('') };
}

/** Where the openers of both kinds stand, in order. */
function* openers(bytes: Buffer): Generator<number> {
  let tag = bytes.indexOf(TAG);
  let fence = bytes.indexOf(FENCE);
  while (tag >= 0 || fence >= 0) {
    const isTag = fence < 0 || (tag >= 0 && tag < fence);
    yield isTag ? tag : fence;
    if (isTag) tag = bytes.indexOf(TAG, tag + 1);
    else fence = bytes.indexOf(FENCE, fence + 1);
  }
}

/** The block that opens at `at`: its call and its end; undefined when no call object stands in it. */
function readBlock(
  bytes: Buffer,
  at: number,
): { readonly call: WrittenCall; readonly end: number } | undefined {
  const isTag = startsWith(bytes, at, TAG);
  let start = skipBlanks(bytes, at + (isTag ? TAG : FENCE).length);
  if (isTag && startsWith(bytes, start, OLD_WORD)) start = skipBlanks(bytes, start + OLD_WORD.length);
  if (bytes[start] !== OPEN_OBJECT) return undefined;
  const end = scanner.value(bytes, start, 0);
  const call = end < 0 ? undefined : readCallObject(bytes.subarray(start, end));
  if (call === undefined) return undefined;
  const next = skipBlanks(bytes, end);
  const closer = [END_TAG, END_FENCE].find((one) => startsWith(bytes, next, one));
  return { call, end: closer === undefined ? end : next + closer.length };
}

function startsWith(bytes: Buffer, at: number, ascii: string): boolean {
  return bytes.toString('latin1', at, at + ascii.length) === ascii;
}

/** The call that a text makes: the last block wins. Undefined when it makes none. */
export function extractToolCall(text: string): ProtocolCall | undefined {
  const call = cutToolBlocks(text).calls.at(-1);
  return call && { name: call.name, arguments: parseJson(call.arguments) };
}

/** The text without the blocks of its calls, without white space around it and more than one empty line in a row. */
export function stripToolBlocks(text: string): string {
  return tidy(cutToolBlocks(text).text);
}

/** No white space around a text, and three or more newlines are two. */
export function tidy(text: string): string {
  return text.trim().replace(/\n{3,}/g, '\n\n');
}
