/** Recordings of newer versions of Gemini CLI, which also write the context as the API has it. */
import { describe, expect, it } from 'vitest';
import geminiCli from '../../../transforms/dialects/gemini-cli.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const head = { sessionId: 's', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' };
const user = (id: string, content: unknown = id) => ({ id, type: 'user', content });
const answer = (id: string, content: unknown = id, toolCalls?: readonly object[]) => ({
  ...{ id, type: 'gemini', content, model: 'm' },
  ...(toolCalls && { toolCalls }),
});
const response = (id: string | undefined, output: string) => ({
  functionResponse: { id, name: 'f', response: { output } },
});
const asked = (id: string | undefined, name = 'f') => ({ functionCall: { id, name, args: { a: 1 } } });
const done = (id: string, result?: readonly object[], name = 'f') => ({
  ...{ id, name, args: { a: 1 }, status: 'success' },
  ...(result && { result }),
});
const set = (...messages: readonly object[]) => ({ $set: { messages } });

const entriesOf = (...objects: readonly object[]): readonly Entry[] =>
  readLog(
    geminiCli.create(),
    [head, ...objects].map((object) => JSON.stringify(object)),
  ).filter(({ kind }) => kind === 'entry') as readonly Entry[];

function messagesOf(entry: Entry | undefined) {
  const { messages = [], reply } = entry ?? {};
  return [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes)));
}

/** Role and text of each message, with the ids of calls, or of the call that a result answers. */
const saidIn = (...objects: readonly object[]): readonly string[][] =>
  entriesOf(...objects).map((entry) =>
    messagesOf(entry).map(({ role, content = '', tool_calls: calls = [], tool_call_id: id }) =>
      [role, content, ...calls.map((call: { id: string }) => call.id), ...(id ? [`of ${id}`] : [])].join(' '),
    ),
  );

const rulesOf = (entry: Entry | undefined) =>
  [...(entry?.messages ?? []), ...(entry?.reply ? [entry.reply] : [])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );

describe('a context as the API has it', () => {
  const both = [response('c', 'r'), response('d', 's')];
  const start = [
    user('1'),
    answer('2', 'a', [done('c', [both[0] as object]), done('d', [both[1] as object])]),
  ];
  const parts = [{ text: 'a' }, asked('c'), asked('d')];
  const calls = [done('c', both), done('d', both)];
  const context = [user('1'), answer('2', parts, calls), user('r', both)];
  const said = ['user 1', 'assistant a c d', 'tool r of c', 'tool s of d'];

  it('has each call and each result once', () => {
    expect(saidIn(...start, set(...context))).toEqual([said]);
    expect(saidIn(...start, answer('3'), set(...context, answer('3')))).toEqual([[...said, 'assistant 3']]);
  });

  it('continues a conversation with notes for the user between its messages', () => {
    const note = { id: 'n', type: 'info', content: 'x' };
    const lines = [user('1'), note, ...start.slice(1), note, answer('3')];
    expect(saidIn(...lines, set(...context, answer('3')), user('4'))).toEqual([
      [...said, 'assistant 3', 'user 4'],
    ]);
  });

  it('may come again', () => {
    const longer = [...context, answer('3')];
    expect(saidIn(...start, set(...context), set(...longer), set(...longer))).toEqual([
      [...said, 'assistant 3'],
    ]);
  });

  it('has results only in messages of the user', () => {
    const lines = [user('1'), answer('2', parts), user('r', both), answer('3')];
    expect(saidIn(...lines)).toEqual([[...said, 'assistant 3']]);
    expect(saidIn(...lines, set(...lines))).toEqual([[...said, 'assistant 3']]);
    expect(saidIn(...lines, answer('2', parts))).toEqual([[...said, 'assistant 3']]);
  });

  it('keeps what the user adds to results once', () => {
    const lines = [user('1'), answer('2', parts), user('r', [...both, { text: 'hint' }]), answer('3')];
    expect(saidIn(...lines, set(...lines))).toEqual([[...said, 'user hint', 'assistant 3']]);
  });

  it('keeps its order where it has a new message between known ones', () => {
    const lines = [...start, answer('3')];
    const said3 = [...said, 'user hint', 'assistant 3'];
    const hinted = [...context.slice(0, 2), user('r', [...both, { text: 'hint' }]), answer('3')];
    expect(saidIn(...lines, set(...hinted))[0]).toEqual(said3);
    const added = [...context, user('new'), answer('3')];
    expect(saidIn(...lines, set(...added))[0]).toEqual([...said, 'user new', 'assistant 3']);
  });

  it('has an image of a result once, as part of the result', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const result = [response('c', 'r'), image];
    const lines = [user('1'), answer('2', 'a', [done('c', result)]), answer('3')];
    const whole = [user('1'), answer('2', 'a', [done('c', result)]), user('r', result), answer('3')];
    const entries = entriesOf(...lines, set(...whole));
    expect(entries).toHaveLength(1);
    expect(messagesOf(entries[0]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(messagesOf(entries[0])[2].content).toHaveLength(2);
  });

  it('repeats earlier messages after a compression as context only', () => {
    const kept = [user('new'), answer('2', 'a')];
    const [, second] = entriesOf(user('1'), answer('2', 'a'), set(...kept), answer('3'));
    expect(messagesOf(second).map(({ content }) => content)).toEqual(['new', 'a', '3']);
    expect(text(second?.meta?.get('copied') as Uint8Array)).toBe('2');
    const [, whole] = entriesOf(
      user('1'),
      answer('2'),
      user('3'),
      answer('4'),
      set(user('3'), answer('4')),
      user('5'),
    );
    expect(text(whole?.meta?.get('copied') as Uint8Array)).toBe('2');
  });
});

it('counts what the client writes after a compression as context, and no answer of the model', () => {
  const own = { id: 'own', type: 'gemini', content: 'Got it.' };
  const [, second] = entriesOf(user('1'), answer('2'), set(user('sum'), own, answer('2')), answer('3'));
  expect(messagesOf(second).map(({ content }) => content)).toEqual(['sum', 'Got it.', '2', '3']);
  expect(text(second?.meta?.get('copied') as Uint8Array)).toBe('3');
  const [, other] = entriesOf(user('1'), answer('2'), set(user('sum'), answer('new')));
  expect(text(other?.meta?.get('copied') as Uint8Array)).toBe('1');
});

describe('a call that is written twice', () => {
  it('is one call if both have different ids', () => {
    const result = [response('own', 'r')];
    const lines = [
      user('1'),
      answer('2', [asked('api')], [done('own', result)]),
      user('r', [response('api', 'r')]),
    ];
    expect(saidIn(...lines, answer('3'))).toEqual([
      ['user 1', 'assistant  own', 'tool r of own', 'assistant 3'],
    ]);
  });

  it('keeps the order in which the model wrote its calls', () => {
    const content = [asked('b', 'g'), asked(undefined), asked('a')];
    const calls = [done('a'), done('x'), done('b', undefined, 'g'), done('y')];
    const [entry] = entriesOf(user('1'), answer('2', content, calls));
    expect(messagesOf(entry)[1].tool_calls.map(({ id }: { id: string }) => id)).toEqual(['b', 'x', 'a', 'y']);
  });

  it('is a call where the client has not carried it out', () => {
    expect(saidIn(user('1'), answer('2', [asked('c')]), user('3'))).toEqual([
      ['user 1', 'assistant  c', 'user 3'],
    ]);
  });
});

describe('results', () => {
  it('of parallel calls keep their own images', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const all = [response('c', 'r'), image, response('d', 's')];
    const [, , first, second] = messagesOf(
      entriesOf(user('1'), answer('2', '', [done('c', all), done('d', all)]), answer('3'))[0],
    );
    expect(first.content).toEqual([
      { type: 'text', text: 'r' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ]);
    expect(second.content).toBe('s');
  });

  it('without an id answer the open calls of the last answer', () => {
    const none = [response(undefined, 'r'), response(undefined, 's')];
    const calls = [user('1'), answer('0', '', [done('z')]), answer('2', [asked('c'), asked('d')])];
    expect(saidIn(...calls, user('3', none), answer('4'))).toEqual([
      ['user 1', 'assistant  z', 'assistant  c d', 'tool r of c', 'tool s of d', 'assistant 4'],
    ]);
    const answered = answer('2', '', [done('c', [response('c', 'r')])]);
    expect(saidIn(user('1'), answered, user('3', none.slice(0, 1)), answer('4'))).toEqual([
      ['user 1', 'assistant  c', 'tool r of c', 'assistant 4'],
    ]);
    const [orphan] = entriesOf(user('1'), user('3', none.slice(0, 1)), answer('4'));
    expect(messagesOf(orphan)[1]).toEqual({ role: 'tool', content: 'r' });
  });

  it('are JSON text if they have more than one member', () => {
    const result = [{ functionResponse: { id: 'c', response: { output: 'r', code: 1 } } }];
    expect(saidIn(user('1'), answer('2', '', [done('c', result)]))[0]?.at(-1)).toBe(
      'tool {"output":"r","code":1} of c',
    );
  });
});

describe('parts of an answer', () => {
  it('may be thoughts, in place of their summaries', () => {
    const content = [{ text: 'hm', thought: true }, { text: 'a' }, { text: '' }];
    const [entry] = entriesOf(user('1'), { ...answer('2', content), thoughts: [{ subject: 'x' }] });
    expect(messagesOf(entry)[1]).toEqual({ role: 'assistant', content: 'a', reasoning_content: 'hm' });
    expect(rulesOf(entry)).toContain('reasoning-summary');
  });

  it('may have sealed reasoning with them', () => {
    const sealed = { thoughtSignature: 'x' };
    const content = [{ text: '', ...sealed }, { text: 'a', ...sealed }, { ...asked('c'), ...sealed }, sealed];
    const [entry] = entriesOf(user('1'), answer('2', content, [done('c')]));
    expect(messagesOf(entry)[1].content).toBe('a');
    expect(messagesOf(entry)[1].tool_calls).toHaveLength(1);
    expect(rulesOf(entry)).toContain('reasoning-sealed');
    expect(entry?.changes.get('sealed-reasoning')).toBe(1);
  });
});
