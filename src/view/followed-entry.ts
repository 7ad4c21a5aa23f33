/** Creates the entries of a followed log as they are sent to the page. */
import type { Entry, Message, Rejection } from '../../transforms/model/element.ts';
import type { FollowedEntry } from './app/types.ts';
import { shownOf } from './shown.ts';

const NANOSECONDS = 1_000_000n;

/** Returns the JSON texts of an entry's messages, including its reply. */
export function textsOf(entry: Entry): readonly string[] {
  return allMessages(entry).map(textOf);
}

export function allMessages({ messages, reply }: Entry): readonly Message[] {
  return reply === undefined ? messages : [...messages, reply];
}

export function textOf({ bytes }: Message): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Returns the member `time`, if the entry has a timestamp. */
export function timeMember({ timestamp }: Entry): { readonly time?: number } {
  return timestamp === undefined ? {} : { time: Number(timestamp / NANOSECONDS) };
}

export function freshMembers(texts: readonly string[]): Pick<FollowedEntry, 'fresh' | 'shown'> {
  return { fresh: texts, shown: shownOf(texts.map((text) => JSON.parse(text))) };
}

export function rejectedEntry({ reason, detail, origin }: Rejection): FollowedEntry {
  const { line, length } = origin;
  return {
    ...{ line, bytes: length, messages: 0, shared: 0, fresh: [], shown: [] },
    error: `${reason}: ${detail}`,
  };
}
