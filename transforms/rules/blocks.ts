/** Blocks that a client writes into texts: they end at the first closing tag after their opening one. Linear in the text. */
import { skipSpace } from '../model/white-space.ts';

export interface Block {
  readonly open: string;
  readonly close: string;
}

/** The block of a tag: `<tag>...</tag>`. */
export const blockOf = (tag: string): Block => ({ open: `<${tag}>`, close: `</${tag}>` });

/** Whether the text is one or more complete blocks, and white space around them. */
export function isBlocks(text: string, blocks: readonly Block[]): boolean {
  let p = skipSpace(text, 0);
  if (p === text.length) return false;
  while (p < text.length) {
    const block = blocks.find(({ open }) => text.startsWith(open, p));
    const close = block === undefined ? -1 : text.indexOf(block.close, p + block.open.length);
    if (block === undefined || close < 0) return false;
    p = skipSpace(text, close + block.close.length);
  }
  return true;
}

/** The text without complete blocks and the white space before them; the same text if there are none. */
export function withoutBlocks(text: string, { open, close }: Block): string {
  let rest = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return from === 0 ? text : rest + text.slice(from);
    rest += text.slice(from, start).trimEnd();
    from = end + close.length;
    if (rest === '') from = skipSpace(text, from);
  }
}
