/**
 * A Markdown table with padded columns, the way the repository's formatter lays them out.
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
