/** Builds lines of a log from text, and brings elements into a form that can be compared. */
import type { DialectReader, ReadElement } from '../../transforms/dialects/dialect.ts';
import type { Entry, Line, Rejection, StreamElement } from '../../transforms/model/element.ts';
import { asBuffer, type MakeBytes, text } from './bytes.ts';

/** Line `line` of `a.jsonl`, at byte `offset`. */
export function lineOf(json: string | Uint8Array, make: MakeBytes = asBuffer, line = 1, offset = 0): Line {
  const bytes = make(json);
  return { kind: 'line', bytes, origin: { source: 'a.jsonl', line, offset, length: bytes.length } };
}

/** Reads the lines of one log to its end. */
export function readLog(reader: DialectReader, lines: readonly string[]): readonly ReadElement[] {
  let offset = 0;
  const elements = lines.flatMap((json, i) => {
    const line = lineOf(json, asBuffer, i + 1, offset);
    offset += line.bytes.length + 1;
    return [...reader.read(line)];
  });
  return [...elements, ...(reader.end?.() ?? [])];
}

/** JSON text of an entry, with members replaced by those of `over`, or removed where undefined. */
export function entryJson(over: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    timestamp: '2026-01-13T22:14:03Z',
    session_id: 's',
    request: { messages: [{ role: 'user', content: 'hi' }] },
    response: { choices: [{ message: { role: 'assistant', content: 'ho' } }] },
    ...over,
  });
}

/** An element with its bytes as text. */
export function plain(element: StreamElement): unknown {
  return element.kind === 'entry'
    ? plainEntry(element)
    : { ...element, ...('bytes' in element ? bytesOf(element) : {}) };
}

const bytesOf = ({ bytes }: { readonly bytes?: Uint8Array }) => ({
  bytes: bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1'),
});

function plainEntry({ messages, tools, reply, ...rest }: Entry): unknown {
  const message = (one: { readonly role: string; readonly bytes: Uint8Array }) => [one.role, text(one.bytes)];
  return {
    ...rest,
    messages: messages.map(message),
    tools: tools.map(({ name, bytes }) => [name, text(bytes)]),
    reply: reply && message(reply),
  };
}

/** `reason: detail`. */
export const why = ({ reason, detail }: Rejection): string => `${reason}: ${detail}`;
