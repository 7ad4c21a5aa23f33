/** The shape of one record (conversion.md §3): `messages` and `tools`, and nothing else, in the formats that say so. */
import { asObject, asText, type JsonObject } from './json-value.ts';

/** Formats whose record is `{"messages": [...], "tools": [...]}`; of any other only a JSON object is known. */
const PLAIN_FORMATS: ReadonlySet<unknown> = new Set(['chat', 'chat-inline']);

export function isPlainFormat(format: unknown): boolean {
  return PLAIN_FORMATS.has(format);
}

/** What is wrong with a record of a plain format, if anything. */
export function recordProblem({ messages, tools, ...others }: JsonObject): string | undefined {
  if (!Array.isArray(messages)) return 'expected an array `messages`, found none';
  if (!Array.isArray(tools)) return 'expected an array `tools`, found none';
  const more = Object.keys(others).length;
  if (more > 0) return `expected only \`messages\` and \`tools\`, found ${more} more members`;
  const bad = messages.findIndex((message, i) => !isMessage(message, i === messages.length - 1));
  if (bad >= 0)
    return `expected messages[${bad}] to be an object with a string \`role\`, found another value`;
  const tool = tools.findIndex((definition) => asObject(definition) === undefined);
  return tool < 0 ? undefined : `expected tools[${tool}] to be an object, found another value`;
}

/** The last message may be a reply, and a reply was never asked for its role. */
function isMessage(message: unknown, last: boolean): boolean {
  const object = asObject(message);
  return object !== undefined && (last || asText(object.role) !== undefined);
}
