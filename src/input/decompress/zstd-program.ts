/**
 * The `zstd` program, for a Node whose zlib lacks zstd. It reads standard input and is never passed a file name, so no
 * name can be taken for an option. It runs in its own process group, so that Ctrl-C does not kill it before the run has
 * stopped reading.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { SourceFault, TurnmillError } from '../../errors.ts';
import { createWaker, DECODER_KILLED, type Decoder, type Ending } from './decoder.ts';

const PROGRAM = 'zstd';
const DECODE = ['-dcq', '--single-thread'] as const;
const PACK = ['-3', '-cq', '--check', '--single-thread'] as const;
/** `spawnSync` accepts it too, but its type omits it. */
const OWN_GROUP = { detached: true };
export const INSTALL_HINT = 'install the zstd program (package zstd), or use Node 22.15, 24 or newer';

/** A program that has input but does nothing for this long counts as dead. */
const IDLE_MS = 60_000;
/** Time limit for `zstd --version`, which takes milliseconds. */
const ANSWER_MS = 10_000;
const STDERR_BYTES = 4096;

/** Returns the environment without the variables that zstd takes options from. */
function environment(): NodeJS.ProcessEnv {
  const { ZSTD_CLEVEL: _level, ZSTD_NBTHREADS: _threads, ...rest } = process.env;
  return rest;
}

/**
 * Checks that the program can be started.
 * @param what the file or option that needs it, for the message
 * @throws TurnmillError `unavailable` if it is missing, not executable, not zstd, or does not answer
 */
export function requireZstdProgram(what: string): void {
  const run = spawnSync(PROGRAM, ['--version'], {
    env: environment(),
    timeout: ANSWER_MS,
    encoding: 'utf8',
  });
  if (run.status === 0 && /zstandard|zstd/i.test(run.stdout)) return;
  const { code } = (run.error ?? {}) as NodeJS.ErrnoException;
  const problem = code === 'ENOENT' ? 'it was not found' : (code ?? 'the program of this name is not zstd');
  throw new TurnmillError('unavailable', `${what} needs zstd (${problem}): ${INSTALL_HINT}`, {
    subject: what,
  });
}

/** Compresses to one frame. Uses a single thread, because the number of threads affects the bytes. */
export function packWithProgram(bytes: Uint8Array): Uint8Array {
  const { error, status, signal, stdout, stderr } = spawnSync(
    PROGRAM,
    [...PACK, `--stream-size=${bytes.length}`],
    { input: bytes, env: environment(), maxBuffer: Number.POSITIVE_INFINITY, ...OWN_GROUP },
  );
  if (error === undefined && status === 0) return stdout;
  const started = status !== null || signal !== null;
  const why = (started && endingOf(status, signal, stderr.toString('latin1'))) || error;
  const what = why instanceof Error ? why.message : why;
  throw new TurnmillError('io', `cannot pack with zstd: ${what}`, { subject: PROGRAM, cause: error });
}

/** Starts the program as a decoder. */
export function startZstdProgram(idleMs: number = IDLE_MS): Decoder {
  // has no streams if the process has run out of descriptors
  const child: ChildProcess = spawn(PROGRAM, DECODE, { stdio: 'pipe', env: environment(), ...OWN_GROUP });
  const { stdin, stdout, stderr } = child;
  const { nextEvent, wake } = createWaker();
  let ending: Ending | undefined;
  let stderrText = '';
  const closed = new Promise<void>((resolve) => {
    const finish = (result: Ending): void => {
      ending ??= result;
      resolve();
      wake();
    };
    child.on('error', (error) => finish(notStarted(error)));
    child.on('close', (status, signal) => finish(endingOf(status, signal, stderrText)));
  });
  stdin?.on('error', () => undefined); // the exit status reports it
  stdout?.on('readable', wake);
  stderr?.on('data', (chunk: Buffer) => {
    stderrText = (stderrText + chunk.toString('latin1')).slice(-STDERR_BYTES);
  });

  return {
    write(bytes, taken) {
      stdin?.write(bytes, () => {
        taken();
        wake();
      });
    },
    end: () => void stdin?.end(),
    read: () => (stdout?.read() ?? null) as Buffer | null,
    ending: () => ending,
    nextEvent: () =>
      withinTime(nextEvent(), idleMs, () => {
        ending ??= new SourceFault('unreadable', `zstd made no progress for ${idleMs / 1000} s`);
        child.kill('SIGKILL');
      }),
    async close() {
      if (ending === undefined) child.kill('SIGKILL');
      stdout?.destroy();
      await closed;
    },
  };
}

function notStarted(error: NodeJS.ErrnoException): SourceFault {
  const missing = error.code === 'ENOENT' || error.code === 'EACCES';
  const reason = missing ? 'unsupported-compression' : 'unreadable';
  return new SourceFault(
    reason,
    `cannot start zstd: ${error.code}${missing ? `; ${INSTALL_HINT}` : ''}`,
    error,
  );
}

/** Gives up after two half periods: in a process that was suspended, one expires as soon as it resumes. */
async function withinTime(event: Promise<void>, idleMs: number, giveUp: () => void): Promise<void> {
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
    if (turns === 2) giveUp();
  }, idleMs / 2);
  try {
    await event;
  } finally {
    clearInterval(timer);
  }
}

/** Takes the message from the program's last line, such as `/*stdin*\ : Decoding error (36) : Data corruption detected`. */
function endingOf(status: number | null, signal: NodeJS.Signals | null, stderrText: string): Ending {
  if (status === 0) return '';
  if (signal !== null) return new SourceFault('unreadable', `zstd was killed by ${signal}`, DECODER_KILLED);
  const last = stderrText.trim().split('\n').at(-1)?.split(' : ').at(-1)?.trim();
  return last || `zstd ended with status ${status}`;
}
