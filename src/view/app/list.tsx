/** The left side: the list, with the search field above it. */
import type { VNode } from 'preact';
import { Stack } from '../../charts/bars.tsx';
import { showBytes, showCount, showNumber } from '../../charts/numbers.ts';
import { sessionFateWords, wordsFor } from '../../charts/words.ts';
import { addressOf, block, go, number, sort, tab, words } from './address.ts';
import { Filters } from './filters.tsx';
import { readQuery } from './query.ts';
import { Rows } from './rows.tsx';
import {
  BLOCK_ROWS,
  hits,
  need,
  rowAt,
  runSearch,
  searchNext,
  searchState,
  selected,
  shownPlace,
  total,
} from './state.ts';
import type { RecordRow, RejectedRow, Row, SessionRow } from './types.ts';

const ROW_HEIGHT = 58;
const ROLES = ['system', 'user', 'assistant', 'tool'];
const PLACEHOLDER = {
  overview: '',
  records: 'Search the records',
  sessions: 'Search the sessions',
  rejected: 'Search the rejected lines',
  live: '',
};

export function List(): VNode {
  const found = hits.value;
  const start = block.value * BLOCK_ROWS;
  const count = found === undefined ? Math.max(0, Math.min(BLOCK_ROWS, total.value - start)) : found.length;
  const at = shownPlace.value;
  const reveal =
    found !== undefined
      ? found.findIndex(({ i }) => i === number.value)
      : at === undefined
        ? undefined
        : at - start;
  return (
    <div class="list">
      <div class="find">
        <Find count={count} />
        <Filters />
      </div>
      <Rows
        key={`${tab.value}${block.value}${sort.value ?? ''}${found === undefined ? '' : 'found'}`}
        label={tab.value}
        count={count}
        height={ROW_HEIGHT}
        reveal={reveal}
        onRange={(from, to) => {
          if (hits.peek() === undefined) need(start + from, start + to);
        }}
        render={(k) => <RowView row={rowAt(k)} />}
      />
      <NoHits />
      {found === undefined && total.value > BLOCK_ROWS ? <Blocks start={start} count={count} /> : null}
      {searchNext.value === null ? null : (
        <div class="blocks">
          <button type="button" class="quiet" onClick={() => runSearch(words.peek(), searchNext.peek() ?? 0)}>
            search further
          </button>
        </div>
      )}
    </div>
  );
}

/** Says what a search without hits looked for: a filter in an address may be misspelt. */
function NoHits(): VNode | null {
  if (hits.value?.length !== 0 || searchState.value !== '') return null;
  const query = readQuery(words.value);
  const [first, ...more] = Object.entries(query.filters).flatMap(([field, names]) =>
    names.map((name) => `${field}: ${name}`),
  );
  const isOne = first !== undefined && more.length === 0 && query.words.length === 0;
  return (
    <p class="note inset" role="status">
      {isOne ? `No such ${first} among the ${tab.value}.` : 'Nothing found. Remove a word or a filter.'}
    </p>
  );
}

function Find({ count }: { readonly count: number }): VNode {
  const text = PLACEHOLDER[tab.value];
  const state = searchState.value;
  return (
    <div class="line">
      <input
        id="q"
        type="search"
        placeholder={`${text}   /`}
        aria-label={text}
        value={words.value}
        onInput={(event) => go({ query: { q: event.currentTarget.value, block: undefined } }, true)}
      />
      <span class="dim" role="status">
        {`${showNumber(hits.value === undefined ? total.value : count)} ${state}`.trim()}
      </span>
    </div>
  );
}

function Blocks({ start, count }: { readonly start: number; readonly count: number }): VNode {
  const move = (by: number): void => {
    const next = block.peek() + by;
    go({ i: undefined, query: { block: next === 0 ? undefined : String(next) } });
  };
  return (
    <div class="blocks">
      <button type="button" aria-label="previous rows" disabled={start === 0} onClick={() => move(-1)}>
        ‹
      </button>
      {`${showNumber(start + 1)}–${showNumber(start + count)} of ${showNumber(total.value)}`}
      <button
        type="button"
        aria-label="next rows"
        disabled={start + count >= total.value}
        onClick={() => move(1)}
      >
        ›
      </button>
    </div>
  );
}

function RowView({ row }: { readonly row: Row | undefined }): VNode {
  if (row === undefined) return <div class="row ghost" />;
  const isOn = number.value === row.i;
  return (
    <a
      class={isOn ? 'row on' : 'row'}
      aria-current={isOn ? 'true' : undefined}
      href={addressOf({ i: row.i })}
    >
      {'reason' in row ? (
        <RejectedCells row={row} />
      ) : 'fate' in row ? (
        <SessionCells row={row} />
      ) : (
        <RecordCells row={row} />
      )}
    </a>
  );
}

function Finding({ row: { finding, sorted } }: { readonly row: RecordRow | SessionRow }): VNode | null {
  if (finding === undefined) return null;
  const isCounted = sort.value === 'errors' && sorted !== undefined && sorted.errors > 0;
  return (
    <span class={finding === 'error' ? 'tag bad' : 'tag warn'}>
      {isCounted ? showCount(sorted.errors, 'error') : finding}
    </span>
  );
}

/** In a list that is sorted by turns, their number; otherwise another count. */
const turnsOr = ({ sorted }: RecordRow | SessionRow, count: string): string =>
  sort.value === 'turns' && sorted !== undefined ? showCount(sorted.turns, 'turn') : count;

/** The fate of a session, in its colour. */
export function FateTag({ fate }: { readonly fate: string }): VNode {
  const kind = fate === 'written' ? ' good' : ['empty', 'contained'].includes(fate) ? '' : ' bad';
  return <span class={`tag${kind}`}>{sessionFateWords(fate)}</span>;
}

const Picked = (): VNode => (
  <span class="pick" title="selected">
    ●
  </span>
);

function RecordCells({ row }: { readonly row: RecordRow }): VNode {
  const { i, title, roles, messages, calls, bytes, session } = row;
  return (
    <>
      <span class="line1">
        <span class="no">{showNumber(i + 1)}</span>
        <bdi class="ttl">{title || 'no text'}</bdi>
        {session != null && selected.value.has(session) ? <Picked /> : null}
      </span>
      <span class="line2">
        <Stack
          width={74}
          height={6}
          label="roles"
          parts={ROLES.map((role) => ({ key: role, cls: role, value: roles[role] ?? 0 }))}
        />
        <span>{turnsOr(row, showCount(messages, 'message'))}</span>
        {calls > 0 ? <span>{showCount(calls, 'call')}</span> : null}
        <span>{showBytes(bytes)}</span>
        <Finding row={row} />
      </span>
    </>
  );
}

function SessionCells({ row }: { readonly row: SessionRow }): VNode {
  const { i, id, fate, entries } = row;
  return (
    <>
      <span class="line1">
        <span class="no">{showNumber(i + 1)}</span>
        <bdi class="ttl">{id ?? 'no id'}</bdi>
        {id !== null && selected.value.has(id) ? <Picked /> : null}
      </span>
      <span class="line2">
        <FateTag fate={fate} />
        <span>{turnsOr(row, showCount(entries, 'entry', 'entries'))}</span>
        <Finding row={row} />
      </span>
    </>
  );
}

function RejectedCells({ row }: { readonly row: RejectedRow }): VNode {
  const { i, reason, source, line } = row;
  return (
    <>
      <span class="line1">
        <span class="no">{showNumber(i + 1)}</span>
        <b class="ttl">
          <bdi title={reason}>{wordsFor(reason)}</bdi>
        </b>
      </span>
      <span class="line2">
        <bdi class="src">{source.split('/').at(-1)}</bdi>
        {line === undefined ? null : <span>{`line ${showNumber(line)}`}</span>}
      </span>
    </>
  );
}
