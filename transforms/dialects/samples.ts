/**
 * Dialect `samples`: samples for the calibration of graders, one object each, from JSONL or out of a TOML deck
 * (src/input/framing/toml-document.ts). Each is a session of its own; what stands beside its messages goes with the conversation.
 */

import { copyOf } from '../json/keep.ts';
import { walkMembers } from '../json/members.ts';
import { oneLine } from '../json/one-line.ts';
import { createPlainScanner, type Scanner } from '../json/scanner.ts';
import { parseJson, parseString } from '../json/utf8.ts';
import type { Entry, Lack, Line, Message, Origin, Rejection } from '../model/element.ts';
import { conversationEntry } from './conversation-entry.ts';
import type { Dialect, DialectReader } from './dialect.ts';
import { type ObjectWalk, readObjects, rejectObject, type Span } from './line-objects.ts';
import { createMessageList } from './logged-messages.ts';
import { SAMPLE_FAULTS, sampleFault } from './sample.ts';
import { createToolsReader, NO_TOOLS } from './tool-definitions.ts';
import { createToolsTextReader, rejectTools } from './tools-text.ts';

const OPEN_ARRAY = 0x5b;
/** Tools are read where a sample has them, which no grader asks for. */
const LACKS: readonly Lack[] = ['replies', 'tools'];

function createReader(scanner: Scanner = createPlainScanner()): DialectReader {
  const messages = createMessageList(scanner, 2);
  const tools = createToolsTextReader(scanner, createToolsReader(scanner, 1));
  const spans = new Map<string, Span>();
  let duplicateAt = -1;

  function walk(bytes: Uint8Array, at: number): number {
    spans.clear();
    duplicateAt = -1;
    return walkMembers(bytes, at, scanner, (keyStart, keyEnd, start) => {
      const key = parseString(bytes, keyStart, keyEnd);
      if (spans.has(key)) duplicateAt = keyStart;
      const end = readValue(key, bytes, start);
      spans.set(key, { start, end });
      return end;
    });
  }

  function readValue(key: string, bytes: Uint8Array, at: number): number {
    if (key === 'messages' && bytes[at] === OPEN_ARRAY) return messages.read(bytes, at);
    return key === 'tools' ? tools.read(bytes, at) : scanner.value(bytes, at, 1);
  }

  /** The members that are neither messages nor tools. */
  function besides(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
    const others = [...spans].filter(([key]) => key !== 'messages' && key !== 'tools');
    return new Map(others.map(([key, { start, end }]) => [key, oneLine(copyOf(bytes, start, end))]));
  }

  function entryOf(line: Line, origin: Origin, number: number): Entry | Rejection {
    const { bytes } = line;
    if (duplicateAt >= 0) return rejectObject(line, origin, 'duplicate-key', 'duplicate key', duplicateAt);
    const start = origin.offset - line.origin.offset;
    const whole = line.made === undefined ? bytes.subarray(start, start + origin.length) : bytes;
    const fault = sampleFault(parseJson(whole));
    if (fault !== undefined) return rejectObject(line, origin, 'bad-sample', SAMPLE_FAULTS[fault], -1);
    const definitions = spans.has('tools') ? tools.definitions : NO_TOOLS;
    if (definitions === undefined) return rejectTools(line, origin, tools, spans.get('tools')?.start ?? -1);
    const said = messages.items as readonly Message[];
    return conversationEntry(origin, number, said, definitions, { sample: besides(bytes), lacks: LACKS });
  }

  const object: ObjectWalk = { walk, entryOf, alone: true, makes: true };
  return { read: (line) => readObjects(line, scanner, object), forget: messages.forget };
}

const samples: Dialect = {
  name: 'samples',
  summary: 'Samples of grader calibration: {messages, expected, tags}, from JSONL or a TOML deck.',
  lacks: LACKS,
  detect: (first) => ['expected', 'userMessage', 'assistantResponse'].some((key) => first.has(key)),
  create: createReader,
};

export default samples;
