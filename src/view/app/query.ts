/** Parses the text of the search field: words, and filters such as `role:tool`. The server uses it too. */

const FIELDS = [
  'role',
  'tool',
  'finding',
  'fate',
  'dialect',
  'model',
  'split',
  'group',
  'format',
  'reason',
  'messages',
  'calls',
  'bytes',
] as const;
export type Field = (typeof FIELDS)[number];

/** The values by which a list can be sorted. */
export const SORTS = ['size', 'turns', 'errors'] as const;
export type Sort = (typeof SORTS)[number];

export interface Query {
  /** Text that the line must contain, as JSON writes it. */
  readonly words: readonly string[];
  /** The terms of each filter. */
  readonly filters: Readonly<Partial<Record<Field, readonly string[]>>>;
}

const TOKEN = new RegExp(`(?:(${FIELDS.join('|')}):)?("(?:[^"\\\\]|\\\\.)*"|\\S+)`, 'g');

interface Token {
  readonly text: string;
  readonly field: Field | undefined;
  readonly value: string;
}

function tokensOf(text: string): readonly Token[] {
  return Array.from(text.matchAll(TOKEN), ([whole, field, term = '']) => {
    const isQuoted = term.length > 1 && term.startsWith('"') && term.endsWith('"');
    const value = isQuoted ? term.slice(1, -1).replaceAll(/\\(.)/g, '$1') : term;
    return { text: whole, field: field as Field | undefined, value };
  });
}

/** Parses a query. A phrase is written between quotation marks. */
export function readQuery(text: string): Query {
  const words: string[] = [];
  const filters: Partial<Record<Field, string[]>> = {};
  for (const { field, value } of tokensOf(text)) {
    if (field !== undefined) filters[field] = [...(filters[field] ?? []), value];
    else words.push(value);
  }
  return { words, filters };
}

export function filterText(field: Field, value: string): string {
  return `${field}:${/^[^\s"]+$/.test(value) ? value : phraseText(value)}`;
}

export function phraseText(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Adds a filter to a query, or removes it. */
export function toggled(text: string, field: Field, value: string): string {
  const tokens = tokensOf(text);
  const others = tokens.filter((token) => token.field !== field || token.value !== value);
  const texts = others.map((token) => token.text);
  return (others.length < tokens.length ? texts : [...texts, filterText(field, value)]).join(' ');
}

/** Whether a word of a search must match as it is written: one without capitals matches in any case. */
export const isExact = (word: string): boolean => word !== word.toLowerCase();

const RANGE = /^(\d{1,15})(\.\.(\d{1,15})?)?$/;

/** Returns a function that returns whether a number is in a range such as `5`, `5..9` or `5..`. */
export function rangeMatcher(terms: readonly string[] = []): (value: number) => boolean {
  const ranges = terms.map((term) => {
    const [, from, isRange, to] = RANGE.exec(term) ?? [];
    const first = Number(from);
    return [first, isRange === undefined ? first : Number(to ?? Number.POSITIVE_INFINITY)] as const;
  });
  return (value) => ranges.every(([from, to]) => value >= from && value <= to);
}
