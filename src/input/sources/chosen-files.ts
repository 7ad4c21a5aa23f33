/** Which of the files in folders and below prefixes a run reads. A file or an object that the user names is always read. */
import picomatch from 'picomatch';

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
 * Tells whether to read a file.
 * @param relative path below the input, its bytes as Latin-1 characters
 * @param modifiedMs time of the last change
 */
export type IsChosen = (relative: string, modifiedMs: number | bigint) => boolean;

export function isChosenBy({ include, exclude, since }: FileChoice): IsChosen {
  const isIncluded = include.length === 0 ? () => true : matcherOf(include);
  const isExcluded = exclude.length === 0 ? () => false : matcherOf(exclude);
  return (relative, modifiedMs) => {
    if (since !== undefined && modifiedMs < since) return false;
    const path = Buffer.from(relative, 'latin1').toString();
    return isIncluded(path) && !isExcluded(path);
  };
}

function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map((pattern) =>
    picomatch(pattern, { dot: true, basename: !pattern.includes('/') }),
  );
  return (path) => matchers.some((matches) => matches(path));
}
