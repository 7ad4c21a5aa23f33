/**
 * One session: appends its next entry as one line to a tape. A line is copied together from the
 * session's serialised history, its tool set and a few short pieces; only the new turn is written.
 */
import { appendAscii, appendBytes, type ByteTape } from './byte-tape.ts';
import { appendEnvelope, type EnvelopeLayout } from './envelope.ts';
import { appendFreshTools } from './fresh-tools.ts';
import { addMessage, emptyHistory, endOfMessages, type History, keepMessages } from './history.ts';
import { appendMixedText, appendPlainMessage, nextTurn, type Voice } from './messages.ts';
import type { SessionName } from './session-name.ts';

/** What one line was, for the corpus' statistics. */
export interface EntryFacts {
  readonly messages: number;
  /** Bytes of the line that an earlier line of the session had at the same place. */
  readonly repeatedBytes: number;
}

/** How this session differs from others; drawn once. */
export interface SessionTraits {
  readonly layout: EnvelopeLayout;
  readonly plannedEntries: number;
  readonly systemRole: 'system' | 'developer';
  readonly volatileSystem: boolean;
  readonly infoMessages: boolean;
  readonly shorterLast: boolean;
}

const sizeIn = (voice: Voice, range: readonly [number, number]): number =>
  voice.random.logUniform(range[0], range[1]);

const appendSystem = (voice: Voice, traits: SessionTraits, history: History): void => {
  const { shape } = voice;
  addMessage(history, (tape) =>
    appendPlainMessage(tape, voice, traits.systemRole, () =>
      appendMixedText(tape, voice, sizeIn(voice, shape.systemBytes)),
    ),
  );
};

const appendUser = (voice: Voice, history: History, opening = ''): void => {
  const [low, high] = voice.shape.textBytes;
  addMessage(history, (tape) =>
    appendPlainMessage(tape, voice, 'user', () => {
      appendAscii(tape, opening);
      appendMixedText(tape, voice, voice.random.logUniform(low, Math.min(high, 2_000)));
    }),
  );
};

/** A whole new conversation of about the size that `fresh` asks for. */
const refill = (
  voice: Voice,
  traits: SessionTraits,
  history: History,
  entryBytes: number,
): void => {
  keepMessages(history, 0);
  appendSystem(voice, traits, history);
  appendUser(voice, history);
  for (let call = 0; history.tape.length < entryBytes; call++) {
    const turn = nextTurn(voice, call);
    addMessage(history, turn.appendReply);
    addMessage(history, turn.appendAnswer);
  }
};

const summaryOpening = 'This conversation was compacted. Go on from this summary: ';

/** Opens a session; each call of the result appends one more line. */
export const openSession = (
  name: SessionName,
  voice: Voice,
  traits: SessionTraits,
  tools: Buffer,
): ((line: ByteTape) => EntryFacts) => {
  const { shape, random } = voice;
  const { comma } = voice.style;
  const history = emptyHistory(comma);
  const clock = { ms: name.startMs };
  let entry = 0;
  appendSystem(voice, traits, history);
  appendUser(voice, history);

  const compact = (): void => {
    keepMessages(history, 1);
    appendUser(voice, history, summaryOpening);
  };

  return (line) => {
    clock.ms += random.integer(500, 60_000);
    if (shape.freshEntryBytes !== undefined) {
      // The rest of the entry (tools, reply, envelope) is about 12 KB.
      refill(voice, traits, history, sizeIn(voice, shape.freshEntryBytes) - 12_000);
    } else if (history.tape.length > shape.maxHistoryBytes) compact();
    // Half of the compacted entries go on compacted, half are a side request that leaves no trace.
    const compacted = entry > 3 && random.chance(shape.compactedEntryChance);
    const aside = compacted && random.chance(0.5);
    if (compacted && !aside) compact();
    const isShorter =
      traits.shorterLast && entry === traits.plannedEntries - 1 && history.starts.length > 4;
    const kept = aside ? 1 : history.starts.length - (isShorter ? 2 : 0);
    const turn = nextTurn(voice, entry);
    const facts = { messages: kept, repeatedBytes: 0 };
    const stamp = new Date(clock.ms).toISOString();

    const appendMessages = (): void => {
      const end = endOfMessages(history, kept);
      const from = traits.volatileSystem ? endOfMessages(history, 1) : 0;
      if (traits.volatileSystem) {
        // The clock stands inside the text: cut off the closing `"}` of the stored message.
        appendBytes(line, history.tape.bytes, 0, from - 2);
        appendAscii(line, `\\nThe current time is ${stamp}. Answer briefly."}`);
      }
      appendBytes(line, history.tape.bytes, from, end);
      facts.repeatedBytes += Math.max(0, Math.min(end, history.sentBytes) - from);
      history.sentBytes = Math.max(history.sentBytes, end);
      if (aside) {
        appendAscii(line, comma);
        appendPlainMessage(line, voice, 'user', () =>
          appendAscii(line, `Summarise: step ${entry}`),
        );
        facts.messages++;
      }
      if (traits.infoMessages) {
        appendAscii(line, comma);
        const info = `<info-msg>\\nIt is currently ${stamp}\\nWorking directory: /srv/agent\\n</info-msg>`;
        appendPlainMessage(line, voice, 'user', () => appendAscii(line, info));
        facts.messages++;
      }
    };
    const appendTools = (): void => {
      if (shape.freshEntryBytes !== undefined) appendFreshTools(line, voice);
      else {
        appendBytes(line, tools);
        if (entry > 0) facts.repeatedBytes += tools.length;
      }
    };
    const appendReply = (): void => {
      const start = addMessage(history, turn.appendReply);
      appendBytes(line, history.tape.bytes, start, history.tape.length);
    };
    appendEnvelope(line, voice, traits.layout, {
      sessionId: name.sessionId,
      stamp,
      epochSeconds: Math.floor(clock.ms / 1000),
      finishReason: turn.finishReason,
      appendMessages,
      appendTools,
      appendReply,
    });
    addMessage(history, turn.appendAnswer);
    entry++;
    return facts;
  };
};
