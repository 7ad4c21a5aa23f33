/** The logged messages that were changed, as differences in words, or dropped, each with its rule. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { showBytes, showNumber, visible } from '../../charts/numbers.ts';
import { namedWords } from '../../charts/words.ts';
import { useAnswer } from './answer.ts';
import { laidOut, parseExact } from './exact.ts';
import { Text } from './message.tsx';
import type { ChangesAnswer, MessageTrail } from './types.ts';
import { changedMembers, type MemberChange, wordDiff } from './word-diff.ts';

const CLIP = 420;
/** Characters that are shown of each end of a long stretch. */
const AROUND = 80;

export function Changes({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<ChangesAnswer>(`changes?i=${i}`);
  if (value === undefined) return <p class="note">{error ?? '…'}</p>;
  if (value.missing || value.messages === undefined)
    return (
      <p class="note">
        Start with <code>--logs DIR</code> to see the logged messages beside the record.
      </p>
    );
  const same = value.messages.filter(({ before, after }) => before === after).length;
  return (
    <div class="diff">
      <p class="dim">
        {`${showNumber(same)} of ${showNumber(value.messages.length)} messages as they were read`}
      </p>
      {value.messages
        .filter(({ before, after }) => before !== after)
        .map((trail) => (
          <Change trail={trail} />
        ))}
    </div>
  );
}

function Change({ trail }: { readonly trail: MessageTrail }): VNode {
  const { logged, kept, rule, before = '', after } = trail;
  const isDropped = kept === null;
  return (
    <section>
      <header>
        <span class={isDropped ? 'tag bad' : 'tag warn'}>{isDropped ? 'dropped' : 'changed'}</span>
        {rule === undefined ? null : <b title={rule}>{namedWords(rule)}</b>}
        <span class="dim">{`logged ${logged}${isDropped ? '' : ` → ${kept}`}`}</span>
      </header>
      {after === undefined ? (
        <div class="minus">
          <Text mono clip={CLIP} text={laidOut(before)} />
        </div>
      ) : (
        <Difference before={before} after={after} />
      )}
    </section>
  );
}

/** The members of a message that differ, in words. */
function Difference({ before, after }: { readonly before: string; readonly after: string }): VNode {
  const members = useMemo(() => changedMembers(before, after, parseExact), [before, after]);
  if (members?.length === 0)
    return <p class="note inset">The same members: only their order, blanks or escapes differ.</p>;
  return (
    <dl class="members">
      {(members ?? [{ path: '', before, after }]).map((member) => (
        <>
          <dt>
            <bdi class="mono">{member.path}</bdi>
          </dt>
          <dd>
            <Words {...member} />
          </dd>
        </>
      ))}
    </dl>
  );
}

function Words({ before = '', after = '' }: MemberChange): VNode {
  const pieces = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <pre dir="auto">
      {pieces.map(({ kind, text }) =>
        kind === 'same' ? (
          <Stretch text={text} />
        ) : kind === 'removed' ? (
          <del>
            <Stretch text={text} />
          </del>
        ) : (
          <ins>
            <Stretch text={text} />
          </ins>
        ),
      )}
    </pre>
  );
}

/** A long stretch is cut in the middle. */
function Stretch({ text }: { readonly text: string }): VNode {
  const [isWhole, show] = useState(text.length <= CLIP);
  if (isWhole) return <>{visible(text)}</>;
  return (
    <>
      {visible(text.slice(0, AROUND))}
      <button type="button" class="more" onClick={() => show(true)}>
        {showBytes(text.length - 2 * AROUND)} more
      </button>
      {visible(text.slice(-AROUND))}
    </>
  );
}
