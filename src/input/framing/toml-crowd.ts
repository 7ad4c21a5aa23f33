/**
 * Counts the tables, keys and elements of a TOML document before it is parsed, because the parser creates objects for
 * all of them. It does not check the grammar; invalid TOML may be counted wrong, and is rejected anyway.
 */
import { endOfStatementWith, nextStatement } from './toml-headers.ts';

const OPEN_ARRAY = 0x5b;
const COMMA = 0x2c;
/** The parser uses several objects for a table, two for a key. */
const TABLE_WEIGHT = 4;
const KEY_WEIGHT = 2;
/** Limit for tables, keys and elements together, as a multiple of the limit for one table. */
const IN_ALL = 10;

/** Names the item that a document has too many of; undefined if it may be parsed. */
export function tomlCrowd(bytes: Buffer, most: number): string | undefined {
  const mostTables = Math.ceil(most / TABLE_WEIGHT);
  const mostKeys = Math.ceil(most / KEY_WEIGHT);
  let tables = 0;
  let keys = 0; // keys of the current table
  let all = 0;
  let open = 0;
  const counts: number[] = []; // commas in each open array or inline table
  let isCrowded = false;
  const seeByte = (byte: number, change: number): void => {
    if (change > 0) counts[open++] = 0;
    else if (change < 0) open = Math.max(0, open - 1);
    else if (byte === COMMA && open > 0) {
      const count = (counts[open - 1] as number) + 1;
      counts[open - 1] = count;
      all++;
      isCrowded ||= count >= most;
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
    p = endOfStatementWith(bytes, p, seeByte);
    if (tables > mostTables) return `more than ${mostTables} tables`;
    if (keys > mostKeys) return `a table of more than ${mostKeys} keys`;
    if (isCrowded) return `an array of more than ${most} elements`;
    if (all > IN_ALL * most) return `more than ${IN_ALL * most} tables, keys and elements in all`;
  }
  return undefined;
}
