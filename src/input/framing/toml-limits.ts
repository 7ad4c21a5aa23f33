/**
 * Counts the tables, keys and elements of a TOML document before it is parsed, because the parser creates objects for
 * all of them. It does not check the grammar: the counts may be wrong for invalid TOML, which is rejected anyway.
 */
import { COMMA, OPEN_ARRAY } from '../../../transforms/json/bytes.ts';
import { endOfStatement, nextStatement } from './toml-headers.ts';

/** The parser creates several objects for a table, and two for a key. */
const TABLE_WEIGHT = 4;
const KEY_WEIGHT = 2;
/** Limit for tables, keys and elements together, as a multiple of the limit for one array. */
const TOTAL_FACTOR = 10;

/** Describes the items that a document has too many of; undefined if it may be parsed. */
export function tomlExcess(bytes: Buffer, most: number): string | undefined {
  const mostTables = Math.ceil(most / TABLE_WEIGHT);
  const mostKeys = Math.ceil(most / KEY_WEIGHT);
  let tables = 0;
  let keys = 0; // keys of the current table
  let all = 0;
  let open = 0;
  const counts: number[] = []; // commas in each open array or inline table
  let isArrayTooLong = false;
  const countByte = (byte: number, change: number): void => {
    if (change > 0) counts[open++] = 0;
    else if (change < 0) open = Math.max(0, open - 1);
    else if (byte === COMMA && open > 0) {
      const count = (counts[open - 1] as number) + 1;
      counts[open - 1] = count;
      all++;
      isArrayTooLong ||= count >= most;
    }
  };
  for (let p = nextStatement(bytes, 0); p < bytes.length; p = nextStatement(bytes, p)) {
    const isTable = bytes[p] === OPEN_ARRAY;
    open = 0;
    if (isTable) {
      tables++;
      keys = 0;
    } else keys++;
    all++;
    p = endOfStatement(bytes, p, countByte);
    if (tables > mostTables) return `more than ${mostTables} tables`;
    if (keys > mostKeys) return `a table of more than ${mostKeys} keys`;
    if (isArrayTooLong) return `an array of more than ${most} elements`;
    if (all > TOTAL_FACTOR * most) return `more than ${TOTAL_FACTOR * most} tables, keys and elements in all`;
  }
  return undefined;
}
