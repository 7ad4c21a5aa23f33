/** Texts and names from logs, as the report shows them. */
import type { VNode } from 'preact';
import { fitted, fittedName } from '../charts/numbers.ts';

/** Text from outside, with hidden characters escaped and its direction isolated. */
export function Outside({ text, mono }: { readonly text: string; readonly mono?: boolean }): VNode {
  return <bdi class={mono === true ? 'mono' : undefined}>{fitted(text)}</bdi>;
}

/** A name from outside, which is cut to a shorter length. */
export function OutsideName({ text, mono }: { readonly text: string; readonly mono?: boolean }): VNode {
  return <bdi class={mono === true ? 'mono' : undefined}>{fittedName(text)}</bdi>;
}
