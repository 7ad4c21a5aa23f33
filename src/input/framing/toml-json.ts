/**
 * Converts a value of a TOML document to JSON text. Whole numbers keep all their digits; values that JSON lacks (dates,
 * nan, inf) become strings.
 */
import { TomlDate } from 'smol-toml';

export function jsonOfToml(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return jsonOfFloat(value);
  if (value instanceof TomlDate) return JSON.stringify(value.toISOString());
  if (Array.isArray(value)) return `[${value.map(jsonOfToml).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${jsonOfToml(one)}`);
  return `{${members.join(',')}}`;
}

/** Keeps a float a float: 1.0 does not become 1. */
function jsonOfFloat(value: number): string {
  if (!Number.isFinite(value))
    return JSON.stringify(String(value).replace('Infinity', 'inf').replace('NaN', 'nan'));
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
