/**
 * Says for each reason what to type, or else what to do outside turnmill. Text in backquotes is a command or an option, in
 * which the user replaces the capital words.
 */
import { sessionReasons } from '../../transforms/formats/format-rules.ts';
import type { LineReason, SessionReason } from '../../transforms/model/reasons.ts';
import type { SourceReason } from '../errors.ts';

const SHOWN = '`turnmill explain FILE:LINE` shows the place';
const MEND = `${SHOWN}. Correct the line, or delete it.`;
const NO_KEEP =
  'The format cannot write it: choose another `--format NAME`, or leave the log out with `--exclude GLOB`.';
const REPORT = `${SHOWN}. Leave the log out with \`--exclude GLOB\`, or read its form with a dialect of your own (\`--plugin FILE\`).`;
const COPY = 'Copy the file again, or leave it out with `--exclude GLOB`.';
const UNCUT =
  'The log does not have the text. Turn the cutting or masking off in the logger; leave this log out with `--exclude GLOB`.';
const NAME_DIALECT = 'Name its kind with `--dialect NAME`; `turnmill dialects` lists them.';

const keep = (rule: string): string => `\`--on-finding ${rule}=keep\` writes the record anyway.`;

/** Lines. */
const LINE: Readonly<Record<LineReason, string>> = {
  'invalid-json': `${MEND} If the file is not a log, leave it out with \`--exclude GLOB\`.`,
  'invalid-utf8': `${SHOWN}. Convert the log to UTF-8.`,
  'not-an-object': 'Delete the line, or leave the file out with `--exclude GLOB` if it is not a log.',
  'duplicate-key': MEND,
  'too-deep': 'Allow more with `--max-depth N`.',
  'line-too-long': 'Allow longer lines with `--max-line SIZE`.',
  'too-many-messages': 'Allow more with `--max-messages N`.',
  'too-many-elements': 'Allow more with `--max-elements N`.',
  'bad-timestamp': MEND,
  'bad-session-id': 'Read calls that belong to no session with `--dialect calls`.',
  'bad-messages': `${SHOWN}. If the whole log is affected: ${NAME_DIALECT}`,
  'unknown-content': REPORT,
  'body-elsewhere':
    'Log the bodies themselves, or put them into the log. Leave this log out with `--exclude GLOB`.',
  'bad-tools': MEND,
  'bad-sample': MEND,
  'invalid-toml': MEND,
  'bad-event': `${SHOWN}. If the whole log is affected: ${NAME_DIALECT}`,
  'unknown-part': REPORT,
  'unknown-speaker': `${SHOWN}. Correct or remove the member that names the speaker.`,
  'bad-response': MEND,
  'bad-stream': MEND,
};

/** Sessions. By default, a reason of a format is allowed with `--on-finding`. */
const SESSION: Readonly<Partial<Record<SessionReason, string>>> = {
  'session-id-mismatch': 'Read each session of the log with `--session-by id`.',
  'session-reopened': 'Gather its parts with `--session-by id`.',
  'body-placeholder': UNCUT,
  'conversation-too-long': 'Allow more with `--max-conversation SIZE` or `--max-messages N`.',
  'too-many-branches': 'Allow more with `--max-branches N`, or write only the last one with `--select last`.',
  'context-missing':
    'Put the log of the earlier calls into the same folder and read it with `--session-by folder`.',
  'timestamp-not-increasing': 'Read calls in any order with `--select leaves`.',
  'reasoning-inlined': `${keep('reasoning-inlined')} Or leave reasoning out with \`--reasoning drop\`.`,
  'key-not-bare': NO_KEEP,
  'number-out-of-range': NO_KEEP,
  'call-unreadable': NO_KEEP,
  'result-without-call': NO_KEEP,
  'result-order-lost': NO_KEEP,
  'no-final-call': NO_KEEP,
  'several-final-calls': NO_KEEP,
  'no-user-turn': NO_KEEP,
  'record-not-json': 'Correct the format of the plug-in (`--plugin FILE`).',
  'no-messages': NO_KEEP,
  'unread-text': `${keep('unread-text')} It then lacks the text that the message names.`,
};

const SOURCE: Readonly<Record<SourceReason, string>> = {
  unreadable: 'Give yourself permission to read the file, and repeat the command.',
  'changed-while-read':
    'Repeat the command when nothing writes to the file; it reads only what is new with `--update OUT`.',
  'corrupt-gzip': COPY,
  'corrupt-zstd': COPY,
  'trailing-data': COPY,
  'decompression-limit': 'Allow more with `--max-decompressed SIZE`, or unpack the file.',
  'not-regular':
    'Leave it out with `--exclude GLOB`, or read it from standard input: `turnmill build - --out OUT`.',
  'preference-pairs': 'Leave the file out with `--exclude GLOB`.',
  'unknown-dialect': `${NAME_DIALECT} If it is a kind of your own, read it with a dialect of your own (\`--plugin FILE\`): docs/reference/tutorial-dialect.md in the package of turnmill shows how to write one.`,
  'known-but-unread':
    'Export the log in the form that the message names, or leave it out with `--exclude GLOB`.',
  'nothing-read': REPORT,
  'little-read':
    'Accept less with `--min-read PERCENT`; `turnmill check LOG` names the members that were not read.',
  vanished: 'Repeat the command.',
  'unsupported-compression': 'Unpack the file, or pack it with gzip or zstd.',
  'encoding-utf16': 'Convert the file to UTF-8.',
  'not-json-lines': 'Leave the file out with `--exclude GLOB`.',
  'worker-crash': 'Repeat the command with `--workers 1`; please report it.',
  'internal-error':
    'If the message names a plug-in, correct the plug-in; otherwise please report it. Until then, leave the file out with `--exclude GLOB`.',
};

/** Sessions without a record that nothing rejected, because no entry of them is left. */
const EMPTY =
  'Nothing, if its lines are not conversations, such as requests for a title. Keep what a cleanup rule dropped with `--no-cleanup`.';

export const REMEDIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(sessionReasons).map((rule) => [rule, keep(rule)])),
  'not-toml': 'Write JSON lines with `--as jsonl`.',
  ...SOURCE,
  ...LINE,
  ...SESSION,
};

const plain = (text: string): string => text.replaceAll('`', '');

/** Returns the remedy of a reason, without backquotes; undefined for a reason of a plug-in. */
export const remedyText = (reason: string): string | undefined =>
  Object.hasOwn(REMEDIES, reason) ? plain(REMEDIES[reason] as string) : undefined;

/** The same for `turnmill explain`, which shows the place itself. */
export const remedyOfPlace = (reason: string): string | undefined =>
  remedyText(reason)?.replace(`${plain(SHOWN)}. `, '');

/** The remedy of a session with the fate `empty`. */
export const EMPTY_REMEDY: string = plain(EMPTY);
