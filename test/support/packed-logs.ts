/**
 * Logs of many sessions in one source: most are plain, one call or a growing history; among them are odd and damaged ones, interleaved or
 * returning ones, ids in every form, and pairs of another API.
 */

import { entryLine, REPLY, USER } from './build-logs.ts';
import { mutatedLog } from './mutated-logs.ts';
import { createDice, type Dice } from './odd-logs/dice.ts';
import { fileBytes } from './odd-logs/lines.ts';
import { oddSession } from './odd-logs/session.ts';

const MAX_SESSIONS = 16;
const LONG_ID = 'i'.repeat(5000);

/** The bytes of one source, the same for the same seed. */
export function packedLog(seed: number): Buffer {
  const dice = createDice(seed, new Map());
  const beginsOdd = dice.chance(0.1);
  const sessions = Array.from({ length: 2 + dice.int(MAX_SESSIONS) }, (_, i) =>
    i === 0 && !beginsOdd ? plainSession(dice, 's0') : anySession(dice, `s${i}`, `s${dice.int(i + 1)}`, seed),
  );
  const lines = sessions.flatMap((session, i) => {
    const next = sessions[i + 1];
    return next !== undefined && dice.chance(0.05) ? interleaved(session, next) : session;
  });
  return bytesOf(lines, dice.chance(0.1) ? '' : '\n');
}

/** The bytes of a source with plain sessions only, the same for the same seed. */
export function plainPackedLog(seed: number): Buffer {
  const dice = createDice(seed, new Map());
  const count = 2 + dice.int(MAX_SESSIONS);
  return bytesOf(Array.from({ length: count }, (_, i) => plainSession(dice, `s${i}`)).flat());
}

function bytesOf(lines: readonly Text[], end = '\n'): Buffer {
  return Buffer.from(lines.map(({ latin1 }) => latin1).join('\n') + end, 'latin1');
}

interface Text {
  readonly latin1: string;
}

function anySession(dice: Dice, id: string, earlier: string, seed: number): readonly Text[] {
  if (dice.chance(0.55)) return plainSession(dice, id);
  return dice.variant<readonly Text[]>('session', {
    'comes back': () => plainSession(dice, earlier),
    odd: () => linesOf(fileBytes(dice, oddSession(dice, id))),
    mutated: () => linesOf(mutatedLog(seed * 31 + Number(id.slice(1)), new Map())),
    'odd id': () => plainSession(dice, dice.pick([null, 7, '', 'é', LONG_ID, `${id}"`, { id }])),
    'no id': () => plainSession(dice, undefined).map(without('"session_id":"s",')),
    'escaped id': () => plainSession(dice, id).map(replaced('"session_id":"s', '"session_id":"\\u0073')),
    'escaped id in one line': () => [
      ...plainSession(dice, id),
      ...plainSession(dice, id, 30).map(replaced('"session_id":"s', '"session_id":"\\u0073')),
    ],
    'damaged line': () =>
      plainSession(dice, id).map(({ latin1 }, i) => ({ latin1: i === 0 ? latin1.slice(1) : latin1 })),
    'only damaged lines': () => [text('{"'), text('nothing'), text('')],
    'not increasing': () => [...plainSession(dice, id, 5), ...plainSession(dice, id, 5)],
    'another API': () => [text(anthropicLine(id)), ...plainSession(dice, id, 30)],
    'another API, then both': () => [
      text(anthropicLine(id)),
      text(anthropicLine(`${id}b`, [{ message: REPLY }])),
    ],
    'no reply': () => [
      text(entryLine({ id, reply: null })),
      text(entryLine({ id, at: 2, reply: undefined })),
    ],
    'only an error': () => [
      text(entryLine({ id, response: { error: { code: 500 } } })),
      ...plainSession(dice, id, 30),
    ],
    'other members': () =>
      plainSession(dice, id).map(replaced('{"timestamp"', '{"type":"x","uuid":1,"timestamp"')),
    'many odd lines': () => Array.from({ length: 70 }, (_, i) => text(`{"odd":${i}`)),
  });
}

/** One call, or a growing history. */
function plainSession(dice: Dice, id: unknown, from = 1): readonly Text[] {
  const idParts = id === undefined ? {} : { id };
  const entries = dice.chance(0.6) ? 1 : 2 + dice.int(4);
  const tools = dice.chance(0.3)
    ? [{ type: 'function', function: { name: `t${dice.int(100)}` } }]
    : undefined;
  const messages: object[] = [{ role: 'system', content: dice.pick(['short', 'é\n', 'x'.repeat(2000)]) }];
  return Array.from({ length: entries }, (_, i) => {
    if (i > 0) messages.push(REPLY);
    messages.push({ ...USER, content: `${dice.int(1e9)}` });
    if (i > 1 && dice.chance(0.1)) messages.splice(1, 2);
    const response = responseOf(dice);
    return text(entryLine({ at: from + i, ...idParts, messages, response, ...(tools && { tools }) }));
  });
}

/** The response with a reply; sometimes one that was cut or failed, or the first of several. */
function responseOf(dice: Dice): unknown {
  const choice = { message: REPLY };
  if (!dice.chance(0.15)) return { choices: [choice] };
  return dice.variant<unknown>('response', {
    cut: () => ({ choices: [{ ...choice, finish_reason: 'length' }] }),
    filtered: () => ({ choices: [{ finish_reason: 'content_filter', ...choice }] }),
    failed: () => ({ choices: [{ ...choice, finish_reason: 'error' }], error: null }),
    'several choices': () => ({ choices: [choice, choice] }),
    'an error beside the reply': () => ({ error: { code: 500 }, choices: [choice] }),
  });
}

/** @param choices also adds the reply of the other API; the API of the pair before decides which one counts */
function anthropicLine(id: string, choices?: readonly object[]): string {
  const content = [{ type: 'text', text: 'said otherwise' }];
  const response = { choices, role: 'assistant', content, stop_reason: 'end_turn' };
  const request = { messages: [USER], max_tokens: 5 };
  return JSON.stringify({ timestamp: '2026-01-13T08:00:00Z', session_id: id, request, response });
}

function interleaved(one: readonly Text[], other: readonly Text[]): readonly Text[] {
  return one.flatMap((line, i) => [line, ...other.slice(i, i + 1)]);
}

function linesOf(bytes: Buffer): readonly Text[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .map((latin1) => ({ latin1 }));
}

const text = (utf8: string): Text => ({ latin1: Buffer.from(utf8).toString('latin1') });
const replaced =
  (from: string, to: string) =>
  ({ latin1 }: Text): Text => ({ latin1: latin1.replace(from, to) });
const without = (from: string) => replaced(from, '');
