/** Messages at the edge of the cleanup rules: texts that a rule must remove, and similar texts that must stay. */
import type { Dice } from './dice.ts';
import { num, type Odd, o } from './json-text.ts';

export function part(text: string): Odd {
  return o(['type', 'text'], ['text', text]);
}

export function image(): Odd {
  return o(['type', 'image_url'], ['image_url', o(['url', 'data:image/png;base64,iVBOR=='])]);
}

/** The content of a user message around `<info-msg>`. */
export function infoContent(dice: Dice): Odd {
  const one = '<info-msg>\nIt is 2026-01-13 10:00.\n</info-msg>';
  return dice.variant<Odd>('info', {
    one: () => one,
    padded: () => `\u2003\n${one}\u001c\u0085`,
    several: () => `${one}\n${one}${one}`,
    empty: () => '<info-msg></info-msg>',
    'opener inside': () => `<info-msg><info-msg></info-msg>`,
    parts: () => [part('<info-'), part('msg>x</info-msg>')],
    'part with extras': () => [o(['type', 'text'], ['cache', o()], ['text', one])],
    'text behind': () => `${one} and now?`,
    'text in front': () => `Hello ${one}`,
    'text between': () => `${one} x ${one}`,
    unclosed: () => `${one}<info-msg>`,
    'closed twice': () => `${one}</info-msg>`,
    'nested close': () => '<info-msg>a<info-msg>b</info-msg>c</info-msg>',
    'with image': () => [part(one), image()],
    'with text part without text': () => [part(one), o(['type', 'text'])],
    'other case': () => '<INFO-MSG>x</INFO-MSG>',
    attribute: () => '<info-msg a="b">x</info-msg>',
    'byte order mark': () => `\ufeff${one}`,
    'zero width': () => `${one}\u200b`,
  });
}

/** The content of a system message around goose's opening words. */
export function bootstrapContent(dice: Dice): Odd {
  const tail = ', created by Block. Be brief.';
  return dice.variant<Odd>('bootstrap', {
    exact: () => `You are a general-purpose AI agent called goose${tail}`,
    'other case': () => `you are a General-Purpose ai AGENT Called GOOSE${tail}`,
    blanks: () => `a general-purpose\u00a0AI\n\tagent \u001c called\u3000goose`,
    'longer word': () => 'a general-purpose AI agent called gooseberry',
    'second try': () => 'general-purpose general-purpose AI agent called goose',
    parts: () => [part('You are a general-purpose AI '), part('agent called goose'), image()],
    'across parts': () => [part('a general-purpose AI agent called go'), part('ose')],
    'no hyphen': () => 'You are a general purpose AI agent called goose',
    'no blank': () => 'You are a general-purpose AI agentcalled goose',
    'zero width': () => 'You are a general-purpose\u200bAI agent called goose',
    'byte order mark': () => 'You are a general-purpose\ufeffAI agent called goose',
    'other name': () => 'You are a general-purpose AI agent called duck',
    'image between': () => [part('general-purpose AI agent'), image(), part(' called goose')],
    'already done': () => 'You are a general-purpose AI agent',
    'unicode case': () => 'You are a general-purpo\u017fe AI agent called goose',
  });
}

/** The members after `role` of an assistant message that the rule may consider empty. */
export function emptyAssistant(dice: Dice): readonly (readonly [string, Odd])[] {
  return dice.variant<readonly (readonly [string, Odd])[]>('empty assistant', {
    'empty text': () => [['content', '']],
    blanks: () => [['content', ' \n\u2003\u001c']],
    'no parts': () => [['content', []]],
    'blank parts': () => [['content', [part(' '), part('')]]],
    null: () => [['content', null]],
    absent: () => [],
    'image part': () => [['content', [image()]]],
    'byte order mark': () => [['content', '\ufeff']],
    'zero width': () => [['content', '\u200b']],
    'empty calls': () => [
      ['content', ''],
      ['tool_calls', []],
    ],
    'null calls': () => [
      ['content', ''],
      ['tool_calls', null],
    ],
    'call id': () => [
      ['content', ''],
      ['tool_call_id', 'c1'],
    ],
    'empty call id': () => [
      ['content', ''],
      ['tool_call_id', ''],
    ],
    number: () => [['content', num('0')]],
    reasoning: () => [
      ['content', ''],
      ['reasoning_content', 'hm'],
    ],
  });
}
