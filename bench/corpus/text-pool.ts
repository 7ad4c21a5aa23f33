/**
 * Text that is serialised once and then only copied: per style and kind a pool of escaped atoms with
 * the offsets between them. A message is a slice from one random cut to another, so that generating
 * costs a copy and no encoding, and a slice never splits an escape, a character or a surrogate pair.
 */
import { appendAscii, appendBytes, type ByteTape } from './byte-tape.ts';
import { encodeString, type JsonStyle } from './json-style.ts';
import { type Random, seededRandom } from './random.ts';
import { makeAtom, type TextKind } from './vocabulary.ts';

interface TextPool {
  readonly bytes: Buffer;
  /** Ascending offsets at which a slice may begin or end; the first is 0, the last the length. */
  readonly cuts: Uint32Array;
}

/** The five pools of one style. */
export type TextPools = Readonly<Record<TextKind, TextPool>>;

const rawPoolBytes: Readonly<Record<TextKind, number>> = {
  prose: 400_000,
  code: 900_000,
  json: 500_000,
  listing: 300_000,
  argument: 400_000,
};

const buildPool = (style: JsonStyle, kind: TextKind, seed: number): TextPool => {
  const random = seededRandom([seed, 'pool', kind]);
  const pieces: Buffer[] = [];
  const cuts = [0];
  let rawLength = 0;
  let length = 0;
  while (rawLength < rawPoolBytes[kind]) {
    const atom = makeAtom(kind, random);
    const piece = Buffer.from(encodeString(style, atom).slice(1, -1));
    pieces.push(piece);
    rawLength += atom.length;
    length += piece.length;
    cuts.push(length);
  }
  return { bytes: Buffer.concat(pieces), cuts: Uint32Array.from(cuts) };
};

/** Builds a style's pools; both styles get the same texts for the same seed. */
export const buildTextPools = (style: JsonStyle, seed: number): TextPools => ({
  prose: buildPool(style, 'prose', seed),
  code: buildPool(style, 'code', seed),
  json: buildPool(style, 'json', seed),
  listing: buildPool(style, 'listing', seed),
  argument: buildPool(style, 'argument', seed),
});

/** The first cut at or after an offset. */
const cutFrom = (cuts: Uint32Array, offset: number): number => {
  let low = 0;
  let high = cuts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cuts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return cuts[low] ?? 0;
};

/** Appends a random slice of at least this many serialised bytes (less only when the pool ends). */
export const appendSlice = (tape: ByteTape, pool: TextPool, random: Random, sliceBytes: number): void => {
  const start = cutFrom(pool.cuts, random.integer(0, Math.max(0, pool.bytes.length - sliceBytes)));
  appendBytes(tape, pool.bytes, start, cutFrom(pool.cuts, start + sliceBytes));
};

const maxFreshPieceBytes = 400;

/** The same from short pieces, each behind a random mark, so that no longer run of bytes comes twice. */
export const appendFreshText = (tape: ByteTape, pool: TextPool, random: Random, textBytes: number): void => {
  const end = tape.length + textBytes;
  while (tape.length < end) {
    appendAscii(
      tape,
      `${random.integer(0, 0xffff_ffff).toString(36)}-${random.integer(0, 0xffff_ffff).toString(36)} `,
    );
    appendSlice(tape, pool, random, Math.min(maxFreshPieceBytes, Math.max(1, end - tape.length)));
  }
};
