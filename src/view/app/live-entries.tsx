/** The entries of a followed log, each with its messages. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { showBytes, showCount, showNumber } from '../../charts/numbers.ts';
import { isOpen, isRaw } from './address.ts';
import { parseExact } from './exact.ts';
import { pairOf, type Turns, TurnsFrom } from './message.tsx';
import type { FollowedEntry, Message, Shown } from './types.ts';

interface LaidOut {
  readonly all: Turns;
  readonly from: number;
  readonly paired: ReturnType<typeof pairOf>;
}

/** Finds the messages of each entry; for an event log, of each conversation. */
function useTurns(entries: readonly FollowedEntry[]): readonly LaidOut[] {
  return useMemo(() => {
    const lists = new Map<string, { messages: Message[]; shown: Shown[] }>();
    const places = entries.map(({ conversation = '', fresh, shown }) => {
      const list = lists.get(conversation) ?? { messages: [], shown: [] };
      lists.set(conversation, list);
      const from = list.messages.length;
      for (const text of fresh) list.messages.push(parseExact(text) as Message);
      list.shown.push(...shown);
      return { all: list, from };
    });
    const pairs = new Map([...lists.values()].map((list) => [list, pairOf(list, true)]));
    return places.map(({ all, from }) => ({ all, from, paired: pairs.get(all) ?? pairOf(all, true) }));
  }, [entries]);
}

export function Entries({ entries }: { readonly entries: readonly FollowedEntry[] }): VNode {
  const places = useTurns(entries);
  return (
    <>
      {entries.map((entry, i) => (
        <section class="entry" key={`${keyOf(entry)}${isOpen.value}`}>
          {entry.conversation !== undefined && entry.conversation === entries[i - 1]?.conversation ? null : (
            <EntryHead entry={entry} />
          )}
          {entry.error === undefined ? (
            <TurnsFrom
              {...(places[i] as LaidOut)}
              count={entry.fresh.length}
              first={entry.shared}
              isRaw={isRaw.value}
              isOpen={isOpen.value}
            />
          ) : (
            <p class="note inset">
              <bdi>{entry.error}</bdi>
            </p>
          )}
        </section>
      ))}
    </>
  );
}

const keyOf = ({ conversation, shared, line, part = 0 }: FollowedEntry): string =>
  conversation === undefined ? `${line}/${part}` : `${shared} ${conversation}`;

function EntryHead({ entry }: { readonly entry: FollowedEntry }): VNode {
  const { conversation, line, messages, shared, bytes, time } = entry;
  const before = shared > 0 ? `, the first ${showNumber(shared)} as before` : '';
  const size = bytes > 0 ? ` · ${showBytes(bytes)}` : '';
  return (
    <h2>
      {conversation === undefined ? `line ${showNumber(line)}` : <bdi class="mono">{conversation}</bdi>}
      <span class="dim">
        {messages > 0 ? ` ${showCount(messages, 'message')}${before}${size}` : size}
        {time === undefined ? '' : ` · ${new Date(time).toISOString().replace('T', ' ').slice(0, 19)}`}
      </span>
    </h2>
  );
}
