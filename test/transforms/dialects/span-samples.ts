/** Reads spans and single observations into entries. */
import spans from '../../../transforms/dialects/spans.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

export function read(lines: readonly string[], keepSealed = false): readonly StreamElement[] {
  return readLog(spans.create(undefined, { keepSealed }), lines);
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
