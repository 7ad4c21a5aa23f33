/** Session traces of the Hub, and the trees of llama.app. */
import { describe, expect, it } from 'vitest';
import sts from '../../../transforms/dialects/sts.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const HEAD = { type: 'session', harness: 'llama.app', id: 's', currNode: 'b2' };

function elementsOf(...messages: readonly object[]): readonly StreamElement[] {
  const lines = [HEAD, ...messages.map((message) => ({ type: 'message', message }))];
  return readLog(
    sts.create(),
    lines.map((line) => JSON.stringify(line)),
  );
}

const detects = (message: object, more: object = {}): unknown => {
  const line = { type: 'message', message, ...more };
  return sts.detect(
    new Map(Object.entries(line).map(([key, value]) => [key, Buffer.from(JSON.stringify(value))])),
  );
};

it('detects messages without a header, users by the next line', () => {
  const user = { role: 'user', content: 'q' };
  expect(detects(user)).toBe('ask-next');
  expect(detects({ role: 'system', content: 's' })).toBe('ask-next');
  expect(detects({ role: 'assistant', content: 'a' })).toBe('yes');
  expect(detects({ role: 'assistant', content: '', toolCalls: [] })).toBe('yes');
  expect(detects({ role: 'tool', toolCallId: 'c', content: 'r' })).toBe('yes');
  expect(detects({ role: 'assistant', content: [{ type: 'text', text: 'a' }] })).toBe('no');
  expect(detects({ role: 'critic', content: 'a' })).toBe('no');
  expect(detects(user, { id: '1', parentId: null })).toBe('no');
  expect(detects({ role: 'assistant', content: 'a' }, { timestamp: 1 })).toBe('no');
});

const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
const contentsOf = (elements: readonly StreamElement[]): readonly string[] =>
  entriesOf(elements).map((entry) =>
    messagesOf(entry)
      .map(({ content }) => content)
      .join(),
  );
const node = (id: string, parent: string | null, role: string, content: string, more: object = {}) => ({
  ...{ id, parent, role, content, type: 'text' },
  ...more,
});

describe('sts', () => {
  const root = node('r', null, 'system', '', { type: 'root', children: ['s'] });
  const start = [root, node('s', 'r', 'system', 'S'), node('u', 's', 'user', 'q')];

  it('reads an answer that was asked for again as a branch', () => {
    const elements = elementsOf(
      ...[...start, node('b1', 'u', 'assistant', 'one'), node('b2', 'u', 'assistant', 'two')],
      ...[node('u2', 'b2', 'user', 'more'), node('c', 'u2', 'assistant', 'three')],
    );
    expect(contentsOf(elements)).toEqual(['S,q,two,more,three', 'S,q,one']);
    expect(elements).toMatchObject([{ fate: 'dropped:client-event' }, { kind: 'entry' }, { kind: 'entry' }]);
  });

  it('goes back to the root for a question that was written anew', () => {
    const elements = elementsOf(
      ...[root, node('u', 'r', 'user', 'q'), node('a', 'u', 'assistant', 'one')],
      ...[node('v', 'r', 'user', 'p'), node('b', 'v', 'assistant', 'two')],
    );
    expect(contentsOf(elements)).toEqual(['p,two', 'q,one']);
  });

  it('continues after a result, and reads a line once', () => {
    const toolCalls = [{ id: 'c', function: { name: 'f', arguments: '{"n": 1.0}' } }];
    const result = node('t', 'a', 'tool', 'r', { toolCallId: 'c' });
    const elements = elementsOf(
      ...[...start, node('a', 'u', 'assistant', '', { toolCalls }), result, result],
      node('b', 't', 'assistant', 'end'),
    );
    expect(messagesOf(entriesOf(elements)[0] as Entry).slice(2)).toEqual([
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"n": 1.0}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'assistant', content: 'end' },
    ]);
    expect(elements).toContainEqual(expect.objectContaining({ fate: 'dropped:copied-line' }));
  });

  it('keeps what was attached to a message', () => {
    const extra = [
      { type: 'IMAGE', name: 'a.png', base64Url: 'data:image/png;base64,AA' },
      { type: 'TEXT', name: 'a.txt', content: 'file' },
      { type: 'AUDIO', base64Data: 'AA' },
    ];
    const [entry] = entriesOf(elementsOf({ role: 'user', content: 'q', extra })) as readonly Entry[];
    expect(messagesOf(entry as Entry)[0].content).toEqual([
      { type: 'text', text: 'q' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      { type: 'text', text: 'file' },
      extra[2],
    ]);
    expect(entry?.messages[0]?.notes?.[0]).toMatchObject({ rule: 'block-kept' });
  });

  it('gives a result with an empty id to the first open call', () => {
    const [entry] = entriesOf(
      elementsOf(
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: '', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: 'r', toolCallId: '' },
        { role: 'user', content: 'q' },
      ),
    );
    const rules = entry?.messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
    expect(rules).not.toContain('call-unanswered');
  });

  it('has the image of a result without a finding', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
    const call = { id: 'c', function: { name: 'f', arguments: '{}' } };
    const [entry] = entriesOf(
      elementsOf(
        { role: 'user', content: 'q' },
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', content: [image], toolCallId: 'c' },
      ),
    );
    const result = entry?.messages.at(-1);
    expect(JSON.parse(text(result?.bytes as Uint8Array)).content).toEqual([image]);
    expect(result?.notes).toBeUndefined();
  });

  it('reports what a message has that only those of another speaker have', () => {
    const rulesOf = (message: object) =>
      entriesOf(elementsOf({ role: 'user', content: 'q' }, message)).flatMap(({ messages, reply }) =>
        [...messages, reply].flatMap((one) => one?.notes?.map(({ rule }) => rule) ?? []),
      );
    const extra = [{ type: 'TEXT', name: 'a.txt', content: 'a file' }];
    const toolCalls = [{ id: 'c', function: { name: 'f', arguments: '{"q": "the last word"}' } }];
    for (const message of [
      { role: 'user', content: 'p', toolCalls },
      { role: 'user', content: 'p', reasoningContent: 'I think' },
      { role: 'assistant', content: 'a', extra },
      { role: 'tool', content: 'r', toolCallId: 'c', extra },
    ])
      expect(rulesOf(message)).toContain('unread-text');
    for (const role of ['user', 'assistant', 'tool'])
      expect(rulesOf({ role, content: 'p', toolCalls: [], extra: [], reasoningContent: '' })).not.toContain(
        'unread-text',
      );
  });

  it('says that the parent of a message is not before it', () => {
    const rulesOf = (parent: string) =>
      entriesOf(
        elementsOf(...start, node('a', 'u', 'assistant', 'one'), node('v', parent, 'user', 'p')),
      ).flatMap(({ messages, reply }) =>
        [...messages, reply].flatMap((one) => one?.notes?.map(({ rule }) => rule) ?? []),
      );
    expect(rulesOf('a')).toEqual([]);
    expect(rulesOf('x')).toEqual(['parent-missing']);
  });

  it('keeps the text of an attached image', () => {
    const extra = [{ type: 'PDF', base64Url: 'data:a', content: 'file' }];
    const [entry] = entriesOf(elementsOf({ role: 'user', content: 'q', extra })) as readonly Entry[];
    expect(messagesOf(entry as Entry)[0].content.slice(1)).toEqual([
      { type: 'image_url', image_url: { url: 'data:a' } },
      { type: 'text', text: 'file' },
    ]);
  });

  it('accepts a missing content only beside calls', () => {
    const toolCalls = [{ id: 'c', function: { name: 'f', arguments: '{}' } }];
    const question = { role: 'user', content: 'q' };
    const [entry] = entriesOf(elementsOf(question, { role: 'assistant', content: null, toolCalls }));
    expect(messagesOf(entry as Entry)[1].tool_calls).toHaveLength(1);
    expect(elementsOf(question, { role: 'assistant', content: null })).toContainEqual(
      expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }),
    );
  });
});
