import { describe, expect, it } from 'vitest';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

function elementsOf(objects: readonly object[], maxConversation?: number) {
  return readLog(
    geminiCli.create(undefined, { maxConversation }),
    objects.map((object) => JSON.stringify(object)),
  );
}

/** Texts of each conversation. */
function conversationsOf(...objects: readonly object[]): readonly string[][] {
  const entries = elementsOf(objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { role, content } = JSON.parse(text(bytes));
      return `${role} ${content}`;
    }),
  );
}

const head = { sessionId: 's', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' };
const user = (id: string, content: unknown = id) => ({ id, type: 'user', content });
const answer = (id: string, content: unknown = id, more: object = {}) => ({
  id,
  type: 'gemini',
  content,
  ...more,
});
const call = (id: string, output?: string) => ({
  toolCalls: [
    {
      ...{ id, name: 'f', args: {} },
      ...(output !== undefined && { result: [{ functionResponse: { id, response: { output } } }] }),
    },
  ],
});

describe('gemini-cli', () => {
  it('rejects a thought that is a text beside the text of a part', () => {
    const rulesOf = (thought: unknown) =>
      (elementsOf([head, user('1'), answer('2', [{ text: 'a', thought }])]) as readonly Entry[]).flatMap(
        ({ messages, reply }) =>
          [...messages, ...(reply ? [reply] : [])].flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)),
      );
    expect(rulesOf('They bloom in May.')).toContain('unread-text');
    expect(rulesOf(false)).not.toContain('unread-text');
  });

  it('keeps the last message with an id, at the place of the first', () => {
    const lines = [
      head,
      user('1'),
      answer('2', 'draft'),
      user('3'),
      answer('4'),
      answer('2', 'final'),
      user('1', 'one'),
    ];
    expect(conversationsOf(...lines)).toEqual([['user one', 'assistant final', 'user 3', 'assistant 4']]);
  });

  it('gives a call that is written again without a result none', () => {
    const open = [head, user('1'), answer('2', 'a', call('c')), answer('2', 'b', call('c'))];
    expect(conversationsOf(...open, user('3'))).toEqual([['user 1', 'assistant b', 'user 3']]);
    expect(conversationsOf(...open, answer('2', 'd', call('c', 'r')))).toEqual([
      ['user 1', 'assistant d', 'tool r'],
    ]);
  });

  it('has an empty text as the result of a call whose result has no parts', () => {
    const cancelled = { toolCalls: [{ id: 'c', name: 'f', args: {}, status: 'cancelled', result: [] }] };
    expect(conversationsOf(head, user('1'), answer('2', 'a', cancelled), answer('3'))).toEqual([
      ['user 1', 'assistant a', 'tool ', 'assistant 3'],
    ]);
  });

  it('has each result once, even if its message is written repeatedly', () => {
    const lines = [head, user('1'), answer('2', '', call('c')), answer('2', '', call('c', 'r'))];
    expect(conversationsOf(...lines, answer('2', 'b', call('c', 'r')))).toEqual([
      ['user 1', 'assistant b', 'tool r'],
    ]);
  });

  it('has each result once, even if a user message repeats it', () => {
    const repeated = (id: string) => ({ functionResponse: { id, name: 'f', response: { output: 'r' } } });
    const lines = [head, user('1'), answer('2', 'a', call('c')), answer('2', 'a', call('c', 'r'))];
    expect(conversationsOf(...lines, user('3', [repeated('c')]), answer('4'))).toEqual([
      ['user 1', 'assistant a', 'tool r', 'assistant 4'],
    ]);
    expect(conversationsOf(...lines, user('3', [repeated('c'), { text: 'hint' }]), answer('4'))).toEqual([
      ['user 1', 'assistant a', 'tool r', 'user hint', 'assistant 4'],
    ]);
  });

  it('keeps an image in a result', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const functionResponse = { id: 'c', response: { output: 'seen' }, parts: [image] };
    const toolCalls = [{ id: 'c', name: 'f', args: {}, result: [{ functionResponse }] }];
    const [entry] = elementsOf([head, user('1'), answer('2', '', { toolCalls }), answer('3')]) as Entry[];
    expect(JSON.parse(text(entry?.messages[2]?.bytes as Uint8Array)).content).toEqual([
      { type: 'text', text: 'seen' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ]);
  });

  it('takes a result from the message after a call that has none', () => {
    const result = { functionResponse: { id: 'c', name: 'f', response: { error: 'stopped' } } };
    expect(
      conversationsOf(head, user('1'), answer('2', '', call('c')), user('3', [result]), answer('4')),
    ).toEqual([['user 1', 'assistant ', 'tool stopped', 'assistant 4']]);
  });

  it('holds a message once that is written a thousand times', () => {
    const lines = Array.from({ length: 1000 }, () =>
      answer('2', 'x'.repeat(1000), call('c', 'r'.repeat(1000))),
    );
    const [entry] = elementsOf([head, user('1'), ...lines, answer('3')], 200_000) as readonly Entry[];
    expect(entry?.refused).toBeUndefined();
  });

  it('goes back to the beginning for an unknown message', () => {
    expect(conversationsOf(head, user('1'), answer('2'), { $rewindTo: 'none' }, user('3'))).toEqual([
      ['user 3'],
      ['user 1', 'assistant 2'],
    ]);
  });

  it('goes back to the position before a note of the client', () => {
    const note = { id: 'n', type: 'info', content: 'x' };
    expect(conversationsOf(head, user('1'), note, answer('2'), { $rewindTo: 'n' }, answer('4'))).toEqual([
      ['user 1', 'assistant 4'],
      ['user 1', 'assistant 2'],
    ]);
  });

  it('is not changed by a summary, folders or notes that the client sets, but by no unknown words', () => {
    const set = (members: object) =>
      elementsOf([head, user('1'), answer('2'), { $set: members }]).find(({ kind }) => kind === 'rejection');
    expect(set({ summary: 'About the hedge', directories: ['/home/ada b'] })).toBeUndefined();
    expect(set({ memoryScratchpad: { workflowSummary: 'cut, then swept' } })).toBeUndefined();
    expect(set({ spoken: 'And the hedge' })).toMatchObject({ reason: 'bad-event' });
  });

  it('writes nothing twice if nothing follows after going back', () => {
    const first = [head, user('1'), answer('2')];
    const whole = [['user 1', 'assistant 2', 'user 3', 'assistant 4']];
    expect(conversationsOf(...first, user('3'), answer('4'), { $rewindTo: '3' })).toEqual(whole);
    const shorter = { $set: { messages: [user('1'), answer('2')] } };
    expect(conversationsOf(...first, user('3'), answer('4'), shorter)).toEqual(whole);
    expect(conversationsOf(...first, { $rewindTo: '1' })).toEqual([['user 1', 'assistant 2']]);
    expect(conversationsOf(...first, user('3'), { $rewindTo: '3' })).toEqual([['user 1', 'assistant 2']]);
    const again = [user('5'), { $rewindTo: '5' }];
    expect(conversationsOf(...first, user('3'), answer('4'), { $rewindTo: '3' }, ...again)).toEqual(whole);
  });

  it('continues from the common start of a replaced context and the previous one', () => {
    const messages = [user('1'), answer('2'), user('5')];
    expect(
      conversationsOf(
        head,
        user('1'),
        answer('2'),
        user('3'),
        answer('4'),
        { $set: { messages } },
        answer('6'),
      ),
    ).toEqual([
      ['user 1', 'assistant 2', 'user 5', 'assistant 6'],
      ['user 1', 'assistant 2', 'user 3', 'assistant 4'],
    ]);
  });

  it('reads results of several parts and parts that are not text', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const result = [{ functionResponse: { response: { n: 1 } } }, image, { fileData: { fileUri: 'f' } }];
    const toolCalls = [{ name: 'f', args: {}, result }];
    const [entry] = elementsOf([head, user('1'), answer('2', '', { toolCalls })]) as readonly Entry[];
    const message = entry?.messages.at(-1);
    expect(JSON.parse(text(message?.bytes as Uint8Array))).toEqual({
      role: 'tool',
      tool_call_id: '2-0',
      content: [
        { type: 'text', text: '{"n":1}' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { fileData: { fileUri: 'f' } },
      ],
    });
    expect(message?.notes?.map(({ rule }) => rule)).toEqual(['block-kept']);
  });

  it('begins a session with another head and continues with the same', () => {
    const other = { ...head, sessionId: 't' };
    const entries = elementsOf([head, user('1'), head, user('2'), other, user('1')]) as readonly Entry[];
    expect(entries.map(({ sessionId, messages }) => [sessionId, messages.length])).toEqual([
      ['s', 2],
      ['t', 1],
    ]);
  });

  it('rejects a document or a line with a message without an id', () => {
    expect(elementsOf([{ ...head, messages: [{ type: 'user' }] }])).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
    expect(elementsOf([{ type: 'user', content: 'a' }])).toMatchObject([
      { kind: 'rejection', reason: 'bad-event' },
    ]);
  });
});

it('rejects an object with messages and a history', () => {
  const history = [{ role: 'user', parts: [{ text: 'a' }] }];
  const kinds = (more: object) => elementsOf([{ ...head, ...more }]).map(({ kind }) => kind);
  expect(kinds({ messages: [user('1')], history })).toEqual(['rejection']);
  expect(kinds({ messages: [], history })).not.toContain('rejection');
});

it('rejects a document in which two messages have one id, and calls or thoughts of the user', () => {
  const kinds = (...messages: readonly object[]) =>
    elementsOf([{ ...head, messages }]).map(({ kind }) => kind);
  expect(kinds(user('1'), answer('2'), user('1'))).not.toContain('rejection');
  expect(kinds(user('1'), answer('2', 'a'), user('3'), answer('2', 'b'))).toEqual(['rejection']);
  expect(kinds({ ...user('1'), ...call('c', 'r') }, answer('2'))).toEqual(['rejection']);
  expect(kinds({ ...user('1'), thoughts: [{ subject: 'a', description: 'b' }] }, answer('2'))).toEqual([
    'rejection',
  ]);
  expect(kinds({ ...user('1'), thoughts: [], toolCalls: null }, answer('2'))).not.toContain('rejection');
});
