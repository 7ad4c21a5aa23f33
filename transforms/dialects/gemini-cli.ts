/**
 * Dialect `gemini-cli`: chat recordings of Gemini CLI, `~/.gemini/tmp/HASH/chats/session-*.json` (one object) and,
 * since 0.39, `.jsonl` (a header, then messages and changes; a message may come again when it has changed); its
 * checkpoints; its output with `--output-format stream-json`; and recordings of Qwen Code, its fork.
 */
import type { JsonView } from '../json/json-view.ts';
import type { LineFate } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { ContentsSource, isContent, isQwenLine } from './gemini-cli/contents.ts';
import { GeminiSource } from './gemini-cli/source.ts';
import { isStreamEvent, isStreamLine, StreamJsonSource } from './gemini-cli/stream-json.ts';
import { OpenSessions } from './shared/open-sessions.ts';

/** Finds the session of each line of Qwen Code, which a log of several sessions may have in turns. */
class QwenSessions {
  #current: ContentsSource | undefined;
  #id: string | undefined;
  readonly #open = new OpenSessions<ContentsSource>();

  read(line: JsonView, context: ReadContext): LineFate {
    const source = this.#sourceOf(line, context);
    source.bytes += context.origin.length;
    return source.readLine(line, context);
  }

  /** The session of a line. Another id begins one only at a first line: a fork may go on under its own id. */
  #sourceOf(line: JsonView, { fold }: ReadContext): ContentsSource {
    const id = line.textOf('sessionId');
    const before = this.#current;
    if (before !== undefined && (id === undefined || id === this.#id)) return before;
    const known = id === undefined ? undefined : this.#open.get(id);
    const isFirst = line.get('parentUuid')?.type === 'null';
    if (before !== undefined && known === undefined && !isFirst) return before;
    if (known === undefined) this.#open.makeRoom(fold);
    this.#current = known ?? new ContentsSource(this.#id === undefined ? undefined : id);
    this.#id = id;
    if (id !== undefined) this.#open.put(id, this.#current);
    return this.#current;
  }
}

interface Memory {
  readonly recording: GeminiSource;
  readonly contents: ContentsSource;
  readonly qwen: QwenSessions;
  readonly stream: StreamJsonSource;
  /** Whether the source is the output of a run, not a recording. */
  isStream: boolean;
}

const SPEAKERS: ReadonlySet<string> = new Set(['user', 'gemini']);

function detect(first: FirstObject): boolean {
  if (isStreamEvent(first)) return true;
  if (isQwenLine(first) || isContent(first) || isContent(first.get('history')?.elements()[0])) return true;
  const isText = (key: string): boolean => first.get(key)?.type === 'string';
  // a line after the header, which may be lost
  if (first.get('type')?.text() === 'gemini') return isText('id') && isText('timestamp');
  const [message] = first.get('$set')?.get('messages')?.elements() ?? [];
  if (SPEAKERS.has(message?.get('type')?.text() ?? '')) return message?.get('content') !== undefined;
  return ['sessionId', 'projectHash', 'startTime'].every(isText);
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  const { recording, contents, qwen, stream } = memory;
  if (memory.isStream || isStreamLine(json)) {
    memory.isStream = true;
    return stream.read(json, context);
  }
  const history = json.get('history');
  if (history?.type === 'array' && (json.get('messages')?.elements().length ?? 0) > 0)
    return context.reject('bad-messages', 'the object has messages and a history', history);
  if (history?.type === 'array') return contents.readContents(history.elements(), context);
  if (json.get('parts') !== undefined) return contents.readContents([json], context);
  if (json.get('uuid') !== undefined) return qwen.read(json, context);
  return recording.read(json, context);
}

const geminiCli: Dialect = defineDialect({
  name: 'gemini-cli',
  summary: 'Chat recordings, checkpoints and stream-json output of Gemini CLI, recordings of Qwen Code.',
  keys: ['sessionId', 'startTime', 'messages', 'id', 'type', 'content', 'toolCalls', '$set', '$rewindTo'],
  folds: true,
  clientRules: ['session-context'],
  memory: (): Memory => ({
    recording: new GeminiSource(),
    contents: new ContentsSource(),
    qwen: new QwenSessions(),
    stream: new StreamJsonSource(),
    isStream: false,
  }),
  knownBy:
    'sessionId, projectHash and startTime; type gemini, with id and timestamp; a role of user or model, and parts; uuid, sessionId and such a message; $set with messages; or timestamp and an event of stream-json',
  marks: ['sessionId', 'projectHash', 'startTime'],
  detect,
  read,
  end: (context, { stream }) => stream.end(context),
});

export default geminiCli;
