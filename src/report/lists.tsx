/** The sections Rejected and Findings: one row for each reason or rule, which unfolds to its first examples. */
import type { VNode } from 'preact';
import { checks } from '../../transforms/checks/index.ts';
import { shortName } from '../../transforms/formats/shape-counter.ts';
import { Stack } from '../charts/bars.tsx';
import { fitted, fittedName, shellWord, showNumber, showShare } from '../charts/numbers.ts';
import { wordsFor } from '../charts/words.ts';
import type { FindingProfile, RejectionExample, RejectionProfile } from '../dataset/schema/reports.ts';
import { REASONS } from '../ledger/reasons.ts';
import { remedyText } from '../ledger/remedies.ts';
import { Outside, OutsideName } from './outside.tsx';

const MAX_MEANING = 180;

export function RejectedSection(props: {
  readonly rejections: readonly RejectionProfile[];
  readonly rejected: number;
  readonly lines: number;
  readonly dataset: string;
}): VNode {
  const { rejections, rejected, lines, dataset } = props;
  const all = rejections.reduce((sum, { count }) => sum + count, 0);
  return (
    <section id="rejected">
      <h2>Rejected</h2>
      <p>
        {showShare(rejected, lines)} of the lines. Each one is in <code>quarantine/rejected.jsonl</code> with
        its place, hash and reason; the first few of each reason are shown.
      </p>
      <div class="card list">
        {rejections.map((rejection, i) => (
          <RejectedReason rejection={rejection} all={all} isOpen={i === 0} dataset={dataset} />
        ))}
      </div>
    </section>
  );
}

/** One reason with its examples. `all` is the number of rejections for any reason. */
function RejectedReason(props: {
  readonly rejection: RejectionProfile;
  readonly all: number;
  readonly isOpen: boolean;
  readonly dataset: string;
}): VNode {
  const { reason, count, examples } = props.rejection;
  const remedy = remedyText(reason);
  return (
    <details open={props.isOpen}>
      <summary>
        <b>
          <OutsideName text={wordsFor(reason)} />
        </b>
        <span class="num">{showNumber(count)}</span>
        <span class="why">{firstSentence(REASONS[reason] ?? '')}</span>
        <Stack
          width={110}
          height={7}
          label={fittedName(reason)}
          parts={[
            { key: 'for this reason', cls: 'rejected', value: count },
            { key: 'for others', cls: 'track', value: props.all - count },
          ]}
        />
      </summary>
      <ul class="ex">
        {remedy === undefined ? null : <li class="todo">{`What to do: ${remedy}`}</li>}
        {examples.map((example) => (
          <RejectedExample example={example} dataset={props.dataset} />
        ))}
        {count > examples.length ? (
          <li class="dim">
            {`and ${showNumber(count - examples.length)} more: `}
            <code>{`turnmill quarantine list ${shellWord(props.dataset)}`}</code>
          </li>
        ) : null}
      </ul>
    </details>
  );
}

function RejectedExample(props: { readonly example: RejectionExample; readonly dataset: string }): VNode {
  const { example, dataset } = props;
  const { source, line, byte_start, byte_end, message } = example;
  return (
    <li>
      <p>
        <OutsideName text={source} mono />
        {line === undefined ? null : `, line ${showNumber(line)}`}{' '}
        {byte_start === undefined || byte_end === undefined ? null : (
          <span class="dim">{`bytes ${showNumber(byte_start)}–${showNumber(byte_end)}`}</span>
        )}
      </p>
      <p class="muted">
        <Outside text={message} />
      </p>
      {line === undefined ? null : (
        <code class="cmd">{`turnmill explain ${fittedName(shellWord(`${source}:${line}`))} --in ${shellWord(dataset)}`}</code>
      )}
    </li>
  );
}

export function FindingsSection({ findings }: { readonly findings: readonly FindingProfile[] }): VNode {
  return (
    <section id="findings">
      <h2>Findings</h2>
      <p>Things that look wrong inside sessions. A finding changes nothing.</p>
      <div class="card list">
        {[...findings.filter(isError), ...findings.filter((finding) => !isError(finding))].map((finding) => (
          <Finding finding={finding} />
        ))}
      </div>
    </section>
  );
}

const isError = ({ severity }: FindingProfile): boolean => severity === 'ERROR';

function Finding({ finding }: { readonly finding: FindingProfile }): VNode {
  const { rule, severity, count, examples } = finding;
  const left = count - examples.length;
  return (
    <details>
      <summary>
        <b>
          <OutsideName text={wordsFor(rule)} />
        </b>
        <span class="num">{showNumber(count)}</span>
        <span class="why">{meaningOf(finding)}</span>
        <span class={`tag ${severity === 'ERROR' ? 'bad' : 'warn'}`}>{severity.toLowerCase()}</span>
      </summary>
      <ul class="ex">
        {examples.map(({ source, line, message }) => (
          <li>
            <p>
              <OutsideName text={source} mono />
              {`, line ${showNumber(line)}`}
            </p>
            <p class="muted">
              <Outside text={message} />
            </p>
          </li>
        ))}
        {left > 0 ? (
          <li class="dim">
            {`and ${showNumber(left)} more in `}
            <code>reports/integrity.jsonl</code>
          </li>
        ) : null}
      </ul>
    </details>
  );
}

/** Returns the summary of the check that reports only this rule; of others, the first finding. */
function meaningOf({ rule, examples: [first] }: FindingProfile): string {
  const check = checks.find(({ rules }) => rules.length === 1 && rules[0] === rule);
  return check === undefined ? fitted(first?.message ?? '', MAX_MEANING) : firstSentence(check.summary);
}

function firstSentence(text: string): string {
  const end = text.search(/[.:](?: |$)/);
  return shortName(end < 0 ? text : `${text.slice(0, end)}.`, MAX_MEANING);
}
