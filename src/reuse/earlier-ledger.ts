/**
 * The files beside the shards of an earlier run, source by source: its line of the ledger, its sessions, findings and quarantine
 * lines. They stand in the order of the sources in each file, so each is read once, from its beginning.
 */
import { LINE_FILES } from '../dataset/layout.ts';
import { compareSources } from '../input/sources/list.ts';
import { losesNothing } from '../ledger/ledger.ts';
import type { Earlier } from './earlier.ts';
import { type EarlierLine, linesOf } from './earlier-lines.ts';

/** What names a source in every file. */
export interface SourceKey {
  readonly name: string;
  readonly nameBase64?: string;
  readonly input: number;
}

export interface EarlierCursor {
  /** Goes forward to the lines of this source. Sources only come in their order. */
  seek(key: SourceKey): void;
  /** The next line of the source, without taking it. */
  peek(): EarlierLine | undefined;
  take(): EarlierLine | undefined;
}

export interface EarlierLedger {
  readonly sources: EarlierCursor;
  readonly sessions: EarlierCursor;
  readonly quarantine: EarlierCursor;
  readonly integrity: EarlierCursor;
}

export function openEarlierLedger(earlier: Earlier): EarlierLedger {
  const open = (name: string): Lines => lookAhead(linesOf(earlier, name));
  const [sources, quarantine] = [open(LINE_FILES.sources), open(LINE_FILES.quarantine)];
  // what was passed over stands first, in both files
  for (let first = sources.peek(); first?.status === 'skipped'; first = sources.peek()) {
    sources.take();
    if (!losesNothing(first.reason)) quarantine.take();
  }
  return {
    sources: cursorOf(sources),
    quarantine: cursorOf(quarantine),
    sessions: cursorOf(open(LINE_FILES.sessions)),
    integrity: cursorOf(open(LINE_FILES.findings)),
  };
}

/** All sources that were read, in their order, and whether lines of theirs were rejected. */
export function* earlierSources(
  earlier: Earlier,
): Generator<SourceKey & { readonly hasRejections: boolean }> {
  for (const line of linesOf(earlier, LINE_FILES.sources)) {
    if (line.status === 'skipped') continue;
    yield {
      ...keyOf(line),
      hasRejections: Object.keys(line.fates).some((fate) => fate.startsWith('rejected:')),
    };
  }
}

/** The sources that were passed over: their keys and reasons. */
export function* earlierSkipped(earlier: Earlier): Generator<SourceKey & { readonly reason: string }> {
  for (const line of linesOf(earlier, LINE_FILES.sources)) {
    if (line.status !== 'skipped') break;
    yield { ...keyOf(line), reason: line.reason };
  }
}

interface Lines {
  peek(): EarlierLine | undefined;
  take(): EarlierLine | undefined;
}

function lookAhead(lines: Generator<EarlierLine, undefined>): Lines {
  let ahead: EarlierLine | undefined;

  function peek(): EarlierLine | undefined {
    ahead ??= lines.next().value;
    return ahead;
  }

  return {
    peek,
    take() {
      const line = peek();
      ahead = undefined;
      return line;
    },
  };
}

/** Quarantine tells more of a source than its name. */
function keyOf(line: EarlierLine): SourceKey {
  const {
    uri: source,
    uri_b64: nameBase64,
    input = 0,
  } = typeof line.source === 'object'
    ? line.source
    : { uri: line.source, uri_b64: line.source_b64, input: line.input };
  return { name: source, input, ...(nameBase64 === undefined ? {} : { nameBase64 }) };
}

function cursorOf(lines: Lines): EarlierCursor {
  let current: SourceKey | undefined;
  const isCurrent = (line: EarlierLine): boolean =>
    current !== undefined && compareSources(keyOf(line), current) === 0;

  function peek(): EarlierLine | undefined {
    const line = lines.peek();
    return line !== undefined && isCurrent(line) ? line : undefined;
  }

  return {
    seek(key) {
      current = key;
      for (
        let line = lines.peek();
        line !== undefined && compareSources(keyOf(line), key) < 0;
        line = lines.peek()
      )
        lines.take();
    },
    peek,
    take: () => (peek() === undefined ? undefined : lines.take()),
  };
}
