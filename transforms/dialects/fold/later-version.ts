/** Reads a line or an event whose id has occurred: its content may be a later version of the message. */
import type { LineFate, Message } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { FoldBlock } from './assistant-draft.ts';
import type { Fold, FoldPlace } from './fold.ts';

/** The message of a line, in the form in which a fold holds it. */
export type Version =
  | { readonly kind: 'answer'; readonly blocks: readonly FoldBlock[] }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message };

/**
 * Replaces the message at a place by a version that differs from it, and drops one that does not.
 * @param place undefined if the first version is not part of the conversation, or no longer
 */
export function readVersion(version: Version, place: FoldPlace | undefined, context: ReadContext): LineFate {
  if (place === undefined) return context.drop('copied-line');
  if (!isOfKind(version, place)) return context.reject('bad-event', OTHER_KIND);
  return rewrites(version, place, context.fold) ? undefined : context.drop('copied-line');
}

/** The same for a line with several messages, the results of calls. */
export function readVersions(versions: readonly Version[], place: FoldPlace, context: ReadContext): LineFate {
  if (versions.some((one) => one.kind !== 'result' && !isOfKind(one, place)))
    return context.reject('bad-event', OTHER_KIND);
  const results = versions.filter(({ kind }) => kind === 'result');
  if (results.length > 0 && results.every((one) => isOfOtherCall(one, place)))
    return context.reject('bad-event', OTHER_CALL);
  const changed = versions.map((one) => {
    const holder = holderOf(one, place);
    return holder !== undefined && rewrites(one, holder, context.fold);
  });
  return changed.includes(true) ? undefined : context.drop('copied-line');
}

const OTHER_KIND = 'an earlier line has the same id and a message of another kind';
const OTHER_CALL = 'an earlier line has the same id and the result of another call';

/** Is it the result of a call that has none at the place? A line may have results of several answers. */
function isOfOtherCall(version: Version, place: FoldPlace): boolean {
  if (version.kind !== 'result' || version.callId === undefined) return false;
  const holder = holderOf(version, place);
  if (holder === undefined) return true;
  const { content, calls } = holder;
  const isAnswered = calls.some(({ id, result }) => id === version.callId && result !== undefined);
  return content !== undefined && !('role' in content) && !isAnswered;
}

/**
 * The message that a version replaces; undefined if there is none. A line may have results besides a text of the user,
 * which comes after them.
 */
function holderOf(version: Version, place: FoldPlace): FoldPlace | undefined {
  if (version.kind !== 'result' || !isText(place)) return place;
  let holder = place.before;
  while (holder.index >= 0 && (isText(holder) || !isOfKind(version, holder))) holder = holder.before;
  return holder.index < 0 ? undefined : holder;
}

const isText = ({ content }: FoldPlace): boolean =>
  content !== undefined && 'role' in content && content.role !== 'tool';

function isOfKind(version: Version, { content, calls }: FoldPlace): boolean {
  if (content === undefined) return true;
  const isAnswer = !('role' in content);
  if (version.kind === 'answer') return isAnswer;
  if (version.kind === 'message') return !isAnswer && content.role !== 'tool';
  return isAnswer ? calls.some(({ id }) => id === version.callId) : content.role === 'tool';
}

/** Replaces the result of a call of the conversation. @returns false if there is none, or it is the same */
export function replaceResult(callId: string | undefined, result: Message, fold: Fold): boolean {
  const called = fold.findLast(({ calls }) =>
    calls.some(({ id, result }) => id === callId && result !== undefined),
  );
  return called !== undefined && fold.rewriteResult(called, callId, result);
}

function rewrites(version: Version, place: FoldPlace, fold: Fold): boolean {
  const isTakenBack = place.changes?.includes('not-by-model') === true; // its line comes again if the log is there twice
  if (version.kind === 'answer') return !isTakenBack && fold.rewrite(place, version.blocks);
  if (version.kind === 'message') return fold.rewriteMessage(place, version.message);
  return fold.rewriteResult(place, version.callId, version.message);
}
