/**
 * One session: a history that grows from request to request, with everything that real agents do to it (compaction, rewinds, a shorter last
 * request, two requests of the same length, title requests, a second session id).
 */
import type { Dice } from './dice.ts';
import { num, type Odd, o, type Pairs } from './json-text.ts';
import { agentTurn, systemMessage, userMessage } from './messages.ts';
import { createClock } from './stamps.ts';
import { titleRequest } from './titles.ts';
import { firstTools, nextTools } from './tools.ts';
import { oddValue } from './values.ts';

type Tools = readonly Odd[] | null | undefined;

/** A reply with a missing or wrong role, or an empty reply. */
function oddReply(dice: Dice, reply: Pairs): Pairs {
  const others = reply.pairs.filter(([key]) => key !== 'role');
  return dice.variant<Pairs>('reply', {
    'no role': () => o(...others),
    'role is null': () => o(...others, ['role', null]),
    'role is a number': () => o(['role', num('1.0')], ...others),
    'role is empty': () => o(['role', ''], ...others),
    'another role': () => o(['role', 'model'], ...others),
    empty: () => o(),
    'only a role': () => o(['role', 'assistant']),
    'blank text': () => o(['content', ' \u2003\n']),
    'empty members': () => o(['role', 'assistant'], ['content', null], ['tool_calls', []], ['refusal', null]),
    'blank parts': () => o(['content', [o(['type', 'text'], ['text', ' '])]]),
    'only reasoning': () => o(['role', 'assistant'], ['content', ''], ['reasoning', 'r']),
    'only a refusal': () => o(['refusal', 'no']),
    'number content': () => o(['content', num('5.0')]),
    'object content': () => o(['role', 'assistant'], ['content', o(['a', num('1e400')])]),
    'boolean content': () => o(['role', 'assistant'], ['content', false]),
  });
}

/** Why the answer ended: mostly a reason that is reported. */
function oddFinish(dice: Dice): Odd {
  return dice.variant<Odd>('finish', {
    length: () => 'length',
    'content filter': () => 'content_filter',
    error: () => 'error',
    'tool calls': () => 'tool_calls',
    null: () => null,
    list: () => ['length'],
    longer: () => 'lengths',
  });
}

/** The response with this reply; without one, one of the ways in which an entry can lack a reply. */
function responseOf(dice: Dice, reply: Pairs | undefined): readonly (readonly [string, Odd])[] {
  if (reply !== undefined && !dice.odd('no reply', 0.05)) {
    const message = dice.odd('odd reply', 0.1) ? oddReply(dice, reply) : reply;
    const finish = dice.odd('odd finish', 0.12) ? oddFinish(dice) : 'stop';
    const choice = o(['index', num('0')], ['message', message], ['finish_reason', finish]);
    const choices = dice.odd('second choice', 0.06) ? [choice, o(['message', o()])] : [choice];
    const error: (readonly [string, Odd])[] = dice.odd('error beside choices', 0.05)
      ? [['error', dice.pick<Odd>([null, '', o(['code', num('500')])])]]
      : [];
    return [['response', o(['id', 'r'], ['choices', choices], ...error, ['usage', o(['total', num('7')])])]];
  }
  return dice.variant<readonly (readonly [string, Odd])[]>('without a reply', {
    absent: () => [],
    null: () => [['response', null]],
    'no choices': () => [['response', o(['error', 'overloaded'])]],
    'error body': () => [['response', o(['error', o(['message', 'overloaded'], ['code', num('529')])])]],
    'empty choices': () => [['response', o(['choices', []])]],
    'empty choices, and an error': () => [['response', o(['error', o()], ['choices', []])]],
    'cut before a message': () => [['response', o(['choices', [o(['finish_reason', 'length'])]])]],
    'choices is an object': () => [['response', o(['choices', o(['0', o()])])]],
    'choice is null': () => [['response', o(['choices', [null]])]],
    'message is null': () => [['response', o(['choices', [o(['message', null])]])]],
    'message is text': () => [['response', o(['choices', [o(['message', 'hi'])]])]],
  });
}

function entryOf(
  dice: Dice,
  stamp: Odd,
  id: string,
  messages: readonly Odd[],
  tools: Tools,
  reply?: Pairs,
): Pairs {
  const toolMembers: (readonly [string, Odd])[] = tools === undefined ? [] : [['tools', tools]];
  const request = dice.odd('reordered request', 0.1)
    ? o(...toolMembers, ['messages', messages], ['model', null])
    : o(['model', 'm'], ['messages', messages], ...toolMembers);
  const members: (readonly [string, Odd])[] = [
    ['timestamp', stamp],
    ['session_id', id],
    ['request', request],
    ...responseOf(dice, reply),
  ];
  if (dice.odd('reordered entry', 0.08)) return o(...members.reverse());
  if (dice.odd('extra entry members', 0.1)) {
    return o(['__proto__', o()], ...members, ['meta', oddValue(dice, 1)], ['meta', num('1.0')]);
  }
  return o(...members);
}

/** Changes the history before the next request. */
function nextHistory(dice: Dice, history: readonly Pairs[]): readonly Pairs[] {
  if (dice.odd('compaction', 0.06)) return [...history.slice(0, 1), userMessage(dice), ...history.slice(-2)];
  if (dice.odd('rewind', 0.06)) return [...history.slice(0, -(1 + dice.int(4))), userMessage(dice)];
  if (dice.odd('changed past', 0.05)) {
    return [systemMessage(dice), ...history.slice(1), userMessage(dice)];
  }
  return dice.odd('no new user message', 0.1) ? history : [...history, userMessage(dice)];
}

function firstHistory(dice: Dice): readonly Pairs[] {
  if (dice.odd('no messages', 0.03)) return [];
  const user = userMessage(dice);
  return dice.odd('no system message', 0.1) ? [user] : [systemMessage(dice), user];
}

/** The entries of one session, in order. */
export function oddSession(dice: Dice, id: string): readonly Pairs[] {
  const clock = createClock(dice);
  const entries: Pairs[] = [];
  let history = firstHistory(dice);
  let tools: Tools = firstTools(dice);
  const add = (messages: readonly Pairs[], reply?: Pairs): void => {
    const own = dice.odd('mixed session ids', 0.006) ? `${id}x` : id;
    entries.push(entryOf(dice, clock.next(), own, messages, tools, reply));
  };
  for (let turns = 1 + dice.int(4); turns > 0; turns--) {
    if (dice.odd('title request', 0.12)) {
      const title = titleRequest(dice);
      add(title.messages, title.reply);
    }
    for (const message of agentTurn(dice)) {
      const roles = message.pairs.findLast(([key]) => key === 'role');
      if (roles?.[1] === 'assistant') add(history, message);
      history = [...history, message];
    }
    if (dice.odd('two maxima', 0.08)) add(history.slice(0, -1), history.at(-1));
    history = nextHistory(dice, history);
    tools = nextTools(dice, tools);
  }
  if (dice.odd('shorter last entry', 0.1)) add(history.slice(0, 1 + dice.int(3)), history.at(-1));
  return entries;
}
