/** Sessions of goose. */
import { describe, expect, it } from 'vitest';
import goose from '../../../transforms/dialects/goose.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

function elementsOf({ create }: typeof goose, ...objects: readonly object[]) {
  return readLog(
    create(),
    objects.map((object) => JSON.stringify(object)),
  );
}

const detects = ({ detect }: typeof goose, first: object): unknown =>
  detect(new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])));

function messagesOf({ messages, reply }: Entry): readonly unknown[] {
  const all = [...messages, ...(reply === undefined ? [] : [reply])];
  return all.map(({ bytes }) => JSON.parse(text(bytes)));
}

const words = (role: string, content: string, more: object = {}) => ({
  ...{ role, created: 1 },
  ...{ content: [{ type: 'text', text: content }], ...more },
});

describe('goose', () => {
  it('detects exports and heads of older sessions', () => {
    expect(detects(goose, { conversation: [], working_dir: '/' })).toBe(true);
    expect(detects(goose, { working_dir: '/', description: 'd' })).toBe(true);
    expect(detects(goose, { conversation: [] })).toBe(false);
  });

  it('detects messages of older sessions whose header is lost', () => {
    const line = words('user', 'a');
    expect(detects(goose, line)).toBe(true);
    expect(detects(goose, { ...line, created: '2026-02-03' })).toBe(false);
    expect(detects(goose, { ...line, ts: 1 })).toBe(false);
    expect(detects(goose, { ...line, content: 'a' })).toBe(false);
    expect(detects(goose, { ...line, content: [{ type: 'input_text', text: 'a' }] })).toBe(false);
  });

  it('reads results in both forms, and rejects a call that goose could not read', () => {
    const request = (id: string, toolCall: object) => ({ type: 'toolRequest', id, toolCall });
    const response = (id: string, toolResult: object) => ({ type: 'toolResponse', id, toolResult });
    const calls = [
      request('a', { name: 'f', arguments: { n: 1 } }),
      request('b', { status: 'success', value: { name: 'g' } }),
    ];
    const results = [response('b', { error: 'x' }), response('a', [{ type: 'text', text: 'r' }])];
    const conversation = [
      { role: 'assistant', created: 1, content: calls },
      { role: 'user', created: 2, content: [...results, { type: 'text', text: 'more' }] },
    ];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    expect(messagesOf(entry as Entry)).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":1}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r' }] },
      { role: 'tool', tool_call_id: 'b', content: 'x' },
      { role: 'user', content: 'more' },
    ]);
    const unread = {
      role: 'assistant',
      created: 1,
      content: [request('b', { status: 'error', error: 'x' })],
    };
    expect(elementsOf(goose, { conversation: [unread], working_dir: '/' })).toMatchObject([
      { reason: 'unknown-content' },
    ]);
  });

  it('counts a compacted export as two lines and any other as one', () => {
    const hidden = { metadata: { agentVisible: false } };
    const sum = words('user', 'sum', { metadata: { userVisible: false, agentVisible: true } });
    const conversation = [
      words('user', 'a', hidden),
      words('assistant', 'b', hidden),
      sum,
      words('user', 'c'),
    ];
    const kinds = elementsOf(goose, { conversation, working_dir: '/' }).map(({ kind }) => kind);
    expect(kinds).toEqual(['repair', 'entry', 'entry']);
    const whole = conversation.map(({ role, created, content }) => ({ role, created, content }));
    expect(elementsOf(goose, { conversation: whole, working_dir: '/' })).toHaveLength(1);
  });

  it('divides what several compactions have hidden at the summaries of the earlier ones', () => {
    const hidden = { metadata: { userVisible: true, agentVisible: false } };
    const unseen = { metadata: { userVisible: false, agentVisible: false } };
    const added = { metadata: { userVisible: false, agentVisible: true } };
    const conversation = [
      ...[words('user', 'a', hidden), words('assistant', 'b', hidden), words('user', 'c', unseen)],
      ...[words('user', 'sum 1', unseen), words('assistant', 'go on', unseen), words('user', 'c', hidden)],
      words('assistant', 'd', hidden),
      ...[words('user', 'sum 2', added), words('assistant', 'go on', added), words('user', 'e')],
    ];
    const entries = elementsOf(goose, { conversation, working_dir: '/' }).filter(
      (element): element is Entry => element.kind === 'entry',
    );
    const texts = entries.map((entry) =>
      messagesOf(entry).map((one) => (one as { readonly content: unknown }).content),
    );
    expect(texts).toEqual([
      ['a', 'b', 'c'],
      ['sum 1', 'go on', 'c', 'd'],
      ['sum 2', 'go on', 'e'],
    ]);
    const copied = entries.map(({ meta }) => meta?.get('copied'));
    expect(copied.map((count) => count && text(count))).toEqual([undefined, '2', '2']);
  });

  it('drops an export without messages and rejects one whose list holds anything else', () => {
    expect(elementsOf(goose, { conversation: [], working_dir: '/' })).toMatchObject([
      { fate: 'dropped:client-event' },
    ]);
    expect(elementsOf(goose, { conversation: [{ role: 'user' }], working_dir: '/' })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
  });

  it('keeps calls of which the model sees a summary later, and says so', () => {
    const hidden = { metadata: { userVisible: true, agentVisible: false } };
    const call = { type: 'toolRequest', id: 'a', toolCall: { status: 'success', value: { name: 'f' } } };
    const result = { type: 'toolResponse', id: 'a', toolResult: { value: [{ type: 'text', text: 'r' }] } };
    const conversation = [
      words('user', 'q'),
      { role: 'assistant', created: 1, content: [call], ...hidden },
      { role: 'user', created: 1, content: [result], ...hidden },
      words('assistant', 'a'),
      words('user', 'f was called', { metadata: { userVisible: false, agentVisible: true } }),
      words('assistant', 'b'),
    ];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    const roles = entry && messagesOf(entry).map((one) => (one as { readonly role: string }).role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toContain('context-cut');
  });

  it('leaves out errors that goose writes as texts of the model', () => {
    const error = 'Ran into this error: Server error: 500.';
    const retry = '\n\nPlease retry if you think this is a transient or recoverable error.';
    const own = words('assistant', `"${error}" is what goose says.`);
    const conversation = [words('user', 'q'), words('assistant', error + retry), words('user', 'r'), own];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    const texts = entry && messagesOf(entry).map((one) => (one as { readonly content: unknown }).content);
    expect(texts).toEqual(['q', 'r', `"${error}" is what goose says.`]);
  });

  it('leaves out blocks and parts of results that only the user sees', () => {
    const seen = { type: 'text', text: 'raw', annotations: { audience: ['assistant'] } };
    const shown = { type: 'text', text: 'pretty', annotations: { audience: ['user'] } };
    const value = { content: [seen, shown, { type: 'text', text: 'both', annotations: { priority: 0 } }] };
    const call = { type: 'toolRequest', id: 'a', toolCall: { status: 'success', value: { name: 'f' } } };
    const conversation = [
      words('user', 'q'),
      { role: 'assistant', created: 1, content: [call, { type: 'toolConfirmationRequest', id: 'a' }] },
      { role: 'assistant', created: 1, content: [{ type: 'systemNotification', msg: 'x' }] },
      { role: 'user', created: 1, content: [{ type: 'toolResponse', id: 'a', toolResult: { value } }] },
      { role: 'assistant', created: 1, content: [shown, seen] },
    ];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    expect(messagesOf(entry as Entry).slice(1)).toEqual([
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      {
        ...{ role: 'tool', tool_call_id: 'a' },
        content: [seen, value.content[2]].map((part) => ({ type: 'text', text: part?.text })),
      },
      { role: 'assistant', content: 'raw' },
    ]);
    expect(entry?.changes.get('not-by-model')).toBe(3);
    expect(entry?.reply?.notes).toBeUndefined();
  });

  it.each([
    'The existing call to developer__shell was interrupted. How would you like to proceed?',
    'We interrupted the existing call to bash. How would you like to proceed?',
    'We interrupted the existing calls to tools. How would you like to proceed?',
    'The tool calling loop was interrupted. How would you like to proceed?',
    'Maximum retry attempts (3) exceeded. Unable to complete the task successfully.',
  ])('leaves out what goose says when it stops: %s', (said) => {
    const conversation = [words('user', 'a'), words('assistant', said), words('user', said)];
    const all = [...conversation, words('assistant', 'b')];
    const [entry] = elementsOf(goose, { conversation: all, working_dir: '/' }) as readonly Entry[];
    const left = messagesOf(entry as Entry) as readonly { readonly content: string }[];
    expect(left.map(({ content }) => content)).toEqual(['a', said, 'b']);
  });

  it('does not divide a conversation at a notice that only the user sees', () => {
    const metadata = { agentVisible: false };
    const notice = { role: 'assistant', created: 1, content: [{ type: 'error', message: 'x' }], metadata };
    const conversation = [words('user', 'a'), notice, words('user', 'b'), words('assistant', 'c')];
    const entries = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    expect(entries).toHaveLength(1);
    expect(messagesOf(entries[0] as Entry)).toHaveLength(3);
  });

  describe('messages that the model does not see, without a compaction', () => {
    const hidden = { metadata: { userVisible: true, agentVisible: false } };
    const added = { metadata: { userVisible: false, agentVisible: true } };
    const command = [words('user', '/list', hidden), words('assistant', 'none', hidden)];
    const turn = [words('user', 'a'), words('assistant', 'b')];
    const expanded = [
      words('user', '/dig now', hidden),
      words('user', 'dig', added),
      words('assistant', 'c'),
    ];

    it.each([
      ['a command and its answer in the middle', [...turn, ...command, words('user', 'c')], 'abc', 2],
      ['a command and its answer at the end', [...turn, ...command], 'ab', 2],
      ['a command and its answer at the beginning', [...command, ...turn], 'ab', 2],
      ['a command before its prompt', [...turn, ...expanded], 'abdigc', 1],
      ['a command before its prompt at the beginning', expanded, 'digc', 1],
      ['two commands at the beginning', [...command, ...expanded], 'digc', 3],
      ['a message whose summary follows', [...turn, ...command, words('user', 's', added)], 'abs', 2],
    ])('are left out: %s', (_, conversation, said, left) => {
      const entries = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
      expect(entries).toHaveLength(1);
      const all = messagesOf(entries[0] as Entry) as readonly { readonly content: string }[];
      expect(all.map(({ content }) => content).join('')).toBe(said);
      expect(entries[0]?.changes.get('not-by-model')).toBe(left);
    });

    it('are left out after a compaction too', () => {
      const before = [words('user', 'a', hidden), words('assistant', 'b', hidden)];
      const conversation = [...before, words('user', 'sum', added), ...command, words('user', 'c')];
      const elements = elementsOf(goose, { conversation, working_dir: '/' });
      const entries = elements.filter((element): element is Entry => element.kind === 'entry');
      expect(entries.map((entry) => messagesOf(entry).length)).toEqual([2, 2]);
      expect(entries[1]?.changes.get('not-by-model')).toBe(2);
    });

    it('are dropped in lines, and with a session of nothing else', () => {
      const [user, answer, question] = [...command, words('user', 'c')];
      const lines = elementsOf(
        goose,
        words('user', 'a'),
        user as object,
        answer as object,
        question as object,
      );
      expect(lines.flatMap((one) => ('fate' in one ? [one.fate] : []))).toContain('dropped:client-event');
      expect(messagesOf(lines.find(({ kind }) => kind === 'entry') as Entry)).toHaveLength(2);
      expect(elementsOf(goose, { conversation: command, working_dir: '/' })).toMatchObject([
        { fate: 'dropped:client-event' },
      ]);
    });
  });

  it.each([42, true, { content: 42 }])('does not take a result for an empty one: %j', (value) => {
    const call = { type: 'toolRequest', id: 'a', toolCall: { value: { name: 'f' } } };
    const result = { type: 'toolResponse', id: 'a', toolResult: { status: 'success', value } };
    const conversation = [
      { role: 'assistant', created: 1, content: [call] },
      { role: 'user', created: 1, content: [result] },
    ];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    const notes = [entry?.reply, ...(entry?.messages ?? [])].flatMap((one) => one?.notes ?? []);
    expect(notes.map(({ rule }) => rule)).toContain('unread-text');
  });

  it('reads reasoning of both kinds as thoughts', () => {
    const content = [
      ...[
        { type: 'reasoning', text: 'a' },
        { type: 'thinking', thinking: 'b', signature: 's' },
      ],
      { type: 'text', text: 'c' },
    ];
    const conversation = [words('user', 'q'), { role: 'assistant', created: 1, content }];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    expect(messagesOf(entry as Entry)[1]).toEqual({
      role: 'assistant',
      content: 'c',
      reasoning_content: 'a\nb',
    });
  });

  it('reads a result that has only structured content', () => {
    const toolResult = { value: { content: [], structuredContent: { n: 1 } } };
    const conversation = [
      {
        role: 'assistant',
        created: 1,
        content: [{ type: 'toolRequest', id: 'a', toolCall: { value: { name: 'f' } } }],
      },
      { role: 'user', created: 1, content: [{ type: 'toolResponse', id: 'a', toolResult }] },
    ];
    const [entry] = elementsOf(goose, { conversation, working_dir: '/' }) as readonly Entry[];
    expect(messagesOf(entry as Entry)[1]).toMatchObject({ role: 'tool', content: '{"n":1}' });
  });

  it('begins a session with another head', () => {
    const head = { working_dir: '/', description: 'd' };
    const elements = elementsOf(goose, head, words('user', 'a'), head, words('user', 'b'));
    expect(elements.filter(({ kind }) => kind === 'entry')).toHaveLength(2);
  });
});
