/** The records of a deck of TOML (format samples): each begins with its header on a line of its own, which no text in it looks like. */
import type { EarlierLines } from './earlier-lines.ts';

const HEADER = Buffer.from('[[samples]]');
const LINE_FEED = Buffer.from('\n');

/** Of lines, the records that they make. */
export function recordsOfDeck(lines: EarlierLines): EarlierLines {
  let ahead: Buffer | undefined; // the header of the next record
  return {
    next() {
      const first = ahead ?? lines.next();
      if (first === undefined) return undefined;
      const pieces = [Buffer.from(first)]; // copies: a line is valid until the next one
      for (ahead = lines.next(); ahead !== undefined && !ahead.equals(HEADER); ahead = lines.next())
        pieces.push(LINE_FEED, Buffer.from(ahead));
      if (ahead !== undefined) ahead = HEADER;
      return Buffer.concat(pieces);
    },
    park: lines.park,
  };
}
