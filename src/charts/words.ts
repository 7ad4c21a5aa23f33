/**
 * The words that people see for the names in files: fates of lines, rules of findings, reasons, kinds of sources. Files,
 * options and `--json` have the names. A name that is not here is shown with blanks in place of its hyphens.
 */

/** Fates of lines, after their number: `40 repeated later`. */
export const FATE_WORDS: Readonly<Record<string, string>> = {
  snapshot: 'made a record',
  superseded: 'repeated later',
  truncated: 'shorter than before',
  folded: 'joined to a record',
  dropped: 'left out',
  blank: 'blank',
  rejected: 'rejected',
};

/** Rules of findings, reasons to reject and to leave out, whose names are not clear at first sight. */
export const NAME_WORDS: Readonly<Record<string, string>> = {
  'arguments-cut': 'arguments cut off',
  'bad-event': 'event not readable',
  'bad-messages': 'messages not readable',
  'bad-response': 'answer not readable',
  'bad-sample': 'sample not readable',
  'bad-stream': 'stream not readable',
  'bad-timestamp': 'time not readable',
  'bare-nan': 'NaN in a value that is not read',
  'block-kept': 'unknown block kept',
  'body-elsewhere': 'text stored elsewhere',
  'body-placeholder': 'text cut or masked by a logger',
  contained: 'inside another record',
  'content-not-text': 'content is not text',
  'context-cut': 'messages that later answers did not have',
  'context-missing': 'earlier messages missing',
  'copied-history': 'history of an earlier log',
  'damaged-tail': 'last line damaged',
  'document-head': 'beginning of a document',
  'duplicate-inode': 'same file again',
  excluded: 'not a log',
  'excluded-by-option': 'left out by --exclude',
  'free-form-call': 'call without JSON arguments',
  'known-but-unread': 'known program, other form',
  'legacy-function-call': 'call in the old form',
  limited: 'cut by --limit',
  'line-lost': 'line lost inside a conversation',
  'little-read': 'too little of the text read',
  'members-ignored': 'members not read',
  'no-record': 'session without a record',
  'no-reply': 'request without an answer',
  'not-included': 'left out by --include',
  'not-a-prefix': 'turns that the record lacks',
  'not-selected': 'not in --only',
  'nothing-read': 'text in no known form',
  'order-lost': 'order of messages unclear',
  'other-choices': 'further answers not used',
  'over-limit': 'beyond --limit',
  'parent-missing': 'earlier message missing',
  'part-too-big': 'image or file too big',
  'protocol-debris': 'remains of a text protocol',
  'protocol-open': 'call or question left open',
  'reasoning-left-out': 'reasoning that a later call lacks',
  'reasoning-sealed': 'encrypted reasoning',
  'reasoning-summary': 'only a summary of the reasoning',
  'repeated-answer': 'same answer twice',
  'repeated-tool-call': 'same call repeated',
  'reply-cut': 'answer cut off',
  'reply-filtered': 'answer filtered by the provider',
  'response-error': 'error in place of an answer',
  'result-is-error': 'tool reported an error',
  'role-sequence': 'history does not continue',
  'sealed-context': 'encrypted context',
  'select-ignored': '--select not applied',
  'server-tool': 'tool run by the provider',
  'session-id-mismatch': 'several sessions in one log',
  'session-in-parts': 'session in several logs',
  'session-reopened': 'session came back after its end',
  'stream-cut': 'stream cut off',
  'strict-time-ignored': '--strict-time not applied',
  symlink: 'symbolic link',
  'timestamp-not-increasing': 'time out of order',
  'too-old': 'left out by --since',
  'tool-result-empty': 'tool returned nothing',
  'tool-result-error': 'tool reported an error',
  'tool-result-missing': 'call without a result',
  'tool-result-orphan': 'result without a call',
  truncated: 'history became shorter',
  'truncated-call': 'call cut off',
  'unknown-dialect': 'kind of log not recognised',
  'unknown-speaker': 'unknown role',
  'unknown-stop': 'answer ended for an unknown reason',
  'unread-text': 'text that was not read',
};

export function wordsFor(name: string): string {
  return Object.hasOwn(NAME_WORDS, name) ? (NAME_WORDS[name] as string) : name.replaceAll('-', ' ');
}

/** Returns the words for a name, and the name where it has to be typed or searched for: `time out of order (timestamp-not-increasing)`. */
export function namedWords(name: string): string {
  return Object.hasOwn(NAME_WORDS, name) && NAME_WORDS[name] !== name
    ? `${NAME_WORDS[name]} (${name})`
    : name;
}

/** Returns short words for the fate of a session: `rejected: time out of order`. */
export function sessionFateWords(fate: string): string {
  return fate.split(':').map(wordsFor).join(': ');
}

/** Returns the words for a fate such as `dropped:client-event`. */
export function fateWords(fate: string): string {
  const at = fate.indexOf(':');
  const kind = at < 0 ? fate : fate.slice(0, at);
  const words = Object.hasOwn(FATE_WORDS, kind) ? (FATE_WORDS[kind] as string) : kind;
  return at < 0 ? words : `${words}: ${namedWords(fate.slice(at + 1))}`;
}
