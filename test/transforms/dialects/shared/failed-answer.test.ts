import { describe, expect, it } from 'vitest';
import { errorsIn, isErrorText } from '../../../../transforms/dialects/shared/failed-answer.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const view = (value: unknown): JsonView => new JsonView(encode(JSON.stringify(value)));
const isError = (content: unknown, ...errors: readonly unknown[]): boolean =>
  isErrorText(
    { bytes: encode(JSON.stringify({ role: 'assistant', content })), role: 'assistant' },
    errors.map(view),
  );

describe('isErrorText', () => {
  it.each([
    ['quota used up', 'quota used up'],
    ['  "quota used up"\n', 'quota used up'],
    ['Error: quota used up', 'quota used up'],
    ['The call failed (the quota is used up); try later.', 'the quota is used up'],
    ['quota used up', "QuotaError('quota used up')"],
    ['quota used up', 'Error code: 429 - quota used up'],
    ['quota used up', { type: 'quota', message: 'quota used up' }],
    ['quota used up', { error: { detail: ['other', 'quota used up'] } }],
    ['quota used up', '{"message":"quota used up"}'],
    [[{ type: 'text', text: 'quota used up' }], 'quota used up'],
  ])('is the error that the log has: %j, %j', (content, error) => {
    expect(isError(content, error)).toBe(true);
  });

  it.each([
    'shop.errors.QuotaError: used up',
    "QuotaError('used up')",
    'Error code: 429 - used up',
    'Traceback (most recent call last):\n  File "a.py"',
  ])('is printed like an error: %s', (content) => {
    expect(isError(content)).toBe(true);
  });

  it.each([
    ['The larch is gold.', 'quota used up'],
    ['The larch is slow.', 'slow'],
    ['The larch is gold.', 'Could not parse the output: The larch is gold.'],
    ['The larch is gold.', 'ValidationError: The larch is gold.'],
    ['The larch is gold.', { message: 'cut', partial: 'The larch is gold.' }],
    ['', ''],
    [null, 'quota used up'],
  ])('is an answer: %j, %j', (content, error) => {
    expect(isError(content, error)).toBe(false);
  });

  it('is not a message with calls', () => {
    const bytes = encode(JSON.stringify({ role: 'assistant', content: 'quota', tool_calls: [{ id: 'a' }] }));
    expect(isErrorText({ bytes, role: 'assistant' }, [view('quota')])).toBe(false);
  });
});

it('takes no empty value and no false for an error', () => {
  expect(errorsIn(undefined, ...['', false, null, {}, []].map(view))).toBeUndefined();
  expect(errorsIn(view(true), view(429), view('x'), view({ a: 1 }), undefined)).toHaveLength(4);
});
