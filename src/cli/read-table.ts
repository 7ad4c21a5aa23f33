/** The end of the summary of `check`: how much of the text in each source was read, and in all sources of a dialect. */
import type { Listing } from '../input/sources/source.ts';
import type { Result } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { plural, showSize } from '../sizes.ts';

const NONE = 'none';
const MAX_SOURCES = 20;
const PERCENT = 100;

/** How much of the text of a source was read, as `check --json` prints it. */
export interface ReadSource {
  readonly source: string;
  /** Null if no dialect recognised it. */
  readonly dialect: string | null;
  readonly status: string;
  readonly reason?: string;
  /** Bytes of text: strings with white space, or with characters outside ASCII. */
  readonly textBytes: number;
  /** Those that reached an entry or a named drop. */
  readonly readBytes: number;
  /** If less than half was read: the members with the most unread bytes. */
  readonly unread?: Readonly<Record<string, number>>;
}

interface Total {
  bytes: number;
  read: number;
  sources: number;
}

export class ReadTable {
  readonly #totals = new Map<string, Total>();
  /** The sources with the smallest shares. */
  #lowest: ReadSource[] = [];
  #sources = 0;

  /** @returns the figures of a source that has ended; undefined for any other result */
  see(result: Result, { sources }: Listing): ReadSource | undefined {
    if (result.kind !== 'source' || result.text === undefined) return undefined;
    const { text, dialect, status, rejection } = result;
    const read: ReadSource = {
      ...{ source: sources.at(result.source)?.name ?? '', dialect: dialect ?? null, status },
      ...(rejection && { reason: rejection.reason }),
      ...{ textBytes: text.bytes, readBytes: text.read },
      ...(text.unread.length > 0 && { unread: Object.fromEntries(text.unread) }),
    };
    this.#add(read);
    return read;
  }

  #add(source: ReadSource): void {
    const name = source.dialect ?? NONE;
    const total = this.#totals.get(name) ?? { bytes: 0, read: 0, sources: 0 };
    total.bytes += source.textBytes;
    total.read += source.readBytes;
    total.sources++;
    this.#totals.set(name, total);
    if (source.textBytes === 0) return;
    this.#sources++;
    this.#lowest.push(source);
    if (this.#lowest.length <= MAX_SOURCES * 2) return;
    this.#lowest = lowestOf(this.#lowest);
  }

  /** Returns text that ends with a line feed; empty if there was no text. */
  text(): string {
    if (this.#sources === 0) return '';
    const dialects = [...this.#totals]
      .filter(([, { bytes }]) => bytes > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = dialects.map(
      ([name, { bytes, read, sources }]) => `${share(read, bytes)}  ${name}, ${plural(sources, 'source')}`,
    );
    const shown = lowestOf(this.#lowest);
    const more = this.#sources - shown.length;
    const all = [...lines, ...shown.flatMap(linesOf)];
    if (more > 0) all.push(`and ${plural(more, 'source')} of which a larger share was read`);
    return `\n  text read\n${all.map((line) => `    ${line}\n`).join('')}`;
  }
}

const lowestOf = (sources: readonly ReadSource[]): ReadSource[] =>
  sources.toSorted((a, b) => ratio(a) - ratio(b)).slice(0, MAX_SOURCES);

const ratio = ({ readBytes, textBytes }: ReadSource): number => readBytes / textBytes;

function linesOf({ source, dialect, textBytes, readBytes, unread }: ReadSource): readonly string[] {
  const first = `${share(readBytes, textBytes)}  ${printable(source)} (${dialect ?? NONE})`;
  if (unread === undefined) return [first];
  const members = Object.entries(unread).map(([name, bytes]) => `${printable(name)} ${showSize(bytes)}`);
  return [first, `       not read: ${members.join(', ')}`];
}

const share = (read: number, bytes: number): string =>
  `${String(Math.floor((read / bytes) * PERCENT)).padStart(3)} % of ${showSize(bytes)}`.padEnd(20);
