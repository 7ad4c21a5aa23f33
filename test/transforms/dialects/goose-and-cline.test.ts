import { describe, expect, it } from 'vitest';
import cline from '../../../transforms/dialects/cline.ts';
import goose from '../../../transforms/dialects/goose.ts';
import messagesDialect from '../../../transforms/dialects/messages.ts';
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
    const conversation = [words('user', 'a', hidden), words('assistant', 'b', hidden), sum];
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
  });

  it('drops an export without messages and rejects one whose list holds anything else', () => {
    expect(elementsOf(goose, { conversation: [], working_dir: '/' })).toMatchObject([
      { fate: 'dropped:client-event' },
    ]);
    expect(elementsOf(goose, { conversation: [{ role: 'user' }], working_dir: '/' })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
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

describe('cline', () => {
  const message = (role: string, content: unknown) => ({ role, content, ts: 1770112800000 });

  it('detects messages with a time', () => {
    expect(detects(cline, message('user', 'a'))).toBe(true);
    expect(detects(cline, { role: 'user', content: 'a' })).toBe(false);
    expect(detects(cline, message('manager', 'a'))).toBe(false);
  });

  it('reports results that are texts only when calls have no other results', () => {
    const use = (id: string) => [{ type: 'tool_use', id, name: 'f', input: {} }];
    const notesOf = (...content: readonly unknown[]): readonly string[] => {
      const messages = content.map((one, i) => message(i % 2 === 0 ? 'user' : 'assistant', one));
      const [entry] = elementsOf(cline, ...messages) as readonly Entry[];
      return entry?.messages[0]?.notes?.map(({ rule }) => rule) ?? [];
    };
    expect(notesOf('a', use('x'), 'result', 'b')).toContain('results-as-text');
    const result = [{ type: 'tool_result', tool_use_id: 'x', content: 'r' }];
    expect(notesOf('a', use('x'), result, 'b')).not.toContain('results-as-text');
    expect(notesOf('a', 'b', 'c', 'd')).not.toContain('results-as-text');
  });

  describe('a task of Roo Code', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const use = { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } };
    const entriesOf = (...objects: readonly object[]) =>
      elementsOf(cline, ...objects).filter((element): element is Entry => element.kind === 'entry');

    it('has reasoning before an answer, in it and beside it', () => {
      const sealed = { type: 'reasoning', encrypted_content: 'E', summary: [], ts: 1 };
      const [entry, ...others] = entriesOf(
        ...[message('user', 'a'), sealed],
        message('assistant', [{ type: 'reasoning', text: 'why', summary: [] }, use]),
        message('user', [{ type: 'tool_result', tool_use_id: 'c', content: 'r' }]),
        { ...message('assistant', 'b'), reasoning_content: 'so' },
        { ...message('assistant', 'c'), reasoning_details: [{ type: 'reasoning.text', text: 'and' }] },
        message('assistant', [
          { type: 'text', text: 'd' },
          { type: 'thoughtSignature', thoughtSignature: 'S' },
        ]),
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'at the end' }], ts: 1 },
      );
      expect(others).toEqual([]);
      expect(messagesOf(entry as Entry)).toEqual([
        { role: 'user', content: 'a' },
        { role: 'assistant', reasoning_content: 'why', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'assistant', content: 'b', reasoning_content: 'so' },
        { role: 'assistant', content: 'c', reasoning_content: 'and' },
        { role: 'assistant', content: 'd' },
      ]);
      expect(entry?.changes.get('sealed-reasoning')).toBe(2);
    });

    it('begins anew with a summary', () => {
      const summary = { ...message('user', 'sum'), isSummary: true, condenseId: 'x' };
      const before = [message('user', 'a'), message('assistant', 'b')].map((one) => ({
        ...one,
        condenseParent: 'x',
      }));
      const entries = entriesOf(...before, summary, message('assistant', 'c'));
      expect(
        entries.map((entry) => messagesOf(entry).map((one) => (one as { content: string }).content)),
      ).toEqual([
        ['a', 'b'],
        ['sum', 'c'],
      ]);
      expect(text(entries[1]?.meta?.get('copied') ?? new Uint8Array())).toBe('1');
      const old = { ...message('assistant', 'sum'), isSummary: true };
      expect(entriesOf(...before, old, message('user', 'c'))).toHaveLength(1);
    });

    it('is one object in later versions, with parts of the AI SDK', () => {
      const image = { type: 'image', image: 'QUJD', mediaType: 'image/png' };
      const messages = [
        message('user', [{ type: 'text', text: 'a' }, image]),
        { type: 'reasoning', encrypted_content: 'E', ts: 1 },
        message('assistant', [
          { type: 'reasoning', text: 'why' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } },
        ]),
        message('tool', [
          { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'r' } },
        ]),
        message('assistant', 'b'),
      ];
      expect(detects(cline, { version: 2, messages })).toBe(true);
      expect(detects(cline, { version: 2, messages: [{ role: 'user', content: 'a' }] })).toBe(false);
      const [entry] = entriesOf({ version: 2, messages });
      expect(messagesOf(entry as Entry)).toEqual([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
          ],
        },
        { role: 'assistant', reasoning_content: 'why', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'assistant', content: 'b' },
      ]);
    });
  });

  it('keeps blocks that have no place in a conversation and seals nothing', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web', input: {} };
    const [entry] = elementsOf(
      cline,
      message('user', 'a'),
      message('assistant', [search]),
    ) as readonly Entry[];
    expect(messagesOf(entry as Entry)[1]).toEqual({ role: 'assistant', content: [search] });
    expect((entry as Entry).reply?.notes).toMatchObject([{ rule: 'block-kept' }]);
  });

  it('keeps a block of an answer in a message of the user', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ];
    const [entry] = elementsOf(cline, message('user', content)) as readonly Entry[];
    expect(messagesOf(entry as Entry)).toEqual([{ role: 'user', content }]);
  });

  it('rejects an answer that names another speaker', () => {
    const typed = { ...message('assistant', 'a'), author: 'human' };
    const rejected = [{ kind: 'rejection', reason: 'unknown-speaker' }];
    expect(elementsOf(cline, typed)).toMatchObject(rejected);
    expect(elementsOf(cline, { ...session, messages: [message('user', 'q'), typed] })).toMatchObject(
      rejected,
    );
    expect(elementsOf(cline, { ...typed, author: 'model' })).toMatchObject([{ kind: 'entry' }]);
  });

  it('rejects a message whose content is a number', () => {
    expect(elementsOf(cline, message('user', 7))).toMatchObject([{ kind: 'rejection', reason: 'bad-event' }]);
  });

  const session = { version: 1, updated_at: '2026-01-01T00:00:00Z', agent: 'lead', sessionId: 's' };

  it('reads a session of the command with its system text', () => {
    const modelInfo = { id: 'm', provider: 'p' };
    const use = { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } };
    const done = [{ query: 'a', result: 'r', success: true }];
    const messages = [
      message('user', [{ type: 'text', text: 'q' }]),
      { ...message('assistant', [use]), modelInfo, metrics: { inputTokens: 2, cost: 0.5 } },
      message('user', [{ type: 'tool_result', tool_use_id: 'x', content: done }]),
      { ...message('assistant', 'a'), modelInfo },
    ];
    const document = { ...session, messages, system_prompt: 'sys' };
    expect(detects(cline, document)).toBe(true);
    expect(detects(messagesDialect, document)).toBe(false);
    const [entry] = elementsOf(cline, document) as readonly Entry[];
    expect(messagesOf(entry as Entry)).toEqual([
      { role: 'system', content: 'sys' },
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: JSON.stringify(done) },
      { role: 'assistant', content: 'a' },
    ]);
    expect(entry?.sessionId).toBe('s');
    const meta = Object.fromEntries([...(entry?.meta ?? [])].map(([name, json]) => [name, text(json)]));
    expect(meta).toMatchObject({ source_id: '"s"', model: '"m"', cost: '0.5' });
  });

  it('names the session of a sub-agent after its file, and the other one as its parent', () => {
    const messages = [message('user', 'q'), message('assistant', 'a')];
    const document = { ...session, agent: 'subagent', systemPrompt: 'sys', messages };
    const [entry] = elementsOf(cline, document) as readonly Entry[];
    expect(entry?.sessionId).toBe('a.jsonl');
    expect(text(entry?.meta?.get('parent') as Uint8Array)).toBe('"s"');
    expect(messagesOf(entry as Entry)[0]).toEqual({ role: 'system', content: 'sys' });
  });

  it('drops a session without messages and rejects one whose list holds anything else', () => {
    expect(elementsOf(cline, { ...session, messages: [] })).toMatchObject([{ fate: 'dropped:client-event' }]);
    expect(elementsOf(cline, { ...session, messages: [{ role: 'user' }] })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
  });

  it('reads encrypted thoughts as sealed reasoning', () => {
    const thoughts = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'thinking', thinking: '', signature: 'y' },
    ];
    const said = [...thoughts, { type: 'text', text: 'a' }];
    const [entry] = elementsOf(cline, message('user', 'q'), message('assistant', said)) as readonly Entry[];
    expect(messagesOf(entry as Entry)[1]).toEqual({ role: 'assistant', content: 'a' });
    expect(entry?.changes.get('sealed-reasoning')).toBe(1);
  });
});
