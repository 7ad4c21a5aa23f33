/** Parses sizes such as `1GiB`, `100MB`, `512k` and `4096`; formats sizes, counts and durations. */

const UNITS = ['', 'k', 'm', 'g', 't'];
const SIZE = /^(\d+)\s*([kmgt]?)(i?b?)$/i;

/**
 * Parses `1GiB` and `1g` (powers of 1024), `1GB` (powers of 1000) or a plain number. Returns undefined for anything
 * else, and for numbers too large to be exact.
 */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = '', suffix = ''] = SIZE.exec(text) ?? [];
  if (digits === undefined || (unit === '' && /i/i.test(suffix))) return undefined;
  if (/^i$/i.test(suffix)) return undefined;
  const base = /^b$/i.test(suffix) ? 1000 : 1024;
  const bytes = Number(digits) * base ** UNITS.indexOf(unit.toLowerCase());
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const SHOWN = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1 GiB`, `3.4 MiB`, `12 B`: at most three significant digits. */
export function showSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < SHOWN.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 || size >= 100 || Number.isInteger(size) ? 0 : 1;
  return `${size.toFixed(digits)} ${SHOWN[unit]}`;
}

/** `1,234,567`. */
export function showCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 shard`, `2 shards`. */
export function plural(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`. */
export function showDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
