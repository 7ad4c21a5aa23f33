/**
 * Dialect `pi`: sessions of the pi coding agent (`~/.pi/agent/sessions`). The lines form a tree, in the order in which
 * they were written. The output of `pi --mode json` has no tree, only events in order.
 */
import type { JsonView } from '../json/json-view.ts';
import type { LineFate } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { PiSource } from './pi/source.ts';

/** Whether an object is a message of the tree, by which a log is known whose first line is lost. */
function isTreeMessage(first: FirstObject): boolean {
  const parent = first.get('parentId')?.type;
  return (
    first.get('type')?.text() === 'message' &&
    first.get('id')?.type === 'string' &&
    (parent === 'null' || parent === 'string') &&
    first.get('message')?.get('role')?.type === 'string'
  );
}

const BLOCKS: ReadonlySet<string> = new Set(['text', 'thinking', 'toolCall']);

/** Whether it is an answer or a result of an old version, whose lines have no ids. */
function isOldMessage(first: FirstObject): boolean {
  const message = first.get('message');
  if (first.get('type')?.text() !== 'message' || first.get('id') !== undefined) return false;
  if (message?.get('created') !== undefined) return false; // a piece of a message that goose streams
  const role = message?.get('role')?.text();
  if (role === 'toolResult') return message?.get('toolCallId')?.type === 'string';
  const content = message?.get('content');
  if (role !== 'assistant' || content?.type !== 'array') return false;
  return BLOCKS.has(content.elements()[0]?.get('type')?.text() ?? '');
}

const EVENTS: ReadonlySet<string> = new Set(['message_start', 'message_update', 'message_end', 'turn_end']);

/** Whether it is an event of `pi --mode json` with a message. Old versions have no header before the events. */
function isEvent(first: FirstObject): boolean {
  const message = first.get('message');
  if (!EVENTS.has(first.get('type')?.text() ?? '')) return false;
  return message?.get('role')?.type === 'string' && message.get('timestamp')?.type === 'number';
}

function detect(first: FirstObject): boolean {
  if (isTreeMessage(first) || isOldMessage(first) || isEvent(first)) return true;
  if (first.get('type')?.text() !== 'session' || first.get('id')?.type !== 'string') return false;
  // sessions of other clients begin with a header of this type too
  if (first.get('harness') !== undefined || first.get('createdAt') !== undefined) return false;
  return first.get('cwd') !== undefined || first.get('version') !== undefined;
}

function read(json: JsonView, context: ReadContext, source: PiSource): LineFate {
  const type = json.get('type')?.text();
  if (type === undefined) return context.reject('bad-event', 'type is missing', json.get('type'));
  return source.read(type, json, context);
}

const pi: Dialect = defineDialect({
  name: 'pi',
  summary: 'Sessions of the pi coding agent.',
  keys: ['type', 'id', 'parentId', 'timestamp', 'message', 'summary'],
  folds: true,
  memory: () => new PiSource(),
  knownBy:
    'type session, with id, and cwd or version; or type message, with id, parentId and message.role, or with an answer in blocks or a result; or an event with a message that has a role and a time in milliseconds',
  marks: ['type', 'id', 'cwd', 'version'],
  detect,
  read,
  end: ({ fold }, source) => source.end(fold),
});

export default pi;
