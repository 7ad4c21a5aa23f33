/** Which of the files in folders and below prefixes a run reads. A file or an object that the user names is always read. */
import picomatch from 'picomatch';
import type { LeftOutReason } from './source.ts';

export interface FileChoice {
  /** Patterns of paths below the input; a pattern without `/` is compared with the name alone. Empty for all files. */
  readonly include: readonly string[];
  /** Patterns of the files to leave out; they win over `include`. */
  readonly exclude: readonly string[];
  /** Oldest time of the last change, in ms since 1970; undefined for any. */
  readonly since: number | undefined;
}

export const ALL_FILES: FileChoice = { include: [], exclude: [], since: undefined };

/**
 * Returns why a file is left out, undefined if it is read.
 * @param relative path below the input, its bytes as Latin-1 characters
 * @param modifiedMs time of the last change
 */
export type WhyLeftOut = (relative: string, modifiedMs: number | bigint) => LeftOutReason | undefined;

export function leftOutBy({ include, exclude, since }: FileChoice): WhyLeftOut {
  const isIncluded = include.length === 0 ? () => true : matcherOf(include);
  const isExcluded = exclude.length === 0 ? () => false : matcherOf(exclude);
  return (relative, modifiedMs) => {
    const path = Buffer.from(relative, 'latin1').toString();
    if (!isIncluded(path)) return 'not-included';
    if (isExcluded(path)) return 'excluded-by-option';
    return since !== undefined && modifiedMs < since ? 'too-old' : undefined;
  };
}

function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map((pattern) =>
    picomatch(pattern, { dot: true, basename: !pattern.includes('/') }),
  );
  return (path) => matchers.some((matches) => matches(path));
}
