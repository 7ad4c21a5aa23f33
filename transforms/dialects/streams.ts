/**
 * Dialect `streams`: raw dumps of streamed answers without their requests, as server-sent events or one chunk per line.
 * Each answer is its own session; `--user-turn` adds a user message before it.
 */
import { JsonView } from '../json/json-view.ts';
import { latin1 } from '../json/utf8.ts';
import type { Dialect } from './dialect.ts';
import { isStreamEvent } from './streams/assembler.ts';
import { DumpReader } from './streams/dump-reader.ts';
import { looksLikeEvents } from './streams/sse.ts';

const HEAD_BYTES = 256;

const streams: Dialect = {
  name: 'streams',
  summary: 'Streamed answers: server-sent events, or chunks as JSON lines.',
  knownBy:
    'a first line that begins with data:, event: or a colon; or an object that is a chunk or an event of a stream',
  alone: true,
  lacks: ['tools'],
  // an object with a response may be one of a logger, unless its type says that it is an event
  detect: (first) =>
    (first.has('type') || !(first.has('response') || first.has('messages'))) &&
    isStreamEvent({
      get(key) {
        const bytes = first.get(key);
        return bytes && new JsonView(bytes);
      },
    }),
  detectLine: (line) => looksLikeEvents(latin1(line.subarray(0, HEAD_BYTES))),
  create: (scanner, options) => new DumpReader(scanner, options),
};

export default streams;
