/** Lists of records and sessions in descending order of a size, in eight bytes per row. */
import { setImmediate } from 'node:timers/promises';
import type { Sort } from './app/query.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

type Sorted = 'records' | 'sessions';

const ROWS_AT_ONCE = 1000;

/** The last order of each dataset that was requested: one, because each takes as much memory as the index. */
const last = new WeakMap<ViewedDataset, { readonly name: string; readonly rows: Promise<Float64Array> }>();

/** Returns the numbers of the rows, from the greatest value to the least; equal ones in the order of the list. */
export function orderOf(dataset: ViewedDataset, list: Sorted, key: Sort): Promise<Float64Array> {
  const name = `${list} ${key}`;
  const known = last.get(dataset);
  if (known?.name === name) return known.rows;
  const rows = sorted(dataset, list, key);
  last.set(dataset, { name, rows });
  return rows;
}

async function sorted(dataset: ViewedDataset, list: Sorted, key: Sort): Promise<Float64Array> {
  const count = dataset[list];
  const rows = new Float64Array(count);
  // A value and the number of its row in one number, which can be sorted without a function that compares.
  const most = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, count)) - 1;
  const note = (row: number, value: number): void => {
    rows[row] = (most - Math.min(most, value)) * count + row;
  };
  if (key === 'size') await eachSize(dataset, list, note);
  else {
    const columns = await dataset.columns();
    const valueIn = (session: number): number =>
      key === 'turns' ? columns.turnsOf(session) : columns.errorsOf(session);
    const sessionOf = list === 'sessions' ? (row: number) => row : await dataset.sessionsOfRecords();
    for (let row = 0; row < count; row++) note(row, valueIn(sessionOf(row)));
  }
  rows.sort();
  for (let place = 0; place < count; place++) rows[place] = (rows[place] as number) % count;
  return rows;
}

/** The size of a record, or the number of entries of a session. */
async function eachSize(
  dataset: ViewedDataset,
  list: Sorted,
  note: (row: number, value: number) => void,
): Promise<void> {
  for (let at = 0; at < dataset[list]; at += ROWS_AT_ONCE) {
    if (list === 'records')
      for (const { number, bytes } of dataset.recordPage(at, ROWS_AT_ONCE, 0)) note(number, bytes);
    else
      for (const [i, { entries }] of dataset.sessionPage(at, ROWS_AT_ONCE).entries()) note(at + i, entries);
    await setImmediate();
  }
}
