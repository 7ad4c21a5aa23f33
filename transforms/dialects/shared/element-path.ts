/** Names the place of a value in a line, for the detail of a rejection. */
import { OPEN_OBJECT } from '../../json/bytes.ts';
import { walkElements, walkMembers } from '../../json/members.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import { parseString } from '../../json/utf8.ts';
import { wordSet } from '../../model/words.ts';

const MAX_STEPS = 10;

/** Keys that dialects and formats read: all others are content, which must not appear in messages. */
const NAMES: ReadonlySet<string> = wordSet(`
  request response body messages conversations tools choices message delta content system metadata usage
  tool_calls toolCalls tool_result toolResult function function_call functions arguments parameters properties
  required enum items input input_schema parts text value logprobs samples expected tags meta settings state lastDocument
`);

/**
 * Path to the array or object that opens at `at` inside the valid value at `start`: `request.messages[3].tool_calls`;
 * '' for the value itself. Limited to a few steps, because each one scans the bytes again.
 */
export function pathTo(bytes: Uint8Array, start: number, at: number): string {
  let path = '';
  let p = start;
  for (let steps = 0; p !== at; steps++) {
    if (steps === MAX_STEPS) return `${path}...`.replace(/^\./, '');
    let inside = at;
    let step = '';
    const pass = (value: number, name: () => string): number => {
      const end = trustingScanner.value(bytes, value, 0);
      if (value <= at && at < end) {
        inside = value;
        step = name();
      }
      return end;
    };
    if (bytes[p] === OPEN_OBJECT) {
      walkMembers(bytes, p, trustingScanner, (keyStart, keyEnd, value) =>
        pass(value, () => `.${nameOf(bytes, keyStart, keyEnd)}`),
      );
    } else walkElements(bytes, p, trustingScanner, (number, value) => pass(value, () => `[${number}]`));
    path += step;
    p = inside;
  }
  return path.replace(/^\./, '');
}

function nameOf(bytes: Uint8Array, start: number, end: number): string {
  const key = parseString(bytes, start, end);
  return NAMES.has(key) ? key : '*';
}
