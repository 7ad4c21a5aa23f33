/**
 * Shows a text as Markdown without changing it: every character stays in the page, in its place, so that a selection is
 * the text as it was logged. Only its style differs. HTML and links stay text.
 */
import type { SyntaxNode } from '@lezer/common';
import { GFM, type MarkdownParser, parser } from '@lezer/markdown';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { IMAGE, Picture } from './picture.tsx';

const markdown: MarkdownParser = parser.configure(GFM);
/** Longer texts, without their images, are shown as they are: the parser takes quadratic time for some. */
const MAX_CHARACTERS = 30_000;
const IMAGE_DATA = /\]\(data:image\/[^)\s]*\)/g;
const MAX_CELL = 40;
/** Hidden in most cells. */
const CELL_MARKS = /\*\*|`/g;
/** Levels of nesting that are styled. */
const MAX_DEPTH = 40;

export function Markdown({ text }: { readonly text: string }): VNode {
  const content = useMemo(
    () =>
      text.replaceAll(IMAGE_DATA, '').length > MAX_CHARACTERS
        ? text
        : new Renderer(text).render(markdown.parse(text).topNode),
    [text],
  );
  return <>{content}</>;
}

/** Marks that say only how the rest is to be shown: invisible, but part of a selection. */
const HIDDEN: ReadonlySet<string> = new Set(['EmphasisMark', 'StrikethroughMark', 'HeaderMark']);
const CLASSES: Readonly<Record<string, string>> = {
  StrongEmphasis: 'md-strong',
  Emphasis: 'md-em',
  Strikethrough: 'md-s',
  InlineCode: 'md-code',
  Link: 'md-link',
  URL: 'md-url',
  LinkTitle: 'md-url',
  QuoteMark: 'md-url',
  ListMark: 'md-item',
  TaskMarker: 'md-item',
  HorizontalRule: 'md-url',
  CodeInfo: 'md-url',
  HTMLBlock: 'md-html',
  HTMLTag: 'md-html',
};
/** Blocks include the newline after them, which would otherwise be one more line. */
const BLOCKS: Readonly<Record<string, string>> = {
  FencedCode: 'md-block',
  CodeBlock: 'md-block',
  Blockquote: 'md-quote',
  Table: 'md-table',
};

class Renderer {
  readonly #text: string;
  /** Up to here the text is shown. */
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  render(top: SyntaxNode): ComponentChildren {
    return [...this.#inside(top, this.#text.length), this.#upTo(this.#text.length)];
  }

  #upTo(end: number): string {
    const part = this.#text.slice(this.#at, Math.max(this.#at, end));
    this.#at = Math.max(this.#at, end);
    return part;
  }

  /** Returns the text and the nodes inside a node. */
  #inside(node: SyntaxNode, end = node.to): ComponentChildren[] {
    if (this.#depth === MAX_DEPTH) return [this.#upTo(end)];
    this.#depth += 1;
    const parts: ComponentChildren[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling)
      parts.push(this.#upTo(child.from), this.#node(child));
    this.#depth -= 1;
    parts.push(this.#upTo(end));
    return parts;
  }

  #node(node: SyntaxNode): ComponentChildren {
    const { name } = node;
    if (HIDDEN.has(name)) return this.#hidden(name === 'HeaderMark' ? this.#afterBlanks(node.to) : node.to);
    if (name === 'LinkMark')
      return /[[\]!]/.test(this.#text[node.from] ?? '') ? this.#hidden(node.to) : this.#faint(node.to);
    if (name === 'CodeMark')
      return node.parent?.name === 'InlineCode' ? this.#hidden(node.to) : this.#faint(node.to);
    if (name === 'Image') return this.#image(node);
    const block = BLOCKS[name];
    if (block !== undefined) {
      const end = this.#text[node.to] === '\n' ? node.to + 1 : node.to;
      return <span class={block}>{name === 'Table' ? this.#table(node, end) : this.#inside(node, end)}</span>;
    }
    const isHeading = name.startsWith('ATXHeading') || name.startsWith('SetextHeading');
    const cls = isHeading ? 'md-h' : CLASSES[name];
    return cls === undefined ? this.#inside(node) : <span class={cls}>{this.#inside(node)}</span>;
  }

  #hidden(end: number): VNode {
    return <i class="md-mark">{this.#upTo(end)}</i>;
  }

  #faint(end: number): VNode {
    return <i class="md-url">{this.#upTo(end)}</i>;
  }

  #afterBlanks(from: number): number {
    let at = from;
    while (this.#text[at] === ' ') at++;
    return at;
  }

  /** Shows an image from the data of the log; any other one stays text. */
  #image(node: SyntaxNode): ComponentChildren {
    const url = node.getChild('URL');
    const address = url === null ? '' : this.#text.slice(url.from, url.to);
    if (!IMAGE.test(address)) return <span class="md-link">{this.#inside(node)}</span>;
    return [this.#hidden(node.to), <Picture address={address} />];
  }

  /** Shows a table with columns that are as wide as their widest cell. */
  #table(node: SyntaxNode, end: number): ComponentChildren[] {
    const rows = [...node.getChildren('TableHeader'), ...node.getChildren('TableRow')];
    const widths: number[] = [];
    for (const row of rows)
      for (const [i, cell] of this.#cellsOf(row).entries())
        widths[i] = Math.min(
          MAX_CELL,
          Math.max(widths[i] ?? 0, charactersIn(this.#text.slice(...cell).replaceAll(CELL_MARKS, ''))),
        );
    const parts: ComponentChildren[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      parts.push(this.#upTo(child.from));
      if (child.name === 'TableDelimiter')
        parts.push(<span class="md-rule">{this.#upTo(Math.min(end, child.to + 1))}</span>);
      else parts.push(this.#row(child, widths));
    }
    parts.push(this.#upTo(end));
    return parts;
  }

  #row(row: SyntaxNode, widths: readonly number[]): VNode {
    const cells = this.#cellsOf(row).map(([from, to], i) => {
      const bar = this.#upTo(from);
      const parts: ComponentChildren[] = [];
      for (const cell of row.getChildren('TableCell'))
        if (cell.from >= from && cell.to <= to) parts.push(this.#upTo(cell.from), ...this.#inside(cell));
      parts.push(this.#upTo(to));
      return (
        <>
          <i class="md-url">{bar}</i>
          <Cell width={widths[i] ?? 0}>{parts}</Cell>
        </>
      );
    });
    return (
      <span class={row.name === 'TableHeader' ? 'md-strong' : undefined}>
        {cells}
        {this.#faint(row.to)}
      </span>
    );
  }

  /** Returns where the cells of a row are, between its bars: empty ones have no node. */
  #cellsOf(row: SyntaxNode): readonly (readonly [from: number, to: number])[] {
    const cells: [number, number][] = [];
    let from = row.from;
    for (const { from: bar, to } of row.getChildren('TableDelimiter')) {
      if (bar > row.from) cells.push([from, bar]);
      from = to;
    }
    if (from < row.to) cells.push([from, row.to]);
    return cells;
  }
}

/** Wide characters are as wide as two others. */
function charactersIn(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[\u1100-\u115f\u2e80-\uffdc]|\p{Extended_Pictographic}/u.test(character) ? 2 : 1;
  return width;
}

/** Sets its width through the DOM, because the page's policy allows no style attributes. */
function Cell(props: { readonly width: number; readonly children: ComponentChildren }): VNode {
  const put = (element: HTMLElement | null): void => {
    if (element !== null) element.style.minWidth = `${props.width}ch`;
  };
  return (
    <span class="md-cell" ref={put}>
      {props.children}
    </span>
  );
}
