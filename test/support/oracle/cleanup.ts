/**
 * The four cleanup rules in order: goose-info, goose-bootstrap and empty-assistant on the messages, then goose-title on the entry. The
 * reply is never changed.
 */
import type { Entry } from './entry.ts';
import { hasOtherPart, isBlankAt, messageText, strip, words } from './text.ts';
import { get, getString, isNull, type ObjectTree, replaced, str, type Tree } from './tree.ts';

const OPEN = '<info-msg>';
const CLOSE = '</info-msg>';
const BOOTSTRAP = ['general-purpose', 'ai', 'agent', 'called', 'goose'];

/** Is the text made of complete blocks and white space only? A block ends at the first closer. */
export function isOnlyInfo(text: string): boolean {
  let at = 0;
  let blocks = 0;
  for (;;) {
    while (at < text.length && isBlankAt(text, at)) at++;
    if (at === text.length) return blocks > 0;
    if (!text.startsWith(OPEN, at)) return false;
    const close = text.indexOf(CLOSE, at + OPEN.length);
    if (close < 0) return false;
    at = close + CLOSE.length;
    blocks++;
  }
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (ch) => ch.toLowerCase());
}

/** Do the five words follow each other, separated by white space? */
export function namesGoose(text: string): boolean {
  const lower = asciiLower(text);
  let start = lower.indexOf(BOOTSTRAP[0] ?? '');
  for (; start >= 0; start = lower.indexOf(BOOTSTRAP[0] ?? '', start + 1)) {
    let at = start;
    const all = BOOTSTRAP.every((word, i) => {
      const before = at;
      while (i > 0 && at < lower.length && isBlankAt(lower, at)) at++;
      if ((i > 0 && at === before) || !lower.startsWith(word, at)) return false;
      at += word.length;
      return true;
    });
    if (all) return true;
  }
  return false;
}

function isInfo(m: ObjectTree): boolean {
  return getString(m, 'role') === 'user' && !hasOtherPart(m) && isOnlyInfo(messageText(m) ?? '');
}

function bootstrapped(m: ObjectTree): ObjectTree {
  const hit = getString(m, 'role') === 'system' && namesGoose(messageText(m) ?? '');
  return hit ? replaced(m, 'content', str('You are a general-purpose AI agent')) : m;
}

/** Absent, null, an empty array or an empty string. */
function nothing(tree: Tree | undefined): boolean {
  if (tree === undefined || isNull(tree)) return true;
  if (tree.kind === 'array') return tree.items.length === 0;
  return tree.kind === 'string' && tree.value === '';
}

function isEmptyAssistant(m: ObjectTree, next: ObjectTree | undefined): boolean {
  const text = messageText(m);
  return (
    getString(m, 'role') === 'assistant' &&
    text !== undefined &&
    strip(text) === '' &&
    !hasOtherPart(m) &&
    nothing(get(m, 'tool_calls')) &&
    nothing(get(m, 'tool_call_id')) &&
    next !== undefined &&
    getString(next, 'role') === 'assistant'
  );
}

function isTitle(entry: Entry): boolean {
  const [first, second] = entry.messages;
  if (first === undefined || second === undefined || entry.reply === undefined) return false;
  const starts = (m: ObjectTree, role: string, opening: string): boolean =>
    getString(m, 'role') === role && strip(messageText(m) ?? '').startsWith(opening);
  const count = words(messageText(entry.reply) ?? '').length;
  return (
    starts(first, 'system', 'Reply with only a description in four words or less') &&
    starts(second, 'user', 'Here are the first few user messages:') &&
    getString(entry.reply, 'role') === 'assistant' &&
    count >= 1 &&
    count <= 6
  );
}

/** Applies the rules for messages. */
export function cleanMessages(messages: readonly ObjectTree[]): readonly ObjectTree[] {
  const kept = messages.filter((m) => !isInfo(m)).map(bootstrapped);
  return kept.filter((m, i) => !isEmptyAssistant(m, kept[i + 1]));
}

/** The cleaned entry, or undefined if goose-title drops it. */
export function cleanEntry(entry: Entry): Entry | undefined {
  const cleaned = { ...entry, messages: cleanMessages(entry.messages) };
  return isTitle(cleaned) ? undefined : cleaned;
}
