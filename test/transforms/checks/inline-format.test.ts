import { describe, expect, it } from 'vitest';
import { isInline } from '../../../transforms/checks/inline-tags.ts';
import { recordOf } from './samples.ts';

describe('isInline', () => {
  it('is true for chat-inline and false for chat', () => {
    expect(isInline(recordOf('chat-inline', []))).toBe(true);
    expect(isInline(recordOf('chat', []))).toBe(false);
  });
});
