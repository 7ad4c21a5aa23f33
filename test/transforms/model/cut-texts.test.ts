import { describe, expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import { isCutByLogger, isScrubbedAnswer } from '../../../transforms/model/cut-texts.ts';

const message = (role: string, json: string) => ({ role, bytes: encode(json) });

describe('a message whose content is a mark', () => {
  it.each([
    '{"role":"assistant","content":"[REDACTED]"}',
    '{ "role": "assistant", "content" : " [REDACTED]" }',
    '{"reasoning_content":"r","role":"assistant","content":"\\u005bREDACTED]"}',
    '{"content":null,"content":"<REDACTED>"}',
    '{"tool_calls":[{"content":"x"}],"content":"__REDACTED__"}',
  ])('is found: %s', (json) => {
    expect(isCutByLogger(message('assistant', json))).toBe(true);
  });

  it.each([
    '{"role":"assistant","content":"[REDACTED], as you see"}',
    '{"role":"assistant","content":"a","note":{"content":"[REDACTED]"}}',
    '{"role":"assistant","content":"[REDACTED]","content":"a"}',
    '{"role":"assistant","content":"**Removed**"}',
  ])('is no other one: %s', (json) => {
    expect(isCutByLogger(message('assistant', json))).toBe(false);
  });
});

describe('an answer in the log of a client', () => {
  const CALLS = '"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]';

  it('is left out if a scrubber of logs left its mark', () => {
    expect(isScrubbedAnswer(message('assistant', '{"role":"assistant","content":"[REDACTED]"}'))).toBe(true);
  });

  it.each([
    ['user', '{"role":"user","content":"[REDACTED]"}'],
    ['assistant', `{"role":"assistant","content":"[REDACTED]",${CALLS}}`],
    ['assistant', '{"role":"assistant","content":"redacted-by-litellm"}'],
    ['assistant', '{"role":"assistant","content":"__REDACTED__"}'],
    ['assistant', '{"role":"assistant","content":"[redacted]"}'],
  ])('stays if it may be quoted: %s %s', (role, json) => {
    expect(isScrubbedAnswer(message(role, json))).toBe(false);
  });
});
