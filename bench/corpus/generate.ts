/**
 * Writes sessions into a sink until the corpus has the wanted size. Only the last session is cut short, at the end of a line; `growth`
 * sessions never are, because their length is what that corpus measures.
 */
import { buildToolSets } from './envelope.ts';
import { generateEventLogs } from './event-logs.ts';
import { type JsonStyle, javascriptStyle, pythonStyle } from './json-style.ts';
import type { CorpusOrder, CorpusStats } from './order.ts';
import { seededRandom } from './random.ts';
import { appendEntry, nameSession, openSession } from './session.ts';
import { drawTraits } from './session-traits.ts';
import { corpusShape, isEventKind } from './shapes.ts';
import type { CorpusSink } from './sinks.ts';
import { buildTextPools, type TextPools } from './text-pool.ts';
import type { Voice } from './voice.ts';

interface StyleKit {
  readonly style: JsonStyle;
  readonly pools: TextPools;
  readonly toolSets: readonly Buffer[];
}

/** Generates the corpus and closes the sink. */
export const generateCorpus = (order: CorpusOrder, sink: CorpusSink): CorpusStats => {
  const { kind, seed } = order;
  if (isEventKind(kind)) return generateEventLogs({ ...order, kind }, sink);
  const shape = corpusShape(kind, order.growthEntries);
  const wantedBytes = order.bytes ?? shape.defaultBytes;
  const kits = [javascriptStyle, pythonStyle].map(
    (style): StyleKit => ({
      style,
      pools: buildTextPools(style, seed),
      toolSets: buildToolSets(style, shape, seed),
    }),
  );
  const sum = { bytes: 0, sessions: 0, entries: 0, histories: 0, repeated: 0, longest: 0 };
  while (sum.sessions < shape.maxSessions && sum.bytes < wantedBytes) {
    // `gz` is `main` in compressed form, so both use the same seeds.
    const random = seededRandom([seed, kind === 'gz' ? 'main' : kind, sum.sessions]);
    const kit = random.pick(kits);
    const toolSet = random.integer(0, kit.toolSets.length - 1);
    const voice: Voice = { ...kit, shape, random, toolSet };
    const name = nameSession(sum.sessions, random);
    const traits = drawTraits(random, shape);
    const tools = kit.toolSets[toolSet] ?? Buffer.from('[]');
    const session = openSession(name, voice, traits, tools);
    let history = 0;
    sink.beginSession(name);
    for (let entry = 0; entry < traits.plannedEntries; entry++) {
      if (sum.bytes >= wantedBytes && !shape.uniform) break;
      const before = sink.tape.length;
      const facts = appendEntry(sink.tape, session);
      const lineBytes = sink.tape.length - before;
      sum.bytes += lineBytes;
      sum.entries++;
      sum.repeated += facts.repeatedBytes;
      sum.longest = Math.max(sum.longest, lineBytes);
      history = Math.max(history, facts.messages);
      sink.endLine();
    }
    sink.endSession();
    sum.sessions++;
    sum.histories += history;
  }
  sink.close();
  return {
    kind,
    seed,
    bytes: sum.bytes,
    sessions: sum.sessions,
    entries: sum.entries,
    longestHistories: sum.histories,
    distinctBytes: sum.bytes - sum.repeated,
    longestLineBytes: sum.longest,
  };
};
