import { describe, expect, it } from 'vitest';
import pi from '../../../transforms/dialects/pi.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

function elementsOf(...objects: readonly object[]) {
  return readLog(
    pi.create(),
    objects.map((object) => JSON.stringify(object)),
  );
}

/** Texts of each conversation. */
function conversationsOf(...objects: readonly object[]): readonly string[][] {
  const entries = elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { role, content } = JSON.parse(text(bytes));
      return `${role} ${content}`;
    }),
  );
}

const head = { type: 'session', version: 3, id: 's', cwd: '/' };
const user = (id: string, parentId: string | null, content = id) => ({
  ...{ type: 'message', id, parentId },
  message: { role: 'user', content },
});
const answer = (id: string, parentId: string, content = id) => ({
  ...{ type: 'message', id, parentId },
  message: { role: 'assistant', content: [{ type: 'text', text: content }] },
});
const compaction = (id: string, parentId: string, firstKeptEntryId: string) => ({
  ...{ type: 'compaction', id, parentId },
  ...{ summary: 'sum', firstKeptEntryId },
});

describe('pi', () => {
  it('goes back twice and then to an abandoned branch', () => {
    const lines = [head, user('1', null), answer('2', '1'), user('3', '2'), answer('4', '3')];
    const back = [user('5', '2'), answer('6', '5'), user('7', '4'), answer('8', '7')];
    expect(conversationsOf(...lines, ...back)).toEqual([
      ['user 1', 'assistant 2', 'user 5', 'assistant 6'],
      ['user 1', 'assistant 2', 'user 3', 'assistant 4', 'user 7', 'assistant 8'],
    ]);
  });

  it('writes nothing twice if nothing follows after going back', () => {
    const lines = [head, user('1', null), answer('2', '1'), user('3', '2'), answer('4', '3')];
    const message = { role: 'assistant', content: [], stopReason: 'aborted' };
    const stopped = { type: 'message', id: '5', parentId: '2', message };
    expect(conversationsOf(...lines, stopped)).toEqual([['user 1', 'assistant 2', 'user 3', 'assistant 4']]);
    expect(conversationsOf(...lines, stopped, user('6', '2'))).toEqual([
      ['user 1', 'assistant 2', 'user 6'],
      ['user 1', 'assistant 2', 'user 3', 'assistant 4'],
    ]);
  });

  it('starts over before the first message for a null parent', () => {
    expect(
      conversationsOf(head, user('1', null), answer('2', '1'), user('3', null), answer('4', '3')),
    ).toEqual([
      ['user 3', 'assistant 4'],
      ['user 1', 'assistant 2'],
    ]);
  });

  it('keeps messages from the one that a compaction names, or after an entry without a message', () => {
    const model = { type: 'model_change', id: '2m', parentId: '2' };
    const lines = [head, user('1', null), answer('2', '1'), model, user('3', '2m'), answer('4', '3')];
    for (const first of ['3', '2m'])
      expect(conversationsOf(...lines, compaction('5', '4', first), user('6', '5'))).toEqual([
        ['user 1', 'assistant 2', 'user 3', 'assistant 4'],
        ['user sum', 'user 3', 'assistant 4', 'user 6'],
      ]);
    expect(conversationsOf(...lines, compaction('5', '4', 'none'), user('6', '5'))[1]).toEqual([
      'user sum',
      'user 6',
    ]);
  });

  it('reads compactions of Factory Droid, and drops its other states', () => {
    const state = (more: object) => ({
      type: 'compaction_state',
      id: 'c',
      summaryText: 'So far: a.',
      ...more,
    });
    const todos = { type: 'todo_state', id: 't', todos: { todos: '1. [pending] Sow the beans.' } };
    const lines = [head, user('1', null), answer('2', '1'), todos, user('3', '2'), answer('4', '3')];
    const more = [user('5', '4'), answer('6', '5')];
    const whole = ['user 1', 'assistant 2', 'user 3', 'assistant 4'];
    expect(conversationsOf(...lines, state({ anchorMessage: { id: '2', index: 1 } }), ...more)).toEqual([
      whole,
      ['user So far: a.', 'user 3', 'assistant 4', 'user 5', 'assistant 6'],
    ]);
    for (const anchor of [{ anchorMessage: { id: '4', index: 3 } }, {}])
      expect(conversationsOf(...lines, state(anchor), ...more)).toEqual([
        whole,
        ['user So far: a.', 'user 5', 'assistant 6'],
      ]);
    expect(elementsOf(...lines, ...more).filter(({ kind }) => kind === 'rejection')).toEqual([]);
  });

  it('goes back if an entry about the client is the first one there', () => {
    const model = (parentId: string | null) => ({ type: 'model_change', id: 'm', parentId });
    const lines = [head, user('1', null), answer('2', '1'), user('3', '2'), answer('4', '3')];
    const left = ['user 1', 'assistant 2', 'user 3', 'assistant 4'];
    expect(conversationsOf(...lines, model('2'), user('5', 'm'), answer('6', '5'))).toEqual([
      ['user 1', 'assistant 2', 'user 5', 'assistant 6'],
      left,
    ]);
    expect(conversationsOf(...lines, model(null), user('5', 'm'), answer('6', '5'))).toEqual([
      ['user 5', 'assistant 6'],
      left,
    ]);
    for (const parent of ['4', 'lost'])
      expect(conversationsOf(...lines, model(parent), user('5', 'm'), answer('6', '5'))).toEqual([
        [...left, 'user 5', 'assistant 6'],
      ]);
    const compacted = [...lines, compaction('7', '4', 'none'), user('8', '7'), answer('9', '8')];
    expect(conversationsOf(...compacted, model('2'), user('5', 'm'), answer('6', '5'))).toEqual([
      left,
      ['user sum', 'user 8', 'assistant 9'],
      ['user 5', 'assistant 6'],
    ]);
  });

  it('begins a conversation when it goes back before a compaction', () => {
    const lines = [head, user('1', null), answer('2', '1'), user('3', '2'), compaction('4', '3', '3')];
    const more = [answer('5', '4'), user('6', '2'), answer('7', '6'), user('8', null), answer('9', '8')];
    const first = ['user 1', 'assistant 2', 'user 3'];
    const ends = [
      ['user 6', 'assistant 7'],
      ['user 8', 'assistant 9'],
    ];
    expect(conversationsOf(...lines, ...more)).toEqual([
      first,
      ['user sum', 'user 3', 'assistant 5'],
      ...ends,
    ]);
    expect(conversationsOf(...lines, ...more.slice(1))).toEqual([first, ...ends]);
    const entries = elementsOf(...lines, ...more).filter(({ kind }) => kind === 'entry') as Entry[];
    const missing = entries.map(({ messages }) =>
      messages[0]?.notes?.some(({ rule }) => rule === 'parent-missing'),
    );
    expect(missing).toEqual([false, false, true, false]);
  });

  it('reads each message in the output of --mode json once, at its end', () => {
    const ask = { role: 'user', content: [{ type: 'text', text: 'a' }] };
    const say = { role: 'assistant', content: [{ type: 'text', text: 'b' }] };
    const lines = [
      ...[head, { type: 'agent_start' }, { type: 'turn_start' }],
      ...[
        { type: 'message_start', message: ask },
        { type: 'message_end', message: ask },
      ],
      ...[{ type: 'message_start', message: { ...say, content: [] } }, { type: 'message_update' }],
      ...[
        { type: 'message_end', message: say },
        { type: 'turn_end', message: say, toolResults: [] },
      ],
      { type: 'agent_end', messages: [ask, say] },
    ];
    expect(conversationsOf(...lines)).toEqual([['user a', 'assistant b']]);
    const [entry] = elementsOf(...lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).not.toContain('unknown-event');
  });

  it('drops the copies of answers that OpenClaw logs when it delivers them', () => {
    const mirror = (id: string, parentId: string, model: string) => {
      const { message, ...entry } = answer(id, parentId, 'copy');
      return { ...entry, message: { ...message, provider: 'openclaw', model, stopReason: 'stop' } };
    };
    const lines = [head, user('1', null), answer('2', '1'), mirror('3', '2', 'delivery-mirror')];
    const more = [
      user('4', '3'),
      mirror('5', '4', 'gateway-injected'),
      answer('6', '5'),
      mirror('7', '6', 'm'),
    ];
    const elements = elementsOf(...lines, ...more);
    expect(conversationsOf(...lines, ...more)).toEqual([
      ['user 1', 'assistant 2', 'user 4', 'assistant 6', 'assistant copy'],
    ]);
    const fates = elements.flatMap((element) => (element.kind === 'fate' ? element.fate : []));
    expect(fates).toEqual(['dropped:synthetic-message', 'dropped:synthetic-message']);
  });

  it('drops messages of extensions and summaries that are repeated', () => {
    const custom = {
      type: 'custom_message',
      id: '3',
      parentId: '2',
      role: 'user',
      content: 'note',
      customType: 'x',
    };
    const summary = { type: 'branch_summary', id: '4', parentId: '3', summary: 'Left early.' };
    const lines = [head, user('1', null), answer('2', '1'), custom, summary, compaction('5', '4', '2')];
    const again = elementsOf(...lines, custom, summary, compaction('5', '4', '2'), user('6', '5'));
    expect(again.filter(({ kind }) => kind === 'rejection')).toEqual([]);
    const fates = again.filter(({ kind }) => kind === 'fate');
    expect(fates).toMatchObject(Array(3).fill({ fate: 'dropped:copied-line' }));
  });

  it('drops repeated lines, also from before a compaction', () => {
    const lines = [head, user('1', null), answer('2', '1'), compaction('3', '2', '2'), user('4', '3')];
    const fates = elementsOf(...lines, user('1', null), user('4', '3')).filter(({ kind }) => kind === 'fate');
    expect(fates).toMatchObject(Array(2).fill({ fate: 'dropped:copied-line' }));
  });

  it('begins a session with another header', () => {
    const lines = [head, user('1', null), { ...head, id: 't' }, user('1', null)];
    const entries = elementsOf(...lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
    expect(entries.map(({ sessionId }) => sessionId)).toEqual(['s', 't']);
  });

  it('keeps the text of a model that was stopped', () => {
    const stopped = { role: 'assistant', content: [{ type: 'text', text: 'b' }], stopReason: 'error' };
    const [entry] = elementsOf(head, user('1', null), {
      type: 'message',
      id: '2',
      parentId: '1',
      message: stopped,
    });
    expect((entry as Entry).reply?.notes).toMatchObject([{ rule: 'interrupted' }]);
  });

  const call = { type: 'toolCall', id: 'c', name: 'f', arguments: {} };

  it('leaves out a stopped answer if the model answers again, which did not see it', () => {
    const [first, again] = [user('1', null), answer('3', '2')];
    const stop = (stopReason: string, content: object[] = [{ type: 'text', text: 'half' }]) => ({
      ...{ type: 'message', id: '2', parentId: '1', message: { role: 'assistant', content, stopReason } },
    });
    for (const one of [stop('error'), stop('aborted'), stop('error', [call])]) {
      expect(conversationsOf(head, first, one, again)).toEqual([['user 1', 'assistant 3']]);
      const [entry] = elementsOf(head, first, one, again) as readonly Entry[];
      expect([...(entry?.changes ?? [])]).toContainEqual(['not-by-model', 1]);
    }
    expect(conversationsOf(head, first, stop('aborted'), user('3', '2'), answer('4', '3'))).toEqual([
      ['user 1', 'user 3', 'assistant 4'],
    ]);
    const compaction = { type: 'compaction', id: '3', parentId: '2', summary: 'sum', firstKeptEntryId: '1' };
    expect(conversationsOf(head, first, stop('error'), compaction, answer('4', '3'))[1]).toEqual([
      ...['user sum', 'user 1', 'assistant 4'],
    ]);
  });

  it('keeps a stopped answer of which a call ran', () => {
    const stopped = { role: 'assistant', content: [call], stopReason: 'aborted' };
    const result = { role: 'toolResult', toolCallId: 'c', content: 'r' };
    const lines = [stopped, result].map((message, i) => ({
      ...{ type: 'message', id: `${i + 2}`, parentId: `${i + 1}`, message },
    }));
    expect(conversationsOf(head, user('1', null), ...lines, answer('4', '3'))).toEqual([
      ['user 1', 'assistant undefined', 'tool r', 'assistant 4'],
    ]);
  });

  it.each([
    ['without a type', { id: 'x' }],
    ['whose message is missing', { type: 'message', id: 'x' }],
    ['of an unknown role', { type: 'message', message: { role: 'manager', content: 'a' } }],
    ['whose summary is missing', { type: 'compaction', id: 'x' }],
    ['whose branch has no summary', { type: 'branch_summary', id: 'x' }],
    ['of an unknown type with content', { type: 'user/message', data: { content: [{ text: 'a' }] } }],
    ['of an unknown type with a call', { type: 'tool/call', data: { name: 'f', arguments: '{}' } }],
  ])('rejects an entry %s', (_what, line) => {
    expect(elementsOf(line)).toMatchObject([{ kind: 'rejection', reason: 'bad-event' }]);
  });

  it('rejects an answer that names another speaker, also one that is repeated', () => {
    const [first, said] = [user('1', null), answer('2', '1')];
    const typed = { ...said, message: { ...said.message, sender: 'human' } };
    const rejected = { kind: 'rejection', reason: 'unknown-speaker' };
    expect(elementsOf(head, first, typed)).toContainEqual(expect.objectContaining(rejected));
    expect(elementsOf(head, first, said, typed)).toContainEqual(expect.objectContaining(rejected));
    const kept = {
      type: 'compaction',
      id: '3',
      parentId: '2',
      summary: 'sum',
      retainedTail: [typed.message],
    };
    expect(elementsOf(head, first, said, kept)).toContainEqual(expect.objectContaining(rejected));
  });

  it('detects its own header but not that of a session trace', () => {
    const detects = (first: object): unknown =>
      pi.detect(new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])));
    expect(detects(head)).toBe(true);
    expect(detects({ type: 'session', id: 's', cwd: '/' })).toBe(true);
    expect(detects({ type: 'session', id: 's', harness: 'pi', cwd: '/' })).toBe(false);
    expect(detects({ type: 'session', id: 's', createdAt: 1770112800000, cwd: '/', version: 0 })).toBe(false);
    expect(detects({ type: 'session', id: 's' })).toBe(false);
  });

  it('detects events without a header', () => {
    const detects = (type: string, message: object): unknown =>
      pi.detect(
        new Map(
          Object.entries({ type, message }).map(([key, value]) => [key, asBuffer(JSON.stringify(value))]),
        ),
      );
    const said = { role: 'user', content: 'a', timestamp: 1770112800000 };
    expect(detects('message_end', said)).toBe(true);
    expect(detects('message_stop', said)).toBe(false);
    expect(detects('message_start', { role: 'assistant', content: [], id: 'msg_1' })).toBe(false);
  });

  it('detects messages without a header', () => {
    const detects = (message: object, more: object = {}): unknown =>
      pi.detect(
        new Map(
          Object.entries({ type: 'message', message, ...more }).map(([key, value]) => [
            key,
            asBuffer(JSON.stringify(value)),
          ]),
        ),
      );
    const answer = { role: 'assistant', content: [{ type: 'thinking', thinking: 't' }] };
    expect(detects(answer)).toBe(true);
    expect(detects({ role: 'toolResult', toolCallId: 'c', content: [] })).toBe(true);
    expect(detects(answer, { id: 'a', parentId: null })).toBe(true);
    expect(detects(answer, { id: 'a' })).toBe(false);
    expect(detects({ ...answer, content: 'text' })).toBe(false);
    expect(detects({ ...answer, content: [{ type: 'output_text', text: 't' }] })).toBe(false);
  });

  it('reads the messages that a compaction holds itself, as context', () => {
    const retainedTail = [
      { role: 'user', content: '3' },
      { role: 'assistant', content: [call] },
      { role: 'toolResult', toolCallId: 'c', content: 'r' },
      { role: 'assistant', content: [], stopReason: 'aborted' },
      { role: 'note' },
    ];
    const lines = [head, user('1', null), answer('2', '1'), user('3', '2')];
    const compacted = { type: 'compaction', id: '4', parentId: '3', summary: 'sum', retainedTail };
    const all = [...lines, compacted, answer('5', '4')];
    expect(conversationsOf(...all)[1]).toEqual([
      ...['user sum', 'user 3', 'assistant undefined', 'tool r', 'assistant 5'],
    ]);
    const [, entry] = elementsOf(...all) as readonly Entry[];
    expect(text(entry?.meta?.get('copied') as Uint8Array)).toBe('4');
    const kept = { ...compacted, firstKeptEntryId: '3' };
    expect(conversationsOf(...lines, kept, answer('5', '4'))[1]).toEqual([
      ...['user sum', 'user 3', 'assistant 5'],
    ]);
  });

  it('loses no words of the messages that a compaction holds', () => {
    const compactedWith = (retainedTail: unknown) =>
      elementsOf(
        ...[head, user('1', null), answer('2', '1')],
        { type: 'compaction', id: '3', parentId: '2', summary: 'sum', retainedTail },
        answer('4', '3'),
      );
    for (const tail of [{ role: 'user', content: 'a b' }, [{ role: 'advisor', content: 'Wait for May.' }]])
      expect(compactedWith(tail)).toContainEqual(expect.objectContaining({ reason: 'bad-event' }));
    const entries = compactedWith([{ role: 'user', content: '2', aside: 'Wait for May.' }]) as Entry[];
    const rules = entries.map(({ messages }) =>
      messages.flatMap(({ notes = [] }) => notes.map((n) => n.rule)),
    );
    expect(rules.map((of) => of.includes('unread-text'))).toEqual([false, true]);
  });

  it('says that the first message follows one that is not there', () => {
    const rulesOf = (parent: string | null) =>
      (elementsOf(head, user('2', parent), answer('3', '2')) as readonly Entry[]).flatMap(({ messages }) =>
        messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)),
      );
    expect(rulesOf('1')).toContain('parent-missing');
    expect(rulesOf(null)).not.toContain('parent-missing');
    expect(rulesOf('s')).not.toContain('parent-missing');
  });

  it('says that a compaction names a kept message that is not there', () => {
    const rulesOf = (kept: string) =>
      (
        elementsOf(head, user('1', null), compaction('2', '1', kept), answer('3', '2')) as readonly Entry[]
      ).map(({ messages }) => messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)));
    expect(rulesOf('9')[1]).toContain('parent-missing');
    expect(rulesOf('1')[1]).not.toContain('parent-missing');
    expect(rulesOf('')[1]).not.toContain('parent-missing');
  });

  it('drops changes of tools and of the leaf without a finding', () => {
    const lines = ['active_tools_change', 'leaf'].map((type, i) => ({ type, id: `x${i}`, parentId: '1' }));
    const [entry] = elementsOf(head, user('1', null), ...lines, answer('2', '1')).filter(
      ({ kind }) => kind === 'entry',
    ) as readonly Entry[];
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).not.toContain('unknown-event');
  });
});
