/**
 * Calls of the Messages API in the attributes of OpenInference, which have no room for calls that ran on the server and
 * for several results: these are in the bodies.
 */
import { describe, expect, it } from 'vitest';
import { entriesOf, messagesOf, read, rulesOf } from '../span-samples.ts';

const json = JSON.stringify;
const text = (words: string) => ({ type: 'text', text: words, citations: null });
const called = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rain' } };
const page = { type: 'web_search_result', title: 'T', url: 'u', encrypted_content: 'e' };
const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ ...page, page_age: null }] };
const kept = [called, { ...found, content: [page] }];
const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
type Message = { readonly role: string; readonly content: string | readonly { readonly type: string }[] };

/** The attributes of a list of messages: parts of other types are left out, and their indexes are missing. */
function listed(path: string, messages: readonly Message[]): object {
  const all = messages.flatMap(({ role, content }, i) => {
    const own = `${path}.${i}.message`;
    if (typeof content === 'string')
      return [
        [`${own}.role`, role],
        [`${own}.content`, content],
      ];
    const parts = content.flatMap((part, j) => {
      const at = `${own}.contents.${j}`;
      if (part.type === 'text')
        return [
          [`${at}.message_content.type`, 'text'],
          [`${at}.message_content.text`, (part as { readonly text?: string }).text],
        ];
      if (part.type !== 'tool_use') return [];
      return [
        [`${own}.tool_calls.0.tool_call.id`, use.id],
        [`${own}.tool_calls.0.tool_call.function.name`, use.name],
        [`${own}.tool_calls.0.tool_call.function.arguments`, json(use.input)],
        [`${at}.message_content.type`, 'tool_use'],
      ];
    });
    return [[`${own}.role`, role], ...parts];
  });
  return Object.fromEntries(all);
}

let spans = 0;
const span = (messages: readonly Message[], content: readonly { readonly type: string }[]) => {
  const answer = { role: 'assistant', content };
  return json({
    ...{ traceId: `t${++spans}`, spanId: `s${spans}`, startTimeUnixNano: `${spans}` },
    attributes: {
      ...{ 'openinference.span.kind': 'LLM', 'session.id': 's' },
      'input.value': json({ model: 'm', system: 'Be short.', messages }),
      'output.value': json({ id: 'm', type: 'message', ...answer }),
      ...listed('llm.input_messages', [{ role: 'system', content: 'Be short.' }, ...messages]),
      ...listed('llm.output_messages', [answer]),
    },
  });
};
const conversations = (...log: readonly string[]) => entriesOf(read(log)).map((entry) => messagesOf(entry));
const user = (content: Message['content']) => ({ role: 'user', content });
const system = { role: 'system', content: 'Be short.' };

describe('a call that ran on the server', () => {
  const answer = [text('I search.'), called, found, text('It rains.')];
  const whole = [{ type: 'text', text: 'I search.' }, ...kept, { type: 'text', text: 'It rains.' }];
  const first = span([user('a')], answer);

  it('is a part at its place, with its result', () => {
    expect(conversations(first)).toEqual([[system, user('a'), { role: 'assistant', content: whole }]]);
    expect(entriesOf(read([first])).flatMap(rulesOf)).toEqual(['block-kept', 'block-kept']);
  });

  it.each([
    ['with', answer],
    ['without', [text('I search.'), ...kept, text('It rains.')]],
  ])('is the same in the next request, %s members that are null', (_what, content) => {
    const next = span([user('a'), { role: 'assistant', content }, user('b')], [text('c')]);
    expect(conversations(first, next)).toEqual([
      [
        ...[system, user('a'), { role: 'assistant', content: whole }],
        ...[user('b'), { role: 'assistant', content: 'c' }],
      ],
    ]);
  });

  it('stays a part beside a call of the client', () => {
    const asked = [text('I search.'), called, found, use];
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'r' };
    const next = span([user('a'), { role: 'assistant', content: asked }, user([result])], [text('b')]);
    expect(conversations(span([user('a')], asked), next)).toMatchObject([
      [system, user('a'), { tool_calls: [{ id: 'c' }] }, { role: 'tool', content: 'r' }, { content: 'b' }],
    ]);
  });

  it('rejects a request whose body a program printed, because the attributes lack the call', () => {
    const printed = answer.map((one) => `Block(type='${one.type}')`) as unknown as typeof answer;
    const odd = span([user('a'), { role: 'assistant', content: answer }, user('b')], [text('c')]);
    const object = JSON.parse(odd);
    object.attributes['input.value'] = json({
      messages: [user('a'), { role: 'assistant', content: printed }],
    });
    expect(read([json(object)])).toMatchObject([{ reason: 'unknown-content' }]);
  });
});

it('a text after results does not count as a part that follows a missing one', () => {
  const results = ['c', 'd'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: id }));
  const asked = { role: 'assistant', content: [use, { ...use, id: 'd' }] };
  const log = span([user('a'), asked, user([...results, text('Go on.')])], [text('b')]);
  expect(conversations(log)[0]?.slice(3)).toEqual([
    { role: 'tool', tool_call_id: 'c', content: 'c' },
    { role: 'tool', tool_call_id: 'd', content: 'd' },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'b' },
  ]);
});
