/** Small requests of an agent for a session title (cleanup rule goose-title), and near misses. */
import type { Dice } from './dice.ts';
import { type Odd, o, type Pairs } from './json-text.ts';
import { part } from './near-misses.ts';

export type Title = { readonly messages: readonly Pairs[]; readonly reply: Pairs | undefined };

const ASK = 'Reply with only a description in four words or less for this session.';
const SHOW = 'Here are the first few user messages:\nfix the build';

function say(role: string, content: Odd): Pairs {
  return o(['role', role], ['content', content]);
}

function title(system: Pairs, user: Pairs, reply: Pairs | undefined): Title {
  return { messages: [system, user], reply };
}

export function titleRequest(dice: Dice): Title {
  const [ask, show, reply] = [say('system', ASK), say('user', SHOW), say('assistant', 'Fix build')];
  return dice.variant<Title>('title', {
    plain: () => title(ask, show, reply),
    padded: () => title(say('system', `\n\u2003${ASK}`), say('user', ` ${SHOW}`), reply),
    parts: () => title(say('system', [part('Reply with only '), part(ASK.slice(16))]), show, reply),
    'six words': () => title(ask, show, say('assistant', ' a b\u3000c\nd e  f ')),
    'info in front': () => ({
      messages: [say('user', '<info-msg>x</info-msg>'), ask, show],
      reply,
    }),
    'more messages': () => ({ messages: [ask, show, say('user', 'go on')], reply }),
    'seven words': () => title(ask, show, say('assistant', 'a b c d e f g')),
    'no words': () => title(ask, show, say('assistant', ' \n')),
    'no reply': () => title(ask, show, undefined),
    'null reply': () => title(ask, show, say('assistant', null)),
    'reply in parts': () => title(ask, show, say('assistant', [part('Fix'), part('ed build')])),
    'other replier': () => title(ask, show, say('user', 'Fix build')),
    developer: () => title(say('developer', ASK), show, reply),
    'other ask': () => title(say('system', ASK.toLowerCase()), show, reply),
    'other show': () => title(ask, say('user', `> ${SHOW}`), reply),
    'byte order mark': () => title(say('system', `\ufeff${ASK}`), show, reply),
    'goose takes the ask': () =>
      title(say('system', `${ASK} a general-purpose AI agent called goose`), show, reply),
  });
}
