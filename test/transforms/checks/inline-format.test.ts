import { describe, expect, it } from 'vitest';
import { isInline } from '../../../transforms/checks/inline-tags.ts';
import { recordOf } from './samples.ts';

describe('isInline', () => {
  it('is so for chat-inline, not for chat', () => {
    expect(isInline(recordOf('chat-inline', []))).toBe(true);
    expect(isInline(recordOf('chat', []))).toBe(false);
  });
});
