/**
 * Tokenizes TypeScript or JavaScript for gates: regular expression literals, and the code without comments and strings. A slash is a
 * division after an operand and starts an expression elsewhere; `${}` contains code.
 */

export interface RegexLiteral {
  readonly source: string;
  readonly flags: string;
  readonly line: number;
}

export interface CodeTokens {
  readonly regexes: readonly RegexLiteral[];
  /** The code with comments, strings and expressions blanked out. */
  readonly bare: string;
}

/** A slash after one of these words starts an expression. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case in of do else void delete throw new instanceof yield await default extends'.split(' '),
);
const WORD = /[\w$]+/y;
const FLAGS = /[a-z]*/y;

export function tokensOf(code: string): CodeTokens {
  const regexes: RegexLiteral[] = [];
  const bare: string[] = [];
  const templates: number[] = []; // open braces in each `${`
  let line = 1;
  let p = 0;
  let operand = false; // whether a slash would divide here

  /** Skips to `end`; the bare code gets a blank and the skipped line feeds. */
  function blank(end: number): void {
    const lines = code.slice(p, end).split('\n').length - 1;
    bare.push(` ${'\n'.repeat(lines)}`);
    line += lines;
    p = end;
  }

  function keep(end: number): void {
    bare.push(code.slice(p, end));
    p = end;
  }

  /** Skips from `at` inside a template to the code of its next `${`, or to its end. */
  function passTemplate(at: number): void {
    let q = at;
    while (q < code.length && code[q] !== '`' && !code.startsWith('${', q)) q += code[q] === '\\' ? 2 : 1;
    const opens = code[q] === '$';
    blank(q + (opens ? 2 : 1));
    if (opens) templates.push(0);
    operand = !opens;
  }

  function passRegex(): void {
    let q = p + 1;
    for (let inClass = false; code[q] !== '/' || inClass; q++) {
      if (code[q] === undefined || code[q] === '\n') throw new Error(`line ${line}: an open expression`);
      if (code[q] === '\\') q++;
      else if (code[q] === '[') inClass = true;
      else if (code[q] === ']') inClass = false;
    }
    FLAGS.lastIndex = q + 1;
    const flags = FLAGS.exec(code)?.[0] ?? '';
    regexes.push({ source: code.slice(p + 1, q), flags, line });
    blank(q + 1 + flags.length);
    operand = true;
  }

  function passString(quote: string): void {
    let q = p + 1;
    while (q < code.length && code[q] !== quote) q += code[q] === '\\' ? 2 : 1;
    blank(q + 1);
    operand = true;
  }

  function passWord(): void {
    WORD.lastIndex = p;
    const word = WORD.exec(code)?.[0] as string;
    const isMember = /[.?]$/.test(bare.at(-1) ?? '');
    keep(p + word.length);
    operand = isMember || !BEFORE_EXPRESSION.has(word);
  }

  function passSign(c: string): void {
    const open = templates.at(-1);
    if (open !== undefined && c === '}' && open === 0) {
      templates.pop();
      passTemplate(p + 1);
      return;
    }
    if (open !== undefined && (c === '{' || c === '}'))
      templates[templates.length - 1] = open + (c === '{' ? 1 : -1);
    keep(p + 1);
    if (c === '\n') line++;
    if (c.trim() !== '') operand = c === ')' || c === ']' || c === '}';
  }

  while (p < code.length) {
    const c = code[p] as string;
    if (code.startsWith('//', p) || (p === 0 && code.startsWith('#!'))) blank(endOr(code.indexOf('\n', p)));
    else if (code.startsWith('/*', p)) blank(endOr(code.indexOf('*/', p), 2));
    else if (c === "'" || c === '"') passString(c);
    else if (c === '`') passTemplate(p + 1);
    else if (c === '/' && !operand) passRegex();
    else if (/[\w$]/.test(c)) passWord();
    else passSign(c);
  }
  return { regexes, bare: bare.join('') };

  function endOr(found: number, length = 0): number {
    return found < 0 ? code.length : found + length;
  }
}
