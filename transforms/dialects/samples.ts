/**
 * Dialect `samples`: samples for calibrating a grader, one object each, from JSONL or a TOML deck
 * (src/input/framing/toml-document.ts). Each is its own session, and keeps its members besides the messages.
 */
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import { SAMPLE_FAULTS, sampleFault } from './samples/sample.ts';
import { notedFirst } from './shared/reading-notes.ts';
import { isUnsaid, saidBy } from './shared/said-texts.ts';
import { unreadMember } from './shared/unread-text.ts';

/** Members that had the texts before there were messages. */
const OLD = ['userMessage', 'assistantResponse'] as const;
const OWN_MEMBERS = ['expected', ...OLD];

const samples: Dialect = defineDialect({
  name: 'samples',
  summary: 'Samples of grader calibration: {messages, expected, tags}, from JSONL or a TOML deck.',
  knownBy: 'expected; or userMessage and assistantResponse',
  messages: 'messages',
  tools: 'tools',
  allKeys: true,
  alone: true,
  copies: true,
  // graders do not need tools, but those of a sample are read
  lacks: ['replies', 'tools'],
  detect: (first) => OWN_MEMBERS.some((key) => first.get(key) !== undefined),
  read(json, context) {
    const fault = sampleFault(json.parsed());
    if (fault !== undefined) return context.reject('bad-sample', SAMPLE_FAULTS[fault]);
    const messages = context.messages();
    if ('kind' in messages) return messages;
    const said = saidBy(messages);
    const other = OLD.find((key) => isUnsaid(json.textOf(key), said));
    const note = other && unreadMember('the sample', other, 'a text that its messages lack');
    const besides = json.members().filter(([key]) => key !== 'messages' && key !== 'tools');
    return {
      ...context.replyLast(notedFirst(messages, note === undefined ? [] : [note])),
      tools: context.tools(),
      sample: new Map(besides.map(([key, value]) => [key, value.copy()])),
    };
  },
});

export default samples;
