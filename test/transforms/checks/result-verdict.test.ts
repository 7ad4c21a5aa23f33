import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isErrorText, isTruthy, verdictOf } from '../../../transforms/checks/result-verdict.ts';
import { messageOf, rawMessage, result } from './samples.ts';

const verdict = (content: unknown) => verdictOf(result('1', content));

describe('verdictOf', () => {
  it.each([
    ['{"error": "no such file"}'],
    [' \n{"a": [{"b": {"Timeout": 1}}]}'],
    ['[0, {"MISSING": [0]}]'],
    ['{"Incomplete": true, "error": null}'],
    ['{"\\u0065rror": "x"}'],
    ['{"error": {"code": 0}}'],
    [
      [
        { type: 'text', text: '{"error":' },
        { type: 'text', text: '1}' },
      ],
    ],
  ])('treats %j as an error', (content) => {
    expect(verdict(content)).toBe('error');
  });

  it.each([
    ['fine'],
    ['"error"'],
    ['\u00a0{"error": "not JSON white space"}'],
    ['error: no such file'],
    ['{"error": "no such file"'],
    ['{"error": null, "timeout": false, "missing": [], "incomplete": {}}'],
    ['{"error": 0, "timeout": 0.0, "missing": "", "incomplete": -0.0}'],
    ['{"errors": ["x"], "error_code": 1, "message": "error"}'],
    ['{"result": "\\u0041"}'],
    ['{"a": 1}'],
    ['[]'],
    ['\u00e9'],
    ['\\'],
    ['"'],
    [42],
    [{ error: 'x' }],
    [[{ type: 'image_url', image_url: {} }]],
  ])('treats %j as a success', (content) => {
    expect(verdict(content)).toBe('ok');
  });

  it.each([[''], [' \t\n\u0085\u001c'], [null], [[]], [[{ type: 'text', text: ' ' }]]])(
    'treats %j as empty',
    (content) => {
      expect(verdict(content)).toBe('empty');
    },
  );

  it('treats absent content as empty', () => {
    expect(verdictOf(messageOf({ role: 'tool' }))).toBe('empty');
  });

  it('reads escapes at the start of the text', () => {
    expect(verdictOf(rawMessage('tool', '{"role":"tool","content":"\\u007b\\"error\\":1}"}'))).toBe('error');
    expect(verdictOf(rawMessage('tool', '{"role":"tool","content":"\\u0020"}'))).toBe('empty');
  });

  it('recognises an error however its text and key are escaped', () => {
    const spell = (char: string, upper: boolean): string => {
      const code = char.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${upper ? code.toUpperCase() : code}`;
    };
    const escaped = (text: string, at: readonly boolean[], upper: boolean): string =>
      [...text].map((char, i) => (at[i] === true ? spell(char, upper) : char)).join('');
    const choice = fc.array(fc.boolean(), { minLength: 11, maxLength: 11 });
    const key = fc.constantFrom('error', 'TimeOut', 'missing', 'INCOMPLETE', 'terror', 'errors', 'note');
    fc.assert(
      fc.property(key, choice, fc.boolean(), fc.boolean(), (name, inKey, inText, upper) => {
        const text = `{"${escaped(name, inKey, upper)}":1}`; // text of the result
        const plain = JSON.stringify(text).slice(1, -1);
        const quoted = inText ? plain.replaceAll('\\"', '\\u0022') : plain;
        const message = rawMessage('tool', `{"role":"tool","content":"${quoted}"}`);
        expect(verdictOf(message)).toBe(isErrorText(text) ? 'error' : 'ok');
      }),
      { numRuns: 500 },
    );
  });

  it('does not recurse', () => {
    const depth = 300_000;
    expect(isErrorText(`${'['.repeat(depth)}{"error":1}${']'.repeat(depth)}`)).toBe(true);
    expect(isErrorText(`${'{"a":'.repeat(depth)}{"error":0}${'}'.repeat(depth)}`)).toBe(false);
  });

  it('agrees with a plain recursive search', () => {
    const key = fc.constantFrom('error', 'Error', 'TIMEOUT', 'missing', 'incomplete', 'errors', 'a');
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, 0, 1, '', 'x', 'error'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(tree, (value) => isErrorText(JSON.stringify(value)) === search(value)),
      { numRuns: 1000 },
    );
  });
});

function search(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, item]) => (/^(error|timeout|missing|incomplete)$/i.test(key) && isTruthy(item)) || search(item),
  );
}

describe('isTruthy', () => {
  it.each([[true], [1], [-1.5], ['0'], [' '], [[0]], [{ a: null }]])('is true for %j', (value) =>
    expect(isTruthy(value)).toBe(true),
  );
  it.each([[false], [0], [-0], [''], [[]], [{}], [null]])('is false for %j', (value) =>
    expect(isTruthy(value)).toBe(false),
  );
});
