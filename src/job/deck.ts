/**
 * Reads a Markdown deck with the files that it embeds: Markdown becomes part of its text, TOML and JSON lines give
 * samples, TOML also contexts. Paths are relative to the file that embeds them.
 */

import { dirname, relative, resolve } from 'node:path';
import { LF } from '../../transforms/json/bytes.ts';
import { SourceFault, TurnmillError } from '../errors.ts';
import { type DeckContext, type DeckContexts, deckContexts } from '../input/framing/deck-contexts.ts';
import { type DeckFile, placed, readDeckText, reasonOf, TOML } from '../input/sources/deck-files.ts';
import { FILLED, type ReadSample, readSample } from '../loop/grader.ts';
import { MAX_TEXT_BYTES, readOwnFile } from '../own-file.ts';
import { read } from './read.ts';

export interface DeckSample extends ReadSample {
  /** File of the sample and where it is embedded (file and line), both relative to the folder of the deck. */
  readonly source: string;
  readonly embedded: string;
  /** Number of the sample in its file, from 1; for JSON lines, that of the line. */
  readonly number: number;
  /** Line of the file where the sample begins; null for one in an inline table of TOML. */
  readonly line: number | null;
}

export interface Deck {
  /** The text without embeds and front matter. */
  readonly text: string;
  /** In the order in which they are embedded. The last one of a name counts. */
  readonly contexts: ReadonlyMap<string, DeckContext>;
  readonly samples: readonly DeckSample[];
  /** Permissions that all its files grant. */
  readonly permissions: number;
}

/**
 * @throws TurnmillError `no-input` if there is no such file or it has no samples; `rejected` if an embedded file is
 * missing or faulty. Faulty samples are in the result.
 */
export async function readDeck(path: string): Promise<Deck> {
  const { text, files, problems, permissions } = readDeckText(path);
  const reader = new DataFilesReader(dirname(path), problems);
  for (const file of files) await reader.read(file);
  if (reader.problems.length > 0)
    throw new TurnmillError('rejected', reader.problems.join('; '), { subject: path });
  const samples = [...reader.samples.values()];
  if (samples.length === 0) {
    const advice = 'a deck is Markdown that embeds files of samples, such as ![samples](samples.toml)';
    throw new TurnmillError('no-input', `no samples found in ${path}: ${advice}`, { subject: path });
  }
  return { text, contexts: reader.contexts, samples, permissions };
}

/** Reads the files of data in a deck. */
class DataFilesReader {
  readonly problems: string[];
  readonly contexts = new Map<string, DeckContext>();
  /** By file and number: a sample that is embedded twice counts once. */
  readonly samples = new Map<string, DeckSample>();
  readonly #folder: string;

  constructor(folder: string, problems: readonly string[]) {
    this.#folder = folder;
    this.problems = [...problems];
  }

  async read(file: DeckFile): Promise<void> {
    try {
      const bytes = readOwnFile(file.path, MAX_TEXT_BYTES);
      const contexts = TOML.test(file.path) ? deckContexts(bytes) : undefined;
      let isFound = file.id === undefined;
      if (contexts !== undefined) isFound = this.#addContexts(file, contexts) || isFound;
      const isOnlyContexts =
        contexts?.hasSamples === false && contexts.contexts.size + contexts.faulty.length > 0;
      if (!isOnlyContexts) isFound = (await this.#addSamples(file, bytes)) || isFound;
      if (!isFound) this.#report(file, `${file.path} has no sample or context ${file.id}`);
    } catch (error) {
      if (!(error instanceof SourceFault)) this.#report(file, reasonOf(file.path, error));
      else this.#report(file, `${file.path}: ${error.message}`);
    }
  }

  /** @returns whether one has the id of the embed */
  #addContexts(file: DeckFile, { contexts, faulty }: DeckContexts): boolean {
    const { id, path } = file;
    for (const name of faulty) this.#report(file, `${path}: [contexts.${name}] has no assistantQuestion`);
    for (const [name, context] of contexts) {
      if (id !== undefined && id !== name) continue;
      if (context.default === undefined && !FILLED.has(name))
        this.#report(file, `${path}: [contexts.${name}] needs a default: samples do not fill it`);
      this.contexts.set(name, context);
    }
    return id !== undefined && contexts.has(id);
  }

  /** @returns whether one has the id of the embed, or the file has a fault that was reported */
  async #addSamples(file: DeckFile, bytes: Buffer): Promise<boolean> {
    const { id, path, from } = file;
    const place = { source: this.#nameOf(path), embedded: `${this.#nameOf(from)}:${file.line}` };
    const lineAt = lineCounter(bytes);
    let isFound = false;
    for await (const element of read(path)) {
      if (element.kind !== 'line' && element.kind !== 'rejection') continue;
      if (element.kind === 'rejection' && TOML.test(path)) {
        this.#report(file, `${path}: ${element.detail}`);
        return true;
      }
      if (element.kind === 'line' && Buffer.from(element.bytes).toString().trim() === '') continue;
      const { line: number, offset, length } = element.origin;
      const line = length === 0 ? null : lineAt(offset);
      const read: ReadSample =
        element.kind === 'line'
          ? readSample(element.bytes)
          : { id: null, sample: { skipped: 'bad-sample', problem: element.detail } };
      if (id !== undefined && id !== read.id) continue;
      isFound = true;
      this.samples.set(`${resolve(path)}:${number}`, { ...place, number, line, ...read });
    }
    return isFound;
  }

  readonly #nameOf = (path: string): string => relative(this.#folder, path);

  #report({ from, line }: DeckFile, problem: string): void {
    this.problems.push(placed(from, line, problem));
  }
}

/** Returns a function that returns the line of an offset; offsets must ascend. */
function lineCounter(bytes: Buffer): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    for (let end = bytes.indexOf(LF, from); end >= 0 && end < offset; end = bytes.indexOf(LF, from)) {
      line++;
      from = end + 1;
    }
    return line;
  };
}
