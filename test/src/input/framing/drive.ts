/** Feeds a framer with chunks of given sizes and collects its elements. */

import type { Framer, FramingCounts } from '../../../../src/input/framing/framer.ts';
import type { Line, Rejection } from '../../../../transforms/model/element.ts';

/** An element with its bytes as text, one character for each byte. */
export interface Framed {
  readonly kind: 'line' | 'rejection';
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Bytes of the line as Latin-1. */
  readonly text?: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly sha256?: string | undefined;
}

export interface FramedSource {
  readonly elements: readonly Framed[];
  readonly counts: FramingCounts;
}

function keep(element: Line | Rejection): Framed {
  const { line, offset, length } = element.origin;
  const place = { kind: element.kind, line, offset, length };
  if (element.kind === 'line') return { ...place, text: Buffer.from(element.bytes).toString('latin1') };
  return { ...place, reason: element.reason, detail: element.detail, sha256: element.sha256 };
}

/** @param sizes sizes of the chunks, repeated; at least 1 each */
export function frame(framer: Framer, bytes: Uint8Array, sizes: readonly number[] = [65_536]): FramedSource {
  const elements: Framed[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const room = framer.space();
    const size = Math.min(sizes[i % sizes.length] as number, room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + size));
    at += size;
    for (const element of framer.filled(size)) elements.push(keep(element));
  }
  for (const element of framer.end()) elements.push(keep(element));
  return { elements, counts: framer.counts() };
}
