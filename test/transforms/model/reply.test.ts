import { describe, expect, it } from 'vitest';
import { membersOf, rememberMembers } from '../../../transforms/json/members.ts';
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
    [',"content":null,"reasoning":"x"', true],
    [',"content":"","reasoning_details":[{}]', true],
    [',"content":" <think>a</think>\\n"', true],
    [',"content":"<think>a</think>b"', false],
    [',"content":"<think>a"', false],
    [',"content":"a</think>"', false],
    [',"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":" "}]', true],
    [',"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"a"}]', false],
    [',"reasoning_content":"x","refusal":"no"', false],
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

  it('reads each key a few times when a key repeats', () => {
    const bytes = asArray(`{"role":"assistant"${',"refusal":"x"'.repeat(1000)},"refusal":null}`);
    let reads = 0;
    const counted = membersOf(bytes).map(({ key, start, valueStart, end }) => ({
      ...{ start, valueStart, end },
      get key() {
        reads++;
        return key;
      },
    }));
    rememberMembers(bytes, () => counted);
    expect(isEmptyReply({ role: 'assistant', bytes })).toBe(true);
    expect(reads).toBeGreaterThan(1000);
    expect(reads).toBeLessThan(10_000);
  });
});
