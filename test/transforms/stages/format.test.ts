import { describe, expect, it, test } from 'vitest';
import type { Finding, Rejection, StreamElement, WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { type FormatOptions, format } from '../../../transforms/stages/format.ts';
import { text } from '../bytes.ts';
import { call, calling, conversationOf, entryOf, originOf, user } from '../checks/samples.ts';

const DEFAULTS = defaultsOf(format.options);
const run = (element: StreamElement, options: Partial<FormatOptions> = {}) => [
  ...apply(format.create({ ...DEFAULTS, ...options }), [element]),
];
const GOOD = conversationOf([user('a')], { startedAt: 1_768_342_443_000_000_000n, tools: [] });
const FORGED = conversationOf([user('<tool_call>'), user('</tool_call>')]);

test('the defaults are chat, by date, and reject nothing', () => {
  expect(DEFAULTS).toEqual({
    format: ['chat'],
    formatOptions: {},
    formats: [],
    groupBy: 'date',
    rejectOn: [],
    keepOn: [],
    meta: [],
  });
});

describe('a record', () => {
  it('is the record of a conversation, with its group and what it was made of', () => {
    const [record, ...rest] = run(GOOD) as WrittenRecord[];
    expect(rest).toEqual([]);
    expect(record).toEqual({
      ...{ kind: 'record', origin: originOf(1), sessionId: 's', group: '2026-01-13', format: 'chat' },
      ...{ bytes: (record as WrittenRecord).bytes, conversation: GOOD, written: GOOD.messages },
    });
    expect(text((record as WrittenRecord).bytes)).toBe(
      '{"messages":[{"role":"user","content":"a"}],"tools":[]}',
    );
  });

  it('belongs to the group that was asked for', () => {
    const groups = (['date', 'scenario', 'none'] as const).map(
      (groupBy) => (run(GOOD, { groupBy })[0] as WrittenRecord).group,
    );
    expect(groups).toEqual(['2026-01-13', 'a', 'conversations']);
  });

  it('has the name of its format', () => {
    expect((run(GOOD, { format: ['chat-inline'] })[0] as WrittenRecord).format).toBe('chat-inline');
  });
});

describe('what a format cannot represent', () => {
  it('is a finding before the record', () => {
    const made = run(FORGED, { format: ['chat-inline'] });
    expect(made.map(({ kind }) => kind)).toEqual(['finding', 'finding', 'record']);
    expect(made[0]).toEqual({
      kind: 'finding',
      severity: 'ERROR',
      rule: 'control-token-in-content',
      sessionId: 's',
      origin: originOf(1),
      message: 'messages[0] (user) contains a tool-call tag',
    } satisfies Finding);
  });

  it('rejects the session instead, when it was asked to', () => {
    const made = run(FORGED, {
      format: ['chat-inline'],
      rejectOn: ['non-text-part', 'control-token-in-content'],
    });
    expect(made).toEqual([
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

  it('rejects the session without being asked to, when the finding says so', () => {
    const made = run(conversationOf([user('a'), user('<bos>')], { tools: [] }), {
      format: ['functiongemma'],
    });
    expect(made).toMatchObject([
      { kind: 'rejection', scope: 'session', stage: 'format', reason: 'control-token-in-content' },
    ]);
    expect((made[0] as Rejection).detail).toBe('messages[1] contains a control token of the format');
  });

  it('does not reject for another rule', () => {
    const made = run(FORGED, { format: ['chat-inline'], rejectOn: ['non-text-part'] });
    expect(made.map(({ kind }) => kind)).toEqual(['finding', 'finding', 'record']);
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
    expect(kinds({ keepOn: ['empty-arguments'] })).toEqual(['rejection']);
  });

  it('is reported like others, when it is to be kept', () => {
    expect(kinds({ keepOn: ['arguments-not-object'] })).toEqual(['finding', 'record']);
  });

  it('and a rule that is both kept and rejected rejects', () => {
    const both = ['arguments-not-object'];
    expect(kinds({ keepOn: both, rejectOn: both })).toEqual(['rejection']);
  });
});

describe('with several formats', () => {
  const EMPTY = conversationOf([user('a'), calling(call('1', 'read', ''))]);
  const NOT_OBJECT = conversationOf([user('a'), calling(call('1', 'read', '[]'))]);
  const kindsOf = (elements: readonly StreamElement[]) => elements.map(({ kind }) => kind);

  it('there is a record of each, in their order', () => {
    const made = run(GOOD, { format: ['trl', 'chat', 'openai'] }) as WrittenRecord[];
    expect(made.map(({ kind, format: name }) => [kind, name])).toEqual([
      ['record', 'trl'],
      ['record', 'chat'],
      ['record', 'openai'],
    ]);
    for (const record of made) expect(record.conversation).toBe(GOOD);
  });

  it('each record is that of its format alone', () => {
    const [trl, chat] = run(GOOD, { format: ['trl', 'chat'] }) as WrittenRecord[];
    expect([trl, chat]).toEqual([...run(GOOD, { format: ['trl'] }), ...run(GOOD, { format: ['chat'] })]);
  });

  it('a finding names the format', () => {
    const made = run(EMPTY, { format: ['chat', 'trl'] });
    expect(kindsOf(made)).toEqual(['record', 'finding', 'record']);
    expect((made[1] as Finding).message).toMatch(/^trl: messages\[1\]/);
  });

  it('one that cannot write the session refuses it, after the records of the others', () => {
    const made = run(NOT_OBJECT, { format: ['trl', 'chat', 'axolotl'] });
    expect(kindsOf(made)).toEqual(['record', 'rejection', 'rejection']);
    expect(made[1]).toEqual({
      kind: 'rejection',
      scope: 'record',
      stage: 'format',
      format: 'trl',
      reason: 'arguments-not-object',
      detail: 'trl: messages[1].tool_calls[0] has arguments that are not a JSON object',
      origin: originOf(1),
      sessionId: 's',
    } satisfies Rejection);
    expect((made[2] as Rejection).format).toBe('axolotl');
  });

  it('that all refuse, the session is rejected once, with the reason of the first', () => {
    const made = run(NOT_OBJECT, { format: ['axolotl', 'functiongemma'] });
    expect(made).toMatchObject([{ scope: 'session', reason: 'arguments-not-object' }]);
    expect((made[0] as Rejection).detail).toMatch(/^axolotl: .+; functiongemma: /);
  });
});

it('lets other elements pass', () => {
  const entry = entryOf([]);
  expect(run(entry)).toEqual([entry]);
});

it('throws without a format', () => {
  expect(() => format.create({ ...DEFAULTS, format: [] })).toThrow(new RangeError('there must be a format'));
});

it('throws at a format that there is not', () => {
  expect(() => format.create({ ...DEFAULTS, format: ['csv'] })).toThrow(
    new RangeError("unknown format 'csv'"),
  );
});
