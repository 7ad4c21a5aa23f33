/**
 * Reads server-sent events: `data:` begins a payload, `event:` a name, `:` a comment, and an empty line ends an event.
 */

const LINE = /\r\n|\n|\r/;
const FIELD = /^(data|event|id|retry)?:/;

/** Whether a text begins like server-sent events. */
export function looksLikeEvents(text: string): boolean {
  return FIELD.test(text.slice(0, FIRST_CHARACTERS).trimStart());
}

const FIRST_CHARACTERS = 256;

/** A line of server-sent events; `none` if it is not one. */
export type SseLine =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'none' };

/** @param line without its newline */
export function readSseLine(line: string): SseLine {
  const field = FIELD.exec(line);
  if (field === null) return { kind: line === '' ? 'other' : 'none' };
  if (field[1] !== 'data') return { kind: 'other' };
  const data = line.slice('data:'.length);
  return { kind: 'data', data: data.startsWith(' ') ? data.slice(1) : data };
}

/** Is every line of a text one of server-sent events? */
export const isOnlyEvents = (text: string): boolean =>
  text
    .trim()
    .split(LINE)
    .every((line) => readSseLine(line).kind !== 'none');

/** Yields the payloads of each event: one string per `data:` line. */
export function* payloadsIn(text: string): Generator<readonly string[]> {
  let event: string[] = [];
  for (const line of text.split(LINE)) {
    const read = readSseLine(line);
    if (read.kind === 'data') event.push(read.data);
    else if (line === '' && event.length > 0) {
      yield event;
      event = [];
    }
  }
  if (event.length > 0) yield event;
}
