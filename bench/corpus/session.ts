/**
 * Appends the next entry of a session to a tape as one line. The serialised history and the tool set are copied; only the new turn is
 * serialised.
 */
import { appendEnvelope, appendFreshTools } from './envelope.ts';
import {
  addMessage,
  appendLineMessages,
  type EntryFacts,
  emptyHistory,
  type History,
  keepMessages,
  type LinePlan,
} from './history.ts';
import { appendAscii, appendBytes, type ByteTape } from './json-style.ts';
import { appendMixedText, appendPlainMessage, nextTurn } from './messages.ts';
import type { Random } from './random.ts';
import type { SessionTraits } from './session-traits.ts';
import type { Range } from './shapes.ts';
import type { Voice } from './voice.ts';

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

/** The identity of a session. */
export interface SessionName {
  readonly sessionId: string;
  readonly dateFolder: string;
  readonly fileStem: string;
  readonly startMs: number;
}

/** Names a session by its number. Ids are unique for up to a million sessions. */
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

export interface Session {
  readonly name: SessionName;
  readonly voice: Voice;
  readonly traits: SessionTraits;
  readonly tools: Buffer;
  readonly history: History;
  clockMs: number;
  entry: number;
}

const maxUserBytes = 2_000;
const summaryOpening = 'This conversation was compacted. Go on from this summary: ';
/** Approximate size of an entry of `fresh` without its messages: tools, reply, envelope. */
const freshRestBytes = 12_000;

const sizeIn = (voice: Voice, [low, high]: Range): number => voice.random.logUniform(low, high);

const appendSystem = ({ voice, traits, history }: Session): void => {
  addMessage(history, (tape) =>
    appendPlainMessage(tape, voice, traits.systemRole, () =>
      appendMixedText(tape, voice, sizeIn(voice, voice.shape.systemBytes)),
    ),
  );
};

const appendUser = ({ voice, history }: Session, opening = ''): void => {
  const [low, high] = voice.shape.textBytes;
  addMessage(history, (tape) =>
    appendPlainMessage(tape, voice, 'user', () => {
      appendAscii(tape, opening);
      appendMixedText(tape, voice, sizeIn(voice, [low, Math.min(high, maxUserBytes)]));
    }),
  );
};

/** Replaces the history with a new conversation of about this size. */
const refill = (session: Session, historyBytes: number): void => {
  const { history, voice } = session;
  keepMessages(history, 0);
  appendSystem(session);
  appendUser(session);
  for (let call = 0; history.tape.length < historyBytes; call++) {
    const turn = nextTurn(voice, call);
    addMessage(history, turn.appendReply);
    addMessage(history, turn.appendAnswer);
  }
};

const compact = (session: Session): void => {
  keepMessages(session.history, 1);
  appendUser(session, summaryOpening);
};

/** Prepares the history for the next request, and decides which of its messages the line contains. */
const planLine = (session: Session): LinePlan => {
  const { voice, traits, history, entry } = session;
  const { shape, random } = voice;
  if (shape.freshEntryBytes !== undefined) {
    refill(session, sizeIn(voice, shape.freshEntryBytes) - freshRestBytes);
  } else if (history.tape.length > shape.maxHistoryBytes) compact(session);
  // Half of these entries really compact the history; the others are side requests.
  const compacted = entry > 3 && random.chance(shape.compactedEntryChance);
  const aside = compacted && random.chance(0.5);
  if (compacted && !aside) compact(session);
  const count = history.starts.length;
  const isShorter = traits.shorterLast && entry === traits.plannedEntries - 1 && count > 4;
  const kept = aside ? 1 : count - (isShorter ? 2 : 0);
  return { kept, aside, stamp: new Date(session.clockMs).toISOString() };
};

/** Starts a session with a system and a user message. */
export const openSession = (
  name: SessionName,
  voice: Voice,
  traits: SessionTraits,
  tools: Buffer,
): Session => {
  const history = emptyHistory(voice.style.comma);
  const session = { name, voice, traits, tools, history, clockMs: name.startMs, entry: 0 };
  appendSystem(session);
  appendUser(session);
  return session;
};

export const appendEntry = (line: ByteTape, session: Session): EntryFacts => {
  const { voice, traits, history, tools } = session;
  session.clockMs += voice.random.integer(500, 60_000);
  const plan = planLine(session);
  const turn = nextTurn(voice, session.entry);
  const isFresh = voice.shape.freshEntryBytes !== undefined;
  let facts: EntryFacts = { messages: 0, repeatedBytes: 0 };
  appendEnvelope(line, voice, traits.layout, {
    sessionId: session.name.sessionId,
    stamp: plan.stamp,
    epochSeconds: Math.floor(session.clockMs / 1000),
    finishReason: turn.finishReason,
    appendMessages: () => {
      facts = appendLineMessages(line, voice, traits, history, plan);
    },
    appendTools: () => {
      if (isFresh) appendFreshTools(line, voice);
      else appendBytes(line, tools);
    },
    appendReply: () => {
      const start = addMessage(history, turn.appendReply);
      appendBytes(line, history.tape.bytes, start, history.tape.length);
    },
  });
  addMessage(history, turn.appendAnswer);
  const repeatedTools = !isFresh && session.entry > 0 ? tools.length : 0;
  session.entry++;
  return { ...facts, repeatedBytes: facts.repeatedBytes + repeatedTools };
};
