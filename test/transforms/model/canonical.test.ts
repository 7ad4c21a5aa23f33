import { describe, expect, it, test } from 'vitest';
import { canonical } from '../../../transforms/model/canonical.ts';
import { KINDS, text } from '../bytes.ts';

describe.each(KINDS)('a message in a %s', (_kind, make) => {
  function of(json: string, role: string) {
    const rules: string[] = [];
    const message = { bytes: make(json), role };
    const made = canonical(message, (rule) => rules.push(rule));
    expect(text(message.bytes)).toBe(json);
    return { message, made, rules, json: text(made.bytes) };
  }

  it('that needs no change is the same', () => {
    const { message, made, rules } = of(
      '{"role":"user","content":"null", "n": {"a":null}, "m":[null]}',
      'user',
    );
    expect(made).toBe(message);
    expect(rules).toEqual([]);
  });

  it('of role developer is of role system', () => {
    const { made, rules, json } = of('{"role": "developer" ,"content":"x"}', 'developer');
    expect([made.role, rules, json]).toEqual([
      'system',
      ['developer-role'],
      '{"role": "system" ,"content":"x"}',
    ]);
  });

  it('has its last role changed', () => {
    const { json } = of('{"role":"user","role":"devel\\u006fper"}', 'developer');
    expect(json).toBe('{"role":"user","role":"system"}');
  });

  test.each([
    ['{"role":"assistant","content":null,"tool_calls":[]}', '{"role":"assistant","tool_calls":[]}'],
    ['{"content":null ,"role":"assistant"}', '{"role":"assistant"}'],
    ['{"role":"assistant","name" : null }', '{"role":"assistant" }'],
    ['{"name":null,"role":"assistant","content":null}', '{"role":"assistant"}'],
    ['{"role":"assistant","a":1,"a":null}', '{"role":"assistant"}'],
    ['{"role":"assistant","n\\u0061me":null}', '{"role":"assistant"}'],
  ])('%s loses its members that are null', (json, expected) => {
    const made = of(json, 'assistant');
    expect([made.json, made.rules]).toEqual([expected, ['null-fields']]);
  });

  it('keeps a member whose last value is not null', () => {
    const json = '{"role":"assistant","a":null,"a":1}';
    expect(of(json, 'assistant').json).toBe(json);
  });

  it('can need both', () => {
    const { made, rules, json } = of('{"role":"developer","name":null}', 'developer');
    expect([made.role, rules, json]).toEqual([
      'system',
      ['developer-role', 'null-fields'],
      '{"role":"system"}',
    ]);
  });

  it('without a role keeps what it has', () => {
    expect(of('{"role":null,"content":null}', '').json).toBe('{}');
  });
});
