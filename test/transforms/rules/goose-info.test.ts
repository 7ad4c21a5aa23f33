import { describe, expect, test } from 'vitest';
import gooseInfo from '../../../transforms/rules/goose-info.ts';
import { IMAGE, messageOf, of, part, raw, SPACES } from './rule-samples.ts';

const BLOCK = '<info-msg>It is 22:14.</info-msg>';

describe('drops a user message', () => {
  test.each([
    ['of one block', of('user', BLOCK)],
    ['of an empty block', of('user', '<info-msg></info-msg>')],
    ['of several blocks', of('user', `${BLOCK}${BLOCK}\n${BLOCK}`)],
    ['with any white space around the blocks', of('user', `${SPACES}${BLOCK}${SPACES}${BLOCK}${SPACES}`)],
    ['with opening tags inside a block', of('user', '<info-msg><info-msg><info-msg></info-msg>')],
    ['with line breaks inside a block', of('user', '<info-msg>\na\r\n\u2028b</info-msg>')],
    ['in parts that are text', of('user', [part('<info-msg>a'), part('</info-msg>'), part(' ')])],
    ['with escapes in its JSON', raw('user', '{"role":"user","content":"\\u003cinfo-msg>a<\\/info-msg>"}')],
    ['with other members', messageOf({ role: 'user', content: BLOCK, name: 'x' })],
  ])('%s', (_what, message) => {
    expect(gooseInfo.apply(message)).toBeUndefined();
  });
});

describe('keeps', () => {
  test.each([
    ['another role', of('system', BLOCK)],
    ['the role assistant', of('assistant', BLOCK)],
    ['a role in another case', of('User', BLOCK)],
    ['no block', of('user', 'hello')],
    ['an empty text', of('user', '')],
    ['white space only', of('user', SPACES)],
    ['text before a block', of('user', `a ${BLOCK}`)],
    ['text after a block', of('user', `${BLOCK} a`)],
    ['text between blocks', of('user', `${BLOCK} a ${BLOCK}`)],
    ['a byte order mark before a block', of('user', `\ufeff${BLOCK}`)],
    ['a zero-width space after a block', of('user', `${BLOCK}\u200b`)],
    ['a block that is not closed', of('user', '<info-msg>a')],
    ['a second block that is not closed', of('user', `${BLOCK}<info-msg>a`)],
    ['a closing tag alone', of('user', '</info-msg>')],
    ['nested blocks: text is left after the first end', of('user', `<info-msg>${BLOCK}</info-msg>`)],
    ['a tag with attributes', of('user', '<info-msg a="b">a</info-msg>')],
    ['a tag in another case', of('user', '<INFO-MSG>a</INFO-MSG>')],
    ['a closing tag with a blank', of('user', '<info-msg>a</info-msg >')],
    ['a part that is not text', of('user', [part(BLOCK), IMAGE])],
    ['a part without a text', of('user', [part(BLOCK), { type: 'text' }])],
    ['no parts', of('user', [])],
    ['null content', of('user', null)],
    ['no content', messageOf({ role: 'user' })],
    ['content that is an object', of('user', { text: BLOCK })],
  ])('%s', (_what, message) => {
    expect(gooseInfo.apply(message)).toBe(message);
  });
});

describe('reads 5 MB in linear time', () => {
  const MB5 = 5_000_000;
  test.each([
    ['blanks', ' '.repeat(MB5), false],
    ['openers', '<info-msg>'.repeat(MB5 / 10), false],
    ['opening tags and one closing tag', `${'<info-msg>'.repeat(MB5 / 10)}</info-msg>`, true],
    ['ends', '</info-msg>'.repeat(MB5 / 11), false],
    ['blocks', '<info-msg></info-msg>'.repeat(MB5 / 20), true],
    ['blocks and an opening tag', `${'<info-msg></info-msg>'.repeat(MB5 / 20)}<info-msg>`, false],
    ['blanks between blocks', `${BLOCK}${' '.repeat(MB5)}${BLOCK}`, true],
    ['blanks before text', `${' '.repeat(MB5)}x`, false],
  ])('of %s', (_what, text, expected) => {
    expect(gooseInfo.apply(of('user', text)) === undefined).toBe(expected);
  });
});
