/** Finds blocks that a client adds to texts: from an opening tag to its closing tag, in linear time. */
import { firstVisible, textOf } from '../model/message.ts';
import { skipSpace } from '../model/white-space.ts';
import type { MessageRule } from './rule.ts';

export interface Block {
  readonly open: string;
  readonly close: string;
  /** Must come between them. */
  readonly middle?: string;
  /** Whether its text may name its tag: pairs of the tag inside are skipped. */
  readonly namesTag?: boolean;
}

/** The block of a tag: `<tag>...</tag>`. */
export const blockOf = (tag: string): Block => ({ open: `<${tag}>`, close: `</${tag}>` });

/** The instructions of a repository, as Codex writes them. */
export const AGENTS_FILE: Block = {
  open: '# AGENTS.md instructions',
  middle: '\n<INSTRUCTIONS>',
  close: '</INSTRUCTIONS>',
};

/** Whether the text consists of one or more complete blocks, with or without white space around them. */
export function isBlocks(text: string, blocks: readonly Block[]): boolean {
  let p = skipSpace(text, 0);
  if (p === text.length) return false;
  while (p < text.length) {
    const block = blocks.find(({ open }) => text.startsWith(open, p));
    const close = block === undefined ? -1 : closeOf(text, block, p);
    if (block === undefined || close < 0) return false;
    const middle = block.middle === undefined ? p : text.indexOf(block.middle, p);
    if (middle < 0 || middle > close) return false;
    p = skipSpace(text, close + block.close.length);
  }
  return true;
}

/** A block with more opening tags inside it ends at its first closing tag. */
const MAX_INNER = 8;

/** Position of the closing tag of a block: the first one, unless pairs of the tag come before it. -1 if there is none. */
function closeOf(text: string, { open, close, namesTag }: Block, start: number): number {
  const first = text.indexOf(close, start + open.length);
  if (namesTag !== true) return first;
  let depth = 1;
  for (let inner = 0, p = start + open.length; inner < MAX_INNER; ) {
    const end = text.indexOf(close, p);
    if (end < 0) return first;
    const next = text.indexOf(open, p);
    if (next >= 0 && next < end) {
      depth++;
      inner++;
      p = next + open.length;
    } else if (--depth === 0) return end;
    else p = end + close.length;
  }
  return first;
}

/** Creates a rule that drops messages of these roles if their text consists of such blocks. */
export function dropBlocks(
  name: string,
  summary: string,
  blocks: readonly Block[],
  ...roles: readonly string[]
): MessageRule {
  const begins = blocks.map(({ open }) => open[0]).join('');
  return {
    name,
    summary,
    on: 'message',
    apply(message) {
      if (!roles.includes(message.role) || !begins.includes(firstVisible(message) ?? '')) return message;
      const { text, otherParts } = textOf(message);
      return text !== undefined && !otherParts && isBlocks(text, blocks) ? undefined : message;
    },
  };
}
