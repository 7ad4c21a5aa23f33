/**
 * Symbolic links in a folder of logs: where one ends, and whether it may be gone to. The end itself
 * is read, by its own path: a link that is changed later leads nowhere else.
 */
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';

/** `inside`: links that end below the input that they were found in; `anywhere`: all. */
export type Follow = 'none' | 'inside' | 'anywhere';

/** Paths are bytes as Latin-1 characters. */
export interface FoundLink {
  readonly input: number;
  readonly path: string;
  /** Its path below the input. */
  readonly relative: string;
}

export interface LinkEnd {
  readonly path: string;
  readonly stats: BigIntStats;
}

export function byRelative(a: FoundLink, b: FoundLink): number {
  if (a.relative === b.relative) return a.input - b.input;
  return a.relative < b.relative ? -1 : 1;
}

/** Undefined when it leads nowhere, round in a circle, or out of the root without leave. */
export function endOf({ path }: FoundLink, root: string, follow: Follow): LinkEnd | undefined {
  try {
    const end = realPath(Buffer.from(path, 'latin1'));
    const inside = end.startsWith(`${realPath(Buffer.from(root))}/`);
    if (!inside && follow !== 'anywhere') return undefined;
    return { path: end, stats: lstatSync(Buffer.from(end, 'latin1'), { bigint: true }) };
  } catch {
    return undefined;
  }
}

function realPath(path: Buffer): string {
  return realpathSync.native(path, 'buffer').toString('latin1').replace(/\/$/, '');
}
