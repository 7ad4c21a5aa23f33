/** Pages for a rejected line, and for a session of any fate. */
import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { showCount, showNumber } from '../../charts/numbers.ts';
import { fateWords, namedWords, wordsFor } from '../../charts/words.ts';
import { addressOf, loggedLine, marked } from './address.ts';
import { useAnswer } from './answer.ts';
import { laidOut } from './exact.ts';
import { FateTag } from './list.tsx';
import { Text } from './message.tsx';
import { About, Back } from './narrow.tsx';
import { explainCommand, Findings, Nothing, SessionRows, showMarked } from './record.tsx';
import { Tree } from './tree.tsx';
import type { ChangesAnswer, RejectionAnswer, SessionAnswer } from './types.ts';

const SHOWN_HASH = 24;

export function RejectionPage({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<RejectionAnswer>(`rejection?i=${i}`);
  if (value === undefined) return <Nothing>{error ?? '…'}</Nothing>;
  const { line } = value;
  return (
    <>
      <section class="pane" tabIndex={0} aria-label="Rejected line">
        <div class="bar">
          <Back />
          <h1>
            <bdi title={line.reason}>{wordsFor(line.reason)}</bdi>
          </h1>
          <About />
          <span class="tag bad">{line.scope}</span>
        </div>
        <p class="lead">
          <bdi>{line.error.message}</bdi>
        </p>
        {value.meaning === undefined ? null : <p class="note inset">{value.meaning}</p>}
        {value.todo === undefined ? null : <p class="note inset">{`What to do: ${value.todo}`}</p>}
        {value.before === undefined ? (
          <p class="note inset">
            {line.line === undefined ? (
              'A whole source was rejected.'
            ) : (
              <>
                Start with <code>--logs DIR</code> to see the line.
              </>
            )}
          </p>
        ) : (
          <Window value={value} />
        )}
      </section>
      <AboutLine line={line} />
    </>
  );
}

function AboutLine({ line }: { readonly line: RejectionAnswer['line'] }): VNode {
  const hash = line.raw_sha256;
  return (
    <aside class="side" tabIndex={0} aria-label="About the line">
      <About />
      <h2>Where it is</h2>
      <dl>
        <dt>log</dt>
        <dd>
          <bdi class="mono">{line.source.uri}</bdi>
          {line.line === undefined ? null : `, line ${showNumber(line.line)}`}
        </dd>
        {line.byte_start === undefined ? null : (
          <>
            <dt>bytes</dt>
            <dd>{`${showNumber(line.byte_start)} to ${showNumber(line.byte_end ?? 0)}`}</dd>
          </>
        )}
        <dt>stage</dt>
        <dd>{line.stage}</dd>
        {hash == null ? null : (
          <>
            <dt>SHA-256</dt>
            <dd class="mono">{`${hash.slice(0, SHOWN_HASH)}…`}</dd>
          </>
        )}
      </dl>
      {line.line === undefined ? null : <code class="cmd">{explainCommand(line.source.uri, line.line)}</code>}
    </aside>
  );
}

function Window({ value }: { readonly value: RejectionAnswer }): VNode {
  const { from = 0, length, before = '', mark = '', after = '', at } = value;
  const shown = new TextEncoder().encode(before + mark + after).length;
  const left = length - from - shown;
  return (
    <pre class="hex">
      {from > 0 ? <span class="dim">{`… ${showNumber(from)} bytes before\n`}</span> : null}
      {before}
      {at == null ? null : <mark>{mark === '' ? '⏎ the line ends here' : mark}</mark>}
      {after}
      {left > 0 ? <span class="dim">{`\n… ${showNumber(left)} bytes more`}</span> : null}
    </pre>
  );
}

export function SessionPage({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<SessionAnswer>(`session?i=${i}`);
  if (value === undefined) return <Nothing>{error ?? '…'}</Nothing>;
  const { line, findings, record, container } = value;
  const changes = Object.entries(line.changes);
  return (
    <section class="pane span" tabIndex={0} aria-label="Session">
      <div class="bar">
        <Back />
        <h1>Session {showNumber(i + 1)}</h1>
        <FateTag fate={line.fate} />
      </div>
      <div class="about">
        {value.meaning === undefined ? null : <p class="why">{value.meaning}</p>}
        {value.todo === undefined ? null : <p class="why">{`What to do: ${value.todo}`}</p>}
        <dl>
          <SessionRows session={line} />
          {changes.length === 0 ? null : (
            <>
              <dt>changes</dt>
              <dd>{changes.map(([rule, n]) => `${namedWords(rule)} ${showNumber(n)}`).join(', ')}</dd>
            </>
          )}
          <dt>record</dt>
          <dd>
            {record === undefined ? 'none' : <RecordLink record={record} />}
            {container === undefined ? null : (
              <>
                ; it lies inside <RecordLink record={container} />
              </>
            )}
          </dd>
        </dl>
        <Tree path={`tree?i=${i}`} />
        <Findings findings={findings} record={record} session={i} />
        {loggedLine.value === undefined ? null : <LoggedLine i={i} line={loggedLine.value} />}
      </div>
    </section>
  );
}

const RecordLink = ({ record }: { readonly record: number }): VNode => (
  <a href={addressOf({ tab: 'records', i: record })}>{`Record ${showNumber(record + 1)}`}</a>
);

const CLIP = 2000;

/** A line of the log of a session: what became of it, and its messages as they were logged. */
function LoggedLine({ i, line }: { readonly i: number; readonly line: number }): VNode {
  const { value, error } = useAnswer<ChangesAnswer>(`logged?i=${i}&line=${line}`);
  useLayoutEffect(showMarked, [value, marked.value]);
  const { fate = '', messages = [], missing } = value ?? {};
  return (
    <section aria-label={`Line ${line} of the log`}>
      <h2>{`Line ${showNumber(line)} of the log`}</h2>
      {error === undefined && value !== undefined && missing !== true ? null : (
        <p class="note">
          {error ?? (missing === true ? 'The log cannot be read here: start with --logs DIR.' : '…')}
        </p>
      )}
      {fate === '' ? null : <p>{`${fateWords(fate)}; ${showCount(messages.length, 'message')} as logged`}</p>}
      {messages.map(({ before = '', rule }, at) => (
        <div class={marked.value === at ? 'logged marked' : 'logged'}>
          <p>
            {`messages[${at}]`}
            {rule === undefined ? '' : `, ${namedWords(rule)}`}
          </p>
          <Text mono clip={CLIP} text={laidOut(before)} />
        </div>
      ))}
    </section>
  );
}
