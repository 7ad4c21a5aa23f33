/**
 * Dialect `codex`: rollouts of Codex (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`), one event per line. In old
 * versions a line was a bare item after a header without a type; in the oldest the log was one document,
 * `{session, items}`. Also the output of `codex exec --json`, whose events are different.
 */
import type { JsonView } from '../json/json-view.ts';
import type { Fate, LineFate, Rejection } from '../model/element.ts';
import { CodexExecSource, isExecEvent } from './codex/exec.ts';
import { RolloutPieces } from './codex/rollout-pieces.ts';
import { CodexSource } from './codex/source.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { leaveUnknown } from './shared/carried-content.ts';
import { CopiedLines } from './shared/copied-lines.ts';
import { LastObject } from './shared/last-object.ts';
import { firstRejection } from './shared/line-objects.ts';

const TYPES: ReadonlySet<string> = new Set([
  ...['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'],
]);

/** Items that may be lines of an old rollout. */
const ITEMS: ReadonlySet<string> = new Set([
  ...['message', 'reasoning', 'function_call', 'function_call_output', 'local_shell_call'],
  ...['custom_tool_call', 'custom_tool_call_output', 'web_search_call'],
]);

/** The `record_type` of lines with the state of an old client. */
const STATE = 'state';

interface Memory {
  readonly rollout: CodexSource;
  readonly pieces: RolloutPieces;
  readonly exec: CodexExecSource;
  readonly lines: LastObject;
  readonly copies: CopiedLines;
}

function detect(first: FirstObject): boolean {
  const type = first.get('type')?.text();
  if (type === 'thread.started') return first.get('thread_id')?.type === 'string';
  if (type?.startsWith('item.') && isExecEvent(type)) {
    const item = first.get('item');
    return item?.get('id')?.type === 'string' && item.get('type')?.type === 'string';
  }
  if (type !== undefined) return TYPES.has(type) && first.get('payload')?.type === 'object';
  if (first.get('record_type')?.text() === 'state') return true; // a line of an old log whose header is lost
  if (first.get('session')?.type === 'object') return first.get('items')?.type === 'array';
  const isText = (key: string): boolean => first.get(key)?.type === 'string';
  if (!isText('id') || !isText('timestamp')) return false;
  if (first.get('instructions') !== undefined) return true;
  return first.get('git')?.type === 'object' && first.get('source') === undefined;
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  const { rollout, pieces, exec, lines } = memory;
  const type = json.textOf('type');
  const payload = json.get('payload');
  const isCopy =
    isOfCopy(json, type, context, memory) || lines.isAgain(json, markOf(json, type), context.origin);
  if (isCopy) return context.drop('copied-line');
  if (type !== undefined && payload === undefined && isExecEvent(type)) return exec.read(type, json, context);
  if (payload === undefined) {
    const old = readOld(json, type, context, rollout);
    if (old !== 'no') return old;
  }
  if (type === undefined || payload?.type !== 'object') {
    rollout.cut();
    const detail = type === undefined ? 'type is missing' : 'payload is not an object';
    return context.reject('bad-event', detail, type === undefined ? json.get('type') : payload);
  }
  const result = rollout.read(type, payload, context, json.get('timestamp'));
  if (result?.kind !== 'rejection') pieces.see(type, payload, context);
  return result;
}

/** Is the line part of a rollout that the log has a second time, after its header again? */
function isOfCopy(
  json: JsonView,
  type: string | undefined,
  { origin }: ReadContext,
  memory: Memory,
): boolean {
  const { own } = memory.rollout.ids;
  const header = headerIn(json, type);
  if (own === undefined && header === undefined) return false;
  return memory.copies.isCopy(json, origin, header !== undefined && header === own, own);
}

/** The id of the session in a header; undefined in any other line. */
function headerIn(json: JsonView, type: string | undefined): string | undefined {
  if (type !== undefined) return type === 'session_meta' ? json.get('payload')?.textOf('id') : undefined;
  return (json.get('session') ?? json).textOf('id');
}

/** The time or the id by which a line that was written twice differs from one that says the same again. */
function markOf(json: JsonView, type: string | undefined): string | undefined {
  // a fork gives all lines that it copies the same time, also if the user went back twice in a row
  const isBack = json.get('payload')?.textOf('type') === 'thread_rolled_back';
  if (type === 'response_item' || type === 'event_msg') return isBack ? undefined : json.textOf('timestamp');
  return type === 'item.completed' ? json.get('item')?.textOf('id') : undefined;
}

function end({ fold }: ReadContext, { rollout, pieces, exec }: Memory): Rejection | undefined {
  rollout.end(fold);
  return pieces.end(fold) ?? exec.end(fold);
}

/**
 * Reads old rollouts: a header, items and states, each on a line or all in one document. Returns `no` for anything
 * else.
 */
function readOld(
  json: JsonView,
  type: string | undefined,
  context: ReadContext,
  source: CodexSource,
): Fate | Rejection | undefined | 'no' {
  const stamp = json.get('timestamp');
  if (type !== undefined) return ITEMS.has(type) ? source.read('response_item', json, context, stamp) : 'no';
  const record = json.textOf('record_type');
  if (record !== undefined)
    return record === STATE ? context.drop('client-event') : leaveUnknown(record, json, context);
  const [session, items] = [json.get('session'), json.get('items')];
  if (session?.type === 'object' && items?.type === 'array') {
    source.read('session_meta', session, context, session.get('timestamp'));
    return firstRejection(items.elements(), (item) => source.read('response_item', item, context, undefined));
  }
  return json.get('id')?.type === 'string' && context.time(stamp) !== undefined
    ? source.read('session_meta', json, context, stamp)
    : 'no';
}

const codex: Dialect = defineDialect({
  name: 'codex',
  summary: 'Rollouts of Codex: its events, with the items of the Responses API. Output of codex exec --json.',
  knownBy:
    'type (session_meta, response_item, event_msg, turn_context or compacted) and an object payload; or id, timestamp, and instructions or git; or record_type state; or session and items; or type thread.started and thread_id; or type item.completed (or such) and an item with id and type',
  keys: ['type', 'payload', 'timestamp', 'item', 'thread_id', 'usage'],
  folds: true,
  clientRules: ['codex-context'],
  memory: ({ sessionBy }): Memory => ({
    rollout: new CodexSource(sessionBy === 'run'),
    pieces: new RolloutPieces(),
    exec: new CodexExecSource(),
    lines: new LastObject(),
    copies: new CopiedLines(),
  }),
  marks: ['type', 'payload'],
  detect,
  read,
  end,
});

export default codex;
