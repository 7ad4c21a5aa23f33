/** Shows a growing log, and follows it while the user is at the end. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { showBytes, showCount, showNumber } from '../../charts/numbers.ts';
import { isOpen, isRaw } from './address.ts';
import { parseExact } from './exact.ts';
import { handlersOf, useHeldEnd } from './held-end.ts';
import { countOf, type Log, useLog } from './live-log.ts';
import { pairOf, type Turns, TurnsFrom } from './message.tsx';
import { summary } from './state.ts';
import type { FollowedEntry, Message, Shown } from './types.ts';

export function Live(): VNode {
  const [log, earlier] = useLog();
  const { end, unseen, hold } = useHeldEnd(log);
  const showEarlier = (): void => {
    end.release();
    end.leaveTop();
    earlier();
  };
  const goToEnd = (): void => {
    end.toEnd();
    hold();
  };
  return (
    <section
      class="pane live"
      ref={end.box}
      tabIndex={0}
      aria-label="The log, as it grows"
      onScroll={() => {
        if (end.hasComeBack()) hold();
      }}
      {...handlersOf(end)}
    >
      <div class="grown">
        <Bar log={log} />
        {log.restarts > 0 ? (
          <p class="lead">The log was cut or replaced: this is its new beginning.</p>
        ) : null}
        {log.first > 0 ? (
          <p class="lead">
            <button type="button" class="quiet" onClick={showEarlier}>
              {log.isEvents ? 'earlier messages' : 'earlier entries'}
            </button>
          </p>
        ) : null}
        <Entries entries={log.entries} />
      </div>
      {unseen > 0 ? (
        <button type="button" class="pill" onClick={goToEnd}>
          {showNumber(unseen)} new <span aria-hidden="true">↓</span>
        </button>
      ) : null}
      <p class="sr" role="status">
        {unseen === 0
          ? ''
          : `${log.isEvents ? showCount(unseen, 'new message') : showCount(unseen, 'new entry', 'new entries')} below`}
      </p>
    </section>
  );
}

function Bar({ log }: { readonly log: Log }): VNode {
  const count = countOf(log);
  return (
    <div class="bar">
      <h1>
        <bdi>{summary.value?.name}</bdi>
      </h1>
      <span class="tag good">live</span>
      <span class="dim">
        {log.isEvents ? showCount(count, 'message') : showCount(count, 'entry', 'entries')}
      </span>
    </div>
  );
}

/** The entries of a followed log, each with its messages. */
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
