/** Colours of what people read on a terminal. Texts are painted when they are complete, so no other code knows of colours. */
import { styleText } from 'node:util';

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];
type Style = 'bold' | 'red' | 'yellow' | 'cyan';

/** The parts of a text that get a style. No pattern matches across lines. */
type Styles = readonly (readonly [pattern: RegExp, style: Style])[];

export const SUMMARY_STYLES: Styles = [
  [/^turnmill: .*$/gm, 'bold'],
  [/^ +[\d,]+ error .*$/gm, 'red'],
  [/^ +[\d,]+ warning .*$/gm, 'yellow'],
  [/(?<=^ {2})(?:rejected|refused)(?= )/gm, 'red'],
  [/^ {2}(?:What to do|To see why|All rejections|Report).*$/gm, 'cyan'],
];
export const VERDICT_STYLES: Styles = [
  [/(?<=:\d+: )refuses(?=: )/g, 'red'],
  [/(?<=:\d+: )(?:drops|alters)(?=: )/g, 'yellow'],
];
export const EXPLANATION_STYLES: Styles = [
  [/: rejected(?:: .*)?$/gm, 'red'],
  [/^ {2}to do .*$/gm, 'cyan'],
];

/**
 * Whether to use colours: `auto` only on a terminal that has them, unless `NO_COLOR` is set.
 * @param isTerminal whether the text goes to a terminal
 */
export function hasColors(
  choice: ColorChoice = 'auto',
  isTerminal: boolean,
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  if (choice !== 'auto') return choice === 'always';
  return isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/** Paints a text; returns it as it is without colours. */
export function painted(text: string, styles: Styles, isOn: boolean): string {
  if (!isOn) return text;
  let result = text;
  for (const [pattern, style] of styles)
    result = result.replace(pattern, (part) => styleText(style, part, { validateStream: false }));
  return result;
}
