/** Controls of narrow pages, which show one column at a time: the list, the row, or what there is about it. */
import type { VNode } from 'preact';
import { addressOf, go, isAbout } from './address.ts';

/** Leads from a row back to the list. */
export const Back = (): VNode => (
  <a class="quiet narrow-only" href={addressOf({ i: undefined, query: { about: undefined } })}>
    <span aria-hidden="true">‹</span> list
  </a>
);

export const About = (): VNode => (
  <button
    type="button"
    class="quiet aside-only"
    aria-expanded={isAbout.value}
    onClick={() => go({ query: { about: isAbout.peek() ? undefined : '1' } }, true)}
  >
    {isAbout.value ? 'close' : 'about'}
  </button>
);
