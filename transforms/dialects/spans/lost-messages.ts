/** Messages that a span lacks: their indexes have a gap, or the SDK says that it dropped attributes or events at its limit. */
import type { JsonView } from '../../json/json-view.ts';
import { bodyOf } from './open-inference.ts';
import type { SpanAttributes } from './span-attributes.ts';

/** Lists of messages whose members are attributes of the span (OpenInference, OpenLLMetry). */
const LISTS = [
  ...['llm.input_messages', 'llm.output_messages', 'gen_ai.prompt', 'gen_ai.completion'],
  ...['llm.prompts', 'llm.completions'],
];
const GAP = 'messages or parts of them are missing: their indexes have a gap';

/**
 * Why the messages may not be whole; undefined if nothing says so.
 * @param areEvents whether they are events of the span
 * @param elsewhere lists that were read from another attribute, with the whole body
 */
export function lostMessages(
  span: JsonView,
  attributes: SpanAttributes,
  areEvents: boolean,
  elsewhere: readonly string[] = [],
): string | undefined {
  if (areEvents) return dropped(span, 'droppedEventsCount', 'events');
  const lists = LISTS.map((path) => attributes.at(path)).filter((list) => list.items().length > 0);
  if (lists.length === 0) return undefined;
  const read = LISTS.filter((path) => !elsewhere.includes(path)).map((path) => attributes.at(path));
  return read.some(isShort) ? GAP : dropped(span, 'droppedAttributesCount', 'attributes');
}

/** Whether messages, or parts or calls of them, are missing. The OpenAI Agents SDK counts the calls of all messages together. */
function isShort(list: SpanAttributes): boolean {
  let calls = 0;
  const hasGapIn = (item: SpanAttributes): boolean => {
    const [contents, own] = [bodyOf(item).at('contents'), bodyOf(item).at('tool_calls')];
    const before = calls;
    calls += own.items().length;
    return contents.hasGap() || (own.hasGap() && own.hasGap(before));
  };
  return list.hasGap() || list.items().some(hasGapIn);
}

function dropped(span: JsonView, member: string, what: string): string | undefined {
  const count = Number(span.get(member)?.parsed() ?? 0);
  return count > 0 ? `the SDK dropped ${what} of the span (${count}): messages may be among them` : undefined;
}
