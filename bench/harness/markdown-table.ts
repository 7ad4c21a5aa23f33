/**
 * What the sections of RESULTS.md share: tables with padded columns, the way the repository's formatter lays them out, and commands.
 */

/** Renders the heading and the rows; every row has as many cells as the heading. */
export const markdownTable = (
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] => {
  const widths = heading.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
};

/** What was run, folded away. */
export const commandsBlock = (rows: readonly { readonly command: string }[]): readonly string[] => [
  '<details><summary>commands</summary>',
  '',
  '```sh',
  ...rows.map(({ command }) => command),
  '```',
  '',
  '</details>',
  '',
];
