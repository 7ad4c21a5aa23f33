import type { EnvelopeLayout } from './envelope.ts';
import type { Random } from './random.ts';
import type { CorpusShape } from './shapes.ts';

/** The randomly drawn properties of a session. */
export interface SessionTraits {
  readonly plannedEntries: number;
  readonly layout: EnvelopeLayout;
  readonly systemRole: 'system' | 'developer';
  /** The system message contains the current time, so it differs on every line. */
  readonly volatileSystem: boolean;
  /** Every request ends with an info message that is missing from the next request. */
  readonly infoMessages: boolean;
  /** The last entry has fewer messages than the one before. */
  readonly shorterLast: boolean;
}

/** Draws the traits of a session with the probabilities of the corpus. */
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
