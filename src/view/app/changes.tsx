/** The logged messages that were changed or dropped, beside those of the record, each with its rule. */
import type { VNode } from 'preact';
import { showNumber } from '../../charts/numbers.ts';
import { namedWords } from '../../charts/words.ts';
import { useAnswer } from './answer.ts';
import { laidOut } from './exact.ts';
import { Text } from './message.tsx';
import type { ChangesAnswer, MessageTrail } from './types.ts';

const CLIP = 420;

export function Changes({ i }: { readonly i: number }): VNode {
  const { value, error } = useAnswer<ChangesAnswer>(`changes?i=${i}`);
  if (error !== undefined) return <p class="note">{error}</p>;
  if (value === undefined) return <p class="note">…</p>;
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
      <div class="minus">
        <Text mono clip={CLIP} text={laidOut(before)} />
      </div>
      {after === undefined ? null : (
        <div class="plus">
          <Text mono clip={CLIP} text={laidOut(after)} />
        </div>
      )}
    </section>
  );
}
