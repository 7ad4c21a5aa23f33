/** The rows of an exported page, which has no server: their order, their filters, and a search in what they show. */
import { type Field, isExact, rangeMatcher, readQuery, type Sort } from './query.ts';
import type { Facet, Row, Terms } from './types.ts';

/** Fields of which a row can have several names: it must have all that a search names; of the others, one. */
const SEVERAL: readonly string[] = ['role', 'tool', 'finding', 'fate'];
const RANGES: readonly string[] = ['messages', 'calls', 'bytes'];
const FACETS: readonly Field[] = [
  ...(['split', 'format', 'finding', 'tool', 'dialect', 'model'] as const),
  ...(['fate', 'reason'] as const),
];

/** Sorts rows in descending order. */
export function sortedRows(rows: readonly string[], sort: Sort | null): readonly string[] {
  if (sort === null) return rows;
  const valued = rows.map((row) => ({ row, value: sortedBy(JSON.parse(row) as Row, sort) }));
  return valued.sort((a, b) => b.value - a.value).map(({ row }) => row);
}

function sortedBy(row: Row, sort: Sort): number {
  if (sort !== 'size') return ('sorted' in row ? row.sorted?.[sort] : undefined) ?? 0;
  return 'bytes' in row ? row.bytes : 'entries' in row ? row.entries : 0;
}

/** Returns a function that returns whether a row has the words and the names of a search. */
export function rowMatcher(search: string): (row: Row) => boolean {
  const { words, filters } = readQuery(search);
  const terms = Object.entries(filters) as readonly (readonly [Field, readonly string[]])[];
  return (row) => {
    const text = textOf(row);
    const low = text.toLowerCase();
    const hasWords = words.every((word) => (isExact(word) ? text : low).includes(word));
    return hasWords && terms.every(([field, names]) => hasTerms(row, field, names));
  };
}

function hasTerms(row: Row, field: Field, wanted: readonly string[]): boolean {
  if (RANGES.includes(field))
    return rangeMatcher(wanted)(Number((row as unknown as Readonly<Record<string, unknown>>)[field]));
  const names = namesOf(row)[field] ?? [];
  const has = (name: string): boolean => names.includes(name);
  return SEVERAL.includes(field) ? wanted.every(has) : wanted.some(has);
}

/** The texts that a list shows of a row. */
const textOf = (row: Row): string =>
  [...Object.values(row), ...('tools' in row ? row.tools : [])]
    .filter((value) => typeof value === 'string')
    .join('\n');

function namesOf(row: Row): Terms {
  if ('reason' in row) return { reason: [row.reason] };
  if ('fate' in row) return { ...row.terms, fate: [row.fate.replace(/:.*/s, ''), row.fate] };
  return { ...row.terms, tool: row.tools, role: Object.keys(row.roles), fate: ['written'] };
}

/** Returns the filters of a list, without those that would leave out no row. */
export function facetsIn(rows: readonly string[]): readonly Facet[] {
  const counts = new Map(FACETS.map((field) => [field, new Map<string, number>()]));
  for (const row of rows) {
    const names = namesOf(JSON.parse(row) as Row);
    for (const [field, count] of counts) {
      const own = field === 'fate' ? names.fate?.slice(0, 1) : names[field];
      for (const name of own ?? []) count.set(name, (count.get(name) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([field, count]) => {
    const names = [...count].sort(([, a], [, b]) => b - a).map(([name, n]) => ({ name, count: n }));
    return names.some((name) => name.count < rows.length) ? [{ field, names }] : [];
  });
}
