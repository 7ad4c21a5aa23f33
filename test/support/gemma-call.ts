/** Reads FunctionGemma's calls. Written from the syntax alone, so it shares no code with the writer. */

export type Value =
  | { readonly kind: 'string' | 'number' | 'word'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Value[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [key: string, value: Value])[] };

export interface Call {
  readonly name: string;
  readonly args: Value;
}

const ESCAPE = '<escape>';

/** All calls in a text, in order. */
export function parseCalls(text: string): readonly Call[] {
  return [...text.matchAll(/<start_function_call>call:(.*?)<end_function_call>/gs)].map((match) =>
    parseCall(match[1] as string),
  );
}

/** `NAME{k:v,...}` */
export function parseCall(text: string): Call {
  const open = text.indexOf('{');
  const [args, end] = parseValue(text, open);
  if (open < 0 || end !== text.length) throw new SyntaxError(`no call: ${text}`);
  return { name: text.slice(0, open), args };
}

function parseValue(text: string, at: number): [Value, end: number] {
  if (text.startsWith(ESCAPE, at)) {
    const start = at + ESCAPE.length;
    const end = text.indexOf(ESCAPE, start);
    if (end < 0) throw new SyntaxError(`an open string at ${at}`);
    return [{ kind: 'string', text: text.slice(start, end) }, end + ESCAPE.length];
  }
  if (text[at] === '{') {
    const members: [string, Value][] = [];
    const end = parseList(text, at, '}', (p) => {
      const colon = text.indexOf(':', p);
      const [value, after] = parseValue(text, colon + 1);
      members.push([text.slice(p, colon), value]);
      return after;
    });
    return [{ kind: 'object', members }, end];
  }
  if (text[at] === '[') {
    const items: Value[] = [];
    const end = parseList(text, at, ']', (p) => {
      const [value, after] = parseValue(text, p);
      items.push(value);
      return after;
    });
    return [{ kind: 'array', items }, end];
  }
  const word = /^(?:true|false|null|-?[0-9][0-9.eE+-]*)(?=[,\]}])/.exec(text.slice(at, at + 2000))?.[0];
  if (word === undefined) throw new SyntaxError(`no value at ${at}`);
  return [{ kind: /[0-9]/.test(word) ? 'number' : 'word', text: word }, at + word.length];
}

function parseList(text: string, at: number, closer: string, item: (at: number) => number): number {
  if (text[at + 1] === closer) return at + 2;
  for (let p = at + 1; ; p++) {
    p = item(p);
    if (text[p] === closer) return p + 1;
    if (text[p] !== ',') throw new SyntaxError(`neither , nor ${closer} at ${p}`);
  }
}
