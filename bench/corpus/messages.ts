/**
 * Appends single messages as bytes: system, user, assistant (text, or text and a tool call) and tool result, with the mix of texts of real
 * agent logs.
 */

import { toolName } from './envelope.ts';
import { appendAscii, type ByteTape } from './json-style.ts';
import type { Range } from './shapes.ts';
import { appendFreshText, appendSlice, type TextKind } from './text-pool.ts';
import type { Voice } from './voice.ts';

const sizeIn = (voice: Voice, [low, high]: Range): number => voice.random.logUniform(low, high);

const appendText = (tape: ByteTape, voice: Voice, kind: TextKind, textBytes: number): void => {
  const append = voice.shape.freshEntryBytes === undefined ? appendSlice : appendFreshText;
  append(tape, voice.pools[kind], voice.random, textBytes);
};

/** Appends prose, code, prose with a fenced block, or a JSON document, without the quotes of the JSON string around it. */
export const appendMixedText = (tape: ByteTape, voice: Voice, textBytes: number): void => {
  const draw = voice.random.unit();
  if (draw < 0.3) appendText(tape, voice, 'prose', textBytes);
  else if (draw < 0.6) appendText(tape, voice, 'code', textBytes);
  else if (draw < 0.95) {
    appendText(tape, voice, 'prose', textBytes >> 1);
    appendAscii(tape, '\\n```ts\\n');
    appendText(tape, voice, 'code', textBytes >> 1);
    appendAscii(tape, '\\n```\\n');
  } else appendJsonDocument(tape, voice, textBytes);
};

const freshPieceBytes = 400;

const appendJsonDocument = (tape: ByteTape, voice: Voice, textBytes: number): void => {
  const pieceBytes = voice.shape.freshEntryBytes === undefined ? textBytes : freshPieceBytes;
  const end = tape.length + textBytes;
  appendAscii(tape, '[');
  while (tape.length < end) {
    appendAscii(tape, `${voice.random.integer(0, 0xffff_ffff)},`);
    appendSlice(tape, voice.pools.json, voice.random, Math.min(pieceBytes, end - tape.length));
  }
  appendAscii(tape, `${voice.random.integer(0, 1e9)}]`);
};

/** Appends a message; `fill` writes its text. */
export const appendPlainMessage = (
  tape: ByteTape,
  { style: { comma, colon } }: Voice,
  role: string,
  fill: () => void,
): void => {
  appendAscii(tape, `{"role"${colon}"${role}"${comma}"content"${colon}"`);
  fill();
  appendAscii(tape, '"}');
};

const appendCall = (tape: ByteTape, voice: Voice, callId: string): void => {
  const { comma, colon } = voice.style;
  const { random, shape } = voice;
  const name = toolName(voice.toolSet, random.integer(0, shape.toolsPerSet - 1));
  const content = random.chance(shape.emptyContentChance) ? 'null' : '"';
  appendAscii(tape, `{"role"${colon}"assistant"${comma}"content"${colon}${content}`);
  if (content === '"') {
    appendMixedText(tape, voice, sizeIn(voice, shape.callTextBytes));
    appendAscii(tape, '"');
  }
  appendAscii(
    tape,
    `${comma}"tool_calls"${colon}[{"id"${colon}"${callId}"${comma}"type"${colon}"function"${comma}` +
      `"function"${colon}{"name"${colon}"${name}"${comma}"arguments"${colon}"{\\"limit\\": ${random.integer(1, 1e9)}, \\"text\\": \\"`,
  );
  appendText(tape, voice, 'argument', sizeIn(voice, shape.argumentBytes));
  appendAscii(tape, '\\"}"}}]}');
};

const appendResult = (tape: ByteTape, voice: Voice, callId: string): void => {
  const { comma, colon } = voice.style;
  const resultBytes = sizeIn(voice, voice.shape.resultBytes);
  const draw = voice.random.unit();
  appendAscii(
    tape,
    `{"role"${colon}"tool"${comma}"tool_call_id"${colon}"${callId}"${comma}"content"${colon}"`,
  );
  if (draw < 0.4) appendText(tape, voice, 'code', resultBytes);
  else if (draw < 0.6) appendText(tape, voice, 'listing', resultBytes);
  else if (draw < 0.8) appendText(tape, voice, 'prose', resultBytes);
  else appendJsonDocument(tape, voice, resultBytes);
  appendAscii(tape, '"}');
};

/** The model's next answer, and the message that follows it in the next request. */
export interface Turn {
  readonly finishReason: 'tool_calls' | 'stop';
  appendReply(tape: ByteTape): void;
  appendAnswer(tape: ByteTape): void;
}

/** Draws the next turn: a tool call and its result, or an answer and the user's next question. */
export const nextTurn = (voice: Voice, callNumber: number): Turn => {
  const { random, shape } = voice;
  if (random.chance(shape.toolTurnChance)) {
    const callId = `call_${callNumber}_${random.integer(0, 0xffff_ffff).toString(36)}`;
    return {
      finishReason: 'tool_calls',
      appendReply: (tape) => appendCall(tape, voice, callId),
      appendAnswer: (tape) => appendResult(tape, voice, callId),
    };
  }
  const textMessage = (role: string) => (tape: ByteTape) =>
    appendPlainMessage(tape, voice, role, () => appendMixedText(tape, voice, sizeIn(voice, shape.textBytes)));
  return { finishReason: 'stop', appendReply: textMessage('assistant'), appendAnswer: textMessage('user') };
};
