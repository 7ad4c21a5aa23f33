/** Sizes as people write them: `1GB`, `64 MB`, `2000`. Units are decimal, as for disks. */

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
};

/** The number of bytes that a text names; throws if it is not a size. */
export const parseByteSize = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = unitBytes[(match?.[2] ?? '').toLowerCase()];
  if (match === null || unit === undefined) throw new Error(`not a size: ${text} (e.g. 64MB)`);
  return Math.round(Number(match[1]) * unit);
};

/** The shortest name of a size: `1GB`, `64MB`, `1500B`. */
export const formatByteSize = (bytes: number): string => {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['KB', 1e3],
  ] as const) {
    if (bytes >= size && (bytes * 10) % size === 0) return `${bytes / size}${unit}`;
  }
  return `${bytes}B`;
};
