/** Calls of the Responses API that refer to one another: polls, answers fetched again, items by reference, histories sent twice. */
import { describe, expect, it } from 'vitest';
import calls from '../../../../transforms/dialects/calls.ts';
import type { ReadElement } from '../../../../transforms/dialects/dialect.ts';
import responses from '../../../../transforms/dialects/responses.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { placesOf } from '../../../../transforms/model/entry-log.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const read = (objects: readonly object[], dialect = responses): readonly ReadElement[] =>
  readLog(
    dialect.create(),
    objects.map((one) => JSON.stringify(one)),
  );
const entriesIn = (elements: readonly ReadElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
/** Contents and names of calls of each conversation. */
const contents = (elements: readonly ReadElement[]) =>
  entriesIn(elements).map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { content, tool_calls } = JSON.parse(text(bytes));
      return content ?? tool_calls.map((one: { function: { name: string } }) => one.function.name).join();
    }),
  );
const linesIn = ([entry]: readonly ReadElement[]) =>
  entry?.kind === 'entry' && entry.lines !== undefined
    ? [...placesOf(entry.lines)].map(({ line }) => line)
    : [];

const message = (content: string, id = `msg_${content}`) => ({
  ...{ type: 'message', id, role: 'assistant' },
  content: [{ type: 'output_text', text: content }],
});
const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
const result = { type: 'function_call_output', call_id: 'c', output: 'r' };
const answer = (id: string, output: readonly object[], status = 'completed') => ({
  ...{ id, object: 'response', status, output, usage: { total_tokens: 5 } },
});
const pair = (input: unknown, response: object, more: object = {}) => ({
  request: { model: 'm', input, ...more },
  response,
});

describe('a response that is not ready', () => {
  it('waits through any number of polls, and is continued with its answer', () => {
    const elements = read([
      pair('q', answer('r1', [], 'queued')),
      { response: answer('r1', [], 'in_progress') },
      { response: answer('r1', [message('a')]) },
      pair('q2', answer('r2', [message('b')]), { previous_response_id: 'r1' }),
    ]);
    expect(contents(elements)).toEqual([['q', 'a', 'q2', 'b']]);
    expect(linesIn(elements)).toEqual([1, 2, 3, 4]);
  });

  it('may be part of a conversation', () => {
    const conversation = { conversation: 'conv' };
    const elements = read([
      pair('q', answer('r1', [], 'queued'), conversation),
      { response: answer('r1', [message('a')]) },
      pair('q2', answer('r2', [message('b')]), conversation),
    ]);
    expect(contents(elements)).toEqual([['q', 'a', 'q2', 'b']]);
  });

  it('may be polled by requests without a body', () => {
    const http = (method: string, body: unknown, response: object) => ({
      request: { url: 'https://x/v1/responses', method, body },
      response: { status: 200, body: response },
    });
    const elements = read(
      [
        http('POST', { input: 'q', background: true }, answer('r1', [], 'queued')),
        http('GET', null, answer('r1', [], 'in_progress')),
        http('GET', '', answer('r1', [message('a')])),
      ],
      calls,
    );
    expect(contents(elements)).toEqual([['q', 'a']]);
    expect(linesIn(elements)).toEqual([1, 2, 3]);
  });

  it('is dropped without its request', () => {
    expect(read([{ response: answer('r1', [], 'in_progress') }])).toMatchObject([
      { fate: 'dropped:no-completion' },
    ]);
  });
});

it('an answer that is fetched again is the same conversation, and its tokens count once', () => {
  const elements = read([
    pair('q', answer('r1', [message('a')])),
    { response: answer('r1', [message('a')]) },
    { response: answer('r1', [message('a')]) },
  ]);
  expect(contents(elements)).toEqual([['q', 'a']]);
  const [entry] = entriesIn(elements);
  expect(entry?.meta?.has('usage') && JSON.parse(text(entry.meta.get('usage') as Uint8Array))).toEqual({
    total_tokens: 5,
  });
});

it('a client may name the response before and send the whole conversation again', () => {
  const elements = read([
    pair([{ role: 'user', content: 'q' }], answer('r1', [call])),
    pair([{ role: 'user', content: 'q' }, call, result], answer('r2', [message('a')]), {
      previous_response_id: 'r1',
    }),
    pair('q2', answer('r3', [message('b')]), { previous_response_id: 'r2' }),
  ]);
  expect(contents(elements)).toEqual([['q', 'f', 'r', 'a', 'q2', 'b']]);
});

describe('an item reference', () => {
  const first = pair([{ role: 'user', content: 'q' }], answer('r1', [call]));
  const ref = { type: 'item_reference', id: 'fc_1' };
  const second = pair([{ role: 'user', content: 'q' }, ref, result], answer('r2', [message('a')]));

  it('is the item with its id, also one that comes later', () => {
    expect(contents(read([first, second]))).toEqual([['q', 'f', 'r', 'a']]);
    expect(contents(read([second, first]))).toEqual([['q', 'f', 'r', 'a']]);
    const bare = pair([{ role: 'user', content: 'q' }, { id: 'fc_1' }, result], answer('r2', [message('a')]));
    expect(contents(read([first, bare]))).toEqual([['q', 'f', 'r', 'a']]);
  });

  it('of an unknown item rejects the call', () => {
    const [entry] = entriesIn(read([second]));
    expect(entry?.refused).toMatchObject({
      reason: 'context-missing',
      detail: expect.stringContaining('item_reference'),
    });
    const invalid = pair([ref, 7], answer('r3', []));
    const refused = entriesIn(read([invalid, first])).flatMap((one) => one.refused?.reason ?? []);
    expect(refused).toEqual(['context-missing']);
  });
});

it('the answer of the endpoint that compacts a conversation is not an answer of the model', () => {
  const compacted = {
    id: 'x',
    object: 'response.compaction',
    output: [{ type: 'compaction', encrypted_content: 'e' }],
  };
  const elements = read([
    pair([{ role: 'user', content: 'q' }], answer('r1', [message('a')])),
    pair([{ role: 'user', content: 'q' }, message('a')], compacted),
  ]);
  expect(contents(elements)).toEqual([['q', 'a']]);
});

describe('a response id that the log has twice', () => {
  const next = pair('q2', answer('r2', [message('b')]), { previous_response_id: 'r1' });

  it('is continued if both say the same', () => {
    const first = pair('q', answer('r1', [message('a')]));
    expect(contents(read([first, first, next])).at(-1)).toEqual(['q', 'a', 'q2', 'b']);
    expect(contents(read([first, { response: answer('r1', [message('a')]) }, next])).at(-1)).toEqual([
      'q',
      'a',
      'q2',
      'b',
    ]);
  });

  it('rejects the request that continues it if they do not', () => {
    for (const second of [pair('q', answer('r1', [message('x')])), pair('x', answer('r1', [message('a')]))]) {
      const elements = read([pair('q', answer('r1', [message('a')])), second, next]);
      expect(contents(elements).filter((all) => all.length > 2)).toEqual([]);
      expect(entriesIn(elements).flatMap(({ refused }) => refused ?? [])).toEqual([
        {
          reason: 'context-missing',
          detail: 'previous_response_id names a response that the source has twice, with other messages',
        },
      ]);
    }
  });
});
