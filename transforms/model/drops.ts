/**
 * Reasons for which a dialect leaves a line out of every conversation: the names after `dropped:`, besides those of
 * cleanup rules.
 */
export const DROPS = {
  'client-event': 'It is about the client, not the conversation: progress, titles, snapshots, settings.',
  'client-command': 'It is a command of the client, or what the command printed.',
  'client-attachment': 'It is an attachment of the client that is not a prompt.',
  'interrupt-mark': 'It only says that the user interrupted the model.',
  'synthetic-message': 'The client made it up in place of an answer.',
  'stream-partial': 'It is a piece of an answer that the log holds whole elsewhere.',
  'copied-line': 'It repeats an earlier line of the source.',
  'no-completion': 'The request asks for no answer: it only counts tokens, or it does not call a model.',
  'no-model-span': 'It is a span of a trace, but not the call of a model.',
  'document-head': 'It is the part of a document besides its conversations.',
  'abandoned-branch':
    'The user went back before it, or a compaction replaced it, and --select last was given; or the branch has no answer.',
} as const;
