/**
 * Dialect `cline`: the API history that Cline and its forks keep for each task (`api_conversation_history.json`), a
 * list of messages of the Messages API with a time each. Also the sessions of its command line, one document each.
 */

import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import { foldClineMessage, isClineMessage, isClineSession } from './cline/message.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { systemMessage } from './shared/build-messages.ts';
import { metaOf } from './shared/logged-meta.ts';

const MAIN = 'main';
const HARNESS = 'cline';
/** Name of the agent at the top. In sessions of other agents, `sessionId` is the id of their parent. */
const LEAD = 'lead';
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant']);

function detect(first: FirstObject): boolean {
  if (isClineSession(first)) return true;
  const isMessage = ROLES.has(first.get('role')?.text() ?? '') && first.get('content') !== undefined;
  return isMessage && first.get('ts') !== undefined;
}

function read(json: JsonView, context: ReadContext): Fate | Rejection | undefined {
  const messages = json.get('messages');
  if (messages?.type === 'array' && json.get('role') === undefined)
    return readSession(json, messages.elements(), context);
  if (!isClineMessage(json))
    return context.reject('bad-event', 'the message has no role, or its content is not valid', json);
  const { fold, origin, time } = context;
  const isNew = !fold.has(MAIN);
  fold.open(MAIN, origin.source, time(json.get('ts')));
  if (isNew) fold.describe(metaOf({ harness: HARNESS }));
  foldClineMessage(json, `${origin.line} ${origin.offset}`, context);
  return undefined;
}

/** Reads a session of the command line, which also has the system text. */
function readSession(
  json: JsonView,
  messages: readonly JsonView[],
  context: ReadContext,
): Fate | Rejection | undefined {
  const bad = messages.findIndex((message) => !isClineMessage(message));
  if (bad >= 0) return context.reject('bad-messages', `messages[${bad}] is not a message`, messages[bad]);
  if (messages.length === 0) return context.drop('client-event');
  const { fold, origin, time } = context;
  const isLead = json.textOf('agent') === LEAD;
  const session = json.get('sessionId');
  fold.open(MAIN, (isLead ? session?.text() : undefined) ?? origin.source, time(messages[0]?.get('ts')));
  fold.describe(metaOf({ harness: HARNESS, [isLead ? 'source_id' : 'parent']: session }));
  const system = json.get('system_prompt') ?? json.get('systemPrompt');
  for (const message of system === undefined ? [] : systemMessage(system.copy())) fold.add(message);
  for (const [i, message] of messages.entries()) foldClineMessage(message, `${i}`, context);
  fold.close();
  return undefined;
}

const cline: Dialect = defineDialect({
  name: 'cline',
  summary: 'Tasks of Cline: its API history, messages with a time. Sessions of its command.',
  keys: ['role', 'content', 'ts', 'agent', 'sessionId', 'system_prompt', 'messages'],
  folds: true,
  knownBy: 'role, content and ts; or agent, sessionId, updated_at and a messages list',
  marks: ['role', 'content', 'ts'],
  detect,
  read,
});

export default cline;
