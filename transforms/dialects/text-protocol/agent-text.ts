/**
 * Cleans the text of an agent that writes its calls into its text: removes thoughts in `<think>` tags, and lines of the
 * agent's protocol that the model wrote where the user sees them (leaked lines).
 */
import { cutToolBlocks, tidy } from './tool-blocks.ts';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = /<tool_call>/gi;
/** Lines that begin with one of `LEAKED` are removed; of those that begin with one of `LABELS`, only the label. */
const LEAKED = ['STATE:', 'NEEDS_CONFIRMATION:', 'RETRIGGER:'];
const LABELS = ['FINAL:', 'TOOL CALLS:'];
const FENCE = '```';
/** `state:` in lower or mixed case marks a leaked line only if a state of the protocol follows. */
const STATE_LINE =
  /^state:[ \t]*(?:idle|thinking|reading|searching|writing|appending|editing|checking|awaiting_confirmation|error)[.,;]?$/i;
const CONFIRMATION_LINE = /^needs_confirmation:[ \t]*(?:true|false|yes|no)[.,;]?$/i;
const RETRIGGER_LINE = /^["']?retrigger["']?[ \t]*:/i;
/** Longest leaked line. */
const MAX_CHARACTERS = 64;

export interface TextWithoutThoughts {
  readonly text: string;
  /** Trimmed; none is empty. */
  readonly thoughts: readonly string[];
}

/**
 * Cuts the thoughts out of a text. All text before a stray `</think>` is a thought; a thought that is never closed ends
 * at a call, or at the end of the text.
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

/** Removes leaked lines. @returns the rest, and how many lines were changed or removed */
export function cutLeakedHeaders(text: string): { readonly text: string; readonly lines: number } {
  let lines = 0;
  let isCode = false; // inside a fence, where `state: idle` may be a line of a configuration file
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

/** Whether a line is a state or a confirmation of the protocol, in any case. */
function isStateLine(line: string): boolean {
  return line.length <= MAX_CHARACTERS && (STATE_LINE.test(line) || CONFIRMATION_LINE.test(line));
}

export interface TextWithoutProtocol {
  readonly text: string;
  /** Number of leaked lines that were changed or removed. */
  readonly lines: number;
  /** Number of blocks of calls that were removed. */
  readonly blocks: number;
}

/** Cutting one thing out can uncover another. Only a crafted text needs more rounds. */
const MAX_ROUNDS = 8;

/** Removes blocks of calls and leaked lines from a thought: the agent acts on neither there. */
export function cutProtocol(thought: string): TextWithoutProtocol {
  let text = thought;
  let lines = 0;
  let blocks = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const cut = cutToolBlocks(text);
    const headers = cutLeakedHeaders(cut.text);
    const kept = headers.text.split('\n').filter((line) => !RETRIGGER_LINE.test(line.trim()));
    const rest = kept.join('\n');
    lines += headers.lines + headers.text.split('\n').length - kept.length;
    blocks += cut.calls.length + cut.stripped;
    if (rest === text) break;
    text = rest;
  }
  return { text: text === thought ? thought : tidy(text), lines, blocks };
}

/** The same for the thoughts in a text that have tags; one of which nothing is left goes with its tags. All else stays as it is. */
export function cutProtocolInThoughts(text: string): TextWithoutProtocol {
  let [lines, blocks, from] = [0, 0, 0];
  const pieces: string[] = [];
  for (let open = text.indexOf(THINK); open >= 0; open = text.indexOf(THINK, from)) {
    const start = open + THINK.length;
    const close = text.indexOf(END_THINK, start);
    if (close < 0) break;
    const cut = cutProtocol(text.slice(start, close));
    const isCut = cut.lines + cut.blocks > 0;
    const thought = isCut ? `\n${cut.text}\n` : cut.text;
    pieces.push(text.slice(from, open), isCut && cut.text === '' ? '' : `${THINK}${thought}${END_THINK}`);
    lines += cut.lines;
    blocks += cut.blocks;
    from = close + END_THINK.length;
  }
  const rest = [...pieces, text.slice(from)].join('');
  return { text: lines + blocks === 0 ? text : rest.trimStart(), lines, blocks };
}

/**
 * Removes leaked lines (`STATE: ...`, `NEEDS_CONFIRMATION: ...`, `FINAL:`, `TOOL CALLS:`) from a text. Text after
 * `FINAL:` or `TOOL CALLS:` stays.
 */
export function stripLeakedHeaders(text: string): string {
  return tidy(cutLeakedHeaders(text).text);
}
