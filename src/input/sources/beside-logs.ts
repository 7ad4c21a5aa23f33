/**
 * Files that lie beside logs under names like those of logs: settings, what clients keep there (indexes, results that were
 * too long for a log, data for the screen), and datasets. A walk through folders skips them, and lists them in the ledger.
 */
import { firstBytes } from './first-bytes.ts';

const NAMES: ReadonlySet<string> = new Set([
  'sessions-index.json', // Claude Code: ~/.claude/projects/PROJECT
  'ui_messages.json', // Cline: tasks/ID, where api_conversation_history.json is the log
  'task_metadata.json',
  'context_history.json',
  ...['settings.json', 'settings.local.json', '.mcp.json', 'mcp.json', '.credentials.json', 'auth.json'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'pyproject.toml', 'Cargo.toml', 'config.toml'],
]);
/** Texts that a user typed into Claude Code or Codex, without the answers. Other files have that name too. */
const TYPED_NAME = /(?:^|\/)history\.jsonl$/;
const TYPED = /^\s*\{"(?:display|session_id)":"(?:[^"\\]|\\.)*","(?:pastedContents|timestamp|ts)":/;
const HEAD_BYTES = 4096;
const AGENT_FACTS = /^agent-.*\.meta\.json$/;
/** Files of a Claude Code workflow: its journal, which repeats the answers of its agents, and its outcome. */
const WORKFLOW_FACTS = /(?:^|\/)workflows\/(?:[^/]+\/journal\.jsonl|wf_[^/]+\.json)$/;
/** Bodies that were too long for a log of Amazon Bedrock, which names them. */
const LONG_BODY = /(?:^|\/)data\/[^/]+_(?:input|output)\.json(?:\.gz)?$/;

/** @param relative path below the input, `/` between folders */
export function isBesideLogs(relative: string): boolean {
  const folders = relative.split('/');
  const name = folders.pop() ?? '';
  if (NAMES.has(name) || folders.includes('tool-results') || WORKFLOW_FACTS.test(relative)) return true;
  if (LONG_BODY.test(relative)) return true;
  return AGENT_FACTS.test(name) && folders.includes('subagents');
}

/** @param path one character for each byte */
export function isTypedHistory(path: string): boolean {
  return TYPED_NAME.test(path) && TYPED.test(firstBytes(path, HEAD_BYTES) ?? '');
}

/** A folder in which a client keeps all its files, or a dataset. */
interface Home {
  /** Name of the folder, if it always has one. */
  readonly name?: string;
  /** The folders in it that contain logs. */
  readonly logs: readonly string[];
  /** Names in it by which it is recognised. */
  readonly marks: readonly string[];
  /** How many of those names are enough to recognise it. */
  readonly enough: number;
}

const HOMES: readonly Home[] = [
  {
    name: '.claude',
    logs: ['projects'],
    marks: [
      ...['settings.json', 'history.jsonl', 'todos', 'statsig', 'shell-snapshots', 'file-history'],
      ...['plugins', '.credentials.json', 'stats-cache.json'],
    ],
    enough: 2,
  },
  {
    name: '.codex',
    logs: ['sessions', 'archived_sessions'],
    marks: [
      ...['auth.json', 'config.toml', 'history.jsonl', 'session_index.jsonl', 'models_cache.json'],
      'version.json',
    ],
    enough: 2,
  },
  {
    name: '.gemini',
    logs: ['tmp'],
    marks: ['settings.json', 'oauth_creds.json', 'google_accounts.json', 'installation_id', 'history'],
    enough: 2,
  },
  // a project of Gemini CLI: logs.json is the history of the input line
  { name: 'chats', logs: ['chats'], marks: ['logs.json'], enough: 1 },
  // a session of OpenHands: event_cache repeats the events
  {
    logs: ['events'],
    marks: ['event_cache', 'base_state.json', 'agent_state.pkl', 'conversation_stats.pkl'],
    enough: 1,
  },
  // a dataset of turnmill: its records would be taught again
  { logs: [], marks: ['manifest.json', 'run.json', 'data', 'ledger'], enough: 4 },
];

/**
 * Returns the names of the folders with logs in the home of a client, none for a dataset; undefined for any other folder,
 * whose files may all be logs.
 * @param names names in the folder
 */
export function logFoldersOf(path: string, names: readonly string[]): readonly string[] | undefined {
  const folderName = path.slice(path.lastIndexOf('/') + 1);
  const home = HOMES.find(({ name, logs, marks, enough }) => {
    if (logs.length > 0 && !logs.some((folder) => names.includes(folder))) return false;
    return folderName === name || marks.filter((mark) => names.includes(mark)).length >= enough;
  });
  return home?.logs;
}
