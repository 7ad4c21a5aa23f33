import { describe, expect, it } from 'vitest';
import { isInline } from '../../../transforms/checks/inline-format.ts';
import { rowOf } from './samples.ts';

describe('isInline', () => {
  it('is so for chat-inline, not for chat', () => {
    expect(isInline(rowOf('chat-inline', []))).toBe(true);
    expect(isInline(rowOf('chat', []))).toBe(false);
  });
});
