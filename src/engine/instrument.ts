/**
 * Measures the parts of a task with a profile's clock, by wrapping readers, framers and stages from outside. Without a
 * profile, nothing is wrapped.
 */

import { tally } from '../../transforms/json/known-list.ts';
import type { Kind, StreamElement } from '../../transforms/model/element.ts';
import type { Handlers } from '../../transforms/stage.ts';
import type { Framer } from '../input/framing/framer.ts';
import { openSource } from '../input/open-source.ts';
import type { SourceReader } from '../input/source-reader.ts';
import type { Profile } from '../profile.ts';
import type { ChainLink } from './chain.ts';
import { MEASURE } from './measure.ts';

export interface Watch {
  chain(links: readonly ChainLink[]): readonly ChainLink[];
  /** Called at the end of the chain. */
  accept(accept: (element: StreamElement) => void): (element: StreamElement) => void;
  framer(framer: Framer): Framer;
  /** Runs a part of the work outside the stages. */
  within<T>(segment: string, work: () => T): T;
  /** Counts the bytes of a file that was read whole. */
  countWhole(bytes: number): void;
  readonly open: typeof openSource;
}

export const UNWATCHED: Watch = {
  chain: (links) => links,
  accept: (accept) => accept,
  framer: (framer) => framer,
  within: (_segment, work) => work(),
  countWhole: () => undefined,
  open: openSource,
};

export function watchWith(profile: Profile): Watch {
  return {
    chain: (links) => links.map((link) => watchLink(profile, link)),
    accept: (accept) => (element) => {
      const outer = profile.enter('collect');
      accept(element);
      profile.enter(outer);
    },
    framer: (framer) => watchFramer(profile, framer),
    within(segment, work) {
      const outer = profile.enter(segment);
      try {
        return work();
      } finally {
        profile.enter(outer);
      }
    },
    countWhole(count) {
      profile.bytes.read += count;
      profile.bytes.framed += count;
    },
    open: (ref, limits, signal, first) =>
      watchReader(profile, ref.path === undefined ? 'wait' : 'read', () =>
        openSource(ref, limits, signal, first),
      ),
  };
}

type Handler = (element: StreamElement) => Iterable<StreamElement>;

function watchLink(profile: Profile, { name, handlers }: ChainLink): ChainLink {
  const { bytes } = profile;
  profile.enter(profile.enter(name)); // enters all stages in order, so that the profile lists idle ones too
  const watched = (handler: Handler): Handler => {
    return (element) => {
      const outer = profile.enter(name);
      const before = tally.comparedBytes;
      const outputs = handler(element);
      const compared = tally.comparedBytes - before;
      bytes.compared += compared;
      if (element.kind === 'line' && name !== MEASURE) bytes.scanned += element.bytes.length - compared;
      profile.enter(outer);
      return Array.isArray(outputs) ? outputs : profile.each(name, outputs);
    };
  };
  const kinds = Object.entries(handlers) as [Kind, Handler][];
  return { name, handlers: Object.fromEntries(kinds.map(([kind, h]) => [kind, watched(h)])) as Handlers };
}

function watchFramer(profile: Profile, framer: Framer): Framer {
  return {
    space: () => framer.space(),
    filled(count) {
      profile.bytes.framed += count;
      return profile.each('frame', framer.filled(count));
    },
    end: () => profile.each('frame', framer.end()),
    counts: () => framer.counts(),
  };
}

/** Wraps a reader. Waiting for a pipe, or for a thread that decompresses, does not count as reading. */
async function watchReader(
  profile: Profile,
  opening: string,
  open: () => Promise<SourceReader> | SourceReader,
): Promise<SourceReader> {
  async function later<T>(segment: string, work: () => Promise<T> | T): Promise<T> {
    const outer = profile.enter(segment);
    try {
      return await work();
    } finally {
      profile.enter(outer);
    }
  }
  const watched = (reader: SourceReader): SourceReader => {
    const { again } = reader;
    // inherits the rest: getters change while the source is read, so a copy of their values would be stale
    return Object.assign(Object.create(reader) as SourceReader, {
      read(room: Uint8Array) {
        const outer = profile.enter('read');
        const count = reader.read(room);
        profile.enter(outer);
        return typeof count === 'number' ? count : later('wait', () => count);
      },
      ...(again && { again: async () => watched(await later('read', again)) }),
      close() {
        profile.bytes.read += reader.readBytes();
        return later('read', () => reader.close());
      },
    });
  };
  return watched(await later(opening, open));
}
