// Everything that goose puts around a conversation: its system prompt with the clock, the message that tells the
// model where it is, and the request that asks for a title. Worded for these examples; only the
// phrases by which the cleanup rules know them are goose's own.

import { wallClock } from './stamps.mjs';
import { text } from './text.mjs';

/** The system prompt: `extensions` is `{ name: instructions }`. */
export const goosePrompt = (micros, extensions) => ({
  role: 'system',
  content: text(
    'You are a general-purpose AI agent called goose, created by Block, the parent company of Square, CashApp, and Tidal.',
    '',
    `The current date is ${wallClock(micros)}.`,
    '',
    '# Extensions',
    'Extensions give you tools and knowledge. These are on in this session:',
    ...Object.entries(extensions).flatMap(([name, instructions]) => ['', `## ${name}`, instructions]),
    '',
    '# Answers',
    'Write Markdown. Put code in fenced blocks and name its language. Say what you did, then stop.',
  ),
});

/** The message at the end of a request: time, folder, what else the agent wants seen. */
export const gooseInfo = (micros, folder, ...more) => ({
  role: 'user',
  content: text(
    '<info-msg>',
    `It is currently ${wallClock(micros)}`,
    `Working directory: ${folder}`,
    ...more,
    '</info-msg>',
  ),
});

/** The request for a title, and what the proxy logs beside it: no tools are offered. */
export const gooseTitle = (...userMessages) => ({
  messages: [
    { role: 'system', content: 'Reply with only a description in four words or less' },
    {
      role: 'user',
      content: text(
        'Here are the first few user messages:',
        ...userMessages,
        '',
        'Give the conversation a short title. Plain words, no quotes, no period.',
      ),
    },
  ],
  tools: [],
});

/** The extension that most sessions have, and its tools. */
export const developerExtension = text(
  'Use `shell` for commands and `text_editor` for files. Prefer `rg` to `grep`.',
  'Never print a whole file when a range of lines will do.',
);
