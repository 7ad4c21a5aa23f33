/** Parses and formats sizes such as `1GB`, `64 MB` and `2000`. Units are decimal, as for disks. */

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
};

/** Parses a size into bytes; throws if the text is not a size. */
export const parseByteSize = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = unitBytes[(match?.[2] ?? '').toLowerCase()];
  if (match === null || unit === undefined) throw new Error(`'${text}' is not a size such as 64MB`);
  return Math.round(Number(match[1]) * unit);
};

/** Formats a size in the largest unit that needs at most one decimal: `1GB`, `64MB`, `1500B`. */
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
