/** Parses JSON so that numbers keep their logged text: `1.0` stays `1.0`, and twenty digits stay twenty. */

type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;
interface RawJson {
  rawJSON?(text: string): unknown;
  parse(text: string, reviver: Reviver): unknown;
}

const json = JSON as unknown as RawJson;

/** Whether numbers can keep their text in this browser. If not, JSON is shown as it arrived, never rounded. */
export const keepsNumbers: boolean = typeof json.rawJSON === 'function';

export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : (json.rawJSON?.(context.source) ?? context.source);
  });
}

/** Formats a value as JSON, indented by two spaces, with unchanged numbers. */
export function indented(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

/** Pretty-prints JSON text; returns any other text unchanged. */
export function laidOut(text: string): string {
  if (!keepsNumbers || !/^\s*[{[]/.test(text)) return text;
  try {
    return indented(parseExact(text));
  } catch {
    return text;
  }
}
