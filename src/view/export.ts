/** Exports the viewer's page and its data as files, for a static host or a folder that is opened without a server. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { modesLike } from '../dataset/modes.ts';
import { failUsage, io, ioError, TurnmillError } from '../errors.ts';
import { ListedIds } from '../settings/listed-ids.ts';
import { removeLeftovers } from '../temporary-folder.ts';
import { termsOf } from './facets.ts';
import { HEADERS } from './refusals.ts';
import { ROUTES, type Viewed } from './routes.ts';
import { pageFiles } from './server.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

export interface ExportOptions {
  readonly folder: string;
  /** Most records to export. */
  readonly limit: number;
  /** Ids of the sessions to export; undefined for all. */
  readonly only?: readonly string[] | undefined;
}

export interface Exported {
  readonly records: number;
  readonly total: number;
  /** Names the ids of `only` that no record has. */
  readonly missing?: string | undefined;
}

/** The policy of the server, without `frame-ancestors`, which has no effect in a page. */
const POLICY = (HEADERS['content-security-policy'] ?? '')
  .split('; ')
  .filter((rule) => !rule.startsWith('frame-ancestors'))
  .join('; ');
/** Responses per file; src/view/app/api.ts has the same number. */
const CHUNK = 20;
const MAX_REJECTIONS = 2000;
const ROWS_AT_ONCE = 200;

/**
 * Exports records, with their sessions, and rejections.
 * @throws TurnmillError if the folder already exists, or no record has an id of `only`
 */
export async function exportView(viewed: Viewed, { folder, limit, only }: ExportOptions): Promise<Exported> {
  const { dataset } = viewed;
  if (dataset === undefined) failUsage('--export needs a dataset or a folder of logs, not a single log');
  const listed = only && new ListedIds(only);
  const numbers = await numbersOf(dataset, limit, listed);
  const missing = listed?.missingIn('record');
  if (listed?.isAllMissing === true) throw new TurnmillError('no-input', String(missing));
  const { files, folders } = modesOf(dataset.root);
  return inWholeFolder(folder, folders, async (fresh) => {
    mkdirSync(join(fresh, 'data'), { mode: folders });
    const exported = await new Exporter(viewed, fresh, files).run(numbers, dataset.records);
    return { ...exported, missing };
  });
}

/** Permissions of the export's files and folders. */
function modesOf(dataset: string): { readonly files: number; readonly folders: number } {
  const modes = modesLike(dataset);
  return { files: modes.file('index.html'), folders: modes.folder('.') };
}

/**
 * Fills a new folder, which gets its name only once it is complete: until then it is `.NAME.export-PID` beside it. Removes
 * those of killed processes.
 */
async function inWholeFolder<T>(
  folder: string,
  mode: number,
  fill: (fresh: string) => Promise<T>,
): Promise<T> {
  if (existsSync(folder)) throw alreadyExists(folder);
  const path = resolve(folder);
  const prefix = `.${basename(path)}.export-`;
  const fresh = join(dirname(path), `${prefix}${process.pid}`);
  const pidIn = (name: string): string | undefined =>
    name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  removeLeftovers(dirname(path), pidIn);
  io('create', folder, () => {
    rmSync(fresh, { recursive: true, force: true }); // an earlier process may have had this id
    mkdirSync(fresh, { mode });
  });
  try {
    const result = await fill(fresh);
    renameSync(fresh, path);
    return result;
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (error instanceof TurnmillError) throw error;
    throw existsSync(folder) ? alreadyExists(folder) : ioError('create', folder, error);
  }
}

function alreadyExists(folder: string): TurnmillError {
  const message = `${folder} already exists: name a folder that does not`;
  return new TurnmillError('cannot-create', message, { subject: folder });
}

/** Returns the numbers of the first records, at most `limit`, whose sessions are listed. */
async function numbersOf(
  dataset: ViewedDataset,
  limit: number,
  listed: ListedIds | undefined,
): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (let i = 0; i < dataset.records && (numbers.length < limit || listed?.hasMissing === true); i++) {
    const isWanted = listed === undefined || listed.see((await dataset.sessionOfRecord(i))?.line.id);
    if (isWanted && numbers.length < limit) numbers.push(i);
  }
  return numbers;
}

class Exporter {
  readonly #viewed: Viewed;
  readonly #folder: string;
  readonly #mode: number;

  /** @param mode permissions of the files */
  constructor(viewed: Viewed, folder: string, mode: number) {
    this.#viewed = viewed;
    this.#folder = folder;
    this.#mode = mode;
  }

  /** Exports these records in order, numbered from 0. */
  async run(numbers: readonly number[], total: number): Promise<Exported> {
    const rejected = Math.min(this.#viewed.dataset?.rejections ?? 0, MAX_REJECTIONS);
    for (const [path, [, content]] of pageFiles())
      this.#write(path === '/' ? 'index.html' : path.slice(1), content);
    const page = String(pageFiles().get('/')?.[1])
      .replace('<html lang="en">', '<html lang="en" data-static>')
      .replace(
        '<meta charset="utf-8">',
        `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
      );
    this.#write('index.html', page);
    const summary = JSON.parse(await this.#respond('summary')) as object;
    // pages may be published: they name no folder of this machine
    const explainWith = this.#viewed.explainWith?.map((word) => basename(word)) ?? [];
    this.#chunk('summary-0', [
      JSON.stringify({
        ...summary,
        explainWith,
        records: numbers.length,
        sessions: numbers.length,
        rejected,
      }),
    ]);
    this.#chunk('overview-0', [await this.#respond('overview')]);
    const sessions = await this.#records(numbers);
    const renumber = renumbering(numbers, sessions);
    await this.#answers('session', sessions, renumber);
    await this.#answers('tree', sessions, renumber);
    await this.#answers('record-tree', numbers, renumber);
    await this.#list('sessions', sessions);
    const rejections = Array.from({ length: rejected }, (_, i) => i);
    await this.#answers('rejection', rejections);
    this.#chunk('rejected-0', await this.#rows('rejected', rejected));
    return { records: numbers.length, total };
  }

  /** Exports records. @returns the numbers of their sessions */
  async #records(numbers: readonly number[]): Promise<readonly number[]> {
    await this.#list('records', numbers);
    await this.#answers('record', numbers);
    await this.#answers('changes', numbers);
    const sessions = await Promise.all(numbers.map((i) => this.#viewed.dataset?.sessionOfRecord(i)));
    return sessions.flatMap((session) => session?.number ?? []);
  }

  async #answers(route: string, numbers: readonly number[], change = (text: string) => text): Promise<void> {
    for (let from = 0; from < numbers.length; from += CHUNK) {
      const texts = [];
      for (const i of numbers.slice(from, from + CHUNK))
        texts.push(change(await this.#respond(`${route}?i=${i}`)));
      this.#chunk(`${route}-${from / CHUNK}`, texts);
    }
  }

  /** Exports the rows of a list, numbered by their place in it, with what the page filters them by. */
  async #list(list: 'records' | 'sessions', numbers: readonly number[]): Promise<void> {
    const { dataset } = this.#viewed;
    const terms = dataset && (await termsOf(dataset, list));
    const rows: string[] = [];
    for (const [i, number] of numbers.entries()) {
      const [row] = JSON.parse(await this.#respond(`${list}?from=${number}&count=1`)) as readonly object[];
      rows.push(JSON.stringify({ ...row, i, terms: terms?.(number) }));
    }
    this.#chunk(`${list}-0`, rows);
  }

  async #rows(route: string, count: number): Promise<readonly string[]> {
    const rows: string[] = [];
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const text = await this.#respond(`${route}?from=${from}&count=${Math.min(ROWS_AT_ONCE, count - from)}`);
      for (const row of JSON.parse(text) as readonly unknown[]) rows.push(JSON.stringify(row));
    }
    return rows;
  }

  /** Returns the response that the server would give. */
  async #respond(path: string): Promise<string> {
    const [route = '', query = ''] = path.split('?');
    const answer = await ROUTES.get(route)?.(this.#viewed, new URLSearchParams(query));
    return typeof answer === 'string' || Buffer.isBuffer(answer) ? answer.toString() : '';
  }

  /**
   * Writes a script that passes one JSON string to the page: classic scripts load from files, and the data in a string
   * is never run as code.
   */
  #chunk(name: string, texts: readonly string[]): void {
    const json = JSON.stringify(JSON.stringify(texts)).replace(
      /[<\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.#write(`data/${name}.js`, `turnmillData(${JSON.stringify(name)}, ${json});\n`);
  }

  #write(name: string, content: string | Buffer): void {
    const path = join(this.#folder, name);
    io('write', path, () => writeFileSync(path, content, { mode: this.#mode }));
  }
}

/** Returns a function that gives the links of a response the numbers of the export, and removes those to other records. */
function renumbering(records: readonly number[], sessions: readonly number[]): (text: string) => string {
  const placesOf = (numbers: readonly number[]): ReadonlyMap<number, number> =>
    new Map(numbers.map((number, i) => [number, i]));
  const places = new Map(Object.entries({ record: placesOf(records), i: placesOf(sessions) }));
  places.set('container', places.get('record') as ReadonlyMap<number, number>);
  return (text) =>
    text === ''
      ? ''
      : JSON.stringify(JSON.parse(text), (key, value) =>
          typeof value === 'number' && places.has(key) ? places.get(key)?.get(value) : value,
        );
}
