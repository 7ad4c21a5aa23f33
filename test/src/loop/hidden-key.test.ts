/** The key of an endpoint in texts that repeat it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hideKey } from '../../../src/loop/hidden-key.ts';

const KEY = 'sk-plum/+tree=07';
const hide = hideKey(KEY);

describe('the key', () => {
  test.each([
    ['as it is', `wrong key ${KEY}.`, 'wrong key [key].'],
    ['twice', `${KEY}${KEY}`, '[key][key]'],
    ['in a URL', `?key=${encodeURIComponent(KEY)}&x=1`, '?key=[key]&x=1'],
    ['in a URL in lower case', `?key=${encodeURIComponent(KEY).toLowerCase()}`, '?key=[key]'],
    ['in JSON that escapes slashes', `{"key":"${KEY.replaceAll('/', '\\/')}"}`, '{"key":"[key]"}'],
    ['in JSON with escapes', '"sk-plum/\\u002b\\u0074ree=07"', '"[key]"'],
    ['in base64', `Basic ${Buffer.from(KEY).toString('base64')}`, 'Basic [key]w=='],
    ['in base64url', Buffer.from(KEY).toString('base64url'), '[key]w'],
  ])('is replaced %s', (_name, text, expected) => {
    expect(hide(text)).toBe(expected);
  });

  test('is replaced at each place in base64', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        const text = Buffer.from(`${before}${KEY}${after}`).toString('base64');
        expect(hide(text)).toContain('[key]');
        expect(Buffer.from(hide(text).replaceAll('[key]', ''), 'base64').toString()).not.toContain('plum');
      }),
    );
  });

  test('is not searched for if it is a common word, or if there is none', () => {
    expect(hideKey('EMPTY')('EMPTY hands')).toBe('EMPTY hands');
    expect(hideKey(undefined)('text')).toBe('text');
  });

  test('leaves other texts unchanged', () => {
    const near = 'sk-plum/+tree=08 sk-plum/+tree= c2stcGx1bQ==';
    expect(hide(near)).toBe(near);
  });
});
