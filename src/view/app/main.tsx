/** The viewer's page. */
import { effect, signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { showNumber } from '../../charts/numbers.ts';
import { addressOf, arrive, go, isAbout, isOpen, isRaw, number, type Tab, tab } from './address.ts';
import { takeKey } from './api.ts';
import { watchHits } from './highlight.ts';
import { List } from './list.tsx';
import { Live } from './live.tsx';
import { Overview } from './overview.tsx';
import { RejectionPage, SessionPage } from './pages.tsx';
import { Nothing, RecordPage } from './record.tsx';
import {
  failure,
  isHelpOpen,
  isRefused,
  loadSummary,
  saveSelection,
  selected,
  sessionShown,
  step,
  summary,
  toggleSelected,
  watchAddress,
} from './state.ts';
import type { Summary } from './types.ts';

const THEMES = ['auto', 'dark', 'light'] as const;
type Theme = (typeof THEMES)[number];
const stored = localStorage.getItem('turnmill-theme');
const theme = signal<Theme>(THEMES.find((known) => known === stored) ?? 'auto');

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['j', 'the next row'],
  ['k', 'the previous row'],
  ['/', 'search: words, "a phrase", role:tool, tool:NAME, finding:RULE, fate:rejected, messages:20..'],
  ['o', 'unfold all calls, or fold them'],
  ['r', 'raw, or as a chat'],
  ['x', 'select the session'],
  ['?', 'these keys'],
];

const ACTIONS: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => {
    if (tab.peek() === 'overview') go({ tab: 'records' });
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#q')?.focus());
  },
  r: () => go({ query: { view: isRaw.peek() ? undefined : 'raw' } }, true),
  o: () => go({ query: { open: isOpen.peek() ? undefined : '1' } }, true),
  x: () => {
    const session = sessionShown();
    if (session !== undefined) toggleSelected(session);
  },
  '?': () => {
    isHelpOpen.value = !isHelpOpen.peek();
  },
};

function onKey(event: KeyboardEvent): void {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === 'Escape') {
    isHelpOpen.value = false;
    if (isTyping) (event.target as HTMLElement).blur();
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : undefined;
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function App(): VNode | null {
  if (isRefused.value)
    return (
      <Notice title="This page needs the address from the terminal.">
        Open the address that turnmill view has printed: it contains the key.
      </Notice>
    );
  if (failure.value !== '') return <Notice title="The viewer does not respond.">{failure.value}</Notice>;
  const now = summary.value;
  if (now === undefined) return null;
  return (
    <div
      class={`app t-${tab.value}${number.value === undefined ? '' : ' chosen'}${isAbout.value ? ' with-side' : ''}`}
    >
      <Head summary={now} />
      <main class="panes">
        {tab.value === 'live' ? <Live /> : tab.value === 'overview' ? <Overview /> : <Panes />}
      </main>
      {isHelpOpen.value ? <Help /> : null}
    </div>
  );
}

function Notice(props: { readonly title: string; readonly children: string }): VNode {
  return (
    <main class="notice">
      <h1>{props.title}</h1>
      <p>{props.children}</p>
    </main>
  );
}

function Head({ summary: now }: { readonly summary: Summary }): VNode {
  return (
    <header class="head">
      <b>
        <bdi>{now.name}</bdi>
      </b>
      <Tabs summary={now} />
      {now.isReplaced ? <span class="tag warn">the dataset was replaced by a newer one</span> : null}
      {selected.value.size > 0 ? (
        <button type="button" class="quiet" onClick={saveSelection}>
          {`${showNumber(selected.value.size)} selected · save list for --only`}
        </button>
      ) : null}
      <span class="keys" aria-hidden="true">
        {now.kind === 'log' ? null : (
          <>
            <kbd>j</kbd>
            <kbd>k</kbd> next <kbd>/</kbd> search
          </>
        )}{' '}
        <kbd>o</kbd> unfold <kbd>r</kbd> raw <kbd>?</kbd> keys
      </span>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          theme.value = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length] ?? 'auto';
        }}
      >
        <span>colours: </span>
        {theme.value}
      </button>
    </header>
  );
}

function Tabs({ summary: now }: { readonly summary: Summary }): VNode {
  const tabs: readonly (readonly [Tab, string, number | undefined])[] =
    now.kind === 'log'
      ? [['live', 'Live', undefined]]
      : [
          ['overview', 'Overview', undefined],
          ['records', 'Records', now.records],
          ['sessions', 'Sessions', now.sessions],
          ['rejected', 'Rejected', now.rejected],
        ];
  return (
    <nav aria-label="Parts">
      {tabs.map(([name, title, count]) => (
        <a
          href={addressOf({ tab: name, i: undefined })}
          aria-current={tab.value === name ? 'page' : undefined}
        >
          {title} {count === undefined ? null : <span>{showNumber(count)}</span>}
        </a>
      ))}
    </nav>
  );
}

const TITLES = {
  overview: 'Overview',
  records: 'Records',
  sessions: 'Sessions',
  rejected: 'Rejected',
  live: 'Live',
};

function Panes(): VNode {
  const i = number.value;
  const current = tab.value;
  return (
    <>
      <List />
      {i === undefined ? (
        <Nothing>
          <h1>{TITLES[current]}</h1>
          Choose a row, or press <kbd>j</kbd>.
        </Nothing>
      ) : current === 'rejected' ? (
        <RejectionPage i={i} />
      ) : current === 'sessions' ? (
        <SessionPage i={i} />
      ) : (
        <RecordPage i={i} />
      )}
    </>
  );
}

function Help(): VNode {
  return (
    <dialog open class="help" aria-label="Keys">
      <dl>
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          isHelpOpen.value = false;
        }}
      >
        close
      </button>
    </dialog>
  );
}

takeKey();
arrive();
effect(() => {
  localStorage.setItem('turnmill-theme', theme.value);
  if (theme.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
void loadSummary().then(watchAddress);
addEventListener('keydown', onKey);
const root = document.querySelector('#app');
if (root !== null) {
  render(<App />, root);
  watchHits(root);
}
