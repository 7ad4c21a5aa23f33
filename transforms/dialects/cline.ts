/**
 * Dialect `cline`: the API history that Cline and its forks keep for each task (`api_conversation_history.json`), a
 * list of messages of the Messages API with a time each. Also the sessions of its command line, one document each.
 */

import type { JsonView } from '../json/json-view.ts';
import { decode } from '../json/utf8.ts';
import type { LineFate } from '../model/element.ts';
import { differentSpeakers } from '../model/known-roles.ts';
import { ClineTask, isClineMessage, isClineSession } from './cline/message.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { systemMessage } from './shared/build-messages.ts';
import { metaOf } from './shared/logged-meta.ts';
import { isOfTwoSpeakers } from './shared/message-blocks.ts';

const MAIN = 'main';
const HARNESS = 'cline';
/** Name of the agent at the top. In sessions of other agents, `sessionId` is the id of their parent. */
const LEAD = 'lead';
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant']);

function detect(first: FirstObject): boolean {
  if (isClineSession(first) || isRooTask(first)) return true;
  const isMessage = ROLES.has(first.get('role')?.text() ?? '') && first.get('content') !== undefined;
  return isMessage && first.get('ts') !== undefined && first.get('type') === undefined;
}

/** Whether the object is a task of a later Roo Code: a list of messages with a version beside it. */
function isRooTask(first: FirstObject): boolean {
  const messages = first.get('messages');
  const message = messages?.type === 'array' ? messages.elements()[0] : undefined;
  if (first.get('version')?.type !== 'number' || message === undefined) return false;
  return isClineMessage(message) && message.get('ts') !== undefined;
}

function read(json: JsonView, context: ReadContext, task: ClineTask): LineFate {
  const messages = json.get('messages');
  if (messages?.type === 'array' && json.get('role') === undefined)
    return readSession(json, messages.elements(), context);
  if (!isClineMessage(json))
    return context.reject('bad-event', 'the message has no role, or its content is not valid', json);
  if (isOfTwoSpeakers(json)) return context.reject('unknown-speaker', differentSpeakers('the message'), json);
  const { fold, origin } = context;
  const time = json.get('ts');
  if (task.last.isAgain(json, time && decode(time.bytes), origin)) return context.drop('copied-line');
  task.add(json, `${origin.line} ${origin.offset}`, context, () => {
    if (fold.open(MAIN, origin.source, json.get('ts'))) fold.describe(metaOf({ harness: HARNESS }));
  });
  return undefined;
}

/** Reads a task in one object: a session of the command line, which also has the system text, or a task of Roo Code. */
function readSession(json: JsonView, messages: readonly JsonView[], context: ReadContext): LineFate {
  const bad = messages.findIndex((message) => !isClineMessage(message));
  if (bad >= 0) return context.reject('bad-messages', `messages[${bad}] is not a message`, messages[bad]);
  const torn = messages.findIndex(isOfTwoSpeakers);
  if (torn >= 0)
    return context.reject('unknown-speaker', differentSpeakers(`messages[${torn}]`), messages[torn]);
  if (messages.length === 0) return context.drop('client-event');
  const { fold, origin } = context;
  const isPart = json.get('agent') !== undefined && json.textOf('agent') !== LEAD;
  const session = json.get('sessionId');
  const system = json.get('system_prompt') ?? json.get('systemPrompt');
  const open = (message: JsonView): void => {
    const name = (isPart ? undefined : session?.text()) ?? origin.source;
    if (!fold.open(MAIN, name, message.get('ts'))) return;
    fold.describe(metaOf({ harness: HARNESS, [isPart ? 'parent' : 'source_id']: session }));
    for (const text of system === undefined ? [] : systemMessage(system.copy())) fold.add(text);
  };
  const task = new ClineTask();
  for (const [i, message] of messages.entries()) task.add(message, `${i}`, context, () => open(message));
  fold.close();
  return undefined;
}

const cline: Dialect = defineDialect({
  name: 'cline',
  summary: 'Tasks of Cline: its API history, messages with a time. Sessions of its command.',
  keys: ['role', 'content', 'ts', 'agent', 'sessionId', 'system_prompt', 'version', 'messages'],
  folds: true,
  knownBy:
    'role, content and ts; agent, sessionId, updated_at and a messages list; or version and messages with ts',
  marks: ['role', 'content', 'ts'],
  memory: () => new ClineTask(),
  detect,
  read,
});

export default cline;
