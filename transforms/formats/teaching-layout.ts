/**
 * Writes the teaching layout of FunctionGemma: three turns, line by line. Every argument of the call is text between
 * `<escape>`; numbers keep the digits of the log, without an exponent.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, membersOf } from '../json/members.ts';
import { decode, parseString } from '../json/utf8.ts';
import type { LessonRule, Note } from './gemma-rules.ts';
import { bare, escaped, plain, plainNumber, sortedByKey } from './gemma-value.ts';

export interface TeachingParameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

/** The lines of the developer's turn. */
export interface TeachingLayout {
  readonly system: string;
  /** Description of the function. */
  readonly description: string;
  /** A string is written as a whole line. */
  readonly parameters: readonly (TeachingParameter | string)[];
}

export const TEACHING_LAYOUT: TeachingLayout = {
  system: 'You are a semantic code analysis assistant.',
  description: 'Select relevant symbols from candidates.',
  parameters: [
    { name: 'selected', type: 'array', description: 'Array of selected symbols.', required: true },
  ],
};

/** Content of the three turns. Without a call, the last turn ends after the reasoning. */
export interface Lesson {
  readonly userTurn: string;
  readonly reasoning: string;
  readonly call: { readonly name: string; readonly text: string } | undefined;
}

/** Writes the three turns. Every line, including the last, ends in a line feed. */
export function lessonText(
  { userTurn, reasoning, call }: Lesson,
  { system, description, parameters }: TeachingLayout,
  note: Note<LessonRule>,
): string {
  const declared = call && [
    '<start_function_declaration>',
    `${bare(call.name, note)}\n`,
    `${plain(description, note)}\nParameters:\n`,
    ...parameters.map((parameter) => `  ${plain(parameterLine(parameter), note)}\n`),
    '<end_function_declaration>\n\n',
  ];
  return [
    `<start_of_turn>developer\n${plain(system, note)}\nYou have access to the following functions:\n\n`,
    ...(declared ?? []),
    `<end_of_turn>\n<start_of_turn>user\n${plain(userTurn, note)}\n<end_of_turn>\n`,
    `<start_of_turn>model\n${comment(reasoning, note)}\n`,
    call === undefined ? '' : `<start_function_call>\ncall:${call.text}\n<end_function_call>\n`,
    '<end_of_turn>\n',
  ].join('');
}

/** Writes `NAME (TYPE): DESCRIPTION (required)`. */
export function parameterLine(parameter: TeachingParameter | string): string {
  if (typeof parameter === 'string') return parameter;
  const { name, type, description, required } = parameter;
  return [`${name} (${type}):`, description, required ? '(required)' : ''].filter(Boolean).join(' ');
}

function comment(reasoning: string, note: Note<LessonRule>): string {
  if (reasoning.includes('*/')) note('comment-end-in-reasoning');
  return reasoning === '' ? '' : `/* ${plain(reasoning, note)} */`;
}

/** Writes `NAME{key:<escape>value<escape>,...}` with sorted keys. @param args JSON text of an object */
export function lessonCall(name: string, args: Uint8Array, note: Note<LessonRule>): string {
  const members = sortedByKey(membersOf(args), ({ key }) => key).map(
    ({ key, valueStart, end }) =>
      `${bare(key, note)}:${escaped(argumentText(args.subarray(valueStart, end), note), note)}`,
  );
  return `${bare(name, note)}{${members.join(',')}}`;
}

/** Elements of a list, at any depth, joined with commas. */
function argumentText(json: Uint8Array, note: Note<LessonRule>): string {
  if (json[0] !== OPEN_ARRAY) return scalarText(json, note);
  return elementsOf(json)
    .map((element) => argumentText(element, note))
    .join(',');
}

/**
 * The text of a string, a number without an exponent, `true`, `false` or `null`. An object stays JSON, with a finding.
 */
function scalarText(json: Uint8Array, note: Note<LessonRule>): string {
  if (json[0] === QUOTE) return parseString(json, 0, json.length);
  if (json[0] !== OPEN_OBJECT) return plainNumber(decode(json), note);
  note('nested-arguments');
  return decode(json);
}
