/**
 * Text that is serialised once and then copied: for each style and kind, a pool of escaped atoms with the offsets between them. A message
 * is a random slice between two such offsets. Generating it needs no encoding, and never splits an escape, a character or a surrogate pair.
 */
import { appendAscii, appendBytes, type ByteTape, encodeString, type JsonStyle } from './json-style.ts';
import { type Random, seededRandom } from './random.ts';

export type TextKind = 'prose' | 'code' | 'json' | 'listing' | 'argument';

const words =
  `the of to and in is that for it with as on be this by are from at or an have not which but can we
  you all will if one then when there please check order market report brief customer invoice file
  test error value return result build line type class module import call index stream buffer token
  session message tool path user config option handle write read async await promise object array
  number total price search agent query response record weekly summary update status found missing
  release branch commit deploy server client request account balance ticket schedule flight hotel`.split(
    /\s+/,
  );

const foreign = [
  'naïve café',
  '“quoted” — and so on…',
  '日本語のテキスト',
  'Привет, мир',
  '😀🚀✅',
  'übergroße Straße',
  'αβγδ ≤ ∑',
  '中文字符測試',
  '→ ⇒ ≠',
  '👩‍💻 at work',
  'مرحبا',
  '한국어',
];

const prose = (random: Random): string => {
  const word = random.pick(words);
  const draw = random.unit();
  if (draw < 0.09) return `${word}. `;
  if (draw < 0.12) return `${word},\n`;
  if (draw < 0.13) return `**${word}**\n\n- `;
  if (draw < 0.15) return `${word} ${random.pick(foreign)} `;
  if (draw < 0.16) return `"${word}" `;
  return `${word} `;
};

const codeShapes: readonly ((word: () => string, random: Random) => string)[] = [
  (w, r) =>
    `const ${w()}${r.integer(1, 99)} = await ${w()}.${w()}("${w()}/${w()}.ts", { ${w()}: ${r.integer(0, 9999)} });`,
  (w, r) => `if (${w()} === "${w()}" && ${w()}.length > ${r.integer(0, 80)}) {`,
  () => '}',
  () => '',
  (w, r) => `${w()}.${w()}(${w()}, ${w()} + ${r.integer(0, 64)});`,
  (w) => `def ${w()}_${w()}(self, ${w()}: str = '${w()}') -> dict[str, ${w()}]:`,
  (w) => `"""${w()} ${w()} ${w()} ${w()}."""`,
  (w, r) => `for i in range(${r.integer(1, 512)}): ${w()}.append(${w()}[i] * ${r.integer(2, 9)})`,
  (w) => `\tfprintf(stderr, "%s: %d\\n", ${w()}, ${w()}->${w()});`,
  (w) => `<div class="${w()}" id='${w()}'>${w()} &amp; ${w()}</div>`,
  (w) => `C:\\Users\\${w()}\\${w()}.json`,
  (w) => `grep -rn "${w()}.*${w()}" ${w()}/ | sed 's/\\(${w()}\\)/\\1/'`,
  (w, r) => `// ${w()} ${w()} ${w()} ${r.pick(foreign)} ${w()} ${w()}`,
  (w) => `export interface ${w()} { readonly ${w()}: number; ${w()}?: readonly ${w()}[] }`,
];

const codeLine = (random: Random): string => {
  const shape = random.pick(codeShapes);
  const text = shape(() => random.pick(words), random);
  return `${'  '.repeat(random.integer(0, 4))}${text}\n`;
};

const listingLine = (random: Random): string => {
  const size = String(random.integer(0, 4_000_000)).padStart(8);
  const clock = `${random.integer(10, 23)}:${random.integer(10, 59)}`;
  const name = `${random.pick(words)}_${random.integer(0, 999)}.${random.pick(['ts', 'py', 'json', 'md'])}`;
  return `-rw-r--r-- 1 agent agent ${size} Jan ${random.integer(10, 28)} ${clock} ${name}\n`;
};

const jsonObject = (random: Random): string =>
  `${JSON.stringify({
    id: random.integer(1, 1_000_000),
    name: `${random.pick(words)} ${random.pick(foreign)}`,
    path: `/${random.pick(words)}/${random.pick(words)}`,
    ok: random.chance(0.5),
    score: random.integer(0, 9999) / 100,
    note: random.chance(0.3) ? null : `line 1\n"${random.pick(words)}"`,
  })},\n`;

const atomMakers: Readonly<Record<TextKind, (random: Random) => string>> = {
  prose,
  code: codeLine,
  json: jsonObject,
  listing: listingLine,
  argument: (random) => JSON.stringify(codeLine(random)).slice(1, -1),
};

/** Creates a random atom: the smallest unit of text that is never split. */
export const makeAtom = (kind: TextKind, random: Random): string => atomMakers[kind](random);

interface TextPool {
  readonly bytes: Buffer;
  /** Ascending offsets where a slice may begin or end, from 0 to the length. */
  readonly cuts: Uint32Array;
}

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

/** Builds the pools of a style. With the same seed, both styles contain the same text. */
export const buildTextPools = (style: JsonStyle, seed: number): TextPools => ({
  prose: buildPool(style, 'prose', seed),
  code: buildPool(style, 'code', seed),
  json: buildPool(style, 'json', seed),
  listing: buildPool(style, 'listing', seed),
  argument: buildPool(style, 'argument', seed),
});

/** Returns the first cut at or after an offset. */
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

/** Appends a random slice of at least this many serialised bytes, or fewer at the end of the pool. */
export const appendSlice = (tape: ByteTape, pool: TextPool, random: Random, sliceBytes: number): void => {
  const start = cutFrom(pool.cuts, random.integer(0, Math.max(0, pool.bytes.length - sliceBytes)));
  appendBytes(tape, pool.bytes, start, cutFrom(pool.cuts, start + sliceBytes));
};

const maxFreshPieceBytes = 400;

/** Appends text made of short slices, each after a random mark, so that no long run of bytes repeats. */
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
