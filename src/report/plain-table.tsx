/** A table in a card, which scrolls sideways if it is too wide for the page. */
import type { ComponentChildren, VNode } from 'preact';

/** The heading of a column; in an object if its cells are numbers. */
type Column = string | { readonly num: string };

export function PlainTable(props: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly VNode[];
  /** Shown below the table, in the same card. */
  readonly children?: ComponentChildren;
}): VNode {
  const { label, columns, rows, children } = props;
  return (
    <section class="card scroll" tabIndex={0} aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th scope="col">{column}</th>
              ) : (
                <th scope="col" class="num">
                  {column.num}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
      {children}
    </section>
  );
}
