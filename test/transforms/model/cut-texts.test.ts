import { describe, expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import { isCutByLogger, isMasked, isScrubbedAnswer } from '../../../transforms/model/cut-texts.ts';

describe('a mark in place of a text', () => {
  it.each([
    ...[
      '[REDACTED]',
      '<redacted>',
      '{{REDACTED}}',
      '(omitted)',
      '***REDACTED***',
      '***masked***',
      ' [Filtered]\n',
    ],
    ...[
      '[redacted by policy]',
      '<masked due to its length>',
      '[truncated 300 chars]',
      '[truncated, 300 chars]',
    ],
    ...[
      '[REDACTED_EMAIL]',
      '[REDACTED: api key]',
      '[redacted-pii]',
      '__REDACTED__',
      "[Scrubbed due to 'API Key']",
    ],
    ...['redacted-by-litellm', '<truncated due to size exceeding limit>'],
    '[System: Empty message content sanitised to satisfy protocol]',
  ])('is recognised by its whole shape: %s', (text) => {
    expect(isMasked(text)).toBe(true);
  });

  it.each([
    ...[
      '**Removed:** the red kite from the list',
      '*Truncated* means cut off at the end.',
      '**Removed**',
      '*hidden*',
    ],
    ...[
      '[removed the old kite] ok now?',
      '[removed the old kite]',
      '[REDACTED] is all that I see',
      '__removed__',
    ],
    ...[
      '(Hidden behind the tree.)',
      '(removed, as you asked)',
      '<hidden>x</hidden>',
      '[hidden](https://a.b)',
    ],
    ...[
      '[redacted',
      'REDACTED',
      '__redacted__ it',
      '[Scrubbed due to rain]',
      "[Scrubbed due to 'rain'] today",
      '',
    ],
  ])('is not a text with other words: %s', (text) => {
    expect(isMasked(text)).toBe(false);
  });
});

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

  it.each(['[REDACTED]', '[System: Empty message content sanitised to satisfy protocol]', '(no content)'])(
    'is left out if it is only what a scrubber or a client writes in its place: %s',
    (content) => {
      expect(isScrubbedAnswer(message('assistant', JSON.stringify({ content })))).toBe(true);
    },
  );

  it.each([
    ['user', '{"role":"user","content":"[REDACTED]"}'],
    ['assistant', `{"role":"assistant","content":"[REDACTED]",${CALLS}}`],
    ['assistant', '{"role":"assistant","content":"redacted-by-litellm"}'],
    ['assistant', '{"role":"assistant","content":"__REDACTED__"}'],
    ['assistant', '{"role":"assistant","content":"[redacted]"}'],
    ['assistant', '{"role":"assistant","content":"It answers (no content)"}'],
  ])('stays if it may be quoted: %s %s', (role, json) => {
    expect(isScrubbedAnswer(message(role, json))).toBe(false);
  });
});
