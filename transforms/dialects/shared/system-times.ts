/**
 * Times in system texts. A client that writes the time into each request would otherwise begin a new conversation with each
 * of them, so times do not count when calls are compared. Records keep them as logged.
 */
import { perObject } from '../../json/notes.ts';
import { latin1 } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { hasSameBytes } from '../../model/path-hashes.ts';

/** Dates, times of day with their zones, days of the week, and seconds or milliseconds since 1970, in JSON text. */
const TIMES: readonly RegExp[] = [
  /(?<=^|\W|\\[nrt])\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:T(?=\d))?/g,
  /(?<=^|\W|\\[nrt])\d{1,2}[/.]\d{1,2}[/.]\d{4}\b/g,
  /(?<=^|\W|\\[nrt])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\b)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?/g,
  /(?<=^|\W|\\[nrt])(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?\b/g,
  /(?<=^|\W|\\[nrt])\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6},? \d{4}\b/g,
  /(?<=^|\W|\\[nrt])(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b/g,
  /(?<=^|\W|\\[nrt])1[5-9]\d{8}(?:\d{3})?\b/g,
];
/** Written in place of a time. */
const TIMELESS = '~';

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/** The last system text that was read, which most calls repeat, and the same without times. */
let last: readonly [logged: Message, compared: Message] | undefined;

const withoutTimes = perObject((message: Message): Message => {
  if (last === undefined || !hasSameBytes(message, last[0])) last = [message, readWithoutTimes(message)];
  const [logged, compared] = last;
  return logged === compared ? message : compared;
});

function readWithoutTimes(message: Message): Message {
  const text = latin1(message.bytes);
  const timeless = TIMES.reduce((rest, time) => rest.replace(time, TIMELESS), text);
  return timeless === text ? message : { ...message, bytes: Buffer.from(timeless, 'latin1') };
}

/** Messages as they are compared: system texts without times. The same list if they have none. */
export function comparedMessages(messages: readonly Message[]): readonly Message[] {
  const isTimed = messages.some((one) => isSystem(one) && withoutTimes(one) !== one);
  return isTimed ? messages.map((one) => (isSystem(one) ? withoutTimes(one) : one)) : messages;
}
