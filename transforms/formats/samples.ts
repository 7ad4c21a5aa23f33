/**
 * Format `samples`: a conversation for a grader. Each message needs a role and a text; a message that has both stays
 * byte for byte. Other members of the sample (`expected`, `tags`) follow the messages. `--as toml` writes each record
 * as a `[[samples]]` table, so that a file is a deck; `--as context` writes the input of a grader.
 */

import { QUOTE } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { concat, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { textOf, textOfValue } from '../model/message.ts';
import { words } from '../model/words.ts';
import type { OptionSpecs } from '../stage.ts';
import { withCommas } from './chat.ts';
import { inline } from './chat-inline.ts';
import type { Format, Report } from './format.ts';
import { collectFindings, fatal, NO_ANSWER, PARTS_JOINED, reportParts, warning } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';
import { type Refuse, tomlKey, tomlValue } from './toml-value.ts';

interface SamplesOptions {
  readonly as: 'jsonl' | 'toml' | 'context';
}

type Members = readonly (readonly [key: string, json: Uint8Array])[];

const options: OptionSpecs<SamplesOptions> = {
  as: {
    describe: 'Write lines of JSON, a TOML deck, or the context that a grader gets',
    default: 'jsonl',
    choices: ['jsonl', 'toml', 'context'],
  },
};

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

/** Returns the message with a text: its own, that of its parts, or its calls or its result as tags. */
function withText(message: Message, where: string, report: Report): Message {
  if (message.role === '') report(fatal('unknown-role', `${where} has no role`));
  const content = valueBytes(message.bytes, 'content');
  if (content?.[0] === QUOTE && textOfValue(content) !== '') return message;
  const inlined = inline(message, report);
  if (inlined !== message) {
    report(warning('calls-inlined', `${where} has no text: its calls or its result become its text`));
    return inlined;
  }
  const { text = '', otherParts } = textOf(message, '\n');
  reportParts({ text, otherParts, isJoined: false }, where, report);
  if (text === '') {
    report(fatal('content-not-text', `${where} has no text`));
    return message;
  }
  report(warning('parts-joined', `${where} has ${PARTS_JOINED}`));
  const bytes = replaceValue(message.bytes, 'content', encode(quote(text))) as Uint8Array;
  return { bytes, role: message.role };
}

function jsonRecord(list: string, messages: readonly Message[], others: Members): Uint8Array {
  const members = others.flatMap(([key, json]) => [encode(`,${quote(key)}:`), json]);
  return concat([encode(`{"${list}":[`), ...withCommas(messages), encode(']'), ...members, encode('}')]);
}

/** One table, and a blank line that separates it from the next. */
function tomlRecord(messages: readonly Message[], others: Members, refuse: Refuse): Uint8Array {
  const lines = [
    '[[samples]]',
    'messages = [',
    ...messages.map(({ bytes }) => `  ${tomlValue(bytes, refuse)},`),
    ']',
    ...others.map(([key, json]) => `${tomlKey(key, refuse)} = ${tomlValue(json, refuse)}`),
  ];
  return encode(`${lines.join('\n')}\n`);
}

const samples: Format<SamplesOptions> = {
  name: 'samples',
  summary: 'Samples for a grader: {"messages": [...], "expected": ...}, each message with a text.',
  rules: words(`
    calls-inlined content-not-text definition-left-out ${NO_ANSWER} no-messages non-text-part not-toml parts-joined
    unknown-role
  `),
  ownRules: {
    'calls-inlined': {
      meaning:
        'A message without text has calls or a result that would become its text (with --on-finding calls-inlined=reject).',
    },
    'not-toml': {
      meaning:
        'The record has a value that TOML cannot express: null, a duplicate key, an integer of more than 64 bits, an unpaired surrogate.',
    },
  },
  otherContent:
    'rejects the session, unless calls or a result become the text: then its JSON text is part of that',
  options,
  columns({ as }) {
    if (as === 'toml') return undefined;
    return as === 'context' ? { fullConversation: 'json-list' } : { messages: 'json-list' };
  },
  hasOtherMembers: true,
  fileKind: ({ as }) => (as === 'toml' ? 'toml' : 'jsonl'),
  encode({ messages, tools, sample = NOTHING }: Conversation, { as = 'jsonl' } = {}) {
    const { findings, report } = collectFindings();
    if (messages.length === 0) report(fatal('no-messages', 'the conversation has no messages'));
    if (tools.length > 0)
      report(warning('definition-left-out', 'a sample has no place for tool definitions: left out'));
    const written = spokenAsText(messages).map((message, i) => withText(message, `messages[${i}]`, report));
    const members = [...sample].filter(([key]) => as !== 'context' || key === 'expected');
    if (as === 'toml') {
      let isToml = true;
      const bytes = tomlRecord(written, members, () => {
        isToml = false;
      });
      if (!isToml) report(fatal('not-toml', 'the sample has a value that TOML cannot express'));
      return { bytes, written: [], findings };
    }
    return {
      bytes: jsonRecord(as === 'context' ? 'fullConversation' : 'messages', written, members),
      written,
      findings,
    };
  },
};

export default samples;
