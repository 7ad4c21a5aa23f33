/** The table at the start of `check`, by dialect: files read, what they contain, and what was not used. */
import { wordsFor } from '../charts/words.ts';
import type { Result, SessionReport, SourceReport } from '../ledger/result.ts';
import { showCount } from '../sizes.ts';

/** Row for files that no dialect recognises, or that were not read far enough to tell. */
const NONE = 'none';
const HEADINGS = ['dialect', 'files', 'sessions', 'conversations', 'tool calls', 'not used'];
/** Column that is aligned on the left, as text. */
const NAME_COLUMN = 0;

class Row {
  files = 0;
  sessions = 0;
  conversations = 0;
  toolCalls = 0;
  readonly notUsed = new Map<string, number>();

  leaveOut(why: string, count: number): void {
    this.notUsed.set(why, (this.notUsed.get(why) ?? 0) + count);
  }

  get cells(): readonly string[] {
    const why = [...this.notUsed].map(([name, count]) => `${showCount(count)} ${name}`);
    const counts = [this.files, this.sessions, this.conversations, this.toolCalls].map(showCount);
    return [...counts, why.join(', ')];
  }
}

export class DialectTable {
  readonly #rows = new Map<string, Row>();
  /** Ids of the folded sessions of the current source, without the numbers of further conversations. */
  #folded = new Set<string>();
  #others = 0;
  #conversations = 0;
  #toolCalls = 0;

  see(result: Result): void {
    if (result.kind === 'source-begin') this.#forget();
    else if (result.kind === 'session') this.#add(result);
    else if (result.kind === 'source') this.#endSource(result);
  }

  /** Returns text that ends with an empty line; empty when there were no sources. */
  text(): string {
    if (this.#rows.size === 0) return '';
    const rows = [...this.#rows].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
    const table = [HEADINGS, ...rows.map(([name, row]) => [name, ...row.cells])];
    const widths = HEADINGS.map((_, i) => Math.max(...table.map((cells) => (cells[i] as string).length)));
    const last = HEADINGS.length - 1;
    const lines = table.map((cells) =>
      cells
        .map((cell, i) => {
          if (i === last) return cell;
          return i === NAME_COLUMN ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number);
        })
        .join('  ')
        .trimEnd(),
    );
    return `${lines.map((line) => `  ${line}\n`).join('')}\n`;
  }

  #add({ sessionId = '', fate, folded, usage }: SessionReport): void {
    if (folded === undefined) this.#others++;
    else this.#folded.add(sessionId.replace(/#.*$/s, ''));
    if (fate !== 'written') return;
    this.#conversations++;
    this.#toolCalls += usage?.toolCalls ?? 0;
  }

  #endSource({ dialect = NONE, status, rejection, fates }: SourceReport): void {
    const row = this.#rows.get(dialect) ?? new Row();
    this.#rows.set(dialect, row);
    row.files++;
    if (status === 'rejected') row.leaveOut(`${wordsFor(String(rejection?.reason))} (file)`, 1);
    else {
      row.sessions += this.#others + sessionsAmong(this.#folded);
      row.conversations += this.#conversations;
      row.toolCalls += this.#toolCalls;
      if (status === 'empty') row.leaveOut('empty (file)', 1);
      for (const [fate, count] of fates) {
        const why = /^(?:dropped|rejected):(.*)$/.exec(fate)?.[1];
        if (why !== undefined) row.leaveOut(wordsFor(why), count);
      }
    }
    this.#forget();
  }

  #forget(): void {
    this.#folded = new Set();
    this.#others = this.#conversations = this.#toolCalls = 0;
  }
}

/** Counts ids without those of sub-agents: `a/b` is one of `a` if there is an `a`. */
function sessionsAmong(ids: ReadonlySet<string>): number {
  let count = 0;
  for (const id of ids) {
    let end = id.indexOf('/');
    while (end >= 0 && !ids.has(id.slice(0, end))) end = id.indexOf('/', end + 1);
    if (end < 0) count++;
  }
  return count;
}

const rank = (name: string): number => (name === NONE ? 1 : 0);
