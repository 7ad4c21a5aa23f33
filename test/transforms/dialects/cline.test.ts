/** Tasks of Cline. */
import { describe, expect, it } from 'vitest';
import cline from '../../../transforms/dialects/cline.ts';
import type goose from '../../../transforms/dialects/goose.ts';
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

describe('cline', () => {
  const message = (role: string, content: unknown) => ({ role, content, ts: 1770112800000 });

  it('detects messages with a time', () => {
    expect(detects(cline, message('user', 'a'))).toBe(true);
    expect(detects(cline, { role: 'user', content: 'a' })).toBe(false);
    expect(detects(cline, message('manager', 'a'))).toBe(false);
  });

  it('reads a message once that a log has twice in a row with its time', () => {
    const [asked, said] = [message('user', 'a'), { ...message('assistant', 'b'), ts: 1770112801000 }];
    const elements = elementsOf(cline, asked, said, said, { ...said, ts: 1770112802000 });
    expect(elements).toContainEqual(expect.objectContaining({ fate: 'dropped:copied-line' }));
    const entry = elements.find((one): one is Entry => one.kind === 'entry');
    expect(entry && messagesOf(entry)).toHaveLength(3);
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

    it('has a finding if Roo Code took messages out of its context', () => {
      const marker = { ...message('user', 'hidden'), isTruncationMarker: true, truncationId: 'x' };
      const [entry] = entriesOf(
        message('user', 'a'),
        message('assistant', 'b'),
        marker,
        message('assistant', 'c'),
      );
      expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toContain('context-cut');
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

  it('reads images of the command, and reports a file in a message of the user', () => {
    const image = { type: 'image', data: 'iVBORw==', mediaType: 'image/png' };
    const file = { type: 'file', path: '/a', content: 'words of a file' };
    const result = { type: 'tool_result', tool_use_id: 'x', name: 'f', content: [image] };
    const lines = [
      message('user', [{ type: 'text', text: 'a' }, file, image]),
      message('assistant', [{ type: 'tool_use', id: 'x', name: 'f', input: {} }]),
      message('user', [result]),
    ];
    const [entry] = elementsOf(cline, ...lines) as readonly Entry[];
    const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } };
    const contents = entry && messagesOf(entry).map((one) => (one as { content: unknown }).content);
    expect(contents?.[0]).toEqual([{ type: 'text', text: 'a' }, file, shown]);
    expect(contents?.[2]).toEqual([shown]);
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toContain('block-kept');
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
