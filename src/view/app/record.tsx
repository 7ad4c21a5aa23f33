/** A record: its conversation in the middle, its origin and its changes on the right. */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shellWord, showBytes, showCount, showNumber } from '../../charts/numbers.ts';
import { FATE_WORDS, wordsFor } from '../../charts/words.ts';
import type { SessionLine } from '../../dataset/schema/ledger.ts';
import { addressOf, type Change, go, isOpen, isRaw, marked } from './address.ts';
import { useAnswer } from './answer.ts';
import { isStatic } from './api.ts';
import { Changes } from './changes.tsx';
import { indented } from './exact.ts';
import { Conversation, Text } from './message.tsx';
import { messagesOf } from './messages.ts';
import { About, Back } from './narrow.tsx';
import { selected, summary, toggleSelected } from './state.ts';
import { Tree } from './tree.tsx';
import type { Finding, RecordAnswer } from './types.ts';

export function RecordPage({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<RecordAnswer>(`record?i=${i}`);
  const pane = useRef<HTMLElement>(null);
  const isLoading = value === undefined;
  useLayoutEffect(() => pane.current?.scrollTo(0, 0), [i, isLoading]);
  useLayoutEffect(showMarked, [i, isLoading, marked.value]);
  if (value === undefined) return <Nothing>{error ?? '…'}</Nothing>;
  return (
    <>
      <section class="pane" ref={pane} tabIndex={0} aria-label="Record">
        <Bar answer={value} />
        <Content key={`${i}${isOpen.value}`} answer={value} />
      </section>
      <aside class="side" tabIndex={0} aria-label="About the record">
        <About />
        <Origin answer={value} />
        <Tree path={`record-tree?i=${i}`} />
        <Findings findings={value.findings} record={i} session={value.sessionNumber} />
        <h2>What was changed</h2>
        <Changes i={i} />
      </aside>
    </>
  );
}

/** Scrolls to the marked message. A message that was not laid out before gets its real height on the way: hence twice. */
export function showMarked(): void {
  const scroll = (): void => document.querySelector('.marked')?.scrollIntoView({ block: 'center' });
  scroll();
  requestAnimationFrame(scroll);
}

export function Nothing({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <div class="pane empty">
      <p>{children}</p>
    </div>
  );
}

function Bar({ answer }: { readonly answer: RecordAnswer }): VNode {
  const id = answer.session?.id;
  const isSelected = id != null && selected.value.has(id);
  return (
    <div class="bar">
      <Back />
      <h1>Record {showNumber(answer.i + 1)}</h1>
      <About />
      <fieldset class="seg">
        <legend class="sr">How it is shown</legend>
        <button
          type="button"
          aria-pressed={!isRaw.value}
          onClick={() => go({ query: { view: undefined } }, true)}
        >
          chat
        </button>
        <button type="button" aria-pressed={isRaw.value} onClick={() => go({ query: { view: 'raw' } }, true)}>
          raw
        </button>
      </fieldset>
      <button
        type="button"
        class="quiet"
        aria-pressed={isOpen.value}
        onClick={() => go({ query: { open: isOpen.peek() ? undefined : '1' } }, true)}
      >
        {isOpen.value ? 'fold calls' : 'unfold calls'}
      </button>
      {id == null ? null : (
        <button type="button" class="quiet" aria-pressed={isSelected} onClick={() => toggleSelected(id)}>
          {isSelected ? 'selected' : 'select'} <kbd>x</kbd>
        </button>
      )}
    </div>
  );
}

function Content({ answer }: { readonly answer: RecordAnswer }): VNode {
  const messages = messagesOf(answer.record);
  const { tools } = (answer.record ?? {}) as { readonly tools?: unknown };
  if (messages === undefined)
    return (
      <div class="whole">
        <Text mono text={typeof answer.record === 'string' ? answer.record : wholeText(answer.record)} />
      </div>
    );
  return (
    <Conversation
      messages={messages}
      shown={answer.shown}
      tools={Array.isArray(tools) ? tools : []}
      context={answer.session?.context}
      isRaw={isRaw.value}
      isOpen={isOpen.value}
    />
  );
}

/** Formats a record of texts in readable form, each text under its name. */
function wholeText(record: unknown): string {
  const entries = Object.entries(record ?? {});
  if (isRaw.value || entries.some(([, value]) => typeof value !== 'string')) return indented(record);
  return entries.map(([name, value]) => `${name}:\n${value}`).join('\n\n');
}

/** The command that says more about a line. */
export const explainCommand = (source: string, line: number): string =>
  ['turnmill', 'explain', `${source}:${line}`, ...(summary.value?.explainWith ?? [])]
    .map(shellWord)
    .join(' ');

function Origin({ answer }: { readonly answer: RecordAnswer }): VNode {
  const { shard, line, spansLines, bytes, session } = answer;
  return (
    <>
      <h2>Where it comes from</h2>
      <dl>
        {session === undefined ? null : <SessionRows session={session} />}
        <dt>record</dt>
        <dd>
          <bdi class="mono">{shard}</bdi>
          {`, ${spansLines ? 'record' : 'line'} ${showNumber(line)}, ${showBytes(bytes)}`}
        </dd>
      </dl>
      {session?.origin === undefined ? null : (
        <code class="cmd">{explainCommand(session.source, session.origin.line)}</code>
      )}
    </>
  );
}

export function SessionRows({ session }: { readonly session: SessionLine }): VNode {
  const { id, source, origin, entries, superseded, truncated, context, tools } = session;
  const cut = truncated > 0 ? `, ${showNumber(truncated)} ${FATE_WORDS.truncated}` : '';
  return (
    <>
      <dt>session</dt>
      <dd>
        <bdi class="mono">{id ?? '–'}</bdi>
      </dd>
      <dt>log</dt>
      <dd>
        <bdi class="mono">{source}</bdi>
        {origin === undefined ? null : `, line ${showNumber(origin.line)}`}
      </dd>
      <dt>entries</dt>
      <dd>{`${showNumber(entries)}, ${showNumber(superseded)} ${FATE_WORDS.superseded}${cut}`}</dd>
      {context === undefined ? null : (
        <>
          <dt>context</dt>
          <dd>{`the first ${showCount(context, 'message')}`}</dd>
        </>
      )}
      {tools === null ? null : (
        <>
          <dt>tools</dt>
          <dd>
            {`${showNumber(tools.kept)} kept of ${showNumber(tools.seen)} seen`}
            {tools.duplicateConflict > 0 ? (
              <span class="tag warn">{showCount(tools.duplicateConflict, 'conflict')}</span>
            ) : null}
          </dd>
        </>
      )}
    </>
  );
}

/**
 * @param props.record number of the record whose messages the findings are about
 * @param props.session number of the session whose lines they are about
 */
export function Findings(props: {
  readonly findings: readonly Finding[];
  readonly record: number | undefined;
  readonly session: number | undefined;
}): VNode | null {
  const { findings, record, session } = props;
  if (findings.length === 0) return null;
  return (
    <>
      <h2>Findings</h2>
      <ul class="finds">
        {findings.map(({ severity, rule, message, entry, at }) => (
          <li>
            <span class={severity === 'ERROR' ? 'tag bad' : 'tag warn'}>{severity.toLowerCase()}</span>{' '}
            <b>
              <bdi title={rule}>{wordsFor(rule)}</bdi>
            </b>
            <p>
              {`line ${showNumber(entry)}: `}
              <FindingText
                message={message}
                to={
                  at !== undefined && record !== undefined
                    ? { tab: 'records', i: record, query: { m: String(at), about: undefined } }
                    : loggedPlace(session, entry, message)
                }
              />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

const NAMED_MESSAGE = /\bmessages\[(\d+)\]/;

/** Returns the address of the logged line that a finding is about, if the logs are there. */
function loggedPlace(session: number | undefined, line: number, message: string): Change | undefined {
  if (session === undefined || isStatic || summary.value?.hasLogs !== true) return undefined;
  const [, at] = NAMED_MESSAGE.exec(message) ?? [];
  return {
    tab: 'sessions',
    i: session,
    query: { line: String(line), m: at, about: undefined },
  };
}

function FindingText({ message, to }: { readonly message: string; readonly to: Change | undefined }): VNode {
  if (to === undefined) return <bdi>{message}</bdi>;
  return (
    <a href={addressOf(to)} onClick={() => requestAnimationFrame(showMarked)}>
      <bdi>{message}</bdi>
    </a>
  );
}
