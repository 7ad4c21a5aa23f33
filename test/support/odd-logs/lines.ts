/**
 * Writes the entries of a session as file bytes: layout, line ends, blank lines, bad lines, torn lines, several objects on one line, a byte
 * order mark, a missing final newline.
 */
import { badLine } from './bad-lines.ts';
import type { Dice } from './dice.ts';
import { jsonText, num, type Pairs } from './json-text.ts';
import { oddStyle } from './values.ts';

function deepest(entry: Pairs): Pairs {
  let value: Pairs['pairs'][number][1] = num('0');
  for (let level = 1; level < 512; level++) value = [value];
  return { pairs: [...entry.pairs, ['deep', value]] };
}

function entryLines(dice: Dice, entries: readonly Pairs[]): readonly Buffer[] {
  let style = oddStyle(dice);
  return entries.map((entry) => {
    if (dice.odd('style changes', 0.05)) style = oddStyle(dice);
    const plain = dice.odd('exactly 512 levels', 0.01) ? deepest(entry) : entry;
    const text = jsonText(plain, style);
    const bare = dice.odd('bare number', 0.02) ? dice.pick(['NaN', 'Infinity', '-Infinity']) : undefined;
    return Buffer.from(bare === undefined ? text : text.replace(/\}\s*$/, `,"loss":[0, ${bare}]}`));
  });
}

const OPEN_ARRAY = 0x5b;

function torn(dice: Dice, line: Buffer): Buffer {
  return line.subarray(0, 1 + dice.int(line.length - 1));
}

/** A file whose first line is an array followed by something else is read as JSON values instead of lines. */
function beginsDocument([first, ...others]: readonly Buffer[]): boolean {
  return others.length === 0 && first?.[0] === OPEN_ARRAY;
}

/** Inserts, cuts and joins lines. */
function disturbed(dice: Dice, lines: readonly Buffer[]): readonly Buffer[] {
  const out: Buffer[] = [];
  for (const [i, line] of lines.entries()) {
    if (dice.odd('blank line', 0.05)) out.push(Buffer.from(dice.pick(['', ' ', '\t \r', '  '])));
    if (dice.odd('bad line', 0.12)) out.push(badLine(dice));
    const last = out.at(-1);
    if (dice.odd('torn middle line', 0.01)) out.push(torn(dice, line));
    else if (dice.odd('torn last line', i === lines.length - 1 ? 0.06 : 0)) out.push(torn(dice, line));
    else if (last !== undefined && dice.odd('several objects on a line', 0.05) && !beginsDocument(out)) {
      out[out.length - 1] = Buffer.concat([last, Buffer.from(dice.pick(['', ' ', '\t', '\r'])), line]);
    } else out.push(line);
  }
  return out;
}

export function fileBytes(dice: Dice, entries: readonly Pairs[]): Buffer {
  const lines = disturbed(dice, entryLines(dice, entries));
  const crlf = dice.odd('crlf', 0.15);
  const mixed = dice.odd('mixed line ends', 0.05);
  const chunks: Buffer[] = dice.odd('byte order mark', 0.08) ? [Buffer.from('\ufeff')] : [];
  for (const line of lines) {
    chunks.push(line, Buffer.from(crlf || (mixed && dice.chance(0.5)) ? '\r\n' : '\n'));
  }
  if (dice.odd('no final newline', 0.15)) chunks.pop();
  if (dice.odd('blank tail', 0.04)) chunks.push(Buffer.from('\n\n  \n '));
  return Buffer.concat(chunks);
}
