/**
 * Dialect `samples`: samples for calibrating a grader, one object each, from JSONL or a TOML deck
 * (src/input/framing/toml-document.ts). Each is its own session, and keeps its members besides the messages.
 */
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import { SAMPLE_FAULTS, sampleFault } from './samples/sample.ts';

const OWN_MEMBERS = ['expected', 'userMessage', 'assistantResponse'];

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
    const besides = json.members().filter(([key]) => key !== 'messages' && key !== 'tools');
    return {
      ...context.replyLast(messages),
      tools: context.tools(),
      sample: new Map(besides.map(([key, value]) => [key, value.copy()])),
    };
  },
});

export default samples;
