/** Reads streamed answers where logs have them: as a pair's response, and as a dump. */
import anthropic from '../../../transforms/dialects/anthropic.ts';
import exchange from '../../../transforms/dialects/exchange.ts';
import { PairReader } from '../../../transforms/dialects/pairs/pair-reader.ts';
import responses from '../../../transforms/dialects/responses.ts';
import streams from '../../../transforms/dialects/streams.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';

/** The text of a reply. */
export function replyIn(entry: Entry | undefined): object | undefined {
  if (entry?.reply === undefined) return undefined;
  const {
    content,
    reasoning_content: thought = '',
    tool_calls: calls = [],
  } = JSON.parse(text(entry.reply.bytes));
  const callList = calls.map((call: { id: string; function: object }) => ({ id: call.id, ...call.function }));
  return { text: content ?? '', thought, calls: callList };
}

/** Reads a dump line by line, as the framer cuts it. */
export function dumped(dump: string, options = {}): readonly StreamElement[] {
  const reader = streams.create(undefined, options);
  const elements: StreamElement[] = [];
  let offset = 0;
  for (const [i, line] of dump.split('\n').entries()) {
    const json = line.replace(/\r$/, '');
    if (json !== '') elements.push(...reader.read(lineOf(json, asBuffer, i + 1, offset)));
    offset += Buffer.byteLength(line) + 1;
  }
  return [...elements, ...(reader.end?.() ?? [])];
}

export const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');

const pairs = new PairReader(
  'exchange',
  new Map([exchange, anthropic, responses].map((one) => [one.name, one.create()])),
);

export function paired(response: unknown): Entry | undefined {
  const json = JSON.stringify({
    ...{ timestamp: '2026-01-13T22:14:03Z', session_id: 's' },
    ...{ request: { messages: [{ role: 'user', content: 'hi' }] }, response },
  });
  pairs.forget();
  return entriesOf([...pairs.read(lineOf(json))])[0];
}

export const rulesOf = (entry: Entry | undefined): readonly string[] =>
  [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])].flatMap(
    ({ notes = [] }) => notes.map(({ rule }) => rule),
  );
