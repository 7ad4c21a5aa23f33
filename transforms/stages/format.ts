/**
 * Stage: conversation -> record, in each of the chosen formats. Reports a finding for anything that a format cannot
 * represent. A rule that `onFinding` rejects rejects the session instead; so does a finding with `rejects`, unless `onFinding`
 * keeps its rule. If several formats are chosen, one may reject a conversation that another one writes
 * (docs/contributing/decisions/0017-several-formats.md).
 */

import type { EncodedRecord, Format, FormatFinding } from '../formats/format.ts';
import { type FormatOptionValues, optionFault, valuesFor } from '../formats/format-options.ts';
import { formats } from '../formats/index.ts';
import { withMetadata } from '../formats/record-meta.ts';
import { findNoAnswer } from '../formats/shared-rules.ts';
import { findUnread, UNREAD_TEXT } from '../formats/unread-text.ts';
import type { Conversation, Finding, Rejection, StreamElement, WrittenRecord } from '../model/element.ts';
import { GROUPINGS, type Grouping, groupOf } from '../model/group.ts';
import { isObject } from '../model/message.ts';
import { META_NAMES, type MetaName } from '../model/meta.ts';
import type { SessionReason } from '../model/reasons.ts';
import { rejectSession } from '../model/rejection.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';

/** Whether a finding of a rule rejects its session. */
export type Decisions = Readonly<Record<string, 'reject' | 'keep'>>;

export interface FormatOptions {
  /** Names of the formats, each once; or the name of the only one. */
  readonly format: string | readonly string[];
  /** Options of the formats by name; each format uses those that it has. */
  readonly formatOptions: FormatOptionValues;
  readonly groupBy: Grouping;
  /** By rule of the format, where it differs from what the format does. */
  readonly onFinding: Decisions;
  /** Names of metadata to write; formats that cannot hold metadata leave it out. */
  readonly meta: readonly MetaName[];
  /** Formats of plug-ins. */
  readonly formats?: readonly Format[];
}

const STAGE = 'format';

const options: OptionSpecs<FormatOptions> = {
  format: {
    describe: 'Write records in this format; repeat it for several, each in its own folder of data/',
    default: ['chat'],
  },
  formatOptions: { describe: 'Set options of the formats, by name', default: {} },
  groupBy: {
    describe: 'Name the shards by date, by scenario, or neither',
    default: 'date',
    choices: GROUPINGS,
  },
  onFinding: {
    describe: 'Reject or keep the sessions in which the format reports a rule, by rule',
    default: {},
  },
  meta: { describe: 'Add these fields of the log to each record, as metadata', default: [] },
  formats: { describe: 'Formats besides the built-in ones', default: [] },
};

/** @param prefix says which of several formats found it */
function findingOf(
  { sessionId, origin }: Conversation,
  { rule, severity, message }: FormatFinding,
  prefix: string,
): Finding {
  return { kind: 'finding', severity, rule, sessionId, origin, message: prefix + message };
}

/** The finding that rejects the record; undefined if the record may be written. */
function fatalOf(
  findings: readonly FormatFinding[],
  { onFinding }: FormatOptions,
): FormatFinding | undefined {
  return findings.find(
    ({ rule, rejects }) => onFinding[rule] === 'reject' || (rejects === true && onFinding[rule] !== 'keep'),
  );
}

function* recordsOf(
  conversation: Conversation,
  { format, values }: Chosen,
  encoded: EncodedRecord,
  { groupBy, meta }: FormatOptions,
): Generator<WrittenRecord> {
  const place = meta.length > 0 ? format.metadata?.(values) : undefined;
  const {
    bytes,
    written,
    more = [],
  } = place === undefined
    ? encoded
    : withMetadata(encoded, conversation, meta, place === 'string', format.metadataMember);
  const { origin, sessionId } = conversation;
  const group = groupOf(conversation, groupBy);
  const record: WrittenRecord = {
    kind: 'record',
    origin,
    sessionId,
    group,
    format: format.name,
    bytes,
    conversation,
    written,
  };
  yield record;
  for (const another of more) yield { ...record, bytes: another };
}

interface Chosen {
  readonly format: Format;
  readonly values: FormatOptionValues;
}

function encodedBy({ format, values }: Chosen, conversation: Conversation): EncodedRecord {
  const encoded = format.encode(conversation, values);
  const found = findNoAnswer(conversation, format);
  if (found === undefined) return encoded;
  const { findings } = encoded;
  const isByUnknown = findings.some(({ rule }) => rule === 'unknown-role'); // says more
  return { ...encoded, findings: isByUnknown ? [...findings, found] : [found, ...findings] };
}

/**
 * Yields the records of all formats that can write the conversation. If none can, rejects the session with the reason
 * of the first format.
 */
function* encode(
  conversation: Conversation,
  chosen: readonly Chosen[],
  options: FormatOptions,
): Generator<StreamElement> {
  const { origin, sessionId } = conversation;
  const rejections: Rejection[] = [];
  for (const one of chosen) {
    const { format } = one;
    const encoded = encodedBy(one, conversation);
    const prefix = chosen.length > 1 ? `${format.name}: ` : '';
    const fatal = fatalOf(encoded.findings, options);
    if (fatal !== undefined) {
      const { rule: reason, message } = fatal;
      const rejected = { reason, detail: prefix + message, origin, sessionId, format: format.name };
      rejections.push({ kind: 'rejection', scope: 'record', stage: STAGE, ...rejected });
    } else {
      for (const found of encoded.findings) yield findingOf(conversation, found, prefix);
      yield* recordsOf(conversation, one, encoded, options);
    }
  }
  if (rejections.length < chosen.length) yield* rejections;
  else {
    const reason = rejections[0]?.reason as SessionReason;
    const detail = rejections.map((one) => one.detail).join('; ');
    yield rejectSession(STAGE, origin, sessionId, reason, detail);
  }
}

/** Rejects a conversation that may lack something that was said; undefined if it may be written. */
function rejectUnread(conversation: Conversation, { onFinding }: FormatOptions): Rejection | undefined {
  const unread = onFinding[UNREAD_TEXT] === 'keep' ? undefined : findUnread(conversation);
  const { origin, sessionId } = conversation;
  return unread && rejectSession(STAGE, origin, sessionId, UNREAD_TEXT, unread.message);
}

function create(options: FormatOptions): Handlers {
  const names = [options.format].flat();
  checkPlugIns(options.formats ?? []);
  const chosen = names.map((name) => {
    const format = formatNamed(name, [...formats, ...(options.formats ?? [])]);
    return { format, values: valuesFor(format, options.formatOptions) };
  });
  if (chosen.length === 0) throw new RangeError('no format is chosen');
  const fault = optionFault(names, options.formatOptions, options.formats);
  if (fault !== undefined) throw new RangeError(`option ${fault.name}: ${fault.problem}`);
  checkChoices(names, chosen, options);
  return {
    conversation(one) {
      const unread = rejectUnread(one, options);
      return unread === undefined ? encode(one, chosen, options) : [unread];
    },
  };
}

/** @throws TypeError for a format that cannot encode */
function checkPlugIns(given: readonly Format[]): void {
  given.forEach((one: Partial<Format> | null, i) => {
    if (typeof one?.name !== 'string' || typeof one.encode !== 'function' || !isObject(one.options))
      throw new TypeError(
        `formats[${i}] is not a format, which has name, summary, rules, options and encode`,
      );
  });
}

/** @throws RangeError for a choice that would have no effect, or one too many */
function checkChoices(names: readonly string[], chosen: readonly Chosen[], options: FormatOptions): void {
  if (new Set(names).size < names.length) throw new RangeError('format: name each format only once');
  const unknown = options.meta.find((name) => !META_NAMES.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`meta: there is no field '${unknown}'; the fields are ${META_NAMES.join(', ')}`);
  const rules = new Set([UNREAD_TEXT, ...chosen.flatMap(({ format: { rules: own = [] } }) => own)]);
  for (const [rule, decision] of Object.entries(options.onFinding)) {
    if (!rules.has(rule)) throw new RangeError(`onFinding: ${names.join(', ')} has no rule '${rule}'`);
    if (decision !== 'reject' && decision !== 'keep')
      throw new RangeError(`onFinding: ${rule} takes reject or keep`);
  }
}

function formatNamed(name: string, known: readonly Format[]): Format {
  const format = known.find((one) => one.name === name);
  if (format === undefined) throw new RangeError(`unknown format '${name}'`);
  return format;
}

export const format: Stage<FormatOptions> = {
  name: STAGE,
  summary: 'Writes each conversation as one line of the dataset, in each of the formats.',
  options,
  takes: 'conversation',
  create,
};
