/** State of the page: summary, fetched rows, search results, selection. */
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { showNumber } from '../../charts/numbers.ts';
import { block, go, isAddressEmpty, number, sort, tab, words } from './address.ts';
import { get, Refused, stream } from './api.ts';
import type { RecordRow, Row, Summary } from './types.ts';

/** Browsers limit an element to 17 to 33 million pixels, so a long list is shown in blocks. */
export const BLOCK_ROWS = 200_000;
const PAGE = 50;
const MAX_ROWS_KEPT = 2000;
const NEAR_ROWS = 500;
const HITS_EVERY_MS = 60;
/** A search begins when the typing pauses. */
const PAUSE_MS = 200;

export const summary: Signal<Summary | undefined> = signal(undefined);
export const isRefused: Signal<boolean> = signal(false);
export const failure: Signal<string> = signal('');
/** The rows that were received, by their place in the list. */
export const rows: Signal<ReadonlyMap<number, Row>> = signal(new Map());
export const hits: Signal<readonly Row[] | undefined> = signal(undefined);
export const searchState: Signal<string> = signal('');
/** Number from which the search continues; null at its end. */
export const searchNext: Signal<number | null> = signal(null);
export const selected: Signal<ReadonlySet<string>> = signal(new Set());
export const isHelpOpen: Signal<boolean> = signal(false);

/** Number of rows in the tab. */
export const total: ReadonlySignal<number> = computed(() => {
  const now = summary.value;
  if (now === undefined) return 0;
  if (tab.value === 'rejected') return now.rejected;
  return tab.value === 'sessions' ? now.sessions : now.records;
});

export async function loadSummary(): Promise<void> {
  try {
    const received = await get<Summary>('summary');
    if (received.kind === 'log' && tab.peek() !== 'live') go({ tab: 'live', i: undefined }, true);
    else if (isAddressEmpty())
      go(received.records === 1 ? { tab: 'records', i: 0 } : { tab: 'overview', i: undefined }, true);
    summary.value = received;
  } catch (error) {
    if (error instanceof Refused) isRefused.value = true;
    else failure.value = (error as Error).message;
  }
}

const requested = new Set<number>();

/** Requests the missing rows of a range. */
export function need(from: number, to: number): void {
  const list = tab.peek();
  for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) {
    if (requested.has(page)) continue;
    requested.add(page);
    const by = sort.peek();
    void get<readonly Row[]>(`${list}?from=${page * PAGE}&count=${PAGE}${sortQuery()}`).then((received) => {
      if (list === tab.peek() && by === sort.peek()) keep(received, page * PAGE, from, to);
    });
  }
}

const sortQuery = (): string => (sort.peek() === undefined ? '' : `&sort=${sort.peek()}`);

/** Adds rows, and drops those far from the visible range if there are too many. */
function keep(received: readonly Row[], first: number, from: number, to: number): void {
  const next = new Map(rows.peek());
  for (const [k, row] of received.entries()) next.set(first + k, row);
  if (next.size > MAX_ROWS_KEPT) {
    for (const i of next.keys()) {
      if (i >= from - NEAR_ROWS && i <= to + NEAR_ROWS) continue;
      next.delete(i);
      requested.delete(Math.floor(i / PAGE));
    }
  }
  rows.value = next;
}

/** Returns row `k` of the current list. */
export function rowAt(k: number): Row | undefined {
  return hits.value === undefined ? rows.value.get(block.value * BLOCK_ROWS + k) : hits.value[k];
}

let running: AbortController | undefined;

export function runSearch(text: string, from = 0): void {
  running?.abort();
  searchNext.value = null;
  if (text === '') {
    hits.value = undefined;
    searchState.value = '';
    return;
  }
  const control = new AbortController();
  running = control;
  let found: readonly Row[] = from === 0 ? [] : (hits.peek() ?? []);
  let timer = 0;
  const show = (): void => {
    timer = 0;
    if (!control.signal.aborted) hits.value = found;
  };
  hits.value = found;
  searchState.value = 'searching';
  const each = (line: unknown): void => {
    const { read, done, next } = line as { read?: number; done?: true; next?: number | null };
    if (control.signal.aborted) return;
    if (read !== undefined) searchState.value = `${showNumber(read)} read`;
    else if (done) {
      searchState.value = '';
      searchNext.value = next ?? null;
      show();
    } else {
      found = [...found, line as Row];
      if (timer === 0) timer = window.setTimeout(show, HITS_EVERY_MS);
    }
  };
  const path = `search?in=${tab.peek()}&from=${from}&q=${encodeURIComponent(text)}${sortQuery()}`;
  stream(path, each, control.signal).catch((error: Error) => {
    if (!control.signal.aborted) searchState.value = error.message;
  });
}

/** Reloads rows and hits when the tab or the search words change. */
export function watchAddress(): void {
  effect(() => {
    void [tab.value, sort.value];
    rows.value = new Map();
    hits.value = undefined;
    requested.clear();
  });
  watchPlace();
  let pause = 0;
  effect(() => {
    void sort.value;
    const text = tab.value === 'live' ? '' : words.value;
    clearTimeout(pause);
    if (text === '' || document.activeElement?.id !== 'q') return runSearch(text);
    running?.abort();
    searchState.value = 'searching';
    pause = window.setTimeout(() => runSearch(text), PAUSE_MS);
  });
}

/** Place of the current row in the list; undefined while it is not known. */
export const shownPlace: Signal<number | undefined> = signal(undefined);

/** Follows the place of the current row, which only the server knows if the list is sorted. */
function watchPlace(): void {
  effect(() => {
    const i = number.value;
    if (sort.value === undefined || i === undefined) {
      shownPlace.value = i;
      return;
    }
    const [known] = [...rows.peek()].find(([, row]) => row.i === i) ?? [];
    shownPlace.value = known;
    if (known !== undefined) return;
    void get<{ place: number }>(`place?in=${tab.value}&i=${i}${sortQuery()}`).then(({ place }) => {
      if (i === number.peek()) shownPlace.value = place;
    });
  });
}

/** Moves the selection up or down the list. */
export function step(by: number): void {
  const found = hits.peek();
  const now = number.peek();
  if (tab.peek() === 'overview') {
    if (total.peek() > 0) go({ tab: 'records', i: 0 });
    return;
  }
  if (found !== undefined) {
    const at = found.findIndex(({ i }) => i === now);
    const next = found[Math.max(0, Math.min(found.length - 1, at + by))];
    if (next !== undefined) go({ i: next.i });
    return;
  }
  const most = total.peek() - 1;
  if (most < 0) return;
  const at = shownPlace.peek();
  const next = at === undefined ? 0 : Math.max(0, Math.min(most, at + by));
  const inBlock = Math.floor(next / BLOCK_ROWS);
  const i = sort.peek() === undefined ? next : rows.peek().get(next)?.i;
  if (i === undefined) return; // its row has not arrived yet
  go({ i, query: { block: inBlock === 0 ? undefined : String(inBlock) } });
}

export function toggleSelected(session: string): void {
  const next = new Set(selected.peek());
  if (!next.delete(session)) next.add(session);
  selected.value = next;
}

/** Returns the id of the session that is shown, or of the record's session. */
export function sessionShown(): string | undefined {
  const i = number.peek();
  const known = [...rows.peek().values(), ...(hits.peek() ?? [])];
  const row = known.find((one) => one.i === i);
  const { session, id } = (row ?? {}) as Partial<RecordRow> & { readonly id?: string | null };
  return session ?? id ?? undefined;
}

/** Saves the selection for `build --only`: one id per line, as a JSON string if necessary. */
export function saveSelection(): void {
  const lines = [...selected.peek()].map((id) => (/^"|[\r\n]/.test(id) ? JSON.stringify(id) : id));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([lines.map((line) => `${line}\n`).join('')], { type: 'text/plain' }),
  );
  link.download = 'only.txt';
  link.click();
  URL.revokeObjectURL(link.href);
}
