/**
 * Splits an assistant's text for display: texts, thoughts and calls in order, without leaked lines of the protocol.
 */
import { parseJson } from '../../json/utf8.ts';
import { cutLeakedHeaders, cutThoughts } from './agent-text.ts';
import type { ProtocolCall } from './call-object.ts';
import { splitToolBlocks, tidy } from './tool-blocks.ts';

/** A text for the user. */
export interface TextSegment {
  readonly kind: 'text';
  readonly text: string;
}

/** A thought of the model, without its tags. */
export interface ThinkSegment {
  readonly kind: 'think';
  readonly text: string;
}

/** A call; undefined if its block cannot be read. */
export interface ToolSegment {
  readonly kind: 'tool';
  readonly call: ProtocolCall | undefined;
  /** The JSON text of the arguments, as written. */
  readonly argumentsText: string;
}

export type MessageSegment = TextSegment | ThinkSegment | ToolSegment;

const THINK = /<think>|<\/think>/;
const decoder = new TextDecoder();

/** Splits a text. Never throws: what is not recognised is text. */
export function parseMessageSegments(text: string): MessageSegment[] {
  const segments: MessageSegment[] = [];
  for (const piece of splitToolBlocks(String(text))) {
    if (typeof piece === 'string') addText(segments, piece);
    else if (piece.length === 0) segments.push({ kind: 'tool', call: undefined, argumentsText: '' });
    for (const call of typeof piece === 'string' ? [] : piece) {
      const argumentsText = decoder.decode(call.arguments);
      segments.push({
        kind: 'tool',
        call: { name: call.name, arguments: parseJson(call.arguments) },
        argumentsText,
      });
    }
  }
  return segments;
}

/** Cuts out thoughts first, so that a protocol line inside one belongs to the thought. */
function addText(segments: MessageSegment[], text: string): void {
  for (let rest = text; rest !== ''; ) {
    const at = rest.search(THINK);
    const end = at < 0 ? -1 : rest.indexOf('</think>', at);
    const upTo = at < 0 ? 0 : end < 0 ? rest.length : end + '</think>'.length;
    const { text: visible, thoughts } =
      at < 0 ? { text: rest, thoughts: [] } : cutThoughts(rest.slice(0, upTo));
    const shown = tidy(cutLeakedHeaders(visible).text);
    if (shown !== '') segments.push({ kind: 'text', text: shown });
    for (const thought of thoughts) segments.push({ kind: 'think', text: thought });
    rest = at < 0 ? '' : rest.slice(upTo);
  }
}

/** The leaked lines of a text, unchanged; the viewer shows them separately. */
export function protocolLines(text: string): readonly string[] {
  return cutThoughts(text)
    .text.split('\n')
    .flatMap((line) => {
      const { text: rest, lines } = cutLeakedHeaders(line);
      const shown = line.trim();
      return lines === 0 ? [] : [rest === '' ? shown : shown.slice(0, shown.length - rest.length).trim()];
    });
}
