/**
 * The messages that a compaction of Claude Code keeps besides the summary. The log does not repeat them: the event of
 * the compaction (the boundary) names their lines, and the line after which they come in the next conversation.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import type { LineSpots } from '../fold/line-spots.ts';

/** The lines of messages that a compaction kept. */
export interface Preserved {
  /** The line after which the messages come. */
  readonly anchor: string | undefined;
  /** All of them, or the first and the last of a range. */
  readonly lines: readonly string[] | { readonly head: string; readonly tail: string };
}

/** The lines that a boundary names; undefined if none. Newer versions name a list and a range: the list counts. */
export function preservedBy(boundary: JsonView): Preserved | undefined {
  const meta = boundary.get('compactMetadata') ?? boundary.get('compact_metadata');
  const list = meta?.get('preservedMessages') ?? meta?.get('preserved_messages');
  const segment = meta?.get('preservedSegment') ?? meta?.get('preserved_segment');
  const anchorOf = (from: JsonView | undefined) => from?.textOf('anchorUuid') ?? from?.textOf('anchor_uuid');
  const uuids = list?.get('uuids');
  if (uuids?.type === 'array') {
    const lines = uuids.elements().flatMap((uuid) => uuid.text() ?? []);
    return { anchor: anchorOf(list) ?? anchorOf(segment), lines };
  }
  const head = segment?.textOf('headUuid') ?? segment?.textOf('head_uuid');
  const tail = segment?.textOf('tailUuid') ?? segment?.textOf('tail_uuid');
  if (head === undefined || tail === undefined) return undefined;
  return { anchor: anchorOf(segment), lines: { head, tail } };
}

/** The messages of a conversation that a compaction kept. */
export interface Choice {
  readonly items: readonly FoldPlace[];
  /** Lines that have not occurred yet; the log may have them later. */
  readonly awaited: readonly string[];
  /** Whether a line belongs to another conversation, or the range does not exist. */
  readonly isBroken: boolean;
}

/** Finds the kept messages of the conversation that ends, which is the current one of the fold. */
export function chooseKept({ lines }: Preserved, thread: string, spots: LineSpots, fold: Fold): Choice {
  const indexOf = (line: string): { readonly index: number; readonly isOwn: boolean } | undefined => {
    const spot = spots.get(line);
    if (spot === undefined || spot.stretch !== spots.stretchOf(thread)) return undefined;
    const { place, isOwn } = spot;
    if (place === undefined) return isOwn ? undefined : { index: -1, isOwn };
    return fold.isHere(place) ? { index: place.index, isOwn } : undefined;
  };
  if ('head' in lines) {
    const [head, tail] = [indexOf(lines.head), indexOf(lines.tail)];
    // the last line may follow one that was logged again, and so be in the conversation of that one
    const last = tail?.index ?? (spots.has(lines.tail) ? fold.last.index : undefined);
    if (head === undefined || last === undefined) return { items: [], awaited: [], isBroken: true };
    const first = head.isOwn ? head.index : head.index + 1;
    const kept = fold.items.slice(first, last + 1);
    return { items: kept, awaited: [], isBroken: kept.length === 0 };
  }
  const indexes = new Set<number>();
  const awaited = lines.filter((line) => !spots.has(line));
  let isBroken = false;
  for (const line of lines) {
    const found = indexOf(line);
    if (found?.isOwn === true) indexes.add(found.index);
    isBroken ||= found === undefined && spots.has(line);
  }
  return { items: fold.items.filter(({ index }) => indexes.has(index)), awaited, isBroken };
}

interface Waiting {
  readonly anchor: string | undefined;
  /** Whether they come before the summary. */
  readonly isFirst: boolean;
  readonly items: readonly FoldPlace[];
}

/** Threads that may have waiting messages: their memory is not part of the fold's limit. */
const MAX_WAITING = 2;

/** Holds kept messages until their position in the next conversation of their thread is reached. */
export class KeptMessages {
  readonly #waiting = new Map<string, Waiting>();

  hasRoom(thread: string): boolean {
    return this.#waiting.size < MAX_WAITING || this.#waiting.has(thread);
  }

  /** Holds messages. @param boundary line of the compaction: messages anchored to it come before the summary */
  hold(
    thread: string,
    { anchor }: Preserved,
    boundary: string | undefined,
    items: readonly FoldPlace[],
  ): void {
    const isFirst = anchor !== undefined && anchor === boundary;
    if (items.length > 0) this.#waiting.set(thread, { anchor, isFirst, items });
  }

  /**
   * Handles a second boundary right after the one that kept messages.
   * @param kept of the second one: gives the held messages a new position; if undefined, they are dropped
   */
  renew(
    thread: string,
    kept: Preserved | undefined,
    boundary: string | undefined,
    fold: Fold,
    spots: LineSpots,
  ): void {
    const items = this.#waiting.get(thread)?.items;
    if (items === undefined) return;
    if (kept !== undefined) this.hold(thread, kept, boundary, items);
    else this.#add(thread, [], fold, spots);
  }

  /**
   * Adds the kept messages before the next message of their thread, unless that one (the summary, or the line that they
   * come after) belongs before them. A conversation that ends with the summary gets none of them: it would end with an
   * answer of the conversation before.
   */
  addBefore(
    thread: string,
    uuid: string | undefined,
    isSummary: boolean,
    fold: Fold,
    spots: LineSpots,
  ): void {
    const waiting = this.#waiting.get(thread);
    if (waiting === undefined) return;
    const isEarlier = isSummary || (uuid !== undefined && uuid === waiting.anchor);
    if (waiting.isFirst || !isEarlier) this.#add(thread, waiting.items, fold, spots);
  }

  #add(thread: string, items: readonly FoldPlace[], fold: Fold, spots: LineSpots): void {
    this.#waiting.delete(thread);
    spots.move(thread, new Map(fold.carry(items).map((copy, i) => [items[i] as FoldPlace, copy])));
  }
}
