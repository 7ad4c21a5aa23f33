/**
 * Reads a Markdown deck with the Markdown that it embeds: its text, and the places of its files of data. Paths are
 * relative to the file that embeds them.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { systemCode, systemWords, TurnmillError } from '../../errors.ts';
import { NotOwnFile, readOwnFile } from '../../own-file.ts';
import { deckPieces, type Embed } from '../framing/deck-pieces.ts';

/** A file of data that a deck embeds. */
export interface DeckFile extends Pick<Embed, 'id' | 'line'> {
  readonly path: string;
  /** The Markdown file that embeds it. */
  readonly from: string;
}

export interface DeckText {
  /** The text without embeds and front matter. */
  readonly text: string;
  /** In the order in which they are embedded. */
  readonly files: readonly DeckFile[];
  /** Faults of the deck, each with its file and line. */
  readonly problems: readonly string[];
  /** Permissions that all its files grant. */
  readonly permissions: number;
}

const ALL_PERMISSIONS = 0o777;
/** Most bytes of all its Markdown, and of a TOML file that is searched for contexts. */
const MAX_DECK_BYTES = 64 * 1024 * 1024;
const MAX_EMBEDS = 1000;

/** @throws TurnmillError `no-input` if the deck itself cannot be read */
export function readDeckText(path: string): DeckText {
  return new DeckReader().read(path);
}

/** Formats a fault of a deck with its place. */
export function placed(from: string, line: number, problem: string): string {
  return `${from}:${line}: ${problem}`;
}

class DeckReader {
  readonly #files: DeckFile[] = [];
  readonly #problems: string[] = [];
  #permissions = ALL_PERMISSIONS;
  #bytesLeft = MAX_DECK_BYTES;
  #embedsLeft = MAX_EMBEDS;

  read(path: string): DeckText {
    let markdown: Buffer;
    try {
      markdown = this.#read(path);
    } catch (error) {
      throw new TurnmillError('no-input', reasonOf(path, error), { subject: path, cause: error });
    }
    const text = this.#textOf(markdown, path, [resolve(path)]).trim();
    return { text, files: this.#files, problems: this.#problems, permissions: this.#permissions };
  }

  #read(path: string): Buffer {
    const bytes = readOwnFile(path, this.#bytesLeft);
    this.#bytesLeft -= bytes.length;
    this.#permissions &= statSync(path).mode;
    return bytes;
  }

  /** @param open absolute paths of the decks that are being read, from the outermost to this one */
  #textOf(markdown: Buffer, path: string, open: readonly string[]): string {
    const texts: string[] = [];
    for (const piece of deckPieces(markdown.toString())) {
      if (typeof piece === 'string') texts.push(piece);
      else if (--this.#embedsLeft >= 0) texts.push(this.#embed(piece, path, open));
      else if (this.#embedsLeft === -1)
        this.#report(path, piece, `more than ${MAX_EMBEDS} files are embedded`);
    }
    return texts.join('');
  }

  /** @returns the text of embedded Markdown */
  #embed(embed: Embed, from: string, open: readonly string[]): string {
    const { id, kind, line } = embed;
    const path = isAbsolute(embed.path) ? embed.path : join(dirname(from), embed.path);
    const full = resolve(path);
    if (open.includes(full)) return this.#report(from, embed, `${path} embeds itself`);
    if (kind === 'text' && id !== undefined)
      return this.#report(from, embed, `a section of a Markdown file (#${id}) cannot be embedded`);
    try {
      if (kind === 'text') return this.#textOf(this.#read(path), path, [...open, full]);
      this.#permissions &= statSync(path).mode;
      this.#files.push({ path, id, from, line });
      return '';
    } catch (error) {
      return this.#report(from, embed, reasonOf(path, error));
    }
  }

  #report(from: string, { line }: Embed, problem: string): '' {
    this.#problems.push(placed(from, line, problem));
    return '';
  }
}

/** Says why a file of a deck cannot be read. Throws errors that are not those of the system. */
export function reasonOf(path: string, error: unknown): string {
  if (error instanceof NotOwnFile) return `${path} is ${error.kind}, not a file`;
  if (error instanceof TurnmillError) return error.message;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code === 'ENOENT' ? `${path} not found` : `cannot read ${path}: ${systemWords(error)}`;
}

export const TOML: RegExp = /\.toml$/i;
const CONTEXTS = /^[ \t]*\[[ \t]*contexts\b/m;
const SAMPLES = /^[ \t]*(?:\[\[?[ \t]*)?["']?samples\b/m;

/** A file of samples that a deck embeds, as a source. */
export interface DeckSource {
  readonly path: string;
  /** Path below the folder that holds the deck and all its files. */
  readonly name: string;
}

/**
 * Returns the files of samples that a deck embeds, each once; none for Markdown that embeds none.
 * @throws TurnmillError `no-input` if the deck or a file in it cannot be read
 */
export function deckSources(deck: string): readonly DeckSource[] {
  const { files, problems } = readDeckText(deck);
  if (problems.length > 0) throw new TurnmillError('no-input', problems.join('; '), { subject: deck });
  const paths = new Set(files.map(({ path }) => realpathSync(path)));
  const sources = [...paths].filter((path) => !TOML.test(path) || !hasOnlyContexts(path));
  let root = dirname(realpathSync(deck));
  while (!sources.every((path) => path.startsWith(root === sep ? sep : root + sep))) root = dirname(root);
  return sources.map((path) => ({ path, name: relative(root, path).split(sep).join('/') }));
}

/** A file that cannot be read is a source, which the run rejects. */
function hasOnlyContexts(path: string): boolean {
  try {
    const text = readOwnFile(path, MAX_DECK_BYTES).toString();
    return CONTEXTS.test(text) && !SAMPLES.test(text);
  } catch {
    return false;
  }
}
