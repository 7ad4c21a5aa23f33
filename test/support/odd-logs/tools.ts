/**
 * Tool definitions in requests: with and without `function`, nameless, with odd names and schemas, and definitions that change under the
 * same name.
 */
import type { Dice } from './dice.ts';
import { num, type Odd, o, type Pairs } from './json-text.ts';
import { oddNumber, oddObject, oddText } from './values.ts';

const NAMES = ['read_file', 'web_search', 'run_shell', 'maps.route', 'select_symbols'] as const;

function schema(dice: Dice): Pairs {
  const limit = dice.odd('number in a schema', 0.3)
    ? o(['type', 'number'], ['maximum', oddNumber(dice)])
    : o(['type', 'number'], ['maximum', num('100')]);
  return o(
    ['type', 'object'],
    ['properties', o(['path', o(['type', 'string'])], ['2', limit], ['1', o(['type', 'null'])])],
    ['required', ['path']],
  );
}

function named(dice: Dice, name: string): Pairs {
  const description = dice.odd('odd description', 0.3) ? oddText(dice) : `What ${name} does.`;
  const body = o(['name', name], ['description', description], ['parameters', schema(dice)]);
  if (!dice.odd('odd tool', 0.3)) return o(['type', 'function'], ['function', body]);
  return dice.variant('tool', {
    flat: () => body,
    'flat with null function': () => o(['function', null], ...body.pairs),
    'function is text': () => o(['name', name], ['function', 'x']),
    'name beside function': () => o(['name', name], ['function', o(['description', 'the name is outside'])]),
    'two names': () => o(['name', `${name}-outer`], ['function', body]),
    'function twice': () => o(['function', o(['name', 'lost'])], ['function', body]),
    'extra members': () => o(['function', body], ['strict', true], ['cache', null]),
    'null members': () => o(['type', 'function'], ['function', o(...body.pairs, ['strict', null])]),
  });
}

function nameless(dice: Dice): Pairs {
  return dice.variant('nameless tool', {
    builtin: () => o(['type', 'web_search_preview']),
    'empty names': () => o(['name', ''], ['function', o(['name', ''])]),
    'number name': () => o(['function', o(['name', num('7')], ['parameters', oddObject(dice, 1)])]),
    empty: () => o(),
  });
}

export function oddTool(dice: Dice): Pairs {
  if (dice.odd('nameless tool', 0.08)) return nameless(dice);
  if (!dice.odd('odd tool name', 0.12)) return named(dice, dice.pick(NAMES));
  return named(
    dice,
    dice.variant('tool name', {
      proto: () => '__proto__',
      constructor: () => 'constructor',
      integer: () => '1',
      blank: () => ' ',
      unicode: () => 'suche_\u{1f50e}',
      long: () => 'n'.repeat(300),
      quote: () => 'say "hi"\\',
    }),
  );
}

/** The tools of a session's first request. */
export function firstTools(dice: Dice): readonly Odd[] | null | undefined {
  if (dice.odd('no tools', 0.15)) return dice.pick([undefined, null, []]);
  return Array.from({ length: 1 + dice.int(4) }, () => oddTool(dice));
}

/** The tools of the next request: usually the same, sometimes more, fewer or changed. */
export function nextTools(
  dice: Dice,
  tools: readonly Odd[] | null | undefined,
): readonly Odd[] | null | undefined {
  if (dice.odd('late tool', 0.12)) return [...(tools ?? []), oddTool(dice)];
  if (dice.odd('changed definition', 0.08)) return (tools ?? []).map(() => oddTool(dice));
  if (dice.odd('tools go away', 0.06)) return undefined;
  return tools;
}
