/**
 * Folds conversations whose messages have the format of the Gemini API, `{role, parts}`: checkpoints of Gemini CLI, and
 * recordings of Qwen Code, with one such message per line.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { LineFate, ReadingNote, Rejection } from '../../model/element.ts';
import { HashedSet } from '../../model/hashed-set.ts';
import { OTHER_ROLE_THAN_TYPE } from '../../model/known-roles.ts';
import { wordSet } from '../../model/words.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import type { FoldPlace } from '../fold/fold.ts';
import { readVersion, type Version } from '../fold/later-version.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { leaveUnknown, mayHoldContent } from '../shared/carried-content.ts';
import { contentOfParts } from '../shared/content-parts.ts';
import { GEMINI_PART } from '../shared/known-members.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { COPIED_HISTORY, HISTORY_MISSING, PARENT_MISSING } from '../shared/reading-notes.ts';
import { known } from '../shared/unread-text.ts';
import { blocksOfPart, type GeminiResult, partOf, resultOfParts } from './message.ts';

const MAIN = 'main';
const QWEN = 'qwen-code';
const GEMINI = 'gemini-cli';
const LINES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'system']);
const CONTENT = known('role id ts timestamp type', { 'parts:list': GEMINI_PART });
const COMPRESSION = 'chat_compression';
/** The first line of a fork: what its model had received from the parent. */
const BOOTSTRAP = 'agent_bootstrap';
/** The task of a fork as its model received it. */
const LAUNCH = 'agent_launch_prompt';
/** Kinds of lines about the client. Texts in them are in a message too, or for the user only. */
const OF_CLIENT = wordSet(
  [
    'session_notes slash_command ui_telemetry at_command attribution_snapshot background_task_completed custom_title',
    'parent_session session_source session_execution_engine session_model session_approval_mode rewind agent_retry',
    'agent_session_ready file_history_snapshot user_text_elements session_artifact_event session_artifact_snapshot',
    'session_sources_snapshot branch_checkpoint goal_state goal_turn_end turn_result',
  ].join(' '),
);

/** Whether the object is a message of this API. Other clients have parts too, but each has a type. */
export function isContent(json: FirstObject | undefined): boolean {
  const role = json?.get('role')?.text();
  const parts = json?.get('parts');
  if ((role !== 'user' && role !== 'model') || parts?.type !== 'array') return false;
  const all = parts.elements();
  return all[0]?.get('type') === undefined && all.every(areObjects);
}

/** Are the call and the result of a part objects? */
const areObjects = (part: JsonView): boolean =>
  ['functionCall', 'functionResponse'].every((key) => (part.get(key)?.type ?? 'object') === 'object');

export function isQwenLine(json: FirstObject): boolean {
  if (json.get('uuid')?.type !== 'string' || json.get('sessionId')?.type !== 'string') return false;
  return LINES.has(json.get('type')?.text() ?? '') && isContent(json.get('message'));
}

/** A line of Qwen Code. */
interface Spot {
  /** The last message after it was read. */
  readonly place: FoldPlace;
  /** The ids that its calls and results got here; undefined if it has no message. */
  readonly named?: readonly string[];
}

export class ContentsSource {
  /** Bytes of its lines. */
  bytes = 0;
  /** The name of its thread. */
  readonly threads: ReadonlySet<string>;
  readonly #main: string;
  #session: string | undefined;
  /** The lines of the current conversation, by uuid. */
  readonly #spots = new Map<string, Spot>();
  /** The uuids of lines before the current conversation. */
  readonly #replaced = new HashedSet();
  /** Those of lines before the first message. */
  readonly #before = new HashedSet();
  #isFork = false;
  #isCompressed = false;
  /** Whether a line has a parent: then one whose parent is null is the first one, or goes back to the beginning. */
  #hasParents = false;
  /** Number of messages so far, used to name the answers. */
  #contents = 0;
  /** The ids that calls without one got here, by the name of the tool; those before `next` have their result. */
  readonly #nameless = new Map<string | undefined, { readonly ids: string[]; next: number }>();
  #calls = 0;
  /** Ids that the calls and results of the current line got here, and those that its first version got. */
  #named: string[] = [];
  #reused: string[] = [];

  /** @param session its id, if the log has another one before it */
  constructor(session?: string) {
    this.#main = session === undefined ? MAIN : `${MAIN} ${session}`;
    this.threads = new Set([this.#main]);
  }

  /** Reads a checkpoint: a list of messages, or one of them. */
  readContents(contents: readonly JsonView[], context: ReadContext): Rejection | undefined {
    const bad = contents.find((content) => !isContent(content));
    if (bad !== undefined)
      return context.reject('bad-event', 'a message has no role user or model, or no parts', bad);
    this.#open(context, undefined, GEMINI);
    for (const content of contents) this.#take(content, context);
    return undefined;
  }

  /** Reads a line of Qwen Code. */
  readLine(line: JsonView, context: ReadContext): LineFate {
    const { fold } = context;
    this.#session ??= line.get('sessionId')?.text();
    const uuid = line.get('uuid')?.text();
    const type = line.get('type')?.text();
    const message = line.get('message');
    if (line.textOf('parentUuid') !== undefined) this.#hasParents = true;
    const left = LINES.has(type ?? '') ? undefined : leaveUnknown(type, line, context);
    if (left?.kind === 'rejection') return left;
    if (message === undefined && type !== 'system' && LINES.has(type ?? ''))
      return context.reject('bad-event', 'message is missing', line);
    if (isOfTwo(type, message)) return context.reject('bad-event', OTHER_ROLE_THAN_TYPE, message);
    const spot = uuid === undefined ? undefined : this.#spots.get(uuid);
    if (spot !== undefined) return this.#readAgain(message, spot, context);
    if (uuid !== undefined && this.#replaced.has(uuid)) return context.drop('copied-line');
    if (left !== undefined && message === undefined) this.#pass(line, uuid, context);
    if (type === 'system') return this.#readSystem(line, uuid, context);
    if (message === undefined) return left;
    if (!isContent(message)) return context.reject('bad-event', NO_PARTS, message);
    this.#open(context, line.get('timestamp'), QWEN);
    this.#goToParent(line, context, type === 'user');
    this.#named = [];
    this.#take(message, context, line);
    if (uuid !== undefined) this.#spots.set(uuid, { place: fold.last, named: this.#named });
    return undefined;
  }

  /** Reads a line whose uuid has occurred. If its message is another, it is a later version and replaces the former. */
  #readAgain(message: JsonView | undefined, { place, named }: Spot, context: ReadContext): LineFate {
    if (message === undefined || named === undefined) return context.drop('copied-line');
    if (!isContent(message)) return context.reject('bad-event', NO_PARTS, message);
    this.#open(context, undefined, QWEN);
    const { fold } = context;
    fold.expect(message, CONTENT, 'message');
    this.#reused = [...named];
    const read = this.#versionsOf(message, []).map((version) => {
      const answered = version.kind === 'result' ? version.callId : undefined;
      const hasCall = ({ calls }: FoldPlace): boolean => calls.some(({ id }) => id === answered);
      // the call is mostly near the line, which may be far from the end
      const called =
        answered === undefined ? undefined : (fold.findLast(hasCall, place) ?? fold.findLast(hasCall));
      return readVersion(version, called ?? place, context);
    });
    this.#reused = [];
    return read.find((one) => one?.kind === 'rejection') ?? (read.includes(undefined) ? undefined : read[0]);
  }

  #readSystem(line: JsonView, uuid: string | undefined, context: ReadContext): LineFate {
    const kind = line.textOf('subtype');
    const payload = line.get('systemPayload');
    if (kind === COMPRESSION || kind === BOOTSTRAP) {
      const member = kind === COMPRESSION ? 'compressedHistory' : 'history';
      const history = payload?.get(member)?.elements() ?? [];
      if (history.length === 0 ? mayHoldContent(line) : !history.every(isContent))
        return context.reject('bad-event', `${member} is not a list of messages`, line);
      if (history.length > 0) return this.#begin(history, line, uuid, context);
    }
    if (kind === LAUNCH) {
      const text = payload?.get('displayText');
      if (text?.type !== 'string' && mayHoldContent(line))
        return context.reject('bad-event', 'displayText is not a text', line);
      if (this.#launch(line, text, uuid, context)) return undefined;
    }
    const isKnown =
      kind === COMPRESSION || kind === BOOTSTRAP || kind === LAUNCH || OF_CLIENT.has(kind ?? '');
    const fate = isKnown ? context.drop('client-event') : leaveUnknown(kind, line, context);
    if (fate.kind === 'fate') this.#pass(line, uuid, context);
    return fate;
  }

  /** Begins a conversation with its history: after a compression, or that of the parent of a fork. */
  #begin(
    history: readonly JsonView[],
    line: JsonView,
    uuid: string | undefined,
    context: ReadContext,
  ): undefined {
    const { fold } = context;
    this.#isFork = line.textOf('subtype') === BOOTSTRAP;
    this.#isCompressed ||= !this.#isFork;
    if (fold.has(this.#main)) {
      this.#open(context, undefined, QWEN);
      this.#end(context);
    }
    this.#open(context, line.get('timestamp'), QWEN);
    if (this.#isFork) fold.note(COPIED_HISTORY);
    for (const content of history) this.#take(content, context, undefined, true);
    if (uuid !== undefined) this.#spots.set(uuid, { place: fold.last });
  }

  /** Ends the conversation. Only the ids of its lines are remembered. */
  #end({ fold }: ReadContext): void {
    fold.close(true);
    for (const replaced of this.#spots.keys()) this.#replaced.add(replaced);
    this.#spots.clear();
  }

  /** Replaces the task of a fork by the text that its model received. @returns false if there is no such task */
  #launch(
    line: JsonView,
    text: JsonView | undefined,
    uuid: string | undefined,
    context: ReadContext,
  ): boolean {
    const parent = line.textOf('parentUuid') ?? '';
    const task = this.#spots.get(parent)?.place;
    if (!this.#isFork || text?.type !== 'string' || task === undefined) return false;
    this.#open(context, undefined, QWEN);
    const { fold } = context;
    if (task !== fold.last) return false;
    const place = fold.reset(task, makeMessage('user', [['content', text.copy()]]));
    this.#spots.set(parent, { place }); // if the line comes again, it is no later version
    if (uuid !== undefined) this.#spots.set(uuid, { place });
    return true;
  }

  /** Notes the position of a line without a message: the next line comes after the last message before it. */
  #pass(line: JsonView, uuid: string | undefined, context: ReadContext): void {
    if (uuid === undefined) return;
    if (!context.fold.has(this.#main)) {
      this.#replaced.add(uuid);
      this.#before.add(uuid);
      return;
    }
    this.#open(context, undefined, QWEN);
    this.#spots.set(uuid, { place: this.#placeOf(line, context) });
  }

  /** The message after which a line comes. */
  #placeOf(line: JsonView, { fold }: ReadContext): FoldPlace {
    const parent = line.get('parentUuid');
    if (parent?.type === 'null' && this.#hasParents) return fold.root;
    const id = parent?.text() ?? '';
    const isWhole = !this.#isFork && !this.#isCompressed;
    if (isWhole && this.#before.has(id)) return fold.root;
    return this.#spots.get(id)?.place ?? fold.last;
  }

  /**
   * Goes back if the user typed after an earlier line, and to the branch of a line whose parent is in another. Before a
   * compression nothing is known but ids: another conversation begins.
   */
  #goToParent(line: JsonView, context: ReadContext, isTyped: boolean): void {
    const { fold } = context;
    const parent = line.get('parentUuid')?.text();
    if (isTyped && this.#isCompressed && parent !== undefined && this.#replaced.has(parent)) {
      this.#end(context);
      this.#open(context, line.get('timestamp'), QWEN);
      if (!this.#before.has(parent)) fold.note(HISTORY_MISSING);
      return;
    }
    const place = this.#placeOf(line, context);
    const isMissing = parent !== undefined && !this.#spots.has(parent) && !this.#replaced.has(parent);
    if (isTyped && isMissing) fold.note(PARENT_MISSING);
    const isLeft = place.index >= 0 && !fold.isHere(place);
    if (isLeft || (isTyped && place !== fold.last)) fold.cut(place);
  }

  #take(content: JsonView, { fold }: ReadContext, line?: JsonView, isCopied = false): void {
    fold.expect(content, CONTENT, 'message');
    const notes: ReadingNote[] = [];
    const versions = this.#versionsOf(content, notes);
    const isTurn = versions.every(({ kind }) => kind !== 'result');
    for (const version of versions) {
      if (version.kind === 'result') fold.answer(version.callId, version.message, { isCopied });
      else if (version.kind === 'message') fold.add(version.message, { isTurn, isCopied, notes });
      else {
        const meta = metaOf({ model: line?.get('model'), usage: line?.get('usageMetadata') });
        fold.amend(`${this.#contents++}`, version.blocks, 'add', { notes, meta, isCopied });
      }
    }
  }

  /** An answer, or results and what the user said. */
  #versionsOf(content: JsonView, notes: ReadingNote[]): readonly Version[] {
    const parts = content.get('parts')?.elements() ?? [];
    if (content.get('role')?.text() === 'model') {
      const name = (called: string | undefined): string => this.#nameCall(called);
      return [{ kind: 'answer', blocks: parts.flatMap((part) => blocksOfPart(part, notes, name)) }];
    }
    const results = parts.flatMap((part): readonly GeminiResult[] => this.#resultOf(part));
    const rest = parts.filter((part) => !isResult(part)).map((part) => partOf(part, notes));
    const answered = results.map(({ callId, message }): Version => ({ kind: 'result', callId, message }));
    if (rest.length === 0 && results.length > 0) return answered;
    return [
      ...answered,
      { kind: 'message', message: makeMessage('user', [['content', contentOfParts(rest)]]) },
    ];
  }

  #nameCall(name: string | undefined): string {
    const reused = this.#reused.shift();
    if (reused !== undefined) return reused;
    const id = `call_${++this.#calls}`;
    const known = this.#nameless.get(name);
    if (known === undefined) this.#nameless.set(name, { ids: [id], next: 0 });
    else known.ids.push(id);
    this.#named.push(id);
    return id;
  }

  /** A result without an id answers the first open call of its name. */
  #resultOf(part: JsonView): readonly GeminiResult[] {
    const response = part.get('functionResponse');
    if (response?.type !== 'object') return [];
    const id = response.get('id')?.text();
    if (id) return [resultOfParts([part], id, [])];
    const known = this.#reused.shift();
    if (known !== undefined) return [resultOfParts([part], known, [])];
    const name = response.get('name')?.text();
    const open = this.#nameless.get(name);
    const made = open?.ids[open.next] ?? `call_${++this.#calls}`;
    if (open !== undefined && open.next < open.ids.length) open.next++;
    this.#named.push(made);
    return [resultOfParts([part], made, [])];
  }

  #open({ fold, origin }: ReadContext, stamp: JsonView | undefined, harness: string): void {
    const isNew = fold.open(this.#main, this.#session ?? origin.source, stamp);
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness }));
  }
}

const isResult = (part: JsonView): boolean => part.get('functionResponse')?.type === 'object';

/** Does the type of a line name another speaker than the role of its message? Results are sent by the user. */
function isOfTwo(type: string | undefined, message: JsonView | undefined): boolean {
  const role = message?.textOf('role');
  if (role !== 'user' && role !== 'model') return false;
  return type === 'assistant'
    ? role === 'user'
    : (type === 'user' || type === 'tool_result') && role === 'model';
}

const NO_PARTS = 'message is not a message with parts';
