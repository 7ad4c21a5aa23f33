/**
 * Cuts a Markdown deck into its text and the files that it embeds: `![name](file.toml)`. Embeds in comments and in code
 * (fenced or in backticks: indented lines may belong to a list) are text, and so are images, URLs and `\![`. The front
 * matter is left out.
 */

/** A file that a deck embeds. */
export interface Embed {
  /** Path of the file, relative to the deck. */
  readonly path: string;
  /** The only sample or context to take from it, for `file.toml#ID`. */
  readonly id: string | undefined;
  readonly kind: 'text' | 'data';
  /** Line of the deck, from 1. */
  readonly line: number;
}

const TEXT = /\.(?:md|markdown)$/i;
const DATA = /\.(?:toml|jsonl|ndjson|json)$/i;
const URL_SCHEME = /^[a-z][a-z\d+.-]*:/i;
const EMBED = /(?<!\\)!\[[^\][]*\]\(([^()]*)\)/g;
const CODE = /`[^`]*`/g;
const COMMENT = { open: '<!--', close: '-->' };
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_MATTER: ReadonlySet<string> = new Set(['+++', '---']);

/** Yields the text and the embeds in the order of the deck. */
export function* deckPieces(markdown: string): Generator<string | Embed> {
  const lines = markdown.split('\n');
  const comments = new Comments();
  let fence: string | undefined;
  for (let i = linesOfFrontMatter(lines); i < lines.length; i++) {
    const line = lines[i] as string;
    const mark = FENCE.exec(line)?.[1];
    let from = 0;
    if (fence === undefined && mark === undefined) {
      for (const match of comments.blanked(line.replace(CODE, blanks)).matchAll(EMBED)) {
        const embed = embedOf(match[1] as string, i + 1);
        if (embed === undefined) continue;
        yield line.slice(from, match.index);
        yield embed;
        from = match.index + match[0].length;
      }
    } else if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
    yield i + 1 < lines.length ? `${line.slice(from)}\n` : line.slice(from);
  }
}

/** Comments, which may have several lines. */
class Comments {
  #isOpen = false;

  /** Returns a line with blanks in place of comments. */
  blanked(line: string): string {
    let shown = '';
    for (let at = 0; at < line.length; ) {
      const mark = this.#isOpen ? COMMENT.close : COMMENT.open;
      const found = line.indexOf(mark, at);
      const end = found < 0 ? line.length : found + mark.length;
      const piece = line.slice(at, end);
      shown += this.#isOpen ? blanks(piece) : piece;
      if (found >= 0) this.#isOpen = !this.#isOpen;
      at = end;
    }
    return shown;
  }
}

const blanks = (text: string): string => ' '.repeat(text.length);

function linesOfFrontMatter(lines: readonly string[]): number {
  const mark = (lines[0] as string).replace('\ufeff', '').trimEnd();
  if (!FRONT_MATTER.has(mark)) return 0;
  return lines.findIndex((line, i) => i > 0 && line.trimEnd() === mark) + 1;
}

/** @param inside the target between the parentheses, with an optional title */
function embedOf(inside: string, line: number): Embed | undefined {
  const target = (inside.split('"', 1)[0] as string).trim();
  const [path = '', id] = (target.startsWith('<') ? target.replace(/[<>]/g, '') : target).split('#', 2);
  if (URL_SCHEME.test(path)) return undefined;
  if (TEXT.test(path)) return { path, id, kind: 'text', line };
  return DATA.test(path) ? { path, id, kind: 'data', line } : undefined;
}
