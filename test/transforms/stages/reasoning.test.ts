import { describe, expect, it, test } from 'vitest';
import type { Conversation } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import { type ReasoningMode, reasoning } from '../../../transforms/stages/reasoning.ts';
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

describe('drop', () => {
  test.each([
    [
      '{"role":"assistant", "reasoning_content":"t" ,"content":"a\\u0041","n":1.0}',
      '{"role":"assistant" ,"content":"a\\u0041","n":1.0}',
    ],
    ['{"role":"assistant","thinking":"t","refusal":"no"}', '{"role":"assistant","refusal":"no"}'],
    ['{"role":"assistant","content":" <think>t</think>\\n\\na"}', '{"role":"assistant","content":"a"}'],
  ])('%s', (json, rest) => {
    expect(outcomeOf('drop', json)).toEqual([rest, DROPPED]);
  });

  test.each([
    '{"role":"assistant","thinking":"t","content":null}',
    '{"role":"assistant","content":"<think></think>"}',
    '{"role":"assistant","content":" <think>t</think> \\n"}',
  ])('makes %s an empty answer, which is left out at the end and counted', (json) => {
    const { messages, changes } = run('drop', ['user', '{"role":"user","content":"q"}'], ['assistant', json]);
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    expect([...changes]).toEqual([...DROPPED, ['empty-reply', 1]]);
    const further = run('drop', ['assistant', json], ['user', '{"role":"user","content":"q"}']);
    expect(further.messages.map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect([...further.changes]).toEqual(DROPPED);
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
      '{"role":"assistant","reasoning_content":"t","thinking":"t"}',
      '{"role":"assistant","content":"<think>\\nt\\n</think>\\n\\n"}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","thinking":"u","content":null}',
      '{"role":"assistant","content":"<think>\\nt\\nu\\n</think>\\n\\n"}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","content":[{"x":1.0}]}',
      '{"role":"assistant","content":[{"type":"text","text":"<think>\\nt\\n</think>\\n\\n"},{"x":1.0}]}',
    ],
    [
      '{"role":"assistant","reasoning_content":"t","content":[]}',
      '{"role":"assistant","content":[{"type":"text","text":"<think>\\nt\\n</think>\\n\\n"}]}',
    ],
  ])('%s', (json, inlined) => {
    expect(outcomeOf('inline', json)).toEqual([inlined, INLINED]);
  });

  test.each([
    '{"role":"assistant","reasoning_content":""}',
    '{"role":"assistant","reasoning_content":{}}',
    '{"role":"assistant","content":"<think>t</think>a"}',
  ])('keeps %s', (json) => {
    expect(outcomeOf('inline', json)).toEqual([json, []]);
  });

  it('keeps a thought that contains a tag, with a finding', () => {
    const json = '{"role":"assistant","reasoning_content":"a</think>"}';
    const { messages, changes } = run('inline', ['assistant', json]);
    expect(text(messages[0]?.bytes as Uint8Array)).toBe(json);
    expect(messages[0]?.notes).toMatchObject([{ rule: 'reasoning-not-inlined' }]);
    expect([...changes]).toEqual([]);
  });
});

const thinking = (role: string) => [role, `{"role":"${role}","thinking":"t"}`] as const;

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
    '{"role":"user","thinking":"t"}',
    '{"role":"system","thinking":"t"}',
    '{"role":"assistant","content":"a"}',
  ]);
});

it('keep changes nothing', () => {
  const conversation = conversationOf([rawMessage('assistant', '{"role":"assistant","thinking":"t"}')]);
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
