/** Builds requests of the Messages API from JSON text and reads them. */
import anthropic from '../../../transforms/dialects/anthropic.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { asBuffer, type MakeBytes, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

export const reading = (lines: readonly string[], userTurn?: string, make: MakeBytes = asBuffer) => {
  const reader = anthropic.create(undefined, { userTurn });
  return lines.flatMap((json, i) => [...reader.read(lineOf(json, make, i + 1))]);
};
export const read = (...lines: readonly string[]) => reading(lines);
export const one = (json: string): Entry => read(json)[0] as Entry;
export const texts = (items: readonly { readonly bytes: Uint8Array }[]) =>
  items.map(({ bytes }) => text(bytes));
export const pair = (messages: string, more = '', response = 'null') =>
  `{"request":{"messages":${messages}${more}},"response":${response}}`;
export const blocks = (role: string, list: string) => `[{"role":"${role}","content":[${list}]}]`;
