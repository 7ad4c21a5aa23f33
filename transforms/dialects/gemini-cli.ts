/**
 * Dialect `gemini-cli`: chat recordings of Gemini CLI, `~/.gemini/tmp/HASH/chats/session-*.json` (one object) and,
 * since 0.39, `.jsonl` (a head, then messages, which may be rewritten later, and changes).
 */
import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { GeminiSource } from './gemini-source.ts';

function detect(first: FirstObject): boolean {
  return ['sessionId', 'projectHash', 'startTime'].every((key) => first.get(key)?.type === 'string');
}

function read(json: JsonView, context: ReadContext, source: GeminiSource): Fate | Rejection | undefined {
  return source.read(json, context);
}

const geminiCli: Dialect = defineDialect({
  name: 'gemini-cli',
  summary: 'Chat recordings of Gemini CLI, as documents and as lines.',
  keys: ['sessionId', 'startTime', 'messages', 'id', 'type', 'content', 'toolCalls', '$set', '$rewindTo'],
  folds: true,
  memory: () => new GeminiSource(),
  knownBy: 'sessionId, projectHash and startTime',
  marks: ['sessionId', 'projectHash', 'startTime'],
  detect,
  read,
});

export default geminiCli;
