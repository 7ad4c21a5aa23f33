/**
 * Times in system texts. A client that writes the time into each request would otherwise begin a new conversation with each
 * of them, so times do not count when calls are compared. Records keep them as logged.
 */
import { perObject } from '../../json/notes.ts';
import { latin1 } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { hasSameBytes } from '../../model/path-hashes.ts';

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\b)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?`;
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
/** Dates, times of day, times of both with the zone, days of the week, and seconds or milliseconds since 1970. */
const TIMES = [
  String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]${CLOCK})?`,
  String.raw`\d{1,2}[/.]\d{1,2}[/.]\d{4}`,
  CLOCK,
  String.raw`${MONTH}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?\b`,
  String.raw`\d{1,2}\.? ${MONTH},? \d{4}\b`,
  String.raw`(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b`,
  String.raw`1[5-9]\d{8}(?:\d{3})?\b`,
];
const TIME = new RegExp(String.raw`\b(?:${TIMES.join('|')})`, 'g');
const TIMELESS = '0';

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
  const timeless = text.replace(TIME, TIMELESS);
  return timeless === text ? message : { ...message, bytes: Buffer.from(timeless, 'latin1') };
}

/** Messages as they are compared: system texts without times. The same list if they have none. */
export function comparedMessages(messages: readonly Message[]): readonly Message[] {
  const isTimed = messages.some((one) => isSystem(one) && withoutTimes(one) !== one);
  return isTimed ? messages.map((one) => (isSystem(one) ? withoutTimes(one) : one)) : messages;
}
