/**
 * Why a dialect leaves a line out of all conversations. The name follows `dropped:` in the fate of the line, like that
 * of a cleanup rule.
 */
export const DROPS = {
  'client-event': 'It is about the client, not the conversation: progress, titles, snapshots, settings.',
  'client-command': 'It is a command of the client, or what the command printed.',
  'client-attachment': 'It is an attachment of the client that is not a prompt.',
  'interrupt-mark': 'It only records that the user interrupted the model.',
  'synthetic-message': 'The client wrote it in place of an answer of the model.',
  'stream-partial':
    'It is a piece of an answer. If no line has the answer as a whole, its conversation or source is rejected.',
  'copied-line': 'It repeats an earlier line of the source.',
  'joined-row': 'It is a part of a call that is logged in several rows: its first or last row has the call.',
  'no-completion':
    'The request is not for a completion: it counts tokens, tests a key, or does not call a chat model.',
  'no-model-span': 'It is a span of a trace, but not a model call.',
  'joined-run': 'It is the start or the end of a run, and was read with the other half.',
  'joined-event': 'It is an event of a model call, and was read with the other events of the call.',
  'document-head': 'It is the part of a document before its conversations.',
  'unfinished-line': 'It is the last line, without its end: it was still being written, or the log was cut.',
  'abandoned-branch':
    'The user went back before it, or a compaction replaced it, and --select last was given, or its row says so; or the branch has no answer; or it is what a compaction left, and nothing follows.',
} as const;
