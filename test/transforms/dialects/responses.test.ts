/** Exchanges of the Responses API: items as messages, chains of responses, late answers. */
import { describe, expect, it, test } from 'vitest';
import type { ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import responses from '../../../transforms/dialects/responses.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';

const message = (content: string) => ({ type: 'message', role: 'assistant', content });
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const result = (call_id: string, output: unknown) => ({ type: 'function_call_output', call_id, output });
const answer = (id: string, ...output: readonly object[]) => ({ id, object: 'response', output });
const sealed = { type: 'reasoning', summary: [], encrypted_content: 'data' };

function read(pairs: readonly object[], options: ReadingOptions = {}): readonly Entry[] {
  const reader = responses.create(undefined, options);
  return pairs.flatMap((pair, i) => [
    ...(reader.readApart?.(lineOf(JSON.stringify(pair), undefined, i + 1)) ?? []),
  ]) as Entry[];
}

const pair = (input: unknown, response: unknown = null, more: object = {}) => ({
  request: { input, ...more },
  response,
});
const all = (entry: Entry | undefined) =>
  [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])].map(({ bytes }) =>
    JSON.parse(text(bytes)),
  );
const rules = (entry: Entry | undefined) =>
  [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])].flatMap(
    ({ notes = [] }) => notes.map(({ rule }) => rule),
  );

test('a text with citations keeps them, as a part', () => {
  const text = (annotations: readonly object[]) => ({
    ...{ type: 'message', role: 'assistant' },
    content: [{ type: 'output_text', text: 'a', annotations }],
  });
  const annotations = [{ type: 'url_citation', url: 'https://x' }];
  const cited = read([pair('q', answer('r', text(annotations)))]);
  expect(all(cited[0])[1].content).toEqual([{ type: 'text', text: 'a', annotations }]);
  expect(all(read([pair('q', answer('r', text([])))])[0])[1].content).toBe('a');
});

test.each([
  '{"request":{"input":"a","input":"b"},"response":null}',
  '{"request":{"body":{"input":"a"},"body":{"input":"b"}},"response":null}',
  '{"request":{"input":"a"},"response":{"object":"response","output":[],"output":[]}}',
])('a list that a pair has twice rejects it: %s', (json) => {
  const [read] = [...responses.create().read(lineOf(json))] as readonly Rejection[];
  expect(read?.reason).toBe('duplicate-key');
});

test('an encrypted compaction without a message is reported with the instructions, or rejects the pair', () => {
  const input = [{ type: 'compaction', encrypted_content: 'data' }];
  const [entry] = read([pair(input, answer('r', message('a')), { instructions: 'Be brief.' })]);
  expect(rules(entry)).toEqual(['sealed-context', 'no-question']);
  const line = lineOf(JSON.stringify(pair(input, answer('r', message('a')))));
  const [rejection] = [...responses.create().read(line)] as readonly Rejection[];
  expect(rejection).toMatchObject({ reason: 'bad-messages', detail: expect.stringContaining('encrypted') });
});

test('the outputs of a shell are the JSON text of their list', () => {
  const shell = { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } };
  const output = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
  const [entry] = read([pair([shell, { type: 'shell_call_output', call_id: 'c', output }])]);
  expect(all(entry)[1]).toEqual({ role: 'tool', tool_call_id: 'c', content: JSON.stringify(output) });
});

describe('items', () => {
  test.each([
    ['a text', 'hi', { role: 'user', content: 'hi' }],
    ['an item without a type', [{ role: 'developer', content: 'x' }], { role: 'developer', content: 'x' }],
    [
      'texts',
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_text', text: 'b' },
          ],
        },
      ],
      { role: 'user', content: 'a\nb' },
    ],
    [
      'an image',
      [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:x' }] }],
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:x' } }] },
    ],
  ])('%s', (_name, input, expected) => {
    expect(all(read([pair(input)])[0])).toEqual([expected]);
  });

  it('join the output up to a result into one message, with results in the order of the calls', () => {
    const input = [
      { role: 'user', content: 'q' },
      message('a'),
      call('1'),
      call('2'),
      result('2', 'r2'),
      result('1', [{ type: 'input_text', text: 'r1' }]),
      message('b'),
    ];
    const messages = all(read([pair(input)])[0]);
    expect(messages.map(({ role, tool_call_id: id }) => id ?? role)).toEqual([
      'user',
      'assistant',
      '1',
      '2',
      'assistant',
    ]);
    expect(messages[1].tool_calls.map(({ id }: { readonly id: string }) => id)).toEqual(['1', '2']);
    expect(messages[2].content).toEqual([{ type: 'text', text: 'r1' }]);
  });

  it.each([
    { type: 'novel', x: 1.0 },
    { type: 'remote_call', call_id: 'c', tool: 'look', returned: 'at the door' },
    { type: 'remote_call', id: 'c', params: {} },
  ])('reject the call when they are of no known type: %o', (item) => {
    const [entry] = read([pair('q', answer('1', item, message('a')))]);
    expect(entry).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  });

  it('stay parts when they are server calls', () => {
    const [entry] = read([
      pair(
        'q',
        answer(
          '1',
          { type: 'web_search_call', id: 'w' },
          { type: 'mcp_list_tools', tools: [] },
          message('a'),
        ),
      ),
    ]);
    expect(all(entry)[1].content).toEqual([
      { type: 'web_search_call', id: 'w' },
      { type: 'mcp_list_tools', tools: [] },
      { type: 'text', text: 'a' },
    ]);
    expect(rules(entry).toSorted()).toEqual(['block-kept', 'server-tool']);
  });

  it('have sealed reasoning left out, or kept on request', () => {
    const [entry] = read([pair('q', answer('1', sealed, message('a')))]);
    expect([...(entry?.changes ?? [])]).toEqual([['sealed-reasoning', 1]]);
    expect(rules(entry)).toEqual(['reasoning-sealed']);
    const [kept] = read([pair('q', answer('1', sealed, message('a')))], { keepSealed: true });
    expect(all(kept)[1].reasoning_details).toEqual([{ type: 'reasoning.encrypted', data: 'data' }]);
  });

  it('have function tools, and hosted tools unchanged', () => {
    const tools = [{ type: 'function', name: 'f', parameters: {}, strict: true }, { type: 'web_search' }];
    const [entry] = read([pair('q', null, { tools })]);
    expect(entry?.tools.map(({ name, bytes }) => [name, JSON.parse(text(bytes))])).toEqual([
      ['f', { name: 'f', parameters: {}, strict: true }],
      [undefined, { type: 'web_search' }],
    ]);
  });

  it('may ask for moderation', () => {
    const policy = { input: { mode: 'block' }, output: { mode: 'block' } };
    const moderation = { model: 'omni-moderation-latest', policy };
    expect(rules(read([pair('q', answer('1', message('a')), { moderation })])[0])).toEqual([]);
  });

  it('have the tools that the client adds between items', () => {
    const [f, g] = ['f', 'g'].map((name) => ({ type: 'function', name, parameters: {} }));
    const added = { type: 'additional_tools', role: 'developer', tools: [{ ...f, strict: true }, g] };
    const input = [{ role: 'user', content: 'q' }, { role: 'assistant', content: 'a' }, added];
    const [entry] = read([pair(input, answer('1', message('b')), { tools: [f] })]);
    expect(all(entry).map(({ content }) => content)).toEqual(['q', 'a', 'b']);
    expect(entry?.tools.map(({ bytes }) => JSON.parse(text(bytes)))).toEqual([
      { name: 'f', parameters: {}, strict: true },
      { name: 'g', parameters: {} },
    ]);
    const [again] = read([pair([...input, { role: 'user', content: 'r' }], answer('2', message('c')))]);
    expect(again?.tools).toHaveLength(2);
    const [refused] = read([pair([{ ...added, tools: 'f' }])]);
    expect(why(refused as unknown as Rejection)).toContain('additional tools are not a list');
  });

  test.each([
    [[1], 'bad-messages: an item is not an object at byte 21 of the line (21 of the source)'],
    [[{ content: 'x' }], 'bad-messages: an item has no role at byte 21 of the line (21 of the source)'],
    [7, 'bad-messages: input is not valid at byte 20 of the line (20 of the source)'],
  ])('%j is rejected', (input, reason) => {
    expect(read([pair(input)]).map((one) => why(one as unknown as Rejection))).toEqual([reason]);
  });
});

describe('chains', () => {
  it('begin with the conversation so far, without its instructions', () => {
    const [, second] = read([
      pair('one', answer('1', call('c')), { instructions: 'old' }),
      pair([result('c', 'r')], answer('2', message('two')), {
        instructions: 'new',
        previous_response_id: '1',
      }),
    ]);
    expect(all(second).map(({ role, content }) => `${role} ${content ?? ''}`)).toEqual([
      ...['system new', 'user one', 'assistant ', 'tool r', 'assistant two'],
    ]);
    expect(second?.sessionId).toBe('1');
  });

  it('branch when two requests continue one response', () => {
    const [first, ...others] = read([
      pair('a', answer('1', message('b'))),
      pair('c', answer('2', message('d')), { previous_response_id: '1' }),
      pair('e', answer('3', message('f')), { previous_response_id: '1' }),
    ]);
    expect(
      others.map((entry) =>
        all(entry)
          .map(({ content }) => content)
          .join(''),
      ),
    ).toEqual(['abcd', 'abef']);
    for (const { messages } of others) expect(messages[0]).toBe(first?.messages[0]);
  });

  it('are refused when the response that they continue is unknown or was dropped to save memory', () => {
    const lost = pair('x', answer('9', message('y')), { previous_response_id: 'none' });
    expect(read([lost])).toMatchObject([
      { refused: { reason: 'context-missing' }, messages: [], alone: true },
    ]);
    const long = 'x'.repeat(500);
    const pairs = [pair(long, answer('1', message('a'))), pair(long, answer('2', message('b')))];
    const again = pair('c', answer('3', message('d')), { previous_response_id: '1' });
    expect(read([...pairs, again], { maxConversation: 600 })[2]).toMatchObject({
      refused: { reason: 'context-missing' },
    });
    expect(read([...pairs, again])[2]).not.toHaveProperty('refused');
  });

  it('do not continue responses of another source', () => {
    const reader = responses.create();
    const line = (one: object) => lineOf(JSON.stringify(one));
    reader.read(line(pair('a', answer('1', message('b')))));
    reader.forget();
    const read = reader.read(line(pair('c', null, { previous_response_id: '1' })));
    const [entry] = [...read, ...(reader.end?.() ?? [])];
    expect(entry).toMatchObject({ refused: { reason: 'context-missing' } });
  });

  it('can continue a conversation by its id', () => {
    const conversation = { conversation: { id: 'v' } };
    const [, second] = read([
      pair('a', answer('1', message('b')), conversation),
      pair('c', null, conversation),
    ]);
    expect(all(second).map(({ content }) => content)).toEqual(['a', 'b', 'c']);
    expect(second?.sessionId).toBe('v');
  });
});

describe('answers', () => {
  it('that arrive later are found by their id', () => {
    const queued = { ...answer('1'), status: 'queued' };
    const [first, polled, next] = read([
      pair('a', queued, { instructions: 's' }),
      { request: null, response: { ...answer('1', message('b')), status: 'completed' } },
      pair('c', null, { previous_response_id: '1' }),
    ]);
    expect(first?.reply).toBeUndefined();
    expect(all(polled).map(({ content }) => content)).toEqual(['s', 'a', 'b']);
    expect(all(next).map(({ content }) => content)).toEqual(['a', 'b', 'c']);
  });

  test.each([
    [{ incomplete_details: { reason: 'max_output_tokens' } }, 'reply-cut'],
    [{ incomplete_details: { reason: 'content_filter' } }, 'reply-filtered'],
    [{ error: { code: 'x' } }, 'response-error'],
  ])('%j is %s', (more, rule) => {
    expect(rules(read([pair('q', { ...answer('1', message('a')), ...more })])[0])).toEqual([rule]);
  });

  it('alone are a separate session that begins with the instructions they repeat', () => {
    const [entry] = read([{ ...answer('1', message('a')), instructions: 's' }], { userTurn: 'u' });
    expect(all(entry).map(({ content }) => content)).toEqual(['s', 'u', 'a']);
    expect(entry).toMatchObject({ alone: true, lacks: ['tools'] });
    expect(rules(entry)).toEqual([]);
    expect(rules(read([{ ...answer('1', message('a')), instructions: 's' }])[0])).toEqual(['no-question']);
  });
});

test('an output that is an object with words beside its content is rejected', () => {
  const kinds = (output: object) =>
    read([
      pair([{ role: 'user', content: 'q' }, call('c'), result('c', output)], answer('r', message('a'))),
    ]).map(({ kind }) => kind);
  expect(kinds({ content: 'a b', success: true, exit_code: 0, metadata: { note: 'x y' } })).toEqual([
    'entry',
  ]);
  expect(kinds({ content: 'a b', text: 'a b' })).toEqual(['entry']);
  expect(kinds({ content: 'a b', content_items: [{ type: 'input_text', text: 'a b' }] })).toEqual(['entry']);
  expect(kinds({ content: 'a b', content_items: [{ type: 'input_text', text: 'x y' }] })).toEqual([
    'rejection',
  ]);
  expect(kinds({ content: 'a b', note: 'x y' })).toEqual(['rejection']);
});
