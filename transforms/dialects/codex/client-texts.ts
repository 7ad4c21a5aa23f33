/** Tells the texts that the client inserts into the messages of the user from what was said. */
import { AGENTS_FILE, blockOf, isBlocks } from '../../rules/blocks.ts';
import type { FoldPlace } from '../fold/fold.ts';
import type { ResponseItem, ResponseMessage } from '../shared/responses-items.ts';

/** Tags of the blocks that the client inserts as user items. */
const CONTEXT_TAGS = [
  ...['environment_context', 'permissions instructions', 'collaboration_mode', 'user_instructions', 'skill'],
  ...['user_shell_command', 'subagent_notification', 'hook_prompt', 'goal_context', 'codex_internal_context'],
  'recommended_plugins',
];
/** With and without attributes in the tag. */
const CONTEXT = [
  AGENTS_FILE,
  ...CONTEXT_TAGS.flatMap((tag) => [blockOf(tag), { ...blockOf(tag), open: `<${tag} ` }]),
];
/** The whole text that says that the user interrupted the turn. */
const ABORTED = [blockOf('turn_aborted')];

/** Whether a text only says that the user interrupted the turn. */
export const isAborted = (text: string): boolean => isBlocks(text, ABORTED);

/** Whether a person typed the message. */
export const isTurn = ({ message, text }: ResponseMessage): boolean =>
  message.role === 'user' && (text === undefined || !isBlocks(text, CONTEXT));

/** Whether the user or the model said it, not the client. */
export const isSaid = (item: ResponseItem): boolean => (item.kind === 'message' ? isTurn(item) : true);

/** Whether the client inserted the message. */
export const isInserted = (place: FoldPlace | undefined): boolean =>
  place?.content !== undefined &&
  'role' in place.content &&
  place.isTurn !== true &&
  (place.content.role === 'user' || place.content.role === 'developer');

/** The message about a review, which another agent has written. */
const REVIEW = [blockOf('user_action')];

/** Finds the answers that the client writes itself: after a review it says its outcome in the name of the model. */
export class ReviewAnswers {
  #isNext = false;

  /** Called for each item. */
  isOfClient(item: ResponseItem): boolean {
    const isAnswer =
      this.#isNext && item.kind === 'blocks' && item.blocks.every(({ kind }) => kind === 'text');
    this.#isNext = item.kind === 'message' && item.text !== undefined && isBlocks(item.text, REVIEW);
    return isAnswer;
  }
}
