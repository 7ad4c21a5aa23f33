/** Links from the numbers of the report to the rows that they count. Only the viewer has such rows: the report has no links. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Rows of a list of the viewer: all of them, or those that a filter (src/view/app/query.ts) or a phrase finds. */
export interface ShownRows {
  readonly list: 'records' | 'sessions' | 'rejected';
  readonly field?: string;
  readonly value?: string;
  readonly sort?: 'size' | 'turns' | 'errors';
}

type HrefOf = (rows: ShownRows) => string | undefined;

export const Links: ReturnType<typeof createContext<HrefOf>> = createContext<HrefOf>(() => undefined);

export const useLinks = (): HrefOf => useContext(Links);

/** A link to rows, or only its text. */
export function Linked(props: {
  readonly rows: ShownRows;
  readonly children: ComponentChildren;
}): ComponentChildren {
  const href = useLinks()(props.rows);
  return href === undefined ? props.children : <a href={href}>{props.children}</a>;
}
