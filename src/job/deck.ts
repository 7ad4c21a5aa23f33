/**
 * Reads a Markdown deck with the files that it embeds: Markdown becomes part of its text, TOML and JSON lines give
 * samples, TOML also contexts. Paths are relative to the file that embeds them.
 */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { SourceFault, systemCode, TurnmillError } from '../errors.ts';
import { type DeckContext, deckContexts } from '../input/framing/deck-contexts.ts';
import { deckPieces, type Embed } from '../input/framing/deck-pieces.ts';
import { FILLED, type ReadSample, readSample } from '../loop/grader.ts';
import { readOwnFile } from '../own-file.ts';
import { readElements } from './read-elements.ts';

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

const TOML = /\.toml$/i;
const LINE_FEED = 0x0a;
const ALL_PERMISSIONS = 0o777;
/** Bytes of all its files together. */
const MAX_DECK_BYTES = 64 * 1024 * 1024;
const MAX_EMBEDS = 1000;

/**
 * @throws TurnmillError `no-input` if there is no such file or it has no samples; `rejected` if an embedded file is
 * missing or faulty. Faulty samples are in the result.
 */
export async function readDeck(path: string): Promise<Deck> {
  const reader = new DeckReader(path);
  const deck = await reader.read();
  if (reader.problems.length > 0)
    throw new TurnmillError('rejected', reader.problems.join('; '), { subject: path });
  if (deck.samples.length === 0) {
    const advice = 'embed a file of samples, such as ![samples](samples.toml)';
    throw new TurnmillError('no-input', `no samples found in ${path}: ${advice}`, { subject: path });
  }
  return deck;
}

class DeckReader {
  readonly problems: string[] = [];
  readonly #path: string;
  readonly #contexts = new Map<string, DeckContext>();
  /** By file and line: a sample that is embedded twice counts once. */
  readonly #samples = new Map<string, DeckSample>();
  #permissions = ALL_PERMISSIONS;
  #bytesLeft = MAX_DECK_BYTES;
  #embedsLeft = MAX_EMBEDS;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<Deck> {
    let markdown: Buffer;
    try {
      markdown = this.#read(this.#path);
    } catch (error) {
      throw new TurnmillError('no-input', reasonOf(this.#path, error), { subject: this.#path, cause: error });
    }
    const text = await this.#textOf(markdown, this.#path, [resolve(this.#path)]);
    return {
      text: text.trim(),
      contexts: this.#contexts,
      samples: [...this.#samples.values()],
      permissions: this.#permissions,
    };
  }

  #read(path: string): Buffer {
    const bytes = readOwnFile(path, this.#bytesLeft);
    this.#bytesLeft -= bytes.length;
    this.#permissions &= statSync(path).mode;
    return bytes;
  }

  /** @param open absolute paths of the decks that are being read, from the outermost to this one */
  async #textOf(markdown: Buffer, path: string, open: readonly string[]): Promise<string> {
    const texts: string[] = [];
    for (const piece of deckPieces(markdown.toString())) {
      if (typeof piece === 'string') texts.push(piece);
      else if (--this.#embedsLeft >= 0) texts.push(await this.#embed(piece, path, open));
      else if (this.#embedsLeft === -1)
        this.#report(piece, path, `more than ${MAX_EMBEDS} files are embedded`);
    }
    return texts.join('');
  }

  async #embed(embed: Embed, from: string, open: readonly string[]): Promise<string> {
    const path = isAbsolute(embed.path) ? embed.path : join(dirname(from), embed.path);
    const full = resolve(path);
    if (open.includes(full)) return this.#report(embed, from, `${path} embeds itself`);
    try {
      const bytes = this.#read(path);
      if (embed.kind === 'data') await this.#readData(bytes, path, embed, from);
      else if (embed.id === undefined) return await this.#textOf(bytes, path, [...open, full]);
      else this.#report(embed, from, `a section of a Markdown file (#${embed.id}) cannot be embedded`);
      return '';
    } catch (error) {
      return this.#report(embed, from, reasonOf(path, error));
    }
  }

  async #readData(bytes: Buffer, path: string, embed: Embed, from: string): Promise<void> {
    const found = TOML.test(path) ? deckContexts(bytes) : undefined;
    let isFound = embed.id === undefined;
    for (const name of found?.faulty ?? [])
      this.#report(embed, from, `${path}: [contexts.${name}] has no assistantQuestion`);
    for (const [name, context] of found?.contexts ?? []) {
      if (embed.id !== undefined && embed.id !== name) continue;
      isFound = true;
      if (context.default === undefined && !FILLED.has(name))
        this.#report(embed, from, `${path}: [contexts.${name}] needs a default: samples do not fill it`);
      this.#contexts.set(name, context);
    }
    const isOnlyContexts = found?.hasSamples === false && found.contexts.size + found.faulty.length > 0;
    if (!isOnlyContexts) isFound = (await this.#readSamples(bytes, path, embed, from)) || isFound;
    if (!isFound) this.#report(embed, from, `${path} has no sample or context ${embed.id}`);
  }

  /** @returns whether there is one with the id of the embed, or the deck has a fault that was reported */
  async #readSamples(bytes: Buffer, path: string, embed: Embed, from: string): Promise<boolean> {
    const place = { source: this.#nameOf(path), embedded: `${this.#nameOf(from)}:${embed.line}` };
    const lineAt = lineCounter(bytes);
    let isFound = false;
    for await (const element of readElements(path)) {
      if (element.kind !== 'line' && element.kind !== 'rejection') continue;
      if (element.kind === 'rejection' && TOML.test(path)) {
        this.#report(embed, from, `${path}: ${element.detail}`);
        return true;
      }
      if (element.kind === 'line' && isBlank(element.bytes)) continue;
      const { line: number, offset, length } = element.origin;
      const line = length === 0 ? null : lineAt(offset);
      const read: ReadSample =
        element.kind === 'line'
          ? readSample(element.bytes)
          : { id: null, sample: { skipped: 'bad-sample', problem: element.detail } };
      if (embed.id !== undefined && embed.id !== read.id) continue;
      isFound = true;
      this.#samples.set(`${resolve(path)}:${number}`, { ...place, number, line, ...read });
    }
    return isFound;
  }

  readonly #nameOf = (path: string): string => relative(dirname(this.#path), path);

  /** Notes a fault of the deck with its place. Returns an empty text. */
  #report({ line }: Embed, from: string, problem: string): '' {
    this.problems.push(`${from}:${line}: ${problem}`);
    return '';
  }
}

/** Returns a function that returns the line of an offset; offsets must ascend. */
function lineCounter(bytes: Buffer): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    for (
      let end = bytes.indexOf(LINE_FEED, from);
      end >= 0 && end < offset;
      end = bytes.indexOf(LINE_FEED, from)
    ) {
      line++;
      from = end + 1;
    }
    return line;
  };
}

const isBlank = (bytes: Uint8Array): boolean => Buffer.from(bytes).toString().trim() === '';

function reasonOf(path: string, error: unknown): string {
  if (error instanceof TurnmillError || error instanceof SourceFault) return error.message;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code === 'ENOENT' ? `${path} not found` : `cannot read ${path}: ${code}`;
}
