/**
 * The teaching functions of the library, which convert a response of Anthropic's Messages API to a line of training
 * data. They throw a `TeachingError` where the format `functiongemma-teaching` would reject a session.
 */
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import { isObject } from '../model/message.ts';
import type { LessonRule, Note } from './gemma-rules.ts';
import { TeachingError } from './teaching-error.ts';
import { lessonCall, lessonText, TEACHING_LAYOUT, type TeachingLayout } from './teaching-layout.ts';

/** Content of the model's turn: the reasoning and one call. */
export interface TeachingTurn {
  /** The text blocks, joined with line feeds; `''` if there are none. */
  readonly reasoning: string;
  readonly toolName: string;
  /** The call's `input`, unchanged. */
  readonly toolArgs: unknown;
}

/**
 * Extracts the turn from a parsed response of the Messages API.
 * @throws TeachingError if it is not an object whose content is a list with exactly one complete `tool_use`
 */
export function extractTeachingTurn(response: unknown): TeachingTurn {
  if (!isObject(response)) throw new TeachingError('response-not-object');
  const { content } = response;
  if (content === undefined) throw new TeachingError('content-missing');
  if (!Array.isArray(content)) throw new TeachingError('content-not-array');
  const blocks: readonly unknown[] = content;
  const [call, ...others] = blocks.filter(isObject).filter(({ type }) => type === 'tool_use');
  if (call === undefined) throw new TeachingError('no-tool-use');
  if (others.length > 0) throw new TeachingError('several-tool-uses');
  const { name, input } = call;
  if (typeof name !== 'string' || name === '') throw new TeachingError('name-missing');
  if (input === undefined) throw new TeachingError('input-missing');
  return { reasoning: joinedTexts(blocks), toolName: name, toolArgs: input };
}

/** Joins the texts of text blocks with line feeds; other blocks are left out. */
function joinedTexts(blocks: readonly unknown[]): string {
  return blocks
    .filter(isObject)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

/**
 * Returns `NAME{key:<escape>value<escape>,...}` with sorted keys.
 * @throws TeachingError if the arguments are not an object, or contain an object or nested arrays
 */
export function formatFunctionCall(name: string, args: unknown): string {
  if (!isObject(args)) throw new TeachingError('arguments-not-object');
  return lessonCall(name, encode(JSON.stringify(args)), throwError);
}

/**
 * Returns the three turns. Every line ends in a line feed.
 * @throws TeachingError if something in them would be read as syntax
 */
export function formatGemmaConversation(
  userTurn: string,
  { reasoning, toolName, toolArgs }: TeachingTurn,
  layout: Partial<TeachingLayout> = {},
): string {
  const call = { name: toolName, text: formatFunctionCall(toolName, toolArgs) };
  return lessonText({ userTurn, reasoning, call }, { ...TEACHING_LAYOUT, ...layout }, throwError);
}

/** Returns the line `{"text":...}`, without a line feed. */
export function wrapAsJsonl(text: string): string {
  return `{"text":${quote(text)}}`;
}

/** Returns the line `{"text":...}` for a user's turn and the model's answer, without a line feed. */
export function anthropicToFunctionGemma(
  userTurn: string,
  turn: TeachingTurn,
  layout: Partial<TeachingLayout> = {},
): string {
  return wrapAsJsonl(formatGemmaConversation(userTurn, turn, layout));
}

const throwError: Note<LessonRule> = (rule) => {
  throw new TeachingError(rule);
};
