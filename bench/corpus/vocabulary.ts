/**
 * The raw text of the corpora, as endless atoms: a word, a line of code, a directory entry, a JSON
 * object, a line of code as it stands inside a tool call's arguments. An atom is a whole text of its
 * own, so that a run of atoms can be cut anywhere between two of them and stays valid text.
 */
import type { Random } from './random.ts';

/** What a text is made of. */
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

/** The next atom of a kind. */
export const makeAtom = (kind: TextKind, random: Random): string => atomMakers[kind](random);
