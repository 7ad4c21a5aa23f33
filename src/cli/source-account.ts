/** Accounts for a source as a whole, for `turnmill explain` without a line: from the ledger of a dataset, or by reading it. */
import { shellWord } from '../charts/numbers.ts';
import { fateWords, namedWords, wordsFor } from '../charts/words.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import { SKIP_MEANINGS } from '../input/sources/skip-reasons.ts';
import { build } from '../job/build.ts';
import { EMPTY_REMEDY, remedyOfPlace } from '../ledger/remedies.ts';
import { type RejectedLine, type Result, rejectionReason, withoutFates } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import type { PartialSettings } from '../settings/settings.ts';
import { showCount } from '../sizes.ts';
import { eachLineOf } from './dataset-lines.ts';
import { sourceIn } from './explain-target.ts';

type SessionFate = Pick<SessionLine, 'id' | 'fate'> & { readonly line?: number };

export interface SourceAccount
  extends Pick<SourceLine, 'source' | 'status' | 'reason' | 'detail' | 'dialect' | 'lines' | 'fates'> {
  /** The dataset that was searched for it, if its ledger does not list it. */
  readonly notIn?: string;
  /** Path for a command, if the name of the source is not one. */
  readonly path?: string;
  /** The first sessions, or the one that was asked for. */
  readonly sessions: readonly SessionFate[];
  readonly sessionCount: number;
  /** Absent if no line was rejected by itself. */
  readonly rejectedLine?: FirstRejected;
}

const MAX_SESSIONS = 20;

/** The first line that was rejected. */
type FirstRejected = Pick<RejectedLine, 'line' | 'reason' | 'detail'>;

/** Collects the first sessions of a source. */
class Sessions {
  readonly first: SessionFate[] = [];
  count = 0;

  add(id: string | null, fate: string, line: number | undefined): void {
    this.count++;
    if (this.first.length < MAX_SESSIONS) this.first.push({ id, fate, ...(line !== undefined && { line }) });
  }
}

/**
 * Returns the account of a source in a dataset; undefined if its ledger does not list the source.
 * @param out the dataset as a local folder
 * @param word name of the source, or the end of one
 * @param session the only session that is of interest
 * @throws TurnmillError `usage` if several sources have the name
 */
export async function accountIn(
  out: string,
  word: string,
  session?: SessionLine,
): Promise<SourceAccount | undefined> {
  const found = await sourceIn(out, word);
  if (found === undefined) return undefined;
  const { source, status, reason, detail, dialect, lines, fates } = found;
  const sessions = new Sessions();
  if (session !== undefined) sessions.add(session.id, session.fate, session.origin?.line);
  else
    await eachLineOf(out, LINE_FILES.sessions, (line) => {
      if (line.source === source) sessions.add(line.id, line.fate, line.origin?.line);
    });
  let rejectedLine: FirstRejected | undefined;
  await eachLineOf(out, LINE_FILES.quarantine, (record) => {
    if (record.scope !== 'line' || record.line === undefined || record.source.uri !== source) return;
    rejectedLine ??= { line: record.line, reason: record.reason, detail: record.error.message };
  });
  const { first, count } = sessions;
  const facts = { source, status, reason, detail, dialect, lines, fates, sessions: first };
  return { ...facts, sessionCount: count, ...(rejectedLine && { rejectedLine }) };
}

/** Returns the account of a file that is read for it. @param notIn a dataset that does not list the file */
export async function accountOf(
  file: string,
  settings: PartialSettings,
  signal: AbortSignal,
  notIn?: string,
): Promise<SourceAccount | undefined> {
  let sessions = new Sessions();
  let account: SourceAccount | undefined;
  let rejectedLine: FirstRejected | undefined;
  let isProvisional = false;
  const onResult = (result: Result): void => {
    if (result.kind === 'source-begin') isProvisional = result.provisional;
    else if (result.kind === 'rejected-line') {
      const { line, reason, detail } = result;
      rejectedLine ??= { line, reason, detail };
    } else if (result.kind === 'session') {
      const { sessionId = null, fate, rejection, snapshot } = result;
      const line = rejection?.line ?? snapshot?.line;
      sessions.add(sessionId, rejection === undefined ? fate : `rejected:${rejection.reason}`, line);
    } else if (result.kind === 'source') {
      const isWithdrawn = result.rejection !== undefined && isProvisional;
      if (isWithdrawn) [sessions, rejectedLine] = [new Sessions(), undefined];
      const { status, rejection, dialect, lines, fates } = isWithdrawn ? withoutFates(result) : result;
      const { reason, detail } = rejection ?? {};
      const { first, count } = sessions;
      const counts = { lines, fates: Object.fromEntries(fates), sessions: first, sessionCount: count };
      account = {
        source: file,
        status,
        reason,
        detail,
        dialect,
        ...counts,
        ...(rejectedLine && { rejectedLine }),
        ...(notIn !== undefined && { notIn }),
      };
    }
  };
  await build({ ...settings, inputs: [file], allowEmpty: true }, { onResult, signal });
  return account;
}

/** The account of a file that a walk through folders skips. @param why why it is not a log */
export const skippedAccount = (file: string, why: string): SourceAccount => ({
  ...{ source: file, status: 'skipped', reason: 'excluded', detail: why },
  ...{ lines: 0, fates: {}, sessions: [], sessionCount: 0 },
});

const LABEL_WIDTH = 11;

/** Returns a line of an explanation; undefined without a text. */
export function labelled(label: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `  ${label.padEnd(LABEL_WIDTH)}${text}`;
}

/** @param more options for the commands that are shown, such as `--in OUT` */
export function accountText(account: SourceAccount, more: readonly string[]): string {
  const { source, status, reason, detail, dialect, lines, fates, sessions, sessionCount } = account;
  const { rejectedLine, notIn } = account;
  const words = status === 'read' && dialect !== undefined ? `read as ${dialect}` : status;
  const kind = reason === undefined ? words : `${words}: ${namedWords(reason)}`;
  const meaning =
    status === 'skipped' ? firstSentence(SKIP_MEANINGS[reason as keyof typeof SKIP_MEANINGS]) : undefined;
  const counted = Object.entries(fates).map(([fate, n]) => `${showCount(n)} ${fateWords(fate)}`);
  return [
    `${printable(source)}: ${printable(kind)}`,
    labelled('why', status === 'empty' ? 'it has no line' : printable(detail ?? meaning ?? '') || undefined),
    labelled('to do', todoOf(account)),
    labelled(
      'record',
      notIn &&
        `none in ${printable(notIn)}, which does not list this log: its build did not read it (--limit, --slice, --exclude or --since), or the log was added since`,
    ),
    labelled('lines', lines === 0 ? undefined : `${showCount(lines)}: ${printable(counted.join(', '))}`),
    labelled('rejected', rejectedLine && rejectedText(source, rejectedLine, more)),
    ...sessions.map((session, i) => labelled(i === 0 ? 'sessions' : '', sessionText(source, session, more))),
    labelled(
      '',
      sessionCount > sessions.length ? `and ${showCount(sessionCount - sessions.length)} more` : undefined,
    ),
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

const firstSentence = (text: string | undefined): string | undefined =>
  text?.replaceAll('`', '').split('. ', 1)[0];

function sessionText(source: string, session: SessionFate, more: readonly string[]): string {
  const { id, fate, line } = session;
  const named = `${id === null ? 'without an id' : id}: ${rejectionReason(fate) === undefined ? wordsFor(fate) : fateWords(fate)}`;
  if (line === undefined) return printable(named);
  return printable(`${named} (${explainCommand(source, line, more)})`);
}

function rejectedText(source: string, rejected: FirstRejected, more: readonly string[]): string {
  const { line, reason, detail } = rejected;
  const command = explainCommand(source, line, more);
  return printable(`first line ${showCount(line)}: ${namedWords(reason)}: ${detail} (${command})`);
}

const explainCommand = (source: string, line: number, more: readonly string[]): string =>
  ['turnmill', 'explain', `${source}:${line}`, ...more].map(shellWord).join(' ');

/** Says what to type about a source or its sessions. */
function todoOf(account: SourceAccount): string | undefined {
  const { source, path = source, status, reason, sessions, rejectedLine } = account;
  if (status === 'skipped' && reason === 'excluded')
    return printable(
      `If it is a log all the same, name the file itself: turnmill build ${shellWord(path)} --out OUT`,
    );
  if (status === 'skipped' && reason !== undefined) return undefined;
  if (reason !== undefined) return remedyOfPlace(reason);
  const [rejected = rejectedLine?.reason] = sessions.flatMap(({ fate }) => rejectionReason(fate) ?? []);
  if (rejected !== undefined) return remedyOfPlace(rejected);
  return sessions.some(({ fate }) => fate === 'empty') ? EMPTY_REMEDY : undefined;
}
