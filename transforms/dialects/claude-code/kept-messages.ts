/**
 * The messages that a compaction of Claude Code keeps besides the summary. The log does not repeat them: the boundary
 * names their lines, and the line after which they are in the next conversation.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import type { LineSpots } from '../fold/line-spots.ts';

/** The lines that a boundary names. */
export interface Preserved {
  /** The line after which the messages are. */
  readonly anchor: string | undefined;
  /** All of them, or the first and the last of a stretch. */
  readonly lines: readonly string[] | { readonly head: string; readonly tail: string };
}

/** Undefined if a boundary names no lines. Newer versions have both a list and a stretch: the list counts. */
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

/** Which messages of a conversation are kept, and which lines are not in it. */
export interface Choice {
  readonly items: readonly FoldPlace[];
  /** Lines that have not occurred: the log may have them later. */
  readonly awaited: readonly string[];
  /** Is there a line of another conversation, or a stretch that does not exist? */
  readonly isBroken: boolean;
}

/** @param items the messages of the conversation that ends */
export function chooseKept(
  { lines }: Preserved,
  thread: string,
  spots: LineSpots,
  items: readonly FoldPlace[],
): Choice {
  const indexOf = (line: string): { readonly index: number; readonly isOwn: boolean } | undefined => {
    const spot = spots.get(line);
    if (spot === undefined || spot.stretch !== spots.stretchOf(thread)) return undefined;
    const { place, isOwn } = spot;
    if (place === undefined) return isOwn ? undefined : { index: -1, isOwn };
    return items[place.index] === place ? { index: place.index, isOwn } : undefined;
  };
  if ('head' in lines) {
    const [head, tail] = [indexOf(lines.head), indexOf(lines.tail)];
    // the last line may follow one that was logged again, and so be in the conversation of that one
    const last = tail?.index ?? (spots.has(lines.tail) ? items.length - 1 : undefined);
    if (head === undefined || last === undefined) return { items: [], awaited: [], isBroken: true };
    const first = head.isOwn ? head.index : head.index + 1;
    const kept = items.slice(first, last + 1);
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
  return { items: items.filter(({ index }) => indexes.has(index)), awaited, isBroken };
}

interface Waiting {
  readonly anchor: string | undefined;
  /** Are they in front of the summary? */
  readonly isFirst: boolean;
  readonly items: readonly FoldPlace[];
}

/** Waiting messages are not counted by the fold: few threads may have any. */
const MOST_WAITING = 2;

/** Kept messages that wait for their position in the next conversation of their thread. */
export class KeptMessages {
  readonly #waiting = new Map<string, Waiting>();

  hasRoom(thread: string): boolean {
    return this.#waiting.size < MOST_WAITING || this.#waiting.has(thread);
  }

  /** @param boundary the line of the compaction: messages after it come before the summary */
  hold(
    thread: string,
    { anchor }: Preserved,
    boundary: string | undefined,
    items: readonly FoldPlace[],
  ): void {
    const isFirst = anchor !== undefined && anchor === boundary;
    if (items.length > 0) this.#waiting.set(thread, { anchor, isFirst, items });
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Has a boundary without messages since the one that kept some. @param kept what it says itself */
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
   * Adds the kept messages before the next message of their thread, unless that one comes before them too. A
   * conversation that ends with the summary has none of them, so that it does not end with the answer of another one.
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
