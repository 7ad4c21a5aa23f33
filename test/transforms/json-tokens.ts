/** JSON text as its tokens: strings decoded, numbers and the rest as they are written. White space is none. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

export function tokensOf(json: string): readonly string[] {
  return (json.match(TOKEN) ?? []).map((token) => (token[0] === '"' ? `"${JSON.parse(token)}` : token));
}
