import { describe, expect, it, test } from 'vitest';
import type { Message } from '../../../transforms/model/element.ts';
import gooseTitle from '../../../transforms/rules/goose-title.ts';
import { entryOf } from '../checks/samples.ts';
import { IMAGE, messageOf, of, part, SPACES } from './rule-samples.ts';

const SYSTEM = of('system', 'Reply with only a description in four words or less.\nNo more.');
const USER = of('user', 'Here are the first few user messages:\nhello');
const REPLY = of('assistant', 'A short title');

const drops = (messages: readonly Message[], reply: Message | undefined = REPLY) =>
  gooseTitle.drops(entryOf(messages, 1, reply));

describe('drops the entry', () => {
  test.each<[string, readonly Message[], Message]>([
    ['that asks for a title', [SYSTEM, USER], REPLY],
    ['with more messages', [SYSTEM, USER, USER], REPLY],
    ['with one word', [SYSTEM, USER], of('assistant', `${SPACES}Title${SPACES}`)],
    ['with six words', [SYSTEM, USER], of('assistant', 'a b c d e f')],
    ['with a reply in parts', [SYSTEM, USER], of('assistant', [part('a '), part('b')])],
    [
      'with any white space around the texts',
      [
        of('system', `${SPACES}Reply with only a description in four words or less`),
        of('user', `${SPACES}Here are the first few user messages:`),
      ],
      REPLY,
    ],
    [
      'with messages in parts',
      [
        of('system', [part('Reply with only a description'), part(' in four words or less')]),
        of('user', [IMAGE, part('Here are the first few user messages:')]),
      ],
      REPLY,
    ],
  ])('%s', (_what, messages, reply) => {
    expect(drops(messages, reply)).toBe(true);
  });
});

describe('keeps the entry', () => {
  test.each<[string, readonly Message[], Message]>([
    ['without messages', [], REPLY],
    ['with the system message only', [SYSTEM], REPLY],
    ['with the messages the other way round', [USER, SYSTEM], REPLY],
    ['with a message before', [of('user', 'x'), SYSTEM, USER], REPLY],
    ['with a message between', [SYSTEM, of('user', 'x'), USER], REPLY],
    [
      'of role developer',
      [of('developer', 'Reply with only a description in four words or less'), USER],
      REPLY,
    ],
    ['with another second role', [SYSTEM, of('assistant', 'Here are the first few user messages:')], REPLY],
    ['with another system text', [of('system', 'Reply with only a description in five words'), USER], REPLY],
    [
      'with text before the system text',
      [of('system', 'Please. Reply with only a description in four words or less'), USER],
      REPLY,
    ],
    ['in another case', [of('system', 'reply with only a description in four words or less'), USER], REPLY],
    [
      'with a byte order mark first',
      [of('system', '\ufeffReply with only a description in four words or less'), USER],
      REPLY,
    ],
    ['with another user text', [SYSTEM, of('user', 'Here are the first user messages:')], REPLY],
    ['with null content', [of('system', null), USER], REPLY],
    ['with a user message without content', [SYSTEM, messageOf({ role: 'user' })], REPLY],
    ['with a reply of another role', [SYSTEM, USER], of('user', 'A title')],
    ['with an empty reply', [SYSTEM, USER], of('assistant', '')],
    ['with a blank reply', [SYSTEM, USER], of('assistant', SPACES)],
    ['with a reply without content', [SYSTEM, USER], messageOf({ role: 'assistant' })],
    ['with a reply of seven words', [SYSTEM, USER], of('assistant', 'a b c d e f g')],
  ])('%s', (_what, messages, reply) => {
    expect(drops(messages, reply)).toBe(false);
  });

  it('without a reply', () => {
    expect(gooseTitle.drops({ ...entryOf([SYSTEM, USER]), reply: undefined })).toBe(false);
  });
});

test('reads 5 MB of spaces or words in linear time', () => {
  const blanks = ' '.repeat(5_000_000);
  expect(drops([of('system', blanks), of('user', blanks)])).toBe(false);
  expect(drops([SYSTEM, USER], of('assistant', 'a '.repeat(2_500_000)))).toBe(false);
  expect(drops([SYSTEM, USER], of('assistant', blanks))).toBe(false);
});
