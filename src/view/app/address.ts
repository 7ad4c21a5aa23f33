/**
 * The state of the page, which is entirely in the address, such as `#/records/3?q=quote&open=1&view=raw`. Numbers count
 * from 0.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { SORTS, type Sort } from './query.ts';

export type Tab = 'overview' | 'records' | 'sessions' | 'rejected' | 'live';
export interface Place {
  readonly tab: Tab;
  readonly i: number | undefined;
  readonly query: URLSearchParams;
}

const TABS: readonly string[] = ['overview', 'records', 'sessions', 'rejected', 'live'];
const hash = signal(location.hash);
for (const event of ['hashchange', 'popstate'])
  addEventListener(event, () => {
    hash.value = location.hash;
  });

export const place: ReadonlySignal<Place> = computed(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?');
  const [tab = '', number = ''] = path.split('/');
  return {
    tab: (TABS.includes(tab) ? tab : 'records') as Tab,
    i: /^\d+$/.test(number) ? Number(number) : undefined,
    query: new URLSearchParams(query),
  };
});
export const tab: ReadonlySignal<Tab> = computed(() => place.value.tab);
export const number: ReadonlySignal<number | undefined> = computed(() => place.value.i);
export const words: ReadonlySignal<string> = computed(() => place.value.query.get('q') ?? '');
export const isRaw: ReadonlySignal<boolean> = computed(() => place.value.query.get('view') === 'raw');
export const isOpen: ReadonlySignal<boolean> = computed(() => place.value.query.get('open') === '1');
/** Name of the order of the list; undefined for that of the dataset. */
export const sort: ReadonlySignal<Sort | undefined> = computed(() => {
  const name = place.value.query.get('sort');
  return place.value.tab === 'rejected' ? undefined : SORTS.find((known) => known === name);
});
/** Number of the message that is marked. */
export const marked: ReadonlySignal<number | undefined> = computed(() => {
  const at = place.value.query.get('m');
  return at === null || !/^\d+$/.test(at) ? undefined : Number(at);
});
/** Number of the line of the log, from 1, that the page of a session shows. */
export const loggedLine: ReadonlySignal<number | undefined> = computed(() => {
  const line = place.value.query.get('line');
  return line === null || !/^\d+$/.test(line) ? undefined : Number(line);
});
/** Whether a narrow page shows what it has about the row, in place of the row. */
export const isAbout: ReadonlySignal<boolean> = computed(() => place.value.query.get('about') === '1');
export const block: ReadonlySignal<number> = computed(() => Number(place.value.query.get('block') ?? 0) || 0);

export interface Change {
  readonly tab?: Tab;
  readonly i?: number | undefined;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** Returns the address after a change; another tab starts without a number, search words or block, another row without a mark or a line. */
export function addressOf(change: Change): string {
  const now = place.peek();
  const isOther = change.tab !== undefined && change.tab !== now.tab;
  const query = new URLSearchParams(now.query);
  if (isOther) for (const name of ['q', 'block']) query.delete(name);
  if (isOther || ('i' in change && change.i !== now.i)) for (const name of ['m', 'line']) query.delete(name);
  for (const [name, value] of Object.entries(change.query ?? {})) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const i = 'i' in change ? change.i : isOther ? undefined : now.i;
  const text = query.toString();
  return `#/${change.tab ?? now.tab}${i === undefined ? '' : `/${i}`}${text === '' ? '' : `?${text}`}`;
}

/** Goes to an address. Sets the signal directly: setting `location.hash` takes effect later, and fast keys would get lost. */
export function go(change: Change, isSmall = false): void {
  const to = addressOf(change);
  if (to === location.hash) return;
  if (isSmall) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  hash.value = to;
}

export function isAddressEmpty(): boolean {
  return /^#?\/?$/.test(hash.peek());
}

/** Reads the address again, after the key was removed from it. */
export function arrive(): void {
  hash.value = location.hash;
}
