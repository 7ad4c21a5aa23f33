/**
 * How one session differs from others; drawn once, before its first line.
 */
import type { EnvelopeLayout } from './envelope.ts';
import type { Random } from './random.ts';
import type { CorpusShape } from './shapes.ts';

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

/** The session's habits. */
export interface SessionTraits {
  readonly plannedEntries: number;
  readonly layout: EnvelopeLayout;
  readonly systemRole: 'system' | 'developer';
  /** The system message has a clock in it, so that it differs on every line. */
  readonly volatileSystem: boolean;
  /** Every request ends with an info message that the next request does not repeat. */
  readonly infoMessages: boolean;
  /** The last entry has fewer messages than the one before. */
  readonly shorterLast: boolean;
}

/** Draws a session's traits by the chances of its corpus. */
export const drawTraits = (random: Random, shape: CorpusShape): SessionTraits => {
  const [low, high] = shape.entriesPerSession;
  const free = !shape.uniform;
  return {
    plannedEntries: low === high ? low : random.integer(low, high),
    layout: { toolsFirst: free && random.chance(0.5), stampLast: free && random.chance(0.25) },
    systemRole: free && random.chance(0.2) ? 'developer' : 'system',
    volatileSystem: random.chance(shape.volatileSystemChance),
    infoMessages: random.chance(shape.infoMessageChance),
    shorterLast: random.chance(shape.shorterLastChance),
  };
};
