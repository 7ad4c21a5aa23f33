/** The catalogue for a person: names in a column, what they do beside them. */
import type { CatalogueItem, CatalogueOption } from './catalogue.ts';

export function catalogueText(groups: readonly (readonly [string, readonly CatalogueItem[]])[]): string {
  return groups.map(([name, items]) => [name, ...itemLines(items)].join('\n')).join('\n\n');
}

function itemLines(items: readonly CatalogueItem[]): readonly string[] {
  const width = Math.max(...items.map(({ name }) => name.length)) + 2;
  const more = ' '.repeat(width + 2);
  return items.flatMap(({ name, summary, options = [], rules = [], sets = [], scope }) => [
    `  ${name.padEnd(width)}${scope === undefined ? '' : `${scope.padEnd(9)}`}${summary}`,
    ...(rules.length === 0 ? [] : [`${more}reports: ${rules.join(', ')}`]),
    ...(sets.length === 0 ? [] : [`${more}in: ${sets.join(', ')}`]),
    ...options.map((option) => `${more}${optionText(option)}`),
  ]);
}

function shownValue(held: unknown): string {
  if (typeof held !== 'object' || held === null) return String(held);
  return Object.keys(held).length === 0 ? 'none' : JSON.stringify(held);
}

function optionText({ name, describe, flag, choices, default: held }: CatalogueOption): string {
  const shown = Array.isArray(held) ? held.join(',') || 'none' : shownValue(held);
  const among = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return `${flag ? '--' : ''}${name}${flag ? '' : ' (library)'}  ${describe}${among}; default ${shown}`;
}
