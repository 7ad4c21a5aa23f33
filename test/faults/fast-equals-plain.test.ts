/**
 * F061: the fast path (known prefix, WebAssembly scanner, one reader that remembers, lines in a reused slab) gives the same elements as the
 * plain scanner with a fresh reader for each line, on generated and mutated lines. Its verdict on a line is that of JSON.parse on the
 * strictly decoded text. 3,000 lines; 100,000 with TURNMILL_LONG=1.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { LineFramer } from '../../src/input/framing/lines.ts';
import { createSlab } from '../../src/input/framing/slab.ts';
import exchange from '../../transforms/dialects/exchange.ts';
import { membersOf } from '../../transforms/json/members.ts';
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import { createScanMemory, type ScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { Entry, Line, Message, Rejection } from '../../transforms/model/element.ts';
import { LONG } from '../support/long.ts';
import { mutatedLog } from '../support/mutated-logs.ts';
import { randomFrom } from '../support/plain-logs.ts';

const LINES = LONG ? 100_000 : 3_000;
const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const LINES_PER_TEST = 1000;
const SEEDS_PER_TEST = 1_000_000;

type Element = Entry | Rejection;

const memory = createScanMemory() as ScanMemory;
const slab = createSlab(memory.slab);
const reader = exchange.create(memory.createScanner());
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Messages already found correct, by identity. */
const checked = new WeakSet<Uint8Array>();

const copy = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const shown = ({ bytes, role }: Message): unknown => [copy(bytes), role];

/** All fields of an element as comparable values. */
function comparable(element: Element): unknown {
  if (element.kind === 'rejection') return { ...element, bytes: element.bytes && copy(element.bytes) };
  const { messages, tools, reply } = element;
  const definitions = tools.map(({ bytes, name }) => [copy(bytes), name]);
  return { ...element, messages: messages.map(shown), tools: definitions, reply: reply && shown(reply) };
}

/** Reads a copy of the bytes with a fresh reader and the plain scanner. */
function plainly({ kind, origin, bytes }: Line): readonly Element[] {
  const elements = exchange.create(createPlainScanner()).read({ kind, origin, bytes: copy(bytes) });
  return [...elements] as Element[];
}

/** Do the cached members of the message agree with its bytes? */
function notesAreRight({ bytes }: Message): boolean {
  if (checked.has(bytes)) return true;
  checked.add(bytes);
  return bytes[0] !== 0x7b || isDeepStrictEqual(membersOf(bytes), membersOf(copy(bytes)));
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(strict.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Nesting depth of valid JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') most = Math.max(most, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return most;
}

function problemOf(line: Line, elements: readonly Element[]): string | undefined {
  const expected = plainly(line);
  if (!isDeepStrictEqual(elements.map(comparable), expected.map(comparable)))
    return 'fast and plain results differ';
  const messages = elements.flatMap((one) => (one.kind === 'entry' ? [...one.messages, one.reply] : []));
  if (!messages.every((one) => one === undefined || notesAreRight(one)))
    return 'the cached members of a message are wrong';
  const [first] = elements;
  const reason = first?.kind === 'rejection' ? first.reason : undefined;
  const valid = isJson(line.bytes);
  if (reason === 'too-deep')
    return valid && depthOf(strict.decode(line.bytes)) <= 512 ? 'wrongly rejected as too deep' : undefined;
  const accepted = elements.length === 1 && reason !== 'invalid-json' && reason !== 'invalid-utf8';
  return accepted === valid ? undefined : `it is ${valid ? '' : 'not '}JSON`;
}

interface Tally {
  lines: number;
  readonly fates: Map<string, number>;
  shared: number;
}

function readLog(seed: number, oddities: Map<string, number>, tally: Tally): void {
  const log = mutatedLog(seed, oddities);
  const random = randomFrom(seed);
  const most = random() < 0.5 ? 400 : 300_000;
  const framer = new LineFramer('a.jsonl', 1 << 28, slab);
  const known = new Set<Message>();
  reader.forget();
  const take = (line: Line | Rejection): void => {
    if (line.kind === 'rejection') throw new Error('no line is too long');
    if (line.bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) return; // blank lines are handled by the stage
    const elements = [...reader.read(line)] as Element[]; // an exchange is never dropped
    const problem = problemOf(line, elements);
    if (problem !== undefined) {
      const json = JSON.stringify(line.bytes.toString());
      expect.fail(`seed ${seed}, line ${line.origin.line}: ${problem}\n${json.slice(0, 4000)}`);
    }
    tally.lines++;
    for (const one of elements) {
      const fate = one.kind === 'entry' ? 'entry' : one.reason;
      tally.fates.set(fate, (tally.fates.get(fate) ?? 0) + 1);
      for (const message of one.kind === 'entry' ? one.messages : []) {
        if (known.has(message)) tally.shared++;
        known.add(message);
      }
    }
  };
  for (let at = 0; at < log.length; ) {
    const room = framer.space();
    const count = Math.min(log.length - at, room.length, 1 + Math.floor(random() * most));
    room.set(log.subarray(at, at + count));
    at += count;
    for (const line of framer.filled(count)) take(line);
  }
  for (const line of framer.end()) take(line);
}

const all: Tally = { lines: 0, fates: new Map(), shared: 0 };
const oddities = new Map<string, number>();
const tests = Array.from({ length: LINES / LINES_PER_TEST }, (_, i) => (SEED + i) * SEEDS_PER_TEST);

it.each(tests)(`${LINES_PER_TEST} lines, seeds from %i: the same elements`, (from) => {
  const before = all.lines;
  for (let seed = from; all.lines < before + LINES_PER_TEST; seed++) readLog(seed, oddities, all);
});

it('the lines were of every kind', () => {
  expect(all.lines).toBeGreaterThanOrEqual(LINES);
  expect([...all.fates.keys()].sort()).toEqual([
    'bad-messages',
    'bad-response',
    'bad-session-id',
    'bad-timestamp',
    'bad-tools',
    'duplicate-key',
    'entry',
    'invalid-json',
    'invalid-utf8',
    'not-an-object',
    'too-deep',
  ]);
  const ways = [...oddities].filter(([name]) =>
    /^(?:rewriting|mutation):|compaction|changed past/.test(name),
  );
  expect(ways.length).toBeGreaterThan(16);
  expect(ways.filter(([, hits]) => hits === 0)).toEqual([]);
  expect(all.fates.get('entry')).toBeGreaterThan(LINES / 5);
  expect(all.shared).toBeGreaterThan(LINES / 2); // the known prefix was used
});
