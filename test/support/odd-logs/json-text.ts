/**
 * Values that JSON can express and JavaScript objects cannot (number text, key order, duplicate keys), and a writer for many legal layouts.
 * Separate from the oracle's tree, so that neither hides a bug of the other.
 */
export type Num = { readonly num: string };
export type Pairs = { readonly pairs: readonly (readonly [string, Odd])[] };
export type Odd = null | boolean | string | Num | Pairs | readonly Odd[];

/** The JSON style of a session's program; the same value always gives the same text. */
export type Style = {
  readonly gap: 'tight' | 'python' | 'wide' | 'cr';
  readonly escapes: 'none' | 'ascii' | 'some';
  readonly slashes: boolean;
  readonly upperHex: boolean;
};

export function num(text: string): Num {
  return { num: text };
}

export function o(...pairs: (readonly [string, Odd])[]): Pairs {
  return { pairs };
}

const COMMA = { tight: ',', python: ', ', wide: ' ,\t ', cr: ',\r ' };
const COLON = { tight: ':', python: ': ', wide: '\t: ', cr: ' :\r' };
const EDGE = { tight: '', python: '', wide: ' ', cr: '\r' };
const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
]);

function unitText(unit: string, style: Style): string {
  const code = unit.charCodeAt(0);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  const wanted =
    (style.escapes === 'ascii' && code > 0x7e) || (style.escapes === 'some' && !surrogate && code % 13 === 5);
  const hex = code.toString(16).padStart(4, '0');
  if (wanted || code < 0x20) {
    const short = wanted ? undefined : SHORT.get(unit);
    return short ?? `\\u${style.upperHex ? hex.toUpperCase() : hex}`;
  }
  if (unit === '/' && style.slashes) return '\\/';
  return SHORT.get(unit) ?? unit;
}

function stringText(value: string, style: Style): string {
  let out = '';
  for (const ch of value) {
    const lone = ch.length === 1 && /[\ud800-\udfff]/.test(ch);
    if (lone) out += `\\u${ch.charCodeAt(0).toString(16)}`;
    else for (let i = 0; i < ch.length; i++) out += unitText(ch.charAt(i), style);
  }
  return `"${out}"`;
}

function isPairs(value: Num | Pairs): value is Pairs {
  return 'pairs' in value;
}

export function jsonText(value: Odd, style: Style): string {
  const edge = EDGE[style.gap];
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return stringText(value, style);
  if (Array.isArray(value)) {
    const items = (value as readonly Odd[]).map((item) => jsonText(item, style));
    return `[${edge}${items.join(COMMA[style.gap])}${edge}]`;
  }
  const node = value as Num | Pairs;
  if (!isPairs(node)) return node.num;
  const members = node.pairs.map(
    ([key, member]) => `${stringText(key, style)}${COLON[style.gap]}${jsonText(member, style)}`,
  );
  return `{${edge}${members.join(COMMA[style.gap])}${edge}}`;
}
