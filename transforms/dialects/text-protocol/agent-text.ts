/**
 * Removes from an old agent's text what does not belong to its words: thoughts in `<think>` tags and leaked lines of
 * its protocol.
 */
import { tidy } from './tool-blocks.ts';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = /<tool_call>/gi;
/** Leaked lines begin with the first of these; with the others only the label is leaked. */
const LEAKED = ['STATE:', 'NEEDS_CONFIRMATION:', 'RETRIGGER:'];
const LABELS = ['FINAL:', 'TOOL CALLS:'];
const FENCE = '```';
/** In other cases than `STATE:`, only a state of the protocol marks a leaked line. */
const STATE_LINE =
  /^state:[ \t]*(?:idle|thinking|reading|searching|writing|appending|editing|checking|awaiting_confirmation|error)[.,;]?$/i;
const CONFIRMATION_LINE = /^needs_confirmation:[ \t]*(?:true|false|yes|no)[.,;]?$/i;
/** Longest leaked line. */
const MOST_CHARACTERS = 64;

export interface TextWithoutThoughts {
  readonly text: string;
  /** Stripped of white space; none is empty. */
  readonly thoughts: readonly string[];
}

/**
 * Cuts the thoughts out of a text. A stray `</think>` ends a thought that was never opened; one that is never closed
 * extends to a call, or to the end.
 */
export function cutThoughts(text: string): TextWithoutThoughts {
  const thoughts: string[] = [];
  const kept: string[] = [];
  let from = 0;
  let open = text.indexOf(THINK);
  let close = text.indexOf(END_THINK);
  while (open >= 0 || close >= 0) {
    const isStray = open < 0 || (close >= 0 && close < open);
    const start = isStray ? from : open + THINK.length;
    if (!isStray) kept.push(text.slice(from, open));
    const end = close < 0 ? endOfOpen(text, start) : close;
    thoughts.push(text.slice(start, end).trim());
    from = close < 0 ? end : close + END_THINK.length;
    if (open >= 0 && open < from) open = text.indexOf(THINK, from);
    close = close < 0 ? -1 : text.indexOf(END_THINK, from);
  }
  return { text: [...kept, text.slice(from)].join(''), thoughts: thoughts.filter((one) => one !== '') };
}

function endOfOpen(text: string, from: number): number {
  CALL.lastIndex = from;
  return CALL.exec(text)?.index ?? text.length;
}

/** Removes the protocol's lines, and returns how many there were. */
export function cutLeakedHeaders(text: string): { readonly text: string; readonly lines: number } {
  let lines = 0;
  let isCode = false; // inside a fence, where `state: idle` may be a configuration file
  const kept = text.split('\n').flatMap((line) => {
    const trimmed = line.trim();
    if (trimmed.startsWith(FENCE)) isCode = !isCode;
    const label = LABELS.find((one) => trimmed.startsWith(one));
    const isLeaked = LEAKED.some((one) => trimmed.startsWith(one)) || (!isCode && isStateLine(trimmed));
    if (label === undefined && !isLeaked) return [line];
    lines++;
    const rest = label === undefined ? '' : trimmed.slice(label.length).trim();
    return rest === '' ? [] : [rest];
  });
  return { text: lines === 0 ? text : kept.join('\n'), lines };
}

/** A state or a confirmation, in any case. */
function isStateLine(line: string): boolean {
  return line.length <= MOST_CHARACTERS && (STATE_LINE.test(line) || CONFIRMATION_LINE.test(line));
}

/**
 * The text without leaked lines (`STATE: ...`, `NEEDS_CONFIRMATION: ...`, `FINAL:`, `TOOL CALLS:`); text after a label
 * stays.
 */
export function stripLeakedHeaders(text: string): string {
  return tidy(cutLeakedHeaders(text).text);
}
