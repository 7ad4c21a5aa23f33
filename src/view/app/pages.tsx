/** Pages for a rejected line, and for a session of any fate. */
import type { VNode } from 'preact';
import { shellWord, showNumber } from '../../charts/numbers.ts';
import { namedWords, wordsFor } from '../../charts/words.ts';
import { addressOf } from './address.ts';
import { useAnswer } from './answer.ts';
import { About, Back } from './narrow.tsx';
import { Findings, Nothing, SessionRows } from './record.tsx';
import { Tree } from './tree.tsx';
import type { RejectionAnswer, SessionAnswer } from './types.ts';

const SHOWN_HASH = 24;

export function RejectionPage({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<RejectionAnswer>(`rejection?i=${i}`);
  if (error !== undefined) return <Nothing>{error}</Nothing>;
  if (value === undefined) return <Nothing>…</Nothing>;
  const { line } = value;
  return (
    <>
      <section class="pane" tabIndex={0} aria-label="Rejected line">
        <div class="bar">
          <Back />
          <h1>
            <bdi>{line.reason}</bdi>
          </h1>
          <About />
          <span class="tag bad">{line.scope}</span>
        </div>
        <p class="lead">
          <bdi>{line.error.message}</bdi>
        </p>
        {value.meaning === undefined ? null : <p class="note inset">{value.meaning}</p>}
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
      {line.line === undefined ? null : (
        <code class="cmd">{`turnmill explain ${shellWord(`${line.source.uri}:${line.line}`)} --root LOGS`}</code>
      )}
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
  if (error !== undefined) return <Nothing>{error}</Nothing>;
  if (value === undefined) return <Nothing>…</Nothing>;
  const { line, findings, record, container } = value;
  const changes = Object.entries(line.changes);
  return (
    <section class="pane span" tabIndex={0} aria-label="Session">
      <div class="bar">
        <Back />
        <h1>Session {showNumber(i + 1)}</h1>
        <span
          class={
            line.fate === 'written'
              ? 'tag good'
              : ['empty', 'contained'].includes(line.fate)
                ? 'tag'
                : 'tag bad'
          }
        >
          {wordsFor(line.fate)}
        </span>
      </div>
      <div class="about">
        {value.meaning === undefined ? null : <p class="why">{value.meaning}</p>}
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
        <Findings findings={findings} record={record} />
      </div>
    </section>
  );
}

const RecordLink = ({ record }: { readonly record: number }): VNode => (
  <a href={addressOf({ tab: 'records', i: record })}>{`Record ${showNumber(record + 1)}`}</a>
);
