/**
 * Logs close to real sessions: odd sessions (compaction, changed system messages, other key orders), some lines rewritten with the same
 * meaning (escaped keys, white space) or just invalid (duplicate key, one level too deep), and many with bytes flipped, deleted, duplicated
 * or spliced in from another line.
 */
import { createDice, type Dice, type Tally } from './odd-logs/dice.ts';
import { fileBytes } from './odd-logs/lines.ts';
import { oddSession } from './odd-logs/session.ts';

const LF = 0x0a;
const KEYS = [
  'timestamp',
  'session_id',
  'request',
  'response',
  'messages',
  'tools',
  'role',
  'message',
] as const;
const STRUCTURE = Buffer.from('{}[]",:\\');
const MAX_DEPTH = 512;

/** The bytes of one source, the same for the same seed. */
export function mutatedLog(seed: number, tally: Tally): Buffer {
  const dice = createDice(seed, tally);
  const lines = linesOf(fileBytes(dice, oddSession(dice, 's')));
  const out = lines.flatMap((line, i) => {
    const other = lines[dice.int(lines.length)] ?? line;
    const first = dice.odd('rewritten', 0.3) ? rewritten(dice, line) : line;
    if (!dice.odd('mutated', 0.5)) return [first];
    let bad = first;
    for (let times = 1 + dice.int(3); times > 0; times--) bad = mutated(dice, bad, other);
    return i % 2 === 0 ? [bad, line] : [bad]; // the valid line after a bad one: cached messages must still be right
  });
  return Buffer.concat(out.flatMap((line) => [line, Buffer.from([LF])]));
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at);
    const to = end < 0 ? bytes.length : end;
    lines.push(bytes.subarray(at, to));
    at = to + 1;
  }
  return lines;
}

/** Writes the line in another way, or as a line that is just no longer an entry. */
function rewritten(dice: Dice, line: Buffer): Buffer {
  const text = line.toString('latin1');
  const key = dice.pick(KEYS);
  const at = dice.int(key.length);
  const code = key.charCodeAt(at).toString(16).padStart(4, '0');
  const escaped = `"${key.slice(0, at)}\\u${code}${key.slice(at + 1)}"`;
  const nested = (levels: number): string => `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`;
  const rewriting = dice.variant('rewriting', {
    'escaped key': () => text.replaceAll(`"${key}"`, escaped),
    'one escaped key': () => text.replace(`"${key}"`, escaped),
    'key twice': () => text.replace(`"${key}"`, `"${key}":null,"${key}"`),
    'key twice, once escaped': () => text.replace(`"${key}"`, `${escaped}:null,"${key}"`),
    'first key repeated at the end': () => text.replace(/\}(\s*)$/, `,"${key}":1}$1`),
    'white space': () => text.replaceAll(`"${key}"`, ` \t"${key}"\r `),
    deepest: () => text.replace(/\{/, `{${nested(MAX_DEPTH - 1)},`),
    'one level too deep': () => text.replace(/\{/, `{${nested(MAX_DEPTH)},`),
    'deep in a message': () =>
      text.replace('"role"', `${nested(dice.pick([MAX_DEPTH - 5, MAX_DEPTH - 4, MAX_DEPTH - 3]))},"role"`),
  });
  return Buffer.from(rewriting, 'latin1');
}

/** Changes some bytes of a line or a whole log, half of the time next to a structural byte. */
export function mutated(dice: Dice, line: Buffer, other: Buffer): Buffer {
  if (line.length === 0) return line;
  const at = place(dice, line);
  const length = dice.chance(0.7) ? 1 + dice.int(3) : 1 + dice.int(line.length);
  const before = line.subarray(0, at);
  return dice.variant('mutation', {
    flip: () => {
      const flipped = Buffer.from(line);
      flipped[at] = dice.chance(0.5) ? (line[at] as number) ^ (1 << dice.int(8)) : dice.int(256);
      return flipped;
    },
    delete: () => Buffer.concat([before, line.subarray(at + length)]),
    duplicate: () => Buffer.concat([before, line.subarray(at, at + length), line.subarray(at)]),
    splice: () => {
      const from = other.length === 0 ? 0 : place(dice, other);
      return Buffer.concat([before, other.subarray(from, from + length), line.subarray(at)]);
    },
    'splice the rest': () => Buffer.concat([before, other.subarray(at)]),
    structure: () =>
      Buffer.concat([
        before,
        STRUCTURE.subarray(dice.int(STRUCTURE.length)).subarray(0, 1),
        line.subarray(at),
      ]),
  });
}

function place(dice: Dice, line: Buffer): number {
  const at = dice.int(line.length);
  if (dice.chance(0.5)) return at;
  const near = line.subarray(at).findIndex((byte) => STRUCTURE.includes(byte));
  return near < 0 ? at : Math.min(line.length - 1, at + near + dice.int(2));
}
