/** Explains the fate of one line of a source by following its session through the main job's chain. */
import type { StreamElement } from '../../transforms/model/element.ts';
import { createChain } from '../engine/chain.ts';
import { chainSessionsFor } from '../engine/intake.ts';
import { failUsage, SourceFault } from '../errors.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { type ReadThrough, readThrough, tapChain } from './inspect.ts';
import { type Explanation, LineTrail } from './line-trail.ts';

export interface Question extends Pick<ReadThrough, 'ref' | 'settings' | 'signal'> {
  readonly line: number;
  /** Whether to include the texts of the messages. */
  readonly withTexts?: boolean;
}

/**
 * Explains the fate of a line, or of each object in it if it holds several. Reads the whole source, because its last
 * byte may decide.
 * @throws TurnmillError `usage` if the source has no such line
 */
export async function explainLine(question: Question): Promise<readonly Explanation[]> {
  const { ref, line, settings, signal, withTexts } = question;
  const trail = new LineTrail({ line, cleanup: settings.cleanup, withTexts });
  const run = tapChain(createChain(settings, chainSessionsFor(ref, settings)), trail.see, (element) =>
    trail.leave(element),
  );
  const push = (element: StreamElement): undefined => void run(element);
  try {
    const lines = await readThrough({ ref, settings, push, signal });
    const count = lines === 0 ? 'is an empty log' : `has ${lines === 1 ? '1 line' : `${lines} lines`}`;
    if (line > lines) failUsage(`${ref.name} ${count}, so it has no line ${line}`);
    return trail.answers;
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return [faultExplanation(error, ref, line)];
  }
}

/** Explains a line of a source that cannot be read to its end: all its lines are rejected. */
function faultExplanation(
  { reason, message: detail }: SourceFault,
  { name }: SourceRef,
  line: number,
): Explanation {
  const rejected = { fate: `rejected:${reason}`, stage: 'source', detail, sessionFate: 'rejected' } as const;
  return { source: name, line, ...rejected, changes: {}, findings: [], sessionFindings: [] };
}
