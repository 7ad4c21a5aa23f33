/**
 * Dialect `claude-code`: transcripts of Claude Code (`~/.claude/projects/PROJECT/SESSION.jsonl`) and of its sub-agents,
 * and the output of `claude -p --output-format stream-json`. One line is one event. A session of Claude Code on the web
 * is one document with a list of such events (`loglines`).
 */
import type { JsonView } from '../json/json-view.ts';
import type { LineFate } from '../model/element.ts';
import { ClaudeLine, SPEAKERS } from './claude-code/line.ts';
import { CLIENT_EVENTS } from './claude-code/marks.ts';
import { ClaudeSessions } from './claude-code/sessions.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { CopiedLines } from './shared/copied-lines.ts';
import { LastObject } from './shared/last-object.ts';

const STREAM: ReadonlySet<string> = new Set(['system', 'result', 'stream_event', ...SPEAKERS]);

/** iFlow names its sessions after their files. Its lines look alike, but its results are those of Gemini CLI. */
const OF_IFLOW = /^session-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function detect(first: FirstObject): boolean {
  const isText = (key: string): boolean => first.get(key)?.type === 'string';
  const type = first.get('type')?.text();
  if (type === undefined) return first.get('loglines')?.type === 'array';
  // lines of Codex, and of Qwen Code, which imitates this format
  if (first.get('payload') !== undefined || first.get('systemPayload') !== undefined) return false;
  if (OF_IFLOW.test(first.get('sessionId')?.text() ?? '')) return false;
  if (type === 'summary' && isText('leafUuid')) return true;
  if (type === 'file-history-snapshot' && first.get('snapshot') !== undefined) return true;
  // some versions of Droid name their session `sessionId` too
  if (type === 'system' && !isText('uuid') && isText('sessionId')) return false;
  if (isText('sessionId')) return CLIENT_EVENTS.has(type) || (SPEAKERS.has(type) && hasContent(first));
  if (first.get('session_id') === undefined)
    return SPEAKERS.has(type) && first.get('message')?.get('role')?.text() === type;
  if (!STREAM.has(type) || !isText('session_id')) return false;
  // older versions print no uuid; other clients print a session_id and their tools too
  return ['parent_tool_use_id', 'mcp_servers'].some((key) => first.get(key) !== undefined) || isText('uuid');
}

/** False for events of clients that imitate this format: their message is a bare text, or has parts and no content. */
function hasContent(first: FirstObject): boolean {
  const message = first.get('message');
  return message === undefined || message.get('content') !== undefined;
}

interface Memory {
  readonly sessions: ClaudeSessions;
  /** The last line with a message that has no uuid. */
  readonly last: LastObject;
  /** The lines without a uuid. */
  readonly copies: CopiedLines;
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  if (json.get('loglines') !== undefined) return context.drop('client-event');
  const line = ClaudeLine.of(json);
  if (line === undefined) return context.reject('bad-event', 'type is missing', json.get('type'));
  const isCopy = line.uuid === undefined && isCopied(line, json, context, memory);
  if (isCopy) return context.drop('copied-line');
  return memory.sessions.read(line, context);
}

/** Is a line without a uuid a copy of an earlier one? */
function isCopied(line: ClaudeLine, json: JsonView, { origin }: ReadContext, memory: Memory): boolean {
  const time = line.text('timestamp');
  if (memory.copies.isTimedCopy(json, origin, time)) return true;
  return SPEAKERS.has(line.type) && memory.last.isAgain(json, time, origin);
}

const claudeCode: Dialect = defineDialect({
  name: 'claude-code',
  summary: 'Transcripts of Claude Code and of its sub-agents, and its stream-json output.',
  knownBy:
    'type and sessionId; type and leafUuid or snapshot; in stream-json: type, session_id, and uuid, parent_tool_use_id or mcp_servers; type user or assistant and a message of that role; or a loglines list of these',
  keys: ['type', 'uuid', 'parentUuid', 'sessionId', 'session_id', 'message', 'isSidechain', 'agentId'],
  folds: true,
  clientRules: ['system-reminder'],
  inside: 'loglines',
  memory: ({ sessionBy }): Memory => ({
    sessions: new ClaudeSessions(sessionBy === 'run'),
    last: new LastObject(),
    copies: new CopiedLines(),
  }),
  marks: ['type', 'uuid', 'sessionId', 'message'],
  detect,
  read,
  end: ({ fold }, { sessions }) => sessions.end(fold),
});

export default claudeCode;
