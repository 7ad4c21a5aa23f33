/** Reads spans and single observations into entries. */
import spans from '../../../transforms/dialects/spans.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

export function read(lines: readonly string[], keepSealed = false): readonly StreamElement[] {
  const reader = spans.create(undefined, { keepSealed });
  let offset = 0;
  const elements = lines.flatMap((json, i) => {
    const line = lineOf(json, asBuffer, i + 1, offset);
    offset += line.bytes.length + 1;
    return [...reader.read(line)];
  });
  return [...elements, ...(reader.end?.() ?? [])];
}

export const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
export const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
/** Rules of the notes on an entry's messages. */
export const rulesOf = ({ messages, reply }: Entry): readonly string[] =>
  [...messages, ...(reply === undefined ? [] : [reply])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );
