/** Measures from outside the stages how much of the text of each source is read, and rejects sources below a minimum. */

import { DROPS } from '../../transforms/model/drops.ts';
import type { Rejection, SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import type { Handlers } from '../../transforms/stage.ts';
import { ReadShare } from './read-share.ts';

/** Name of the links. */
export const MEASURE = 'measure';
const PERCENT = 100;

interface Link {
  readonly name: string;
  readonly handlers: Handlers;
}

/** Adds the links that measure. @param minRead percentage of text below which a source is rejected */
export function measured(links: readonly Link[], minRead: number | undefined): readonly Link[] {
  const share = new ReadShare();
  const pass = <T extends StreamElement>(use: (element: T) => void): ((element: T) => [T]) => {
    return (element) => {
      use(element);
      return [element];
    };
  };
  const before: Link = { name: MEASURE, handlers: { line: pass((line) => share.addLine(line)) } };
  const parsed: Link = { name: MEASURE, handlers: { entry: pass((entry) => share.addEntry(entry)) } };
  const last: Link = {
    name: MEASURE,
    handlers: {
      fate: pass(({ fate, origin, unread }) => {
        const rule = fate.replace('dropped:', '');
        if (fate !== 'blank' && unread === undefined) share.drop(origin, !Object.hasOwn(DROPS, rule));
      }),
      repair: pass(({ repair, origin, count }) => {
        if (repair === 'split-objects') share.split(origin, count);
      }),
      'session-end': (end) => (end.last ? ended({ ...end, text: share.take() }, minRead) : [end]),
    },
  };
  const [parser, ...others] = links as readonly [Link, ...Link[]];
  return [before, parser, parsed, ...others, last];
}

function ended(end: SessionEnd, minRead: number | undefined): readonly StreamElement[] {
  const { bytes, read } = end.text ?? { bytes: 0, read: 0 };
  const share = bytes === 0 ? PERCENT : (read / bytes) * PERCENT;
  if (minRead === undefined || share >= minRead) return [end];
  const detail = `${Math.floor(share)} % of its text was read, less than the ${minRead} % of --min-read`;
  const rejection: Rejection = {
    ...{ kind: 'rejection', scope: 'source', stage: MEASURE, reason: 'little-read', detail },
    origin: end.origin,
  };
  return [rejection, end];
}
