import type { Entry } from './element.ts';

/** Whether `next` has at least as many messages as the best entry so far, so that it becomes the snapshot. */
export function supersedes(next: Entry, best: Entry | undefined): boolean {
  return best === undefined || next.messages.length >= best.messages.length;
}
