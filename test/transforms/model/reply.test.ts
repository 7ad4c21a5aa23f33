import { describe, expect, it } from 'vitest';
import { isEmptyReply } from '../../../transforms/model/reply.ts';
import { asArray } from '../bytes.ts';

const isEmpty = (members: string): boolean =>
  isEmptyReply({ role: 'assistant', bytes: asArray(`{"role":"assistant"${members}}`) });

describe('isEmptyReply', () => {
  it.each([
    ['', true],
    [',"content":" \\n"', true],
    [',"content":[{"type":"text","text":""}],"tool_calls":[]', true],
    [',"content":null,"name":"x"', true],
    [',"content":null,"reasoning":"x"', false],
    [',"content":[{"type":"image_url"}]', false],
    [',"tool_calls":[{}]', false],
  ])('of %s is %s', (members, expected) => {
    expect(isEmpty(members)).toBe(expected);
  });

  it.each([
    [',"refusal":"x","refusal":null', true],
    [',"refusal":null,"refusal":"x"', false],
  ])('uses the last member of a key: %s', (members, expected) => {
    expect(isEmpty(members)).toBe(expected);
  });
});
