/**
 * Marks the words of the search in the texts of the page: ranges of the CSS Custom Highlight API, which leave the
 * document as it is, so that texts stay selectable as they were logged.
 */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import { words } from './address.ts';
import { isExact, readQuery } from './query.ts';

/** Elements whose text is searched as a whole. */
const BLOCKS = '.ttl,.text,.activity,.hint,.hex,.src';
const NAME = 'found';
const MAX_MARKS = 5000;
/** Text that is shown after a hit in a long text. */
const AFTER_HIT = 500;

interface Needle {
  readonly text: string;
  readonly asWritten: boolean;
}

/** The words of the search, without those that filter. As on the server, a word without capitals matches in any case. */
const needles: ReadonlySignal<readonly Needle[]> = computed(() =>
  readQuery(words.value)
    .words.filter((text) => text !== '')
    .map((text) => ({ text, asWritten: isExact(text) })),
);

/** Lower case, if that does not move characters. */
function lowered(text: string): string {
  const low = text.toLowerCase();
  return low.length === text.length ? low : text;
}

/** Returns how much of a text has to be shown so that its first hit is seen; 0 without a hit. */
export function endOfHit(text: string): number {
  if (needles.value.length === 0) return 0;
  const low = lowered(text);
  const ends = needles.value.flatMap(({ text: word, asWritten }) => {
    const at = (asWritten ? text : low).indexOf(word);
    return at < 0 ? [] : [at + word.length + AFTER_HIT];
  });
  return ends.length === 0 ? 0 : Math.min(...ends);
}

function textNodesIn(block: Element): readonly Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** Adds the ranges of a block, which may begin in one text node and end in another. */
function addRanges(block: Element, ranges: Range[]): void {
  const nodes = textNodesIn(block);
  const text = nodes.map(({ data }) => data).join('');
  const low = lowered(text);
  for (const { text: word, asWritten } of needles.peek()) {
    const within = asWritten ? text : low;
    let node = 0;
    let before = 0;
    const toNode = (at: number): void => {
      while (at > before + (nodes[node] as Text).length) before += (nodes[node++] as Text).length;
    };
    for (let at = within.indexOf(word); at >= 0; at = within.indexOf(word, at + word.length)) {
      if (ranges.length >= MAX_MARKS) return;
      const range = new Range();
      toNode(at);
      range.setStart(nodes[node] as Text, at - before);
      toNode(at + word.length);
      range.setEnd(nodes[node] as Text, at + word.length - before);
      ranges.push(range);
    }
  }
}

/** Unfolds and scrolls to a hit that is out of sight. */
function reveal(range: Range, pane: Element): void {
  const element = range.startContainer.parentElement;
  for (let at = element?.closest('details'); at != null; at = at.parentElement?.closest('details'))
    at.open = true;
  const { top, bottom } = range.getBoundingClientRect();
  const { top: first, bottom: last } = pane.getBoundingClientRect();
  if (top < first || bottom > last) element?.scrollIntoView({ block: 'center' });
}

const firstIn = (css: string, ranges: readonly Range[]): Range | undefined =>
  ranges.find(({ startContainer }) => startContainer.parentElement?.closest(css) != null);

let revealed = '';

function mark(): void {
  const ranges: Range[] = [];
  if (needles.peek().length > 0)
    for (const block of document.querySelectorAll(BLOCKS)) addRanges(block, ranges);
  CSS.highlights.set(NAME, new Highlight(...ranges));
  const pane = document.querySelector('.pane');
  const first = pane === null ? undefined : (firstIn('.msg', ranges) ?? firstIn('.pane', ranges));
  if (pane === null || first === undefined || revealed === location.hash) return;
  revealed = location.hash;
  if (!/[?&]m=/.test(revealed)) reveal(first, pane);
}

/** Marks hits whenever the words or the page change. */
export function watchHits(root: Element): void {
  if (CSS.highlights === undefined) return; // an older browser shows the texts without marks
  let frame = 0;
  const again = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(mark);
  };
  effect(() => {
    void needles.value;
    again();
  });
  new MutationObserver(() => {
    if (needles.peek().length > 0) again();
  }).observe(root, { childList: true, subtree: true, characterData: true });
}
