/** Prints an element as one line of JSON, with messages, tools and records byte for byte. */
import type { Message, StreamElement } from '../../transforms/model/element.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const RAW = Symbol('raw');

/** JSON text that is copied as it is. */
interface Raw {
  readonly [RAW]: Uint8Array;
}

/** Prints invalid UTF-8 as U+FFFD. Leaves out packed places and the conversation of a record. */
export function elementJson(element: StreamElement): string {
  return write(fieldsOf(element));
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(element: StreamElement): Fields {
  const { kind, origin, ...rest } = element;
  const head = { kind, origin };
  switch (element.kind) {
    case 'line':
      return { ...head, bytes: decoder.decode(element.bytes) };
    case 'entry': {
      const { sessionId, timestamp, messages, tools, reply, changes } = element;
      const conversation = { messages: messages.map(raw), tools: tools.map(raw), reply: reply && raw(reply) };
      return { ...head, sessionId, timestamp, ...conversation, changes };
    }
    case 'conversation':
      return { ...head, ...rest, messages: element.messages.map(raw), tools: element.tools.map(raw) };
    case 'record': {
      const { sessionId, group, format, bytes } = element;
      // one that is not JSON becomes a string
      const record = bytes[0] === 0x7b ? raw({ bytes }) : decoder.decode(bytes);
      return { ...head, sessionId, group, format, record };
    }
    case 'rejection':
      return { ...head, ...rest, bytes: element.bytes && decoder.decode(element.bytes) };
    case 'session-end':
      return { ...head, ...rest, entries: element.entries?.count };
    default:
      return { ...head, ...rest };
  }
}

const raw = ({ bytes }: Pick<Message, 'bytes'>): Raw => ({ [RAW]: bytes });

/** Like `JSON.stringify`, but copies raw JSON and writes bigints as strings and maps as objects. */
function write(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (RAW in value) return decoder.decode((value as Raw)[RAW]);
  const members = value instanceof Map ? [...value] : Object.entries(value);
  const present = members.filter(([, member]) => member !== undefined);
  return `{${present.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}
