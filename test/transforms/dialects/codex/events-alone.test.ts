/** Rollouts in which events have texts that no item has. */
import { describe, expect, it } from 'vitest';
import codex from '../../../../transforms/dialects/codex.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const item = (payload: object) => ({ type: 'response_item', payload });
const event = (payload: object) => ({ type: 'event_msg', payload });
const say = (role: string, words: string) => {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return item({ type: 'message', role, content: [{ type, text: words }] });
};
const call = (call_id: string, more: object = {}) =>
  item({ type: 'function_call', name: 'read', call_id, arguments: '{"a":1}', ...more });
const result = (call_id: string, output: unknown) => item({ type: 'function_call_output', call_id, output });
const head = { type: 'session_meta', payload: { id: 's' } };

function elementsOf(...objects: readonly object[]) {
  const lines =
    objects[0] !== undefined && 'type' in objects[0] && objects[0].type === head.type ? [] : [head];
  return readLog(
    codex.create(),
    [...lines, ...objects].map((object) => JSON.stringify(object)),
  );
}

const entriesOf = (...objects: readonly object[]): readonly Entry[] =>
  elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];

/** The messages of an entry, as in the log. */
function messagesOf(entry: Entry | undefined) {
  const { messages = [], reply } = entry ?? {};
  return [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes)));
}

const saidIn = (...objects: readonly object[]): readonly string[][] =>
  entriesOf(...objects).map((entry) => messagesOf(entry).map(({ role, content }) => `${role} ${content}`));

const fatesOf = (...objects: readonly object[]) =>
  elementsOf(...objects).flatMap((element) => (element.kind === 'fate' ? element.fate : []));

const rulesOf = (entry: Entry | undefined) =>
  [...(entry?.messages ?? []), ...(entry?.reply ? [entry.reply] : [])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );

it('reports words in a member that is not known of the first item after events', () => {
  const said = event({ type: 'user_message', message: 'q' });
  const asked = item({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'q' }],
    aside: 'two words',
  });
  expect(rulesOf(entriesOf(said, asked, say('assistant', 'a'))[0])).toContain('unread-text');
});

describe('a rollout whose items say nothing', () => {
  const said = (type: string, message: string) => event({ type, message });
  const context = say('user', '<environment_context>x</environment_context>');

  it('is read from its events, without what the client inserted', () => {
    const lines = [context, said('user_message', 'q'), said('agent_message', 'a')];
    expect(saidIn(...lines)).toEqual([['user q', 'assistant a']]);
    expect(fatesOf(...lines)).toEqual(['dropped:client-event', 'dropped:client-event']);
  });

  it('goes back, and is interrupted, as its events say', () => {
    const turns = [1, 2].flatMap((n) => [said('user_message', `q${n}`), said('agent_message', `a${n}`)]);
    const back = event({ type: 'thread_rolled_back', num_turns: 1 });
    const lines = [...turns, back, said('user_message', 'q3'), event({ type: 'turn_aborted' })];
    expect(saidIn(...lines)[0]).toEqual(['user q1', 'assistant a1', 'user q3']);
    expect(rulesOf(entriesOf(...lines)[0])).toContain('interrupted');
  });

  it('is not read twice if items follow', () => {
    const lines = [
      said('user_message', 'q'),
      said('agent_message', 'a'),
      say('user', 'q'),
      say('assistant', 'a'),
    ];
    expect(saidIn(...lines)).toEqual([['user q', 'assistant a']]);
  });
});

describe('an answer that only an event has', () => {
  const told = (message: string) => event({ type: 'agent_message', message });

  it('is read once, before the next item', () => {
    const said = saidIn(say('user', 'a'), told('b'), say('user', 'c'), say('assistant', 'd'), told('d'));
    expect(said).toEqual([['user a', 'assistant b', 'user c', 'assistant d']]);
  });

  it('is not read again if its item comes later', () => {
    const late = [say('user', 'a'), told('b'), call('1'), result('1', 'x'), say('assistant', 'b')];
    expect(messagesOf(entriesOf(...late)[0]).map(({ content }) => content)).toEqual(['a', 'b', 'x']);
    expect(fatesOf(...late)).toContain('dropped:copied-line');
  });

  it('is not an event that repeats some lines of the item before or after it', () => {
    const whole = 'One.\n<plan>x</plan>\nTwo.';
    expect(saidIn(say('user', 'a'), say('assistant', whole), told('One.\n\nTwo.'))).toEqual([
      ['user a', `assistant ${whole}`],
    ]);
    expect(saidIn(say('user', 'a'), told('One.\n\nTwo.'), say('assistant', whole))).toEqual([
      ['user a', `assistant ${whole}`],
    ]);
  });

  it('is not a part of the answer to a question after it', () => {
    const asked = event({ type: 'user_message', message: 'c' });
    expect(saidIn(say('user', 'a'), told('Yes'), asked, say('assistant', 'Yes, all.'))).toEqual([
      ['user a', 'assistant Yes', 'user c', 'assistant Yes, all.'],
    ]);
  });

  it('rejects a conversation of events with an image', () => {
    const asked = event({ type: 'user_message', message: 'a', images: ['data:image/png;base64,AA=='] });
    expect(rulesOf(entriesOf(asked, told('b'))[0])).toContain('unread-text');
    const [entry] = entriesOf(asked, told('b'), say('user', 'a'), say('assistant', 'b'));
    expect(rulesOf(entry)).not.toContain('unread-text');
  });

  it('ends its conversation at a compaction', () => {
    const compacted = { type: 'compacted', payload: { message: 'sum' } };
    const said = saidIn(
      say('user', 'a'),
      told('b'),
      compacted,
      told('Compact task completed'),
      say('user', 'c'),
    );
    expect(said).toEqual([
      ['user a', 'assistant b'],
      ['user sum', 'user c'],
    ]);
  });

  it('is a conversation of its own before the first item, unless the items repeat it', () => {
    const asked = (message: string) => event({ type: 'user_message', message });
    expect(saidIn(asked('a'), told('b'), say('user', 'c'), say('assistant', 'd'))).toEqual([
      ['user a', 'assistant b'],
      ['user c', 'assistant d'],
    ]);
    expect(saidIn(asked('a'), told('b'), say('user', 'a'), say('assistant', 'b'))).toEqual([
      ['user a', 'assistant b'],
    ]);
    expect(saidIn(told('b'), say('assistant', 'b'))).toEqual([['assistant b']]);
  });
});

describe('a question that only an event has', () => {
  const asked = (message: string) => event({ type: 'user_message', message });
  const told = (message: string) => event({ type: 'agent_message', message });
  const completed = (type: string, ...texts: readonly string[]) =>
    event({
      type: 'item_completed',
      item: { type, content: texts.map((one) => ({ type: 'text', text: one })) },
    });
  const turn = [say('user', 'a'), asked('a'), say('assistant', 'b'), told('b')];
  const four = [['user a', 'assistant b', 'user c', 'assistant d']];

  it.each([
    ['between two answers', [...turn, asked('c'), say('assistant', 'd'), told('d')]],
    ['without other events', [say('user', 'a'), say('assistant', 'b'), asked('c'), say('assistant', 'd')]],
    [
      'after an answer that only an event has',
      [say('user', 'a'), told('b'), asked('c'), say('assistant', 'd')],
    ],
    ['before an answer that only an event has', [...turn, asked('c'), told('d')]],
    ['before its item', [...turn, asked('c'), say('user', 'c'), say('assistant', 'd')]],
    ['before its item and another answer', [...turn, asked('c'), say('assistant', 'd'), say('user', 'c')]],
    ['as an item too', [...turn, asked('c'), completed('UserMessage', 'c'), say('assistant', 'd')]],
    ['only as an item', [...turn, completed('UserMessage', 'c'), completed('AgentMessage', 'd'), told('d')]],
  ])('is read once, at its place: %s', (_, lines) => {
    expect(saidIn(...lines)).toEqual(four);
  });

  it('may be the first line, and the last one', () => {
    expect(saidIn(asked('a'), say('assistant', 'b'), asked('c'))).toEqual([
      ['user a', 'assistant b', 'user c'],
    ]);
    expect(saidIn(asked('a'), asked('c'), say('user', 'a'), say('assistant', 'b'))[0]).toContain('user c');
  });

  it('is none if an item has it with other texts around it', () => {
    const around = say('user', 'A file is open.\n\nc and\nmore');
    const answer = say('assistant', 'd');
    for (const lines of [
      [around, asked('c and\nmore'), completed('UserMessage', 'c and', 'more'), answer],
      [asked('c and\nmore'), say('developer', 'x'), around, answer],
    ])
      expect(saidIn(...turn, ...lines)[0]?.filter((one) => one.startsWith('user'))).toHaveLength(2);
    expect(saidIn(...turn, asked('<environment_context>x</environment_context>'), answer)[0]).toHaveLength(2);
  });

  it('may repeat one of another turn, and be short', () => {
    const again = [say('user', 'a and more'), asked('a and more'), say('assistant', 'e')];
    const said = saidIn(...turn, asked('a'), say('assistant', 'd'), ...again);
    expect(said).toEqual([
      ['user a', 'assistant b', 'user a', 'assistant d', 'user a and more', 'assistant e'],
    ]);
  });

  it('is read from the events of whole items alone', () => {
    const lines = [completed('UserMessage', 'a'), asked('a'), completed('AgentMessage', 'b'), told('b')];
    expect(saidIn(...lines)).toEqual([['user a', 'assistant b']]);
    const empty = event({ type: 'item_completed', item: { type: 'AgentMessage', content: [] } });
    expect(elementsOf(...turn, empty)).toContainEqual(expect.objectContaining({ reason: 'bad-event' }));
  });

  it('is taken back with its turn', () => {
    const back = event({ type: 'thread_rolled_back', num_turns: 1 });
    expect(saidIn(...turn, asked('c'), back, say('user', 'd'), asked('d'))).toContainEqual([
      'user a',
      'assistant b',
      'user d',
    ]);
  });
});
