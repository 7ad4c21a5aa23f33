/** Tokens of JSON text: strings are decoded, others are as written, white space is left out. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

export function tokensOf(json: string): readonly string[] {
  return (json.match(TOKEN) ?? []).map((token) => (token[0] === '"' ? `"${JSON.parse(token)}` : token));
}
