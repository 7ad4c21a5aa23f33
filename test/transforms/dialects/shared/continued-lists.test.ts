/** Lists of messages that begin with those of an earlier call, read with the state after these. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContinuedLists } from '../../../../transforms/dialects/shared/continued-lists.ts';
import { addWithSystem } from '../../../../transforms/dialects/shared/logged-bodies.ts';
import { type ListState, Transcript } from '../../../../transforms/dialects/shared/transcript.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const viewOf = (value: unknown): JsonView => new JsonView(encode(JSON.stringify(value)));
const call = { type: 'tool_use', name: 'probe', input: { depth: 2 } };
const result = { type: 'tool_result', content: '2 m' };

const MESSAGES: readonly unknown[] = [
  { role: 'system', content: 'Measure.' },
  { role: 'user', content: 'How deep?' },
  { role: 'user', content: [{ type: 'text', text: 'And how wide?' }] },
  { role: 'assistant', content: 'Two metres.' },
  { role: 'assistant', content: [{ type: 'thinking', thinking: 'I measure it.' }] },
  { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'b3BhcXVl' }, call] },
  { role: 'assistant', content: [{ ...call, id: 'c1' }] },
  {
    role: 'assistant',
    tool_calls: [{ id: 'c2', type: 'function', function: { name: 'probe', arguments: '{}' } }],
  },
  { role: 'user', content: [result] },
  { role: 'user', content: [{ ...result, tool_use_id: 'c1' }] },
  { role: 'tool', tool_call_id: 'c2', content: '3 m' },
  { role: 'tool', name: 'probe', content: '[REDACTED]' },
  { role: 'user', parts: [{ text: 'In feet?' }], told: 'some words beside them' },
];
/** With one of these, a conversation is refused. */
const OTHERS: readonly unknown[] = [
  { role: 'gardener', content: 'I dig.' },
  { role: 'tool', content: { name: 'dig', parameters: {} } },
  'a text',
];

function read(
  list: readonly unknown[],
  system: string | undefined,
  known?: ContinuedLists<ListState>,
): Transcript {
  const transcript = new Transcript(false, known);
  addWithSystem(transcript, system === undefined ? undefined : viewOf(system), viewOf(list));
  return transcript;
}

const shown = ({ messages, changes, refusal, definitions }: Transcript): unknown => ({
  messages: messages.map(({ bytes, ...others }) => ({ json: `${Buffer.from(bytes)}`, ...others })),
  changes: [...changes],
  refusal: refusal?.detail,
  definitions: definitions.length,
});

describe('a list that begins with another one', () => {
  it('is read as if it were the first', () => {
    const message = fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...MESSAGES) },
      { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
    );
    const conversation = fc.record({
      system: fc.constantFrom(undefined, 'Measure.', 'Dig.'),
      list: fc.array(message, { maxLength: 12 }),
      length: fc.nat(12),
    });
    fc.assert(
      fc.property(
        fc.array(conversation, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(12)),
        (all, ends) => {
          const known = new ContinuedLists<ListState>();
          for (const end of [...ends, 12])
            for (const { system, list, length } of all) {
              const sent = list.slice(0, Math.min(length, end)).concat(list.slice(length, end));
              expect(shown(read(sent, system, known))).toEqual(shown(read(sent, system)));
            }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('has the same messages, and new ones only after those', () => {
    const known = new ContinuedLists<ListState>();
    const [system, question, , answer] = MESSAGES;
    const first = read([system, question], undefined, known);
    const next = read([system, question, answer, question], undefined, known);
    expect(next.messages.slice(0, 2).every((message, i) => message === first.messages[i])).toBe(true);
    expect(next.messages).toHaveLength(4);
  });

  it('is read anew after another system text, or if its last answer could go on', () => {
    const known = new ContinuedLists<ListState>();
    const [, question, , , thought] = MESSAGES;
    const first = read([question], 'Measure.', known);
    expect(read([question], 'Dig.', known).messages[1]).not.toBe(first.messages[1]);
    const open = read([question, thought], undefined, known);
    expect(read([question, thought, question], undefined, known).messages[0]).not.toBe(open.messages[0]);
  });

  it('holds the lists of a few conversations', () => {
    const known = new ContinuedLists<ListState>();
    const [, question] = MESSAGES;
    const lists = [...Array(9).keys()].map((i) => [{ role: 'user', content: `Question ${i}` }]);
    const [first, second] = lists.map((list) => read(list, undefined, known));
    const again = (i: number): Transcript => read([...(lists[i] ?? []), question], undefined, known);
    expect(again(1).messages[0]).toBe(second?.messages[0]);
    expect(again(0).messages[0]).not.toBe(first?.messages[0]);
  });
});
