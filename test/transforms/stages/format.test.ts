import { describe, expect, it, test } from 'vitest';
import { formatsThat, messageFormats } from '../../../transforms/formats/format-rules.ts';
import type { Finding, Rejection, StreamElement, WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { type FormatOptions, format } from '../../../transforms/stages/format.ts';
import { text } from '../bytes.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  entryOf,
  messageOf,
  originOf,
  user,
} from '../checks/samples.ts';

const DEFAULTS = defaultsOf(format.options);
const run = (element: StreamElement, options: Partial<FormatOptions> = {}) => [
  ...apply(format.create({ ...DEFAULTS, ...options }), [element]),
];
const GOOD = conversationOf([user('a'), assistant('b')], {
  startedAt: 1_768_342_443_000_000_000n,
  tools: [],
});
const FORGED = conversationOf([user('<tool_call>'), user('</tool_call>'), assistant('b')]);

test('the defaults are chat, grouped by date, without rejections', () => {
  expect(DEFAULTS).toEqual({
    format: ['chat'],
    formatOptions: {},
    formats: [],
    groupBy: 'date',
    onFinding: {},
    meta: [],
  });
});

describe('a record', () => {
  it('is the record of a conversation with its group and origin', () => {
    const [record, ...rest] = run(GOOD) as WrittenRecord[];
    expect(rest).toEqual([]);
    expect(record).toEqual({
      ...{ kind: 'record', origin: originOf(1), sessionId: 's', group: '2026-01-13', format: 'chat' },
      ...{ bytes: (record as WrittenRecord).bytes, conversation: GOOD, written: GOOD.messages },
    });
    expect(text((record as WrittenRecord).bytes)).toBe(
      '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"tools":[]}',
    );
  });

  it('belongs to the requested group', () => {
    const groups = (['date', 'scenario', 'none'] as const).map(
      (groupBy) => (run(GOOD, { groupBy })[0] as WrittenRecord).group,
    );
    expect(groups).toEqual(['2026-01-13', 'a', 'conversations']);
  });

  it('has the name of its format', () => {
    expect((run(GOOD, { format: ['chat-inline'] })[0] as WrittenRecord).format).toBe('chat-inline');
  });
});

describe('content that a format cannot represent', () => {
  it('is a finding before the record', () => {
    const emitted = run(FORGED, { format: ['chat-inline'] });
    expect(emitted.map(({ kind }) => kind)).toEqual(['finding', 'finding', 'record']);
    expect(emitted[0]).toEqual({
      kind: 'finding',
      severity: 'ERROR',
      rule: 'control-token-in-content',
      sessionId: 's',
      origin: originOf(1),
      message: 'messages[0] (user) contains a tool-call tag',
    } satisfies Finding);
  });

  it('rejects the session instead on request', () => {
    const emitted = run(FORGED, {
      format: ['chat-inline'],
      onFinding: { 'non-text-part': 'reject', 'control-token-in-content': 'reject' },
    });
    expect(emitted).toEqual([
      {
        kind: 'rejection',
        scope: 'session',
        stage: 'format',
        reason: 'control-token-in-content',
        detail: 'messages[0] (user) contains a tool-call tag',
        origin: originOf(1),
        sessionId: 's',
      } satisfies Rejection,
    ]);
  });

  it('rejects the session without a request when the finding rejects', () => {
    const emitted = run(conversationOf([user('a'), user('<bos>')], { tools: [] }), {
      format: ['functiongemma'],
    });
    expect(emitted).toMatchObject([
      { kind: 'rejection', scope: 'session', stage: 'format', reason: 'control-token-in-content' },
    ]);
    expect((emitted[0] as Rejection).detail).toBe('messages[1] contains a control token of the format');
  });

  it('does not reject for another rule', () => {
    const emitted = run(FORGED, { format: ['chat-inline'], onFinding: { 'non-text-part': 'reject' } });
    expect(emitted.map(({ kind }) => kind)).toEqual(['finding', 'finding', 'record']);
  });
});

describe('a finding that rejects by itself', () => {
  const NOT_OBJECT = conversationOf([calling(call('1', 'read', '[]'))]);
  const kinds = (options: Partial<FormatOptions>) =>
    run(NOT_OBJECT, { format: ['trl'], ...options }).map(({ kind }) => kind);

  it('rejects the session', () => {
    expect(run(NOT_OBJECT, { format: ['trl'] })).toEqual([
      expect.objectContaining({ kind: 'rejection', reason: 'arguments-not-object' }),
    ]);
    expect(kinds({ onFinding: { 'empty-arguments': 'keep' } })).toEqual(['rejection']);
  });

  it('is reported like others when the rule is kept', () => {
    expect(kinds({ onFinding: { 'arguments-not-object': 'keep' } })).toEqual(['finding', 'record']);
  });
});

describe('a conversation without an answer', () => {
  const thought = messageOf({ role: 'assistant', content: '', reasoning_content: 't' });
  const ALONE = conversationOf([user('a'), thought]);
  const outcome = (name: string, options: Partial<FormatOptions> = {}, element = ALONE) =>
    run(element, { format: [name], ...options }).map((one) =>
      one.kind === 'finding' ? one.rule : one.kind === 'rejection' ? `rejected: ${one.reason}` : one.kind,
    );

  const needing = [...formatsThat(({ needsAnswer }) => needsAnswer)];
  it.each(needing)('is rejected by %s', (name) => {
    expect(outcome(name)).toEqual(['rejected: no-answer']);
  });

  it.each(needing.filter((name) => messageFormats.has(name)))('is written by %s on request', (name) => {
    expect(outcome(name, { onFinding: { 'no-answer': 'keep' } })).toEqual(['no-answer', 'record']);
  });

  it.each(['chat', 'chat-inline'])('is written by %s, with a finding', (name) => {
    expect(outcome(name)).toEqual(['no-answer', 'record']);
    expect(outcome(name, { onFinding: { 'no-answer': 'reject' } })).toEqual(['rejected: no-answer']);
  });

  it('is not reported for a sample', () => {
    const sample = { ...conversationOf([user('a')], { tools: [] }), sample: new Map() };
    expect(outcome('samples', {}, sample)).toEqual(['record']);
    expect(outcome('trl', {}, sample)).toEqual(['rejected: no-answer']);
  });
});

describe('a conversation with words that its dialect did not read', () => {
  const note = { rule: 'unread-text', severity: 'ERROR', message: 'message has a member: note' } as const;
  const UNREAD = conversationOf([user('a'), { ...assistant('b'), notes: [note] }]);

  it.each([[['chat']], [['trl', 'chat']]])('is rejected in %s', (names) => {
    const [rejection, ...others] = run(UNREAD, { format: names }) as Rejection[];
    expect([rejection?.reason, rejection?.detail, others]).toEqual(['unread-text', note.message, []]);
  });

  it('is written on request', () => {
    const written = run(UNREAD, { onFinding: { 'unread-text': 'keep' } });
    expect(written.map(({ kind }) => kind)).toEqual(['record']);
  });
});

describe('with several formats', () => {
  const EMPTY = conversationOf([user('a'), calling(call('1', 'read', ''))]);
  const NOT_OBJECT = conversationOf([user('a'), calling(call('1', 'read', '[]'))]);
  const kindsOf = (elements: readonly StreamElement[]) => elements.map(({ kind }) => kind);

  it('emits a record for each, in their order', () => {
    const emitted = run(GOOD, { format: ['trl', 'chat', 'openai'] }) as WrittenRecord[];
    expect(emitted.map(({ kind, format: name }) => [kind, name])).toEqual([
      ['record', 'trl'],
      ['record', 'chat'],
      ['record', 'openai'],
    ]);
    for (const record of emitted) expect(record.conversation).toBe(GOOD);
  });

  it('emits the same record for each as with one format', () => {
    const [trl, chat] = run(GOOD, { format: ['trl', 'chat'] }) as WrittenRecord[];
    expect([trl, chat]).toEqual([...run(GOOD, { format: ['trl'] }), ...run(GOOD, { format: ['chat'] })]);
  });

  it('names the format in a finding', () => {
    const emitted = run(EMPTY, { format: ['chat', 'trl'] });
    expect(kindsOf(emitted)).toEqual(['record', 'finding', 'record']);
    expect((emitted[1] as Finding).message).toMatch(/^trl: messages\[1\]/);
  });

  it('emits the rejection of one format after the records of the others', () => {
    const emitted = run(NOT_OBJECT, { format: ['trl', 'chat', 'axolotl'] });
    expect(kindsOf(emitted)).toEqual(['record', 'rejection', 'rejection']);
    expect(emitted[1]).toEqual({
      kind: 'rejection',
      scope: 'record',
      stage: 'format',
      format: 'trl',
      reason: 'arguments-not-object',
      detail: 'trl: messages[1].tool_calls[0] has arguments that are not a JSON object',
      origin: originOf(1),
      sessionId: 's',
    } satisfies Rejection);
    expect((emitted[2] as Rejection).format).toBe('axolotl');
  });

  it('rejects a session once if all formats reject it, with the reason of the first', () => {
    const emitted = run(NOT_OBJECT, { format: ['axolotl', 'functiongemma'] });
    expect(emitted).toMatchObject([{ scope: 'session', reason: 'arguments-not-object' }]);
    expect((emitted[0] as Rejection).detail).toMatch(/^axolotl: .+; functiongemma: /);
  });
});

it('passes other elements on', () => {
  const entry = entryOf([]);
  expect(run(entry)).toEqual([entry]);
});

it('throws without a format', () => {
  expect(() => format.create({ ...DEFAULTS, format: [] })).toThrow(new RangeError('no format is chosen'));
});

it('throws for an unknown format', () => {
  expect(() => format.create({ ...DEFAULTS, format: ['csv'] })).toThrow(
    new RangeError("unknown format 'csv'"),
  );
});
