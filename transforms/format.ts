/**
 * Stage: conversation -> row, through a format (formats.md). What a format cannot represent is a finding of a named
 * rule; a rule in `rejectOn`, and a finding that says so, rejects the session instead.
 */
import type { Conversation, Finding, StreamElement } from './element.ts';
import type { Format, FormatFinding } from './formats/format.ts';
import { formats } from './formats/index.ts';
import { GROUPINGS, type Grouping, groupOf } from './group.ts';
import { rejectSession, type SessionReason } from './rejection.ts';
import type { Handlers, OptionSpecs, Stage } from './stage.ts';

export interface FormatOptions {
  readonly format: string;
  readonly groupBy: Grouping;
  readonly rejectOn: readonly string[];
}

const STAGE = 'format';

const options: OptionSpecs<FormatOptions> = {
  format: {
    describe: 'What a record looks like',
    default: 'chat',
    choices: formats.map((format) => format.name),
  },
  groupBy: { describe: 'What names the shards', default: 'date', choices: GROUPINGS },
  rejectOn: { describe: 'Rules of the format that reject a session instead of reporting it', default: [] },
};

function findingOf({ sessionId, origin }: Conversation, { rule, severity, message }: FormatFinding): Finding {
  return { kind: 'finding', severity, rule, sessionId, origin, message };
}

function* encode(
  conversation: Conversation,
  format: Format,
  options: FormatOptions,
): Generator<StreamElement> {
  const { origin, sessionId } = conversation;
  const { bytes, written, findings } = format.encode(conversation);
  const fatal = findings.find(({ rule, rejects }) => rejects === true || options.rejectOn.includes(rule));
  if (fatal !== undefined) {
    yield rejectSession(STAGE, origin, sessionId, fatal.rule as SessionReason, fatal.message);
    return;
  }
  for (const found of findings) yield findingOf(conversation, found);
  const group = groupOf(conversation, options.groupBy);
  yield { kind: 'row', origin, sessionId, group, format: format.name, bytes, conversation, written };
}

function create(options: FormatOptions): Handlers {
  const format = formats.find(({ name }) => name === options.format);
  if (format === undefined) throw new RangeError(`there is no format '${options.format}'`);
  return { conversation: (conversation) => encode(conversation, format, options) };
}

export const format: Stage<FormatOptions> = {
  name: STAGE,
  summary: 'Writes each conversation as one line of the dataset.',
  options,
  create,
};
