import { describe, expect, it, test } from 'vitest';
import { canonical } from '../../../transforms/model/canonical.ts';
import { KINDS, text } from '../bytes.ts';

describe.each(KINDS)('a message in a %s', (_kind, make) => {
  function of(json: string, role: string) {
    const rules: string[] = [];
    const message = { bytes: make(json), role };
    const output = canonical(message, (rule) => rules.push(rule));
    expect(text(message.bytes)).toBe(json);
    return { message, output, rules, json: text(output.bytes) };
  }

  it('that needs no change is the same object', () => {
    const { message, output, rules } = of(
      '{"role":"user","content":"null", "n": {"a":null}, "m":[null]}',
      'user',
    );
    expect(output).toBe(message);
    expect(rules).toEqual([]);
  });

  it('with role developer gets role system', () => {
    const { output, rules, json } = of('{"role": "developer" ,"content":"x"}', 'developer');
    expect([output.role, rules, json]).toEqual([
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
  ])('%s loses members that are null', (json, expected) => {
    const actual = of(json, 'assistant');
    expect([actual.json, actual.rules]).toEqual([expected, ['null-fields']]);
  });

  it('keeps a member whose last value is not null', () => {
    const json = '{"role":"assistant","a":null,"a":1}';
    expect(of(json, 'assistant').json).toBe(json);
  });

  it('may need both', () => {
    const { output, rules, json } = of('{"role":"developer","name":null}', 'developer');
    expect([output.role, rules, json]).toEqual([
      'system',
      ['developer-role', 'null-fields'],
      '{"role":"system"}',
    ]);
  });

  it('without a role stays without one', () => {
    expect(of('{"role":null,"content":null}', '').json).toBe('{}');
  });
});
