/** Marks of answers that are context, in each format that can say it: bytes in, bytes out. */
import { describe, expect, test } from 'vitest';
import atif from '../../../transforms/formats/atif.ts';
import axolotl from '../../../transforms/formats/axolotl.ts';
import chat from '../../../transforms/formats/chat.ts';
import type { Format } from '../../../transforms/formats/format.ts';
import { formats } from '../../../transforms/formats/index.ts';
import openai from '../../../transforms/formats/openai.ts';
import trl from '../../../transforms/formats/trl.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { text } from '../bytes.ts';
import { recordOf } from './encoded.ts';

const marked = (format: Format, record: string, answers: number): string =>
  text(format.context?.mark(encode(record), answers) ?? encode('no marks'));

const ask = (n: number): string => `{"role":"user","content":"question ${n}: \\"role\\":\\"assistant\\""}`;
const answer = (n: number, more = ''): string => `{ "role" : "assistant","content":"${n}.0"${more} }`;
const TURNS = [ask(1), answer(1), ask(2), answer(2), ask(3), answer(3)];
const TOOL = '{"name":"f","n":1.50}';

test('these formats can say it', () => {
  const able = formats.filter(({ context }) => context !== undefined).map(({ name }) => name);
  expect(able).toEqual(['atif', 'axolotl', 'chat', 'openai', 'trl']);
});

/** A format, its mark, and that of answers that are trained. */
describe.each<[string, Format, string, string]>([
  ['chat', chat, ',"weight":0', ''],
  ['openai', openai, ',"weight":0', ''],
  ['axolotl', axolotl, ',"train":false', ',"train":true'],
])('%s', (_, format, mark, otherMark) => {
  const record = recordOf(format, TURNS, [TOOL]);

  test.each([0, 1, 2, 3])('has the mark on the first %i answers, and all other bytes stay', (answers) => {
    let left = answers;
    const expected = TURNS.map((turn) =>
      turn.startsWith('{ ') ? turn.replace(' }', `${left-- > 0 ? mark : otherMark} }`) : turn,
    );
    expect(marked(format, record, answers)).toBe(recordOf(format, expected, [TOOL]));
  });

  test('replaces what the log says, and leaves what says the same', () => {
    const [key, value] = mark.slice(1).split(':') as [string, string];
    const logged = [
      ask(1),
      answer(1, `,${key}:1,"x":2`),
      answer(2, `, ${key} : ${value}`),
      answer(3, `,${key}:1`),
    ];
    expect(marked(format, recordOf(format, logged), 2)).toBe(
      recordOf(format, logged.with(1, answer(1, `,${key}:${value},"x":2`))),
    );
  });

  test('there may be fewer answers, or none', () => {
    expect(marked(format, recordOf(format, [ask(1)]), 2)).toBe(recordOf(format, [ask(1)]));
    expect(marked(format, recordOf(format, []), 1)).toBe(recordOf(format, []));
  });
});

describe('trl', () => {
  const parts = (prompt: readonly string[], completion: readonly string[], tools = 'null'): string =>
    `{"prompt":[${prompt.join(',')}],"completion":[${completion.join(',')}],"tools":${tools}}`;

  test.each([
    [0, 1],
    [1, 3],
    [2, 5],
  ])('with %i answers of context, the completion begins at message %i', (answers, begin) => {
    const tools = `[{"type":"function","function":${TOOL}}]`;
    const expected = parts(TURNS.slice(0, begin), TURNS.slice(begin), tools);
    expect(marked(trl, recordOf(trl, TURNS, [TOOL]), answers)).toBe(expected);
    // an update has records that are split
    expect(marked(trl, marked(trl, recordOf(trl, TURNS, [TOOL]), 0), answers)).toBe(expected);
  });

  test('with no answer to train, it is the last message', () => {
    const open = [ask(1), answer(1), ask(2), ask(3)];
    expect(marked(trl, recordOf(trl, open), 1)).toBe(parts(open.slice(0, 3), open.slice(3)));
    expect(marked(trl, recordOf(trl, [ask(1), ask(2)]), 0)).toBe(parts([ask(1)], [ask(2)]));
  });

  test('the first message is in the prompt, unless there is no other', () => {
    expect(marked(trl, recordOf(trl, [answer(1), ask(2)]), 0)).toBe(parts([answer(1)], [ask(2)]));
    expect(marked(trl, recordOf(trl, [answer(1), ask(2), answer(3), ask(4)]), 0)).toBe(
      parts([answer(1), ask(2)], [answer(3), ask(4)]),
    );
    expect(marked(trl, recordOf(trl, [answer(1), ask(2), ask(3)]), 0)).toBe(
      parts([answer(1), ask(2)], [ask(3)]),
    );
    expect(marked(trl, recordOf(trl, [answer(1)]), 0)).toBe(parts([], [answer(1)]));
    expect(marked(trl, recordOf(trl, []), 0)).toBe(parts([], []));
  });

  test.each([[[]], [[answer(1)]], [[ask(1)]], [[answer(1), answer(2)]], [TURNS]])(
    'a record that is split stays so: %#',
    (messages) => {
      const once = marked(trl, recordOf(trl, messages), 1);
      expect(marked(trl, once, 1)).toBe(once);
      expect(marked(trl, marked(trl, once, 0), 1)).toBe(once);
    },
  );

  test('metadata and tools as a string stay', () => {
    const rest = '"tools":"[]","metadata":{"model":"m"}}';
    expect(marked(trl, `{"messages":[${TURNS.slice(0, 2).join(',')}],${rest}`, 0)).toBe(
      `{"prompt":[${TURNS[0]}],"completion":[${TURNS[1]}],${rest}`,
    );
  });
});

test('atif marks the steps up to the last answer that is context', () => {
  const call = '"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]';
  const result = '{"role":"tool","tool_call_id":"c","content":"found"}';
  const record = recordOf(atif, [
    ask(1),
    `{"role":"assistant",${call}}`,
    result,
    answer(2),
    ask(2),
    answer(3),
  ]);
  const steps = (marks: string): boolean[] =>
    JSON.parse(marks).steps.map((step: { is_copied_context?: boolean }) => step.is_copied_context ?? false);
  expect(steps(marked(atif, record, 1))).toEqual([true, true, false, false, false]);
  expect(steps(marked(atif, record, 2))).toEqual([true, true, true, false, false]);
  expect(marked(atif, record, 2).replaceAll(',"is_copied_context":true', '')).toBe(record);
  expect(marked(atif, record, 0)).toBe(record);
});
