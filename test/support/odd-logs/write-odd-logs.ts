/**
 * Writes a folder of odd session logs for a seed: the same seed gives the same bytes everywhere. At least one session is calm, so that
 * every folder gives a record.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDice, type Dice, type Tally } from './dice.ts';
import { gzipMembers, oddFolder, oddStem } from './files.ts';
import type { Pairs } from './json-text.ts';
import { fileBytes } from './lines.ts';
import { oddSession } from './session.ts';

export type OddLogOptions = {
  /** The share of files with several sessions one after the other (for --session-by id). */
  readonly manySessions: number;
  readonly tally: Tally;
};

function put(root: string, path: string, bytes: Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), bytes);
}

function sessionEntries(dice: Dice, stem: string, manySessions: number): readonly Pairs[] {
  const first = oddSession(dice, stem);
  if (!dice.chance(manySessions)) return first;
  const others = Array.from({ length: 1 + dice.int(3) }, (_, i) =>
    oddSession(dice.heated(dice.int(2)), `${stem}/${i}`),
  );
  const back = dice.odd('session comes back', 0.25) ? oddSession(dice, stem) : [];
  return [...first, ...others.flat(), ...back];
}

function oddFile(dice: Dice, root: string, index: number, manySessions: number): void {
  const stem = oddStem(dice, index);
  const path = `${oddFolder(dice)}${stem}${dice.odd('ndjson', 0.15) ? '.ndjson' : '.jsonl'}`;
  const bytes = fileBytes(dice, sessionEntries(dice, stem, manySessions));
  if (!dice.odd('gzip', 0.2)) {
    put(root, path, bytes);
    return;
  }
  const packed = gzipMembers(dice, bytes);
  const cut = dice.odd('cut gzip', 0.06) ? packed.subarray(0, packed.length - 5) : packed;
  put(root, `${path}.gz`, cut);
}

function emptyFiles(dice: Dice, root: string): void {
  if (dice.odd('empty file', 0.2)) put(root, 'empty.jsonl', Buffer.alloc(0));
  if (dice.odd('only blanks', 0.2)) put(root, '2026-01-12/blank.jsonl', Buffer.from('\n \r\n\t'));
  if (dice.odd('only a byte order mark', 0.1)) put(root, 'bom.ndjson', Buffer.from('\ufeff'));
  if (dice.odd('only garbage', 0.1)) put(root, 'garbage.jsonl', Buffer.from('oops\nagain'));
  if (dice.odd('no source', 0.3)) {
    put(root, 'notes.txt', Buffer.from('{}'));
    put(root, '2026-01-13/x.jsonl.bak', Buffer.from('{}'));
    put(root, 'one.txt', Buffer.from('{}'));
  }
}

/** Some files of a folder are calm, some half odd, some odd. */
export function writeOddLogs(root: string, seed: number, options: OddLogOptions): void {
  const dice = createDice(seed, options.tally);
  const calm = dice.heated(0);
  put(root, 'calm-session-1.jsonl', fileBytes(calm, oddSession(calm, 'calm-session-1')));
  const files = 5 + dice.int(7);
  for (let index = 0; index < files; index++) {
    oddFile(dice.heated(dice.pick([0, 0.4, 1])), root, index, options.manySessions);
  }
  emptyFiles(dice, root);
}
