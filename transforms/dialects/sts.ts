/** Dialect `sts`: the Session Trace Simple Format of the Hugging Face Hub, a header and then one message per line. */

import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import { partsOf, readCall, resultMessage } from './chat-object.ts';
import { contentOfParts } from './content-parts.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { blockOfPart, type FoldBlock } from './fold/draft.ts';
import { metaOf } from './logged-meta.ts';
import { makeMessage } from './made-messages.ts';

const MAIN = 'main';

function detect(first: FirstObject): boolean {
  const is = (key: string): boolean => first.get(key)?.type === 'string';
  return first.get('type')?.text() === 'session' && is('id') && is('harness');
}

/** State of `read`: the header of the current session. */
interface Memory {
  session: string | undefined;
  harness: string | undefined;
}

function read(json: JsonView, context: ReadContext, memory: Memory): Fate | Rejection | undefined {
  const type = json.get('type')?.text();
  const { fold } = context;
  if (type === 'session') {
    fold.closeAll();
    memory.session = json.get('id')?.text();
    memory.harness = json.get('harness')?.text();
    open(context, memory, json.get('timestamp'));
    return undefined;
  }
  const message = json.get('message');
  if (type !== 'message') return context.drop('client-event');
  const role = message?.get('role')?.text();
  const content = message?.get('content');
  if (
    message === undefined ||
    role === undefined ||
    (content?.type !== 'string' && content?.type !== 'array')
  )
    return context.reject('bad-event', 'message has no role, or its content is not valid', message);
  open(context, memory, message.get('timestamp'));
  take(role, message, content, context);
  return undefined;
}

function open({ fold, origin, time }: ReadContext, memory: Memory, stamp: JsonView | undefined): void {
  const { session, harness } = memory;
  const isNew = !fold.has(MAIN);
  fold.open(MAIN, session ?? origin.source, time(stamp));
  if (isNew) fold.describe(metaOf({ source_id: session, harness }));
}

function take(role: string, message: JsonView, content: JsonView, { fold, origin }: ReadContext): void {
  if (role === 'tool') {
    const callId = message.get('toolCallId')?.text();
    fold.answer(callId, resultMessage(callId, content));
    return;
  }
  const { parts, notes } = partsOf(content);
  if (role !== 'assistant') {
    const own = makeMessage(role, [['content', contentOfParts(parts)]]);
    fold.add(own, { isTurn: role === 'user', notes });
    return;
  }
  const thought = message.get('reasoningContent');
  const thoughts: FoldBlock[] = thought?.type === 'string' ? [{ kind: 'thought', text: thought.copy() }] : [];
  const blocks = parts.map(blockOfPart);
  const calls = (message.get('toolCalls')?.elements() ?? []).map(readCall);
  // the format requires a content: next to calls an empty one has no meaning
  const isSilent = calls.length > 0 && content.type === 'string' && content.text() === '';
  const meta = metaOf({ model: message.get('model') });
  fold.amend(`${origin.line} ${origin.offset}`, [...thoughts, ...(isSilent ? [] : blocks), ...calls], 'add', {
    notes,
    meta,
  });
}

const sts: Dialect = defineDialect({
  name: 'sts',
  summary: 'Session traces of the Hugging Face Hub: a header, then {type: message} lines.',
  keys: ['type', 'id', 'harness', 'message'],
  folds: true,
  memory: (): Memory => ({ session: undefined, harness: undefined }),
  knownBy: 'type session, with id and harness',
  marks: ['type', 'id', 'harness'],
  detect,
  read,
});

export default sts;
