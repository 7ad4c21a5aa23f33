/** Reads spans and single observations into entries. */
import { expect } from 'vitest';
import spans from '../../../transforms/dialects/spans.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

export function read(lines: readonly string[], keepSealed = false): readonly StreamElement[] {
  return readLog(spans.create(undefined, { keepSealed }), lines);
}

/** A line with one observation of Langfuse. */
export const observation = (input: unknown, output: unknown, more: object = {}): string =>
  JSON.stringify({ traceId: 't', type: 'GENERATION', input, output, ...more });

export const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
/** The entry of a line that has one. */
export function only(line: string, keepSealed = false): Entry {
  const entries = entriesOf(read([line], keepSealed));
  expect(entries).toHaveLength(1);
  return entries[0] as Entry;
}
export const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
/** Rules of the notes on an entry's messages. */
export const rulesOf = ({ messages, reply }: Entry): readonly string[] =>
  [...messages, ...(reply === undefined ? [] : [reply])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );
