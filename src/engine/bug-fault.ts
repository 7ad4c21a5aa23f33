/**
 * Turns an exception that is a bug into the fault of the source that was being read: a bug costs that source, not the
 * night's build. The detail has the place in the code, never the message, which may quote the log.
 */
import { createHash } from 'node:crypto';
import { SourceFault, TurnmillError } from '../errors.ts';

const MAX_FRAMES = 3;
const HASH_DIGITS = 12;
/** A longer line of a stack is not a frame. */
const MAX_FRAME_CHARS = 1000;
const FRAME = /^\s*at\s+(?:(?:async\s+)?(.+?)\s+\()?(.*?):(\d+):(\d+)\)?$/;
/** Plug-ins are imported with their hash as the query. */
const PLUG_IN = /\?sha256=[0-9a-f]{64}$/;

/** Returns the fault; undefined for an error that is not a bug: of the data, of the system, or an abort. */
export function bugFault(error: unknown): SourceFault | undefined {
  if (error instanceof SourceFault || isOperational(error)) return undefined;
  const frames = framesOf(error);
  const inPlugIn = frames.findIndex(({ file }) => PLUG_IN.test(file));
  const plugIn = frames[inPlugIn];
  const whose = plugIn === undefined ? 'turnmill' : `the plug-in ${plugIn.file.replace(PLUG_IN, '')}`;
  // its author can correct only its own line, not those of turnmill that it called
  const places = frames
    .slice(Math.max(0, inPlugIn))
    .slice(0, MAX_FRAMES)
    .map(({ name, file, position }) => `${name} ${baseOf(file)}:${position}`.trim());
  const kind = error instanceof Error ? error.name : 'exception';
  const hash = createHash('sha256').update(places.join('\n')).digest('hex').slice(0, HASH_DIGITS);
  const where = `${kind} at ${places.join(' < ') || 'an unknown place'} (${hash})`;
  const ask =
    plugIn === undefined ? 'please report it with this line' : 'it must reject odd data instead of throwing';
  const detail =
    error instanceof TurnmillError
      ? `ledger mismatch: ${error.message}: a stage of a plug-in must return a rejection in place of what it leaves out; without such a stage, please report it with this line: ${where}`
      : `an error in ${whose}${placeIn(error)}: ${where}; ${ask}`;
  return new SourceFault('internal-error', detail, error);
}

/** A ledger that does not add up within a source is a bug too; every other error with a code is not. */
function isOperational(error: unknown): boolean {
  if (error instanceof TurnmillError) return error.code !== 'unbalanced';
  const isAbort = error instanceof Error && error.name === 'AbortError';
  return isAbort || (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined;
}

/** Where in the source the exception was thrown: the intake adds it to the stack. */
function placeIn(error: unknown): string {
  const [, line, byte] =
    /\bwas read, line (\d+), byte (\d+)$/.exec((error as Error | undefined)?.stack ?? '') ?? [];
  return line === undefined ? '' : ` at line ${line}, byte ${byte}`;
}

interface Frame {
  readonly name: string;
  readonly file: string;
  /** `LINE:COLUMN` */
  readonly position: string;
}

function framesOf(error: unknown): readonly Frame[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack.split('\n').flatMap((line) => {
    const frame = line.length > MAX_FRAME_CHARS ? undefined : FRAME.exec(line);
    const [, name = '', file, row, column] = frame ?? [];
    return file === undefined
      ? []
      : [{ name, file: file.replace(/^file:\/\//, ''), position: `${row}:${column}` }];
  });
}

/** The name of the file, because the path of an installation says nothing. */
const baseOf = (file: string): string => file.replace(PLUG_IN, '').split('/').at(-1) ?? '';
