/** How a run redacts: its rules and its key, which are read before anything else (docs/publish.md). */
import { createHmac, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Redaction } from '../../transforms/redaction/rule.ts';
import { RULES } from '../../transforms/redaction/rules.ts';
import { failUsage, systemWords, TurnmillError } from '../errors.ts';
import { NotOwnFile, readOwnFile } from '../own-file.ts';
import type { Settings } from './settings.ts';

const REDACT_KEY = 'TURNMILL_REDACT_KEY';
const MAX_FILE_BYTES = 1024 * 1024;
const KEY_BYTES = 32;
const FOR_OTHERS = 0o077;

const NO_EXCEPTIONS = { hashes: [], patterns: [] };

type Note = ((message: string) => unknown) | undefined;

/** Reads the key and the rules. @throws TurnmillError `usage` if they are wrong, or if the run needs a key and has none */
export async function withRedaction(settings: Settings, onNote: Note): Promise<Settings> {
  const { redact, redactKeyFile, redactRules, looksForSecrets } = settings;
  if (redact !== true) {
    if (redactKeyFile !== undefined) failUsage('--redact-key-file works only together with --redact');
    if (looksForSecrets)
      return { ...settings, redaction: { mode: 'look', key: '', ...(await rulesIn(redactRules)) } };
    if (redactRules !== undefined) failUsage('--redact-rules works only together with --redact');
    return settings;
  }
  const rulesText = redactRules === undefined ? undefined : read('redact-rules', redactRules);
  const chosen = await rulesIn(redactRules, rulesText);
  const key = keyOf(settings, onNote);
  const redactKey = createHmac('sha256', key).update('turnmill redaction key').digest('hex').slice(0, 16);
  return { ...settings, redactRules: rulesText, redactKey, redaction: { mode: 'replace', key, ...chosen } };
}

/** Returns the rules of a file, or the built-in ones. Code that parses the file is loaded on demand. */
export async function rulesIn(
  file: string | undefined,
  text: string | undefined = file === undefined ? undefined : read('redact-rules', file),
): Promise<Pick<Redaction, 'rules' | 'allow'>> {
  if (file === undefined || text === undefined) return { rules: RULES, allow: NO_EXCEPTIONS };
  const { parseRules } = await import('./redaction-rules.ts');
  return parseRules(text, (problem) => failUsage(`--redact-rules: '${file}': ${problem}`));
}

function keyOf({ redactKeyFile, update, resume, slice }: Settings, onNote: Note): string {
  if (redactKeyFile !== undefined) {
    const key = read('redact-key-file', redactKeyFile).trim();
    if (key === '') failUsage(`--redact-key-file: '${redactKeyFile}' is empty`);
    if (process.platform !== 'win32' && (statSync(redactKeyFile).mode & FOR_OTHERS) !== 0)
      onNote?.(`--redact-key-file: others may read '${redactKeyFile}'; run chmod 600 on it`);
    return key;
  }
  const fromEnvironment = process.env[REDACT_KEY];
  if (fromEnvironment !== undefined && fromEnvironment !== '') return fromEnvironment;
  const needing = [update && '--update', resume && '--resume', slice !== undefined && '--slice'];
  const option = needing.find((needs) => needs !== false);
  if (option !== undefined)
    failUsage(
      `${option} with --redact needs the key of the other runs: use --redact-key-file FILE or ${REDACT_KEY}`,
    );
  onNote?.(
    '--redact without a key: another run will give the same values other names; use --redact-key-file',
  );
  return randomBytes(KEY_BYTES).toString('hex');
}

function read(option: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readOwnFile(path, MAX_FILE_BYTES));
  } catch (error) {
    return failUsage(`--${option}: ${unreadable(path, error)}`);
  }
}

function unreadable(path: string, error: unknown): string {
  if (error instanceof NotOwnFile) return `'${path}' is ${error.kind}, not a regular file`;
  if (error instanceof TurnmillError) return `'${path}' is longer than ${MAX_FILE_BYTES} bytes`;
  if (error instanceof TypeError) return `'${path}' is not UTF-8`;
  return `cannot read '${path}': ${systemWords(error)}`;
}
