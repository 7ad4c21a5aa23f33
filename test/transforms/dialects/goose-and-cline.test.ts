import { describe, expect, it } from 'vitest';
import cline from '../../../transforms/dialects/cline.ts';
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
    expect(detects(goose, words('user', 'a'))).toBe(false);
  });

  it('reads results in both forms and a call that goose could not read', () => {
    const request = (id: string, toolCall: object) => ({ type: 'toolRequest', id, toolCall });
    const response = (id: string, toolResult: object) => ({ type: 'toolResponse', id, toolResult });
    const calls = [
      request('a', { name: 'f', arguments: { n: 1 } }),
      request('b', { status: 'error', error: 'x' }),
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
          { id: 'b', type: 'function', function: {} },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r' }] },
      { role: 'tool', tool_call_id: 'b', content: 'x' },
      { role: 'user', content: 'more' },
    ]);
  });

  it('counts a compacted export as two lines and any other as one', () => {
    const hidden = { metadata: { agentVisible: false } };
    const conversation = [words('user', 'a', hidden), words('assistant', 'b', hidden), words('user', 'sum')];
    const kinds = elementsOf(goose, { conversation, working_dir: '/' }).map(({ kind }) => kind);
    expect(kinds).toEqual(['repair', 'entry', 'entry']);
    const whole = conversation.map(({ role, created, content }) => ({ role, created, content }));
    expect(elementsOf(goose, { conversation: whole, working_dir: '/' })).toHaveLength(1);
  });

  it('drops an export without messages and rejects one whose list holds anything else', () => {
    expect(elementsOf(goose, { conversation: [], working_dir: '/' })).toMatchObject([
      { fate: 'dropped:client-event' },
    ]);
    expect(elementsOf(goose, { conversation: [{ role: 'user' }], working_dir: '/' })).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages' },
    ]);
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

  it('rejects a message whose content is a number', () => {
    expect(elementsOf(cline, message('user', 7))).toMatchObject([{ kind: 'rejection', reason: 'bad-event' }]);
  });
});
