/** Parses the text of the search field: words, and filters such as `role:tool`. */

export interface Query {
  /** Text that the line must contain, as JSON writes it. */
  readonly words: readonly string[];
  readonly roles: readonly string[];
  readonly tools: readonly string[];
  readonly findings: readonly string[];
  readonly fates: readonly string[];
}

const TOKEN = /(?:(role|tool|finding|fate):)?("(?:[^"\\]|\\.)*"|\S+)/g;
const FIELDS = { role: 'roles', tool: 'tools', finding: 'findings', fate: 'fates' } as const;

/** Parses a query. A phrase is written between quotation marks; words without quotation marks are one phrase too. */
export function readQuery(text: string): Query {
  const query = { words: [] as string[], roles: [], tools: [], findings: [], fates: [] } as {
    words: string[];
    roles: string[];
    tools: string[];
    findings: string[];
    fates: string[];
  };
  const plain: string[] = [];
  for (const [, field, term = ''] of text.matchAll(TOKEN)) {
    const isQuoted = term.length > 1 && term.startsWith('"') && term.endsWith('"');
    const value = isQuoted ? term.slice(1, -1).replaceAll(/\\(.)/g, '$1') : term;
    if (field !== undefined) query[FIELDS[field as keyof typeof FIELDS]].push(value);
    else if (isQuoted) query.words.push(value);
    else plain.push(value);
  }
  if (plain.length > 0) query.words.push(plain.join(' '));
  return query;
}
