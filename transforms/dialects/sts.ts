/**
 * Dialect `sts`: the Session Trace Simple Format of the Hugging Face Hub, a header and then one message per line.
 * llama.app adds ids and parents: its messages form a tree, in which a regenerated answer is a branch.
 */

import type { JsonView } from '../json/json-view.ts';
import type { LineFate, ReadingNote } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Detected, Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { blockOfPart, type FoldBlock } from './fold/assistant-draft.ts';
import type { FoldPlace } from './fold/fold.ts';
import { readVersion, type Version } from './fold/later-version.ts';
import { makeMessage } from './shared/build-messages.ts';
import { leaveUnknown } from './shared/carried-content.ts';
import { type Parts, partsOf, readCall, resultMessage } from './shared/chat-object.ts';
import { contentOfParts, imagePart, type Part } from './shared/content-parts.ts';
import { CHAT_CALL, CHAT_PART } from './shared/known-members.ts';
import { LastObject } from './shared/last-object.ts';
import { metaOf } from './shared/logged-meta.ts';
import { present, structured } from './shared/logged-values.ts';
import { keptBlock, PARENT_MISSING, unknownEvent } from './shared/reading-notes.ts';
import { type KnownObject, known } from './shared/unread-text.ts';

const MAIN = 'main';

/** Members that lines of other clients have beside their message. */
const OF_OTHERS = ['id', 'parentId', 'uuid', 'sessionId', 'session_id', 'timestamp'];
const OWN = ['toolCalls', 'reasoningContent', 'convId'];

function detect(first: FirstObject): Detected {
  const is = (key: string): boolean => first.get(key)?.type === 'string';
  const type = first.get('type')?.text();
  if (type === 'message') return detectMessage(first);
  return type === 'session' && is('id') && is('harness') ? 'yes' : 'no';
}

/** Recognises a log whose header is lost by its messages. Those of users are also lines of old versions of pi. */
function detectMessage(first: FirstObject): Detected {
  const message = first.get('message');
  const role = message?.get('role')?.text();
  if (message === undefined || OF_OTHERS.some((key) => first.get(key) !== undefined)) return 'no';
  if (message.get('created') !== undefined) return 'no'; // a piece of a message that goose streams
  if (role === 'tool' || OWN.some((key) => message.get(key) !== undefined)) return 'yes';
  const isText = message.get('content')?.type === 'string';
  if (role === 'assistant') return isText ? 'yes' : 'no';
  return (role === 'user' && message.get('content') !== undefined) || (role === 'system' && isText)
    ? 'ask-next'
    : 'no';
}

const MEMBERS = 'role type id convId parent children timestamp model timings';
const PARTS = { 'content:parts!': CHAT_PART };
/** The members of a message by its role, and those of llama.app. */
const MESSAGE = known(`${MEMBERS} extra`, PARTS);
const ANSWER = known(`${MEMBERS} reasoningContent:text!`, { ...PARTS, 'toolCalls:json!': CHAT_CALL });
const RESULT = known(`${MEMBERS} toolCallId isError`, PARTS);
const BY_ROLE: ReadonlyMap<string, KnownObject> = new Map([
  ['assistant', ANSWER],
  ['tool', RESULT],
]);

/** State of the current session. */
interface Memory {
  session: string | undefined;
  harness: string | undefined;
  /** Its messages by id. */
  readonly places: Map<string, FoldPlace>;
  readonly last: LastObject;
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  const type = json.get('type')?.text();
  const { fold } = context;
  if (type === 'session') {
    fold.closeAll();
    memory.session = json.get('id')?.text();
    memory.harness = json.get('harness')?.text();
    memory.places.clear();
    open(context, memory, json.get('timestamp'));
    return undefined;
  }
  const message = json.get('message');
  if (type !== 'message') {
    open(context, memory, json.get('timestamp'));
    fold.note(unknownEvent(type));
    return leaveUnknown(type, json, context);
  }
  const role = message?.get('role')?.text();
  const content = message?.get('content');
  if (message === undefined || role === undefined || !isContent(content, message))
    return context.reject('bad-event', 'message has no role, or its content is not valid', message);
  const stamp = message.get('timestamp');
  // calls of one answer may have equal results at the same time
  const isNameless = role === 'tool' && !present(message.get('toolCallId'));
  if (memory.last.isAgain(json, isNameless ? undefined : stamp, context.origin))
    return context.drop('copied-line');
  open(context, memory, stamp);
  fold.expect(message, BY_ROLE.get(role) ?? MESSAGE, 'message');
  const id = message.get('id')?.text();
  const former = id === undefined ? undefined : memory.places.get(id);
  if (former !== undefined) return readVersion(said(role, message, content), former, context);
  const isRoot = message.get('type')?.text() === 'root' && content?.isEmptyText === true;
  if (!isRoot) goBack(message, context, memory);
  const place = isRoot ? fold.root : take(said(role, message, content), message, context);
  if (id !== undefined) memory.places.set(id, place);
  return isRoot ? context.drop('client-event') : undefined;
}

/** Whether the content is valid. The format requires one, but some programs leave it out beside calls. */
function isContent(content: JsonView | undefined, message: JsonView): boolean {
  if (content?.type === 'string' || content?.type === 'array') return true;
  return !present(content) && callsIn(message).length > 0;
}

/** Goes back to the message's parent, if that is not the last message. */
function goBack(message: JsonView, { fold }: ReadContext, { places }: Memory): void {
  const id = message.get('parent')?.text() ?? '';
  const parent = places.get(id);
  if (parent !== undefined && parent !== fold.last) fold.cut(parent);
  if (parent === undefined && id !== '' && places.size > 0) fold.note(PARENT_MISSING);
}

const callsIn = (message: JsonView): readonly JsonView[] =>
  structured(message.get('toolCalls'))?.elements() ?? [];

function open({ fold, origin }: ReadContext, memory: Memory, stamp: JsonView | undefined): void {
  const { session, harness } = memory;
  const isNew = fold.open(MAIN, session ?? origin.source, stamp);
  if (isNew) fold.describe(metaOf({ source_id: session, harness }));
}

type Said = Version & { readonly notes?: readonly ReadingNote[] };

function said(role: string, message: JsonView, content: JsonView | undefined): Said {
  if (role === 'tool') {
    const callId = message.get('toolCallId')?.text() || undefined;
    return { kind: 'result', callId, message: resultMessage(callId, content) };
  }
  const { parts, notes } = partsOf(content);
  if (role !== 'assistant') {
    const attached = attachmentsOf(message);
    const own = makeMessage(role, [['content', contentOfParts([...parts, ...attached.parts])]]);
    return { kind: 'message', message: own, notes: [...notes, ...attached.notes] };
  }
  const thought = message.get('reasoningContent');
  const thoughts: FoldBlock[] = thought?.type === 'string' ? [{ kind: 'thought', text: thought.copy() }] : [];
  const blocks = parts.map(blockOfPart);
  const calls = callsIn(message).map(readCall);
  // an empty content beside calls only fulfils the format
  const isSilent = calls.length > 0 && content?.type === 'string' && content.isEmptyText;
  return { kind: 'answer', blocks: [...thoughts, ...(isSilent ? [] : blocks), ...calls], notes };
}

function take(version: Said, message: JsonView, { fold, origin }: ReadContext): FoldPlace {
  if (version.kind === 'result') return fold.answer(version.callId, version.message);
  const { notes = [] } = version;
  if (version.kind === 'message')
    return fold.add(version.message, { isTurn: version.message.role === 'user', notes });
  const meta = metaOf({ model: message.get('model') });
  return fold.amend(`${origin.line} ${origin.offset}`, version.blocks, 'add', { notes, meta });
}

/** The files attached to a message in llama.app: images and texts. */
function attachmentsOf(message: JsonView): Parts {
  const notes: ReadingNote[] = [];
  const parts = (message.get('extra')?.elements() ?? []).flatMap((attachment): readonly Part[] => {
    const [url, text] = [attachment.get('base64Url'), attachment.get('content')];
    const own: Part[] = url?.type === 'string' ? [{ object: imagePart(url.copy()) }] : [];
    if (text?.type === 'string') own.push({ text: text.copy() });
    if (own.length > 0) return own;
    notes.push(keptBlock(attachment.get('type')?.text() ?? 'unknown'));
    return [{ object: attachment.copy() }];
  });
  return { parts, notes };
}

const sts: Dialect = defineDialect({
  name: 'sts',
  summary: 'Session traces of the Hugging Face Hub: a header, then {type: message} lines.',
  keys: ['type', 'id', 'harness', 'message'],
  folds: true,
  memory: (): Memory => ({
    session: undefined,
    harness: undefined,
    places: new Map(),
    last: new LastObject(),
  }),
  knownBy:
    'type session, with id and harness; or type message, and a message of an assistant with a text, of a tool, or with toolCalls',
  marks: ['type', 'id', 'harness'],
  detect,
  read,
});

export default sts;
