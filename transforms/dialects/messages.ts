/**
 * Dialect `messages`: lines that are conversations already, each a session of its own. `{"messages": [...], "tools": [...]}`
 * as turnmill itself writes it, and ShareGPT's `{"conversations": [...], "system": ..., "tools": ...}`. Messages are kept
 * byte for byte; the last one, when it is the model's, is the reply (docs/decisions/0035-conversations-as-input.md).
 */

import { isKey, walkMembers } from '../json/members.ts';
import { createPlainScanner, type Scanner } from '../json/scanner.ts';
import type { Entry, Lack, Line, Message, Origin, Rejection } from '../model/element.ts';
import { conversationEntry } from './conversation-entry.ts';
import type { Dialect, DialectReader } from './dialect.ts';
import { missingOrBad, type ObjectWalk, readObjects, rejectObject, type Span } from './line-objects.ts';
import { createMessageList, isMessage } from './logged-messages.ts';
import { systemMessage } from './made-messages.ts';
import { readTurns } from './sharegpt-turns.ts';
import { createToolsReader, NO_TOOLS } from './tool-definitions.ts';
import { createToolsTextReader, rejectTools } from './tools-text.ts';

const OPEN_ARRAY = 0x5b;
const QUOTE = 0x22;
const LETTER_N = 0x6e;
const READ = ['messages', 'conversations', 'system', 'tools'] as const;
type Key = (typeof READ)[number];
const LACKS: readonly Lack[] = ['replies'];

function createReader(scanner: Scanner = createPlainScanner()): DialectReader {
  const messages = createMessageList(scanner, 2);
  const tools = createToolsTextReader(scanner, createToolsReader(scanner, 1));
  const spans = new Map<Key, Span>();
  let duplicateAt = -1;

  function walk(bytes: Uint8Array, start: number): number {
    spans.clear();
    duplicateAt = -1;
    return walkMembers(bytes, start, scanner, (keyStart, keyEnd, value) => {
      const key = READ.find((one) => isKey(bytes, keyStart, keyEnd, one));
      if (key === undefined) return scanner.value(bytes, value, 1);
      if (spans.has(key)) duplicateAt = keyStart;
      const end = readValue(key, bytes, value);
      spans.set(key, { start: value, end });
      return end;
    });
  }

  function readValue(key: Key, bytes: Uint8Array, value: number): number {
    if (key === 'messages' && bytes[value] === OPEN_ARRAY) return messages.read(bytes, value);
    return key === 'tools' ? tools.read(bytes, value) : scanner.value(bytes, value, 1);
  }

  function entryOf(line: Line, origin: Origin, number: number): Entry | Rejection {
    const { bytes } = line;
    const startOf = (key: Key): number => spans.get(key)?.start ?? -1;
    const bytesOf = (key: Key): Uint8Array => bytes.subarray(startOf(key), spans.get(key)?.end);
    const badMessages = (detail: string, key: Key): Rejection =>
      rejectObject(line, origin, 'bad-messages', detail, startOf(key));

    if (duplicateAt >= 0) {
      return rejectObject(line, origin, 'duplicate-key', 'duplicate key', duplicateAt);
    }
    let list: readonly Message[];
    if (bytes[startOf('messages')] === OPEN_ARRAY) {
      if (!messages.items.every(isMessage))
        return badMessages('a message is not an object with a string role', 'messages');
      list = messages.items;
    } else if (bytes[startOf('conversations')] === OPEN_ARRAY) {
      const turns = readTurns(bytesOf('conversations'));
      if (typeof turns === 'string') return badMessages(turns, 'conversations');
      list = turns;
    } else return badMessages(missingOrBad('messages', startOf('messages')), 'messages');

    const system = spans.has('system') ? bytesOf('system') : undefined;
    if (system !== undefined && system[0] !== QUOTE && system[0] !== LETTER_N)
      return badMessages('system is not valid', 'system');
    const definitions = spans.has('tools') ? tools.definitions : NO_TOOLS;
    if (definitions === undefined) return rejectTools(line, origin, tools, startOf('tools'));
    const said = system === undefined ? list : [...systemMessage(system), ...list];
    return conversationEntry(origin, number, said, definitions, { lacks: LACKS });
  }

  const object: ObjectWalk = { walk, entryOf, alone: true, makes: true };
  return { read: (line) => readObjects(line, scanner, object), forget: messages.forget };
}

const messages: Dialect = {
  name: 'messages',
  summary: 'Conversations, one per line: {messages, tools} as the formats write them, or ShareGPT.',
  lacks: LACKS,
  detect: (first) =>
    first.get('messages')?.[0] === OPEN_ARRAY || first.get('conversations')?.[0] === OPEN_ARRAY,
  create: createReader,
};

export default messages;
