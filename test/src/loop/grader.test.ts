/** A grader: its messages, its answer, and the numbers of the comparison. */
import { describe, expect, test } from 'vitest';
import { agreementOf, gradeIn, graderMessages, readSample } from '../../../src/loop/grader.ts';

const MESSAGES = '[{"role":"user","content":"How many legs?"},{"role":"assistant","content":"Six."}]';
const sampleOf = (rest: string) => readSample(Buffer.from(`{"messages":${MESSAGES}${rest}}`)).sample;

describe('a sample', () => {
  test('keeps the bytes of its conversation and its expected value', () => {
    expect(sampleOf(',"expected":{"score":1.0, "reason":"r\\u0021"}')).toEqual({
      fullConversation: MESSAGES,
      expected: '{"score":1.0, "reason":"r\\u0021"}',
      expectedScore: 1,
    });
  });

  test('may have its score beside the messages, or a text as its expected value', () => {
    expect(sampleOf(',"score":-3')).toMatchObject({ expected: '{"score":-3}', expectedScore: -3 });
    expect(sampleOf(',"score":2,"expected":"a poem"')).toMatchObject({
      expected: 'a poem',
      expectedScore: 2,
    });
  });

  test.each([
    '',
    ',"expected":{"score":"3"}',
    ',"expected":{"reason":"r"}',
    ',"expected":null',
    ',"score":null',
  ])('without a number as expected score is skipped: %s', (rest) => {
    expect(sampleOf(rest)).toEqual({
      skipped: 'no-expected-score',
      problem: 'the sample has no number expected.score',
    });
  });

  test.each([
    ['{"expected":{"score":1}}', 'Sample must have messages array'],
    ['{"messages":[],"expected":{"score":1}}', 'Messages array cannot be empty'],
    ['{"messages":[{"content":"a"}]}', 'Each message must have a role string'],
    ['{"messages":[{"role":"user"}]}', 'Each message must have a content string'],
    ['null', 'Sample must have messages array'],
    ['[1]', 'Sample must have messages array'],
    ['{"messages":', 'the sample is not JSON in UTF-8'],
    [`{"messages":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'Sample must have messages array'],
  ])('that is faulty is skipped: %.40s', (text, problem) => {
    expect(readSample(Buffer.from(text))).toEqual({ id: null, sample: { skipped: 'bad-sample', problem } });
  });

  test('that is not UTF-8 is skipped', () => {
    expect(readSample(Buffer.from([0x22, 0xff, 0x22])).sample).toMatchObject({ skipped: 'bad-sample' });
  });
});

describe('the messages of a grader', () => {
  const sample = { fullConversation: MESSAGES, expected: '{"score":1}', expectedScore: 1 };

  test('are the text, and each context as a question with its answer', () => {
    const contexts = new Map([
      ['scale', { question: 'Which scale?', default: '0 to 1' }],
      ['fullConversation', { question: 'What was said?', default: 'nothing' }],
      ['expected', { question: 'What is right?', default: undefined }],
    ]);
    expect(graderMessages('Grade it.', contexts, sample)).toEqual([
      { role: 'system', content: 'Grade it.' },
      { role: 'assistant', content: 'Which scale?' },
      { role: 'user', content: '0 to 1' },
      { role: 'assistant', content: 'What was said?' },
      { role: 'user', content: MESSAGES },
      { role: 'assistant', content: 'What is right?' },
      { role: 'user', content: '{"score":1}' },
    ]);
  });

  test('end in the conversation if the deck does not ask for it, without the expected value', () => {
    expect(graderMessages('Grade it.', new Map(), sample)).toEqual([
      { role: 'system', content: 'Grade it.' },
      { role: 'user', content: `{"fullConversation":${MESSAGES}}` },
    ]);
  });
});

describe('the answer of a grader', () => {
  test.each([
    ['{"score": 2, "reason": "short"}', { score: 2, reason: 'short' }],
    [' {"score":-0.5}\n', { score: -0.5, reason: null }],
    ['```json\n{"score": 1, "reason": "a\\n```"}\n```', { score: 1, reason: 'a\n```' }],
    ['```\n{"score": 1}\n```', { score: 1, reason: null }],
    ['<think>{"score": 3}</think>\n{"score": 1, "reason": {"a": 1}}', { score: 1, reason: null }],
  ])('%j', (text, grade) => {
    expect(gradeIn(text)).toEqual(grade);
  });

  test.each([
    ['The score is 1.', 'the answer of the grader is not JSON'],
    ['{"score": 1', 'the answer of the grader is not JSON'],
    ['```', 'the answer of the grader is not JSON'],
    ['1', 'the answer of the grader is not an object'],
    ['[{"score": 1}]', 'the answer of the grader is not an object'],
    ['['.repeat(100_000), 'the answer of the grader is not an object'],
    ['{"score": "1"}', 'the answer of the grader has no number score'],
    ['{"score": 1e999}', 'the answer of the grader has no number score'],
    ['{"reason": "good"}', 'the answer of the grader has no number score'],
  ])('%.40j cannot be used', (text, problem) => {
    expect(gradeIn(text)).toEqual({ skipped: 'bad-answer', problem });
  });
});

describe('the agreement', () => {
  test('counts equal scores, the mean difference and the table', () => {
    const scores = [
      { expected: 3, score: 3 },
      { expected: 3, score: 1 },
      { expected: -3, score: 1 },
      { expected: 3, score: 3 },
    ];
    expect(agreementOf(scores, 5)).toEqual({
      samples: 5,
      graded: 4,
      skipped: 1,
      agreed: 2,
      agreement: 0.5,
      mean_absolute_difference: 1.5,
      confusion: [
        { expected: -3, score: 1, count: 1 },
        { expected: 3, score: 1, count: 1 },
        { expected: 3, score: 3, count: 2 },
      ],
    });
  });

  test('has no shares without a graded sample', () => {
    expect(agreementOf([], 2)).toMatchObject({ skipped: 2, agreement: null, mean_absolute_difference: null });
  });
});
