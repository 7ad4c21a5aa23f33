/**
 * Where a session lives and when it began: `YYYY-MM-DD/<prefix>-<session id>.jsonl`, the id being a
 * scenario and the 19 digits of the start in nanoseconds, as the exchange dialect's loggers do it.
 */
import type { Random } from './random.ts';

const firstDay = Date.UTC(2026, 0, 13, 6);
const dayCount = 4;
const scenarios = [
  'market-brief',
  'code-review',
  'trip-planner',
  'invoice-check',
  'google-maps-es-01',
  'support-desk',
];

/** A session's identity; everything else about it is random. */
export interface SessionName {
  readonly sessionId: string;
  readonly dateFolder: string;
  readonly fileStem: string;
  readonly startMs: number;
}

/** Names session number `index`; ids are unique below a million sessions. */
export const nameSession = (index: number, random: Random): SessionName => {
  const second = Math.floor(index / dayCount) % 30_000;
  const dayMs = firstDay + (index % dayCount) * 86_400_000;
  const startMs = dayMs + second * 1000 + random.integer(0, 999);
  const sessionId = `${random.pick(scenarios)}-${startMs}${String(index % 1_000_000).padStart(6, '0')}`;
  return {
    sessionId,
    dateFolder: new Date(startMs).toISOString().slice(0, 10),
    fileStem: `gateway-${sessionId}`,
    startMs,
  };
};
