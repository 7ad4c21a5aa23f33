/** Exit statuses, and how errors are reported on standard error. */
import type { ErrorCode } from '../errors.ts';
import type { LogLevel } from '../log-level.ts';
import { printable } from '../printable.ts';
import type { Host } from './host.ts';

export const SUCCESS = 0;
/** The dataset is published, but something was rejected. */
export const REJECTIONS = 3;
/** A bug; also the status until the run has finished. */
export const BUG = 70;

const STATUSES: Readonly<Record<ErrorCode, number>> = {
  usage: 64,
  rejected: 65,
  'cannot-resume': 65,
  shrunk: 65,
  'invalid-dataset': 65,
  'no-input': 66,
  unavailable: 69,
  unbalanced: 70,
  unfinished: 70,
  'worker-lost': 70,
  'record-changed': 70,
  'cannot-create': 73,
  io: 74,
  locked: 75,
  'missing-slices': 75,
  permission: 77,
  config: 78,
  'broken-pipe': 141,
};

export function exitCodeOf(code: ErrorCode): number {
  return STATUSES[code];
}

/** Signals that stop a run, and their statuses. */
export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNALS;

export interface Fault {
  readonly code: string;
  readonly subject?: string | undefined;
  readonly message: string;
}

/** Reports an operational error: a line of JSON, or on a terminal only the message. */
export async function tellFault(
  host: Host,
  { code, subject, message }: Fault,
  level: LogLevel,
): Promise<void> {
  if (level === 'silent') return;
  if (host.isTerminal) return void host.tell(`turnmill: ${printable(message)}\n`);
  const { createLogger } = await import('../logger.ts');
  createLogger(level, (line) => host.tell(line)).error(
    { code, ...(subject === undefined ? {} : { subject }) },
    message,
  );
}

const COMMAND = /^[a-z]+$/;

/** Reports a usage error and which help to read. */
export function tellUsage(host: Host, message: string, argv: readonly string[]): void {
  const named = argv.find((word) => COMMAND.test(word));
  const help =
    named === undefined || message.startsWith('unknown command')
      ? 'turnmill --help'
      : `turnmill ${named} --help`;
  host.tell(`turnmill: ${printable(message)}\nTry '${help}'.\n`);
}

/** Plug-ins are imported with their hash as the query, so a stack has it after their path. */
const PLUG_IN_QUERY = /\?sha256=[0-9a-f]{64}:/;
const PATH_START = /\/[^/]/;

/** Returns the path of the first plug-in in the stack, or undefined. */
function plugInOn(stack: string): string | undefined {
  const end = stack.search(PLUG_IN_QUERY);
  if (end < 0) return undefined;
  const frame = stack.slice(stack.lastIndexOf('\n', end) + 1, end);
  return frame.slice(frame.search(PATH_START));
}

/** Reports a bug with its stack. @returns its exit status */
export function tellBug(host: Host, error: unknown): number {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const plugIn = plugInOn(stack);
  const heading =
    plugIn === undefined
      ? 'internal error, please report it'
      : `error in plug-in ${printable(plugIn)}, which must reject odd data instead of throwing`;
  host.tell(`turnmill: ${heading}:\n${stack.split('\n').map(printable).join('\n')}\n`);
  return BUG;
}

/** Reports uncaught errors, which are bugs, and ends the process with 70 at once. @param onBug called before it ends */
export function watchForBugs(host: Host, onBug: () => void): void {
  const end = (error: unknown): never => {
    onBug();
    return process.exit(tellBug(host, error));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
