import { describe, expect, it, test } from 'vitest';
import type { Conversation } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import reasoning, { REASONING_MODES, type ReasoningMode } from '../../../transforms/stages/reasoning.ts';
import { text } from '../bytes.ts';
import { conversationOf, rawMessage } from '../checks/samples.ts';

const run = (
  mode: ReasoningMode,
  ...messages: readonly (readonly [role: string, json: string])[]
): Conversation => {
  const conversation = conversationOf(messages.map(([role, json]) => rawMessage(role, json)));
  return [...apply(reasoning.create({ reasoning: mode }), [conversation])][0] as Conversation;
};
/** Passes one message of the model through the stage. */
const outcomeOf = (mode: ReasoningMode, json: string) => {
  const { messages, changes } = run(mode, ['assistant', json]);
  return [text(messages[0]?.bytes as Uint8Array), [...changes]];
};
const DROPPED = [['reasoning-dropped', 1]];
const INLINED = [['reasoning-inlined', 1]];

describe.each(REASONING_MODES)('with %s, a message that is only a thought', (mode) => {
  test.each([
    '{"role":"assistant","thinking":"t","content":null}',
    '{"role":"assistant","content":"<think></think>"}',
    '{"role":"assistant","content":" <think>t</think> \\n"}',
    '{"role":"assistant","content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}',
    '{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}',
  ])('is left out and counted, wherever it is: %s', (json) => {
    const ask = ['user', '{"role":"user","content":"q"}'] as const;
    const { messages, changes } = run(mode, ask, ['assistant', json], ask, ['assistant', json]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(changes.get('empty-reply')).toBe(2);
  });
});

test('notes on a thought that is left out go to the next message, or to the last one', () => {
  const thought = {
    ...rawMessage('assistant', '{"role":"assistant","thinking":"t"}'),
    notes: [{ rule: 'reply-cut', severity: 'WARNING', message: 'x' }] as const,
  };
  const ask = rawMessage('user', '{"role":"user","content":"q"}');
  const [kept] = apply(reasoning.create({ reasoning: 'keep' }), [
    conversationOf([ask, thought, ask, thought]),
  ]);
  const { messages } = kept as Conversation;
  expect(messages.map(({ notes }) => notes?.length ?? 0)).toEqual([0, 2]);
});

test('a sample keeps a message that is only a thought', () => {
  const thought = rawMessage('assistant', '{"role":"assistant","thinking":"t"}');
  const sample = { ...conversationOf([thought]), sample: new Map() };
  expect([...apply(reasoning.create({ reasoning: 'keep' }), [sample])]).toEqual([sample]);
});

describe('a text that a logger cut', () => {
  const cut = (role: string, more = '') =>
    [
      role,
      `{"role":"${role}","content":"It is ... (litellm_truncated skipped 90 chars. Why) ... so."${more}}`,
    ] as const;

  it('is left out if it is an answer, and reported', () => {
    const { messages } = run('keep', cut('user'), cut('assistant'), [
      'assistant',
      '{"role":"assistant","content":"a"}',
    ]);
    expect(messages.map(({ role, notes = [] }) => [role, ...notes.map(({ rule }) => rule)])).toEqual([
      ['user', 'body-placeholder', 'body-placeholder'],
      ['assistant'],
    ]);
  });

  it('is reported if the message has calls, or is a result', () => {
    const calls = ',"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]';
    const { messages } = run('keep', cut('assistant', calls), cut('tool'));
    expect(messages.map(({ notes }) => notes?.map(({ rule }) => rule))).toEqual([
      ['body-placeholder'],
      ['body-placeholder'],
    ]);
  });

  const ask = ['user', '{"role":"user","content":"q"}'] as const;
  const answer = (content: string) => ['assistant', `{"role":"assistant","content":${content}}`] as const;
  const MARKS = [
    '"redacted-by-litellm"',
    `"[This value has been dropped because this span's size exceeds the 1MB size limit.]"`,
    '"<truncated due to size exceeding limit>"',
    '"\\u003ctruncated due to size exceeding limit\\u003e"',
    '"a (litellm\\u005ftruncated 90 chars) b"',
    ...['"[REDACTED]"', '"<REDACTED>"', '"***REDACTED***"', '"\\n[REDACTED]"', '"__REDACTED__"'],
    `"[Scrubbed due to 'password']"`,
  ];

  it.each(MARKS)('is no answer, wherever it is: %s', (mark) => {
    const { messages } = run('keep', ask, answer(mark), ask, answer('"a"'), ask, answer(mark));
    expect(messages.map(({ role, notes = [] }) => [role, notes.length])).toEqual([
      ...[
        ['user', 1],
        ['user', 0],
        ['assistant', 0],
        ['user', 1],
      ],
    ]);
  });

  it.each(MARKS)('rejects the session if there is no other answer: %s', (mark) => {
    const messages = [ask, answer(mark)].map(([role, json]) => rawMessage(role, json));
    expect([...apply(reasoning.create({ reasoning: 'keep' }), [conversationOf(messages)])]).toMatchObject([
      { kind: 'rejection', scope: 'session', reason: 'body-placeholder' },
    ]);
  });

  it.each([
    '"{}"',
    '"None"',
    '"null"',
    '"see redacted-by-litellm"',
    '"[redacted]"',
    '"<truncated>"',
    '"[REDACTED] it"',
  ])('is not a text of the model: %s', (content) => {
    expect(run('keep', ask, answer(content)).messages).toHaveLength(2);
  });

  it('is not a text that only names the mark', () => {
    const json = '{"role":"assistant","content":"Look for litellm_truncated in the log."}';
    expect(outcomeOf('keep', json)).toEqual([json, []]);
  });
});

describe('reasoning under another name', () => {
  const ANSWER = '{"role":"assistant","content":"a"';
  const SEALED = '{"type":"reasoning.encrypted","data":"x"}';
  test.each<[string, string, rules: string[]]>([
    ['"reasoning":"r"', '"reasoning_content":"r"', []],
    ['"reasoning":"r","reasoning_content":"r"', '"reasoning_content":"r"', []],
    ['"reasoning":"r","reasoning_content":""', '"reasoning_content":"r"', []],
    [
      '"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r"}]',
      '"reasoning_content":"r"',
      [],
    ],
    ['"reasoning_details":[{"text":"a\\u0041"},{"text":"b"}]', '"reasoning_content":"a\\u0041\\nb"', []],
    ['"reasoning_details":[{"summary":"s"}]', '"reasoning_content":"s"', ['reasoning-summary']],
    ['"thinking_blocks":[{"type":"thinking","thinking":"r","signature":"s"}]', '"reasoning_content":"r"', []],
    ['"reasoning_text":"r"', '"reasoning_content":"r"', []],
    ['"tool_plan":"r"', '"reasoning_content":"r"', []],
    ['"additional_kwargs":{"reasoning_content":"r"}', '"reasoning_content":"r"', []],
    ['"provider_specific_fields":{"reasoning":"r"}', '"reasoning_content":"r"', []],
    [
      '"reasoning_content":"r","provider_specific_fields":{"thinking_blocks":[{"thinking":"r","signature":"s"}]}',
      '"reasoning_content":"r"',
      [],
    ],
    [
      '"provider_specific_fields":{"thinking_blocks":[{"type":"thinking","thinking":"r","signature":"s"}]}',
      '"reasoning_content":"r"',
      [],
    ],
    [
      `"reasoning":"r","provider_specific_fields":{"reasoning_details":[${SEALED}]}`,
      '"reasoning_content":"r"',
      ['reasoning-sealed'],
    ],
    [`"reasoning":"r","reasoning_details":[${SEALED}]`, '"reasoning_content":"r"', ['reasoning-sealed']],
  ])('%s becomes %s', (logged, written, rules) => {
    const { messages, changes } = run('keep', ['assistant', `${ANSWER},${logged}}`]);
    expect(text(messages[0]?.bytes as Uint8Array)).toBe(`${ANSWER},${written}}`);
    expect(messages[0]?.notes?.map(({ rule }) => rule) ?? []).toEqual(rules);
    expect(changes.get('reasoning-name')).toBe(1);
    expect(changes.get('sealed-reasoning')).toBe(rules.includes('reasoning-sealed') ? 1 : undefined);
    expect(outcomeOf('drop', `${ANSWER},${logged}}`)[0]).toBe(`${ANSWER}}`);
    expect(outcomeOf('inline', `${ANSWER},${logged}}`)[0]).toMatch(/"content":"<think>/);
  });

  test.each([
    [
      'LangChain writes apart',
      '"additional_kwargs":{"n":1.50}',
      '"additional_kwargs":{"reasoning_content":"r","n":1.50}',
    ],
    [
      'LiteLLM repeats',
      '"provider_specific_fields":{"citations":null}',
      '"provider_specific_fields":{"citations":null,"thinking_blocks":[{"type":"thinking","thinking":"r"}]}',
    ],
  ])(
    'reasoning that %s leaves the rest there, and does not replace other reasoning',
    (_what, rest, logged) => {
      expect(outcomeOf('keep', `${ANSWER},${logged}}`)[0]).toBe(`${ANSWER},${rest},"reasoning_content":"r"}`);
      const own = '"reasoning_content":"s"';
      expect(outcomeOf('keep', `${ANSWER},${own},${logged}}`)[0]).toBe(`${ANSWER},${own},${rest}}`);
      expect(outcomeOf('drop', `${ANSWER},${own},${logged}}`)[0]).toBe(`${ANSWER},${rest}}`);
      for (const same of [
        rest,
        '"additional_kwargs":{}',
        '"provider_specific_fields":{"thinking_blocks":null}',
      ])
        expect(outcomeOf('keep', `${ANSWER},${same}}`)[0]).toBe(`${ANSWER},${same}}`);
    },
  );

  test.each([
    '"reasoning":{"text":"r"}',
    '"reasoning_text":["r"]',
    '"reasoning_details":"r"',
    '"reasoning_details":[{"type":"reasoning.draft","body":"Look first."}]',
    '"reasoning":"r","reasoning_details":[{"type":"reasoning.text","words":"r"}]',
  ])('of an unknown form is a finding: %s', (logged) => {
    const { messages } = run('keep', ['assistant', `${ANSWER},${logged}}`]);
    expect(messages[0]?.notes?.map(({ rule }) => rule)).toEqual(['unread-text']);
  });

  test.each(['"reasoning":null', '"reasoning":{}', '"reasoning_details":[]'])('is none: %s', (logged) => {
    const { messages } = run('keep', ['assistant', `${ANSWER},${logged}}`]);
    expect(messages[0]?.notes ?? []).toEqual([]);
  });

  test.each([
    ['"reasoning_opaque":"x"', SEALED],
    [`"reasoning_details":[${SEALED}]`, SEALED],
    ['"thinking_blocks":[{"type":"redacted_thinking","data":"x"}]', SEALED],
  ])('is kept when it is encrypted, with keep-sealed: %s', (logged, part) => {
    const outcome = (mode: ReasoningMode) => outcomeOf(mode, `${ANSWER},${logged}}`)[0];
    expect(outcome('keep-sealed')).toBe(`${ANSWER},"reasoning_details":[${part}]}`);
    expect(outcome('keep')).toBe(`${ANSWER}}`);
  });
});

describe('drop', () => {
  test.each([
    [
      '{"role":"assistant", "reasoning_content":"t" ,"content":"a\\u0041","n":1.0}',
      '{"role":"assistant" ,"content":"a\\u0041","n":1.0}',
    ],
    ['{"role":"assistant","thinking":"t","refusal":"no"}', '{"role":"assistant","refusal":"no"}'],
    ['{"role":"assistant","content":" <think>t</think>\\n\\na"}', '{"role":"assistant","content":"a"}'],
    [
      '{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}, {"type":"text","text":"\\u0041"}]}',
      '{"role":"assistant","content":[{"type":"text","text":"\\u0041"}]}',
    ],
  ])('%s', (json, rest) => {
    expect(outcomeOf('drop', json)).toEqual([rest, DROPPED]);
  });

  test.each([
    '{"role":"assistant","content":"a <think>t</think>"}',
    '{"role":"assistant","content":"<think>t"}',
    '{"role":"assistant","content":[{"type":"text","text":"\\u0041"}]}',
    '{"role":"assistant"}',
  ])('finds no reasoning before the text of %s', (json) => {
    expect(outcomeOf('drop', json)).toEqual([json, []]);
  });
});

describe('inline', () => {
  test.each([
    [
      '{"role":"assistant","reasoning_content":"t","content":"a\\u0041"}',
      '{"role":"assistant","content":"<think>\\nt\\n</think>\\n\\na\\u0041"}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","thinking":"t","content":"a"}',
      '{"role":"assistant","content":"<think>\\nt\\n</think>\\n\\na"}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","thinking":"u","content":null,"refusal":"no"}',
      '{"role":"assistant","content":"<think>\\nt\\nu\\n</think>\\n\\n","refusal":"no"}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","content":[{"x":1.0}]}',
      '{"role":"assistant","content":[{"type":"text","text":"<think>\\nt\\n</think>\\n\\n"},{"x":1.0}]}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","content":[],"refusal":"no"}',
      '{"role":"assistant","content":[{"type":"text","text":"<think>\\nt\\n</think>\\n\\n"}],"refusal":"no"}',
    ],
  ])('%s', (json, inlined) => {
    expect(outcomeOf('inline', json)).toEqual([inlined, INLINED]);
  });

  test.each([
    '{"role":"assistant","reasoning_content":""}',
    '{"role":"assistant","reasoning_content":{},"content":"a"}',
    '{"role":"assistant","content":"<think>t</think>a"}',
  ])('keeps %s', (json) => {
    expect(outcomeOf('inline', json)).toEqual([json, []]);
  });

  it('keeps a thought that contains a tag, with a finding', () => {
    const json = '{"role":"assistant","reasoning_content":"a</think>","content":"b"}';
    const { messages, changes } = run('inline', ['assistant', json]);
    expect(text(messages[0]?.bytes as Uint8Array)).toBe(json);
    expect(messages[0]?.notes).toMatchObject([{ rule: 'reasoning-not-inlined' }]);
    expect([...changes]).toEqual([]);
  });
});

const thinking = (role: string) => [role, `{"role":"${role}","thinking":"t","content":"a"}`] as const;

it('last keeps reasoning after the last user message', () => {
  const of = (...roles: readonly string[]) =>
    run('last', ...roles.map(thinking)).messages.map(({ bytes }) => text(bytes).includes('thinking'));
  expect(of('user', 'assistant', 'user', 'assistant', 'tool', 'assistant')).toEqual([
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(of('assistant', 'assistant')).toEqual([true, true]);
});

it('changes only messages of the model', () => {
  const { messages } = run('drop', thinking('user'), thinking('system'), [
    'assistant',
    '{"role":"assistant","thinking":"t","content":"a"}',
  ]);
  expect(messages.map(({ bytes }) => text(bytes))).toEqual([
    '{"role":"user","thinking":"t","content":"a"}',
    '{"role":"system","thinking":"t","content":"a"}',
    '{"role":"assistant","content":"a"}',
  ]);
});

it('keep changes nothing besides', () => {
  const thought = '{"role":"assistant","thinking":"t","reasoning_content":"t","content":"a"}';
  const conversation = conversationOf([rawMessage('assistant', thought)]);
  expect([...apply(reasoning.create({ reasoning: 'keep' }), [conversation])]).toEqual([conversation]);
});

it('adds to earlier counts of changes', () => {
  const thought = '{"role":"assistant","thinking":"t","content":"a"}';
  const conversation = conversationOf([rawMessage('assistant', thought)], {
    changes: new Map([['null-fields', 2]]),
  });
  const [done] = apply(reasoning.create({ reasoning: 'drop' }), [conversation]) as Iterable<Conversation>;
  expect([...(done?.changes ?? [])]).toEqual([['null-fields', 2], ...DROPPED]);
});
