/**
 * Requests data from the server, with the key from the fragment of the address, which browsers do not send and servers
 * do not log. Exported pages read files instead.
 */
import { parseExact } from './exact.ts';
import { facetsIn, rowMatcher, sortedRows } from './exported-rows.ts';
import type { Sort } from './query.ts';
import type { Row } from './types.ts';

export class Refused extends Error {}

const KEY = 'turnmill-key';
const CHUNK = 20;
/** Whether the page was exported: it has no server. */
export const isStatic: boolean = document.documentElement.dataset.static !== undefined;

/** Moves the key from the address to the storage of this origin (including the port), so that new tabs have it. */
export function takeKey(): void {
  const [, key] = /[#&]key=([\w-]+)/.exec(location.hash) ?? [];
  if (key === undefined) return;
  localStorage.setItem(KEY, key);
  history.replaceState(null, '', '#/');
}

const headers = (): HeadersInit => ({ authorization: `Bearer ${localStorage.getItem(KEY) ?? ''}` });

/** Returns the JSON of a response. Throws its text if the status is not 200. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (isStatic) return parseExact(await fromChunk(path)) as T;
  const response = await fetch(`api/${path}`, { headers: headers(), ...(signal && { signal }) });
  if (response.status === 401) throw new Refused();
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim());
  return parseExact(text) as T;
}

/** Calls `each` with each line of JSON as it arrives. */
export async function stream(
  path: string,
  each: (line: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  if (isStatic) return searchChunks(path, each, signal);
  const response = await fetch(`api/${path}`, { headers: headers(), signal });
  if (response.status === 401) throw new Refused();
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') each(JSON.parse(line));
  }
}

const chunks = new Map<string, Promise<readonly string[]>>();
const waiting = new Map<string, (texts: readonly string[]) => void>();

declare global {
  interface Window {
    turnmillData?: (name: string, json: string) => void;
  }
}
window.turnmillData = (name, json) => waiting.get(name)?.(JSON.parse(json));

/** Loads a chunk: a script that passes one JSON string to the page. Unlike fetch, scripts also load from files. */
function chunk(name: string): Promise<readonly string[]> {
  const known = chunks.get(name);
  if (known !== undefined) return known;
  const loading = new Promise<readonly string[]>((done, failed) => {
    waiting.set(name, done);
    const script = document.createElement('script');
    script.src = `data/${name}.js`;
    script.onerror = () => failed(new Error('this is not part of the export'));
    document.head.append(script);
  });
  chunks.set(name, loading);
  return loading;
}

async function fromChunk(path: string): Promise<string> {
  const [route = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  const number = Number(parameters.get('i') ?? parameters.get('from') ?? 0);
  if (route === 'facets')
    return JSON.stringify(facetsIn(await rowsOf(parameters.get('in') ?? 'records', null)));
  if (route === 'place') {
    const rows = await rowsOf(parameters.get('in') ?? 'records', parameters.get('sort'));
    return JSON.stringify({ place: rows.findIndex((row) => (JSON.parse(row) as Row).i === number) });
  }
  if (!parameters.has('from')) {
    const texts = await chunk(`${route}-${Math.floor(number / CHUNK)}`);
    const text = texts[number % CHUNK];
    if (text === undefined || text === '') throw new Error('this is not part of the export');
    return text;
  }
  const rows = await rowsOf(route, parameters.get('sort'));
  return `[${rows.slice(number, number + Number(parameters.get('count'))).join(',')}]`;
}

/** Returns the rows of a list of an exported page, in the order that the server would give them. */
async function rowsOf(list: string, sort: string | null): Promise<readonly string[]> {
  return sortedRows(await chunk(`${list}-0`), sort as Sort | null);
}

/** Searches the rows of an exported page. */
async function searchChunks(path: string, each: (line: unknown) => void, signal: AbortSignal): Promise<void> {
  const parameters = new URLSearchParams(path.split('?')[1]);
  const matches = rowMatcher(parameters.get('q') ?? '');
  for (const text of await rowsOf(parameters.get('in') ?? 'records', parameters.get('sort'))) {
    if (signal.aborted) return;
    const row = JSON.parse(text) as Row;
    if (matches(row)) each(row);
  }
  each({ done: true, next: null });
}
