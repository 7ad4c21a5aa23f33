/**
 * Finds the targets of symbolic links in a folder of logs, and decides whether to follow them. A target is read by its
 * own path, so a link that changes later has no effect.
 */
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { ifPossible } from '../../errors.ts';
import type { FolderPlace } from './source-table.ts';

/** `inside`: only links with targets below the input that they were found in; `anywhere`: all links. */
export type Follow = 'none' | 'inside' | 'anywhere';

export interface FoundLink extends FolderPlace {
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

/** Returns the target of a link; undefined if it is missing, circular, or outside the root and `follow` forbids that. */
export function endOf({ path }: FoundLink, root: string, follow: Follow): LinkEnd | undefined {
  return ifPossible(() => {
    const end = realPath(Buffer.from(path, 'latin1'));
    const inside = end.startsWith(`${realPath(Buffer.from(root))}/`);
    if (!inside && follow !== 'anywhere') return undefined;
    return { path: end, stats: lstatSync(Buffer.from(end, 'latin1'), { bigint: true }) };
  });
}

function realPath(path: Buffer): string {
  return realpathSync.native(path, 'buffer').toString('latin1').replace(/\/$/, '');
}
