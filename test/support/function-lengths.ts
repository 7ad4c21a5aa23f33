/** Counts the lines of each function in a source text: methods, generators and arrows, including the functions inside. */
import { parseAst } from 'rolldown/parseAst';

export interface FunctionLength {
  /** Name of the function, or of its variable, member or class. */
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
}

/** @param lang `tsx` for JSX */
export function functionLengths(text: string, lang: 'ts' | 'tsx' = 'ts'): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (offset: number): number => {
    const after = ends.findIndex((end) => end >= offset);
    return 1 + (after < 0 ? ends.length : after);
  };
  const visit = (value: unknown, outer: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, outer);
    if (!isNode(value)) return;
    const name = value.key?.name ?? value.id?.name ?? outer;
    if (/Function/.test(value.type) && 'body' in value) {
      const line = lineAt(value.start);
      found.push({ name, line, lines: lineAt(value.end) - line + 1 });
    }
    for (const child of Object.values(value)) visit(child, name);
  };
  visit(parseAst(text, { lang }).body, '');
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
