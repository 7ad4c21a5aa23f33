import { describe, expect, it, test } from 'vitest';
import gooseBootstrap from '../../../transforms/rules/goose-bootstrap.ts';
import { text } from '../bytes.ts';
import { IMAGE, messageOf, of, part, raw, SPACES } from './rule-samples.ts';

const WORDS = 'general-purpose AI agent called goose';
const SENTENCE = 'You are a general-purpose AI agent';
const LONG = `You are a ${WORDS}, created by Block.\nIt is 2026-01-13.`;

describe('replaces the whole content', () => {
  test.each([
    ['of a text', of('system', LONG)],
    ['of the words alone', of('system', WORDS)],
    ['in any case', of('system', WORDS.toUpperCase())],
    ['with any white space between the words', of('system', WORDS.replaceAll(' ', SPACES))],
    ['with other characters around the words', of('system', `x${WORDS}y`)],
    ['of parts', of('system', [part(LONG), part('more')])],
    [
      'of words that are split between parts',
      of('system', [part('general-purpose AI ag'), part('ent called goose')]),
    ],
    ['of parts, one of them not text', of('system', [part(LONG), IMAGE])],
  ])('%s', (_what, message) => {
    const cleaned = gooseBootstrap.apply(message);
    expect(text(cleaned?.bytes as Uint8Array)).toBe(JSON.stringify({ role: 'system', content: SENTENCE }));
    expect(cleaned?.role).toBe('system');
  });

  it('and keeps every other byte', () => {
    const message = raw('system', `{ "n":1.0,"content" : "${WORDS}" ,"role":"system"}`);
    expect(text(gooseBootstrap.apply(message)?.bytes as Uint8Array)).toBe(
      `{ "n":1.0,"content" : "${SENTENCE}" ,"role":"system"}`,
    );
  });

  it('of the last member when there are two', () => {
    const message = raw('system', `{"role":"system","content":"a","content":"${WORDS}"}`);
    expect(text(gooseBootstrap.apply(message)?.bytes as Uint8Array)).toBe(
      `{"role":"system","content":"a","content":"${SENTENCE}"}`,
    );
  });

  it('only once, because its sentence does not match', () => {
    const cleaned = gooseBootstrap.apply(of('system', LONG));
    expect(cleaned && gooseBootstrap.apply(cleaned)).toBe(cleaned);
  });
});

describe('keeps', () => {
  test.each([
    ['role developer', of('developer', LONG)],
    ['role user', of('user', LONG)],
    ['other words', of('system', 'You are a general-purpose AI agent called duck')],
    ['words without white space', of('system', WORDS.replace(' ', ''))],
    ['a blank for the hyphen', of('system', WORDS.replace('-', ' '))],
    ['a comma between the words', of('system', WORDS.replace('agent ', 'agent, '))],
    ['a byte order mark between the words', of('system', WORDS.replace(' ', '\ufeff'))],
    ['letters that only look the same', of('system', WORDS.replace('s', '\u017f'))],
    ['null content', of('system', null)],
    ['no content', messageOf({ role: 'system', name: WORDS })],
    ['the words in a part that is not text', of('system', [{ type: 'x', text: WORDS }])],
    ['its own sentence', of('system', SENTENCE)],
  ])('%s', (_what, message) => {
    expect(gooseBootstrap.apply(message)).toBe(message);
  });
});

test.each([
  ['blanks', ' '.repeat(5_000_000)],
  ['blanks after the first word', `general-purpose${' '.repeat(5_000_000)}x`],
  ['first words', 'general-purpose '.repeat(300_000)],
  ['all words but the last', 'general-purpose AI agent called goos '.repeat(140_000)],
])('reads 5 MB of %s in linear time', (_what, content) => {
  const message = of('system', content);
  expect(gooseBootstrap.apply(message)).toBe(message);
});
