/**
 * Names, folders and gzip of odd log files: names that give a scenario, date folders and others, several gzip members, files that are not
 * sources.
 */
import { gzipSync } from 'node:zlib';
import type { Dice } from './dice.ts';

const UUID = '3f2b8c1e-0d4a-4b6f-9a7e-5c1d2e3f4a5b';

function stamp19(dice: Dice): string {
  return `17683424${String(dice.int(1_000_000)).padStart(6, '0')}94000`;
}

/** A stem; `index` makes the names in a folder unique. */
export function oddStem(dice: Dice, index: number): string {
  const word = `${dice.pick(['market', 'travel', 'code'])}-${dice.pick(['brief', 'plan', 'review'])}`;
  return dice.variant('file name', {
    'with stamp': () => `${word}-${stamp19(dice)}`,
    'only a stamp': () => stamp19(dice),
    'with uuid': () => `${word}-${UUID.replace('3f2b', String(1000 + index))}`,
    'only a uuid': () => UUID.replace('3f2b', String(1000 + index)),
    'number and stamp': () => `google-maps-es-0${index % 10}-${stamp19(dice)}`,
    'number only': () => `google-maps-es-${String(index).padStart(2, '0')}`,
    'stamp and uuid': () => `${word}-${stamp19(dice)}-${UUID}`,
    'uuid and stamp': () => `${word}-${UUID}-${stamp19(dice)}`,
    'date at the end': () => `a-2026-01-${10 + index}`,
    'two segments and a number': () => `brief-${index}`,
    'long number': () => `${word}-x-123456${index % 10}`,
    'two numbers': () => `${word}-${index}-07`,
    unicode: () => `caf\u00e9-\u{1f9ea}-${stamp19(dice)}`,
    'dots and blanks': () => `v1.2 final-${stamp19(dice)}`,
  });
}

export function oddFolder(dice: Dice): string {
  return dice.variant('folder', {
    none: () => '',
    date: () => `2026-01-${dice.pick(['12', '13', '14'])}/`,
    'date and more': () => '2026-01-13/team-a/',
    'not first': () => 'team-a/2026-01-12/',
    'no date': () => 'exports/',
    'almost a date': () => '2026-01-13-retry/',
    'sorts between': () => '2026-01-13.old/',
  });
}

/** Several complete gzip members, split anywhere. */
export function gzipMembers(dice: Dice, bytes: Buffer): Buffer {
  const members: Buffer[] = [];
  let from = 0;
  while (dice.odd('several gzip members', 0.5) && from < bytes.length) {
    const to = from + dice.int(bytes.length - from + 1);
    members.push(gzipSync(bytes.subarray(from, to)));
    from = to;
  }
  return Buffer.concat([...members, gzipSync(bytes.subarray(from))]);
}
