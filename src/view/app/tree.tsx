/** The branches of a session, and the sessions that begin as it does: which one shares how many first messages with which other one. */
import type { ComponentChildren, VNode } from 'preact';
import { showCount, showNumber } from '../../charts/numbers.ts';
import { sessionFateWords } from '../../charts/words.ts';
import { addressOf } from './address.ts';
import { useAnswer } from './answer.ts';
import type { TreeAnswer, TreeMember } from './types.ts';

/** @param path of the request */
export function Tree({ path }: { readonly path: string }): VNode | null {
  const { value } = useAnswer<TreeAnswer>(path);
  if (value === undefined || value.members.length < 2) return null;
  const { members, isCut, isCompared } = value;
  return (
    <>
      <h2>Branches and copies</h2>
      <Level members={members} parent={undefined} />
      {isCut ? <p class="note">Only the {showNumber(members.length)} nearest are shown.</p> : null}
      {isCompared ? null : (
        <p class="note">
          A build with <code>--copies drop</code> shows how many messages they share.
        </p>
      )}
    </>
  );
}

interface LevelProps {
  readonly members: readonly TreeMember[];
  readonly parent: number | undefined;
}

function Level({ members, parent }: LevelProps): VNode | null {
  const items = members.flatMap((member, at) =>
    member.parent !== parent ? (
      []
    ) : (
      <li>
        <Name member={member} />
        {member.fate === 'written' ? null : <span class="tag">{sessionFateWords(member.fate)}</span>}
        <p class="dim">{relationOf(member, members[member.parent ?? -1])}</p>
        {member.source === undefined ? null : <bdi class="mono dim">{member.source}</bdi>}
        <Level members={members} parent={at} />
      </li>
    ),
  );
  return items.length === 0 ? null : <ul class="tree">{items}</ul>;
}

function Name({ member }: { readonly member: TreeMember }): VNode {
  const { record, i, isShown } = member;
  const link = (to: string, text: ComponentChildren): VNode => (
    <a href={to} aria-current={isShown ? 'true' : undefined}>
      {text}
    </a>
  );
  if (record !== undefined) return link(addressOf({ tab: 'records', i: record }), nameOf(member));
  if (i !== undefined) return link(addressOf({ tab: 'sessions', i }), nameOf(member));
  return <bdi>{nameOf(member)}</bdi>;
}

function nameOf({ record, i, id }: TreeMember): string {
  if (record !== undefined) return `Record ${showNumber(record + 1)}`;
  return i === undefined ? (id ?? 'a session') : `Session ${showNumber(i + 1)}`;
}

/** Says in words what a member shares with its parent. */
function relationOf({ messages, shared, fate, context }: TreeMember, parent: TreeMember | undefined): string {
  if (messages === undefined) return '';
  if (parent === undefined || shared === undefined) return showCount(messages, 'message');
  if (fate === 'contained') return `all ${showCount(messages, 'message')} are in ${nameOf(parent)}`;
  const relation = `first ${showNumber(shared)} of ${showCount(messages, 'message')} as in ${nameOf(parent)}`;
  if (context === undefined) return relation;
  return context === shared ? `${relation} (context)` : `${relation}; ${showNumber(context)} are context`;
}
