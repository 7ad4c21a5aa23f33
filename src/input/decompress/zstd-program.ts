/**
 * The `zstd` program, for a Node whose zlib lacks zstd. It reads standard input and never gets a file's name, so no
 * name can be taken for an option. It runs in its own process group: on Ctrl-C, the run stops reading first.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { SourceFault, TurnmillError } from '../../errors.ts';
import { createWaker, DECODER_KILLED, type Decoder, type Ending } from './decoder.ts';

const PROGRAM = 'zstd';
const DECODE = ['-dcq', '--single-thread'] as const;
const PACK = ['-3', '-cq', '--check', '--single-thread'] as const;
/** `spawnSync` accepts it too; its type omits it. */
const OWN_GROUP = { detached: true };
export const HINT = 'install the zstd program (package zstd), or use Node 22.15, 24 or newer';

/** A program that has work but does nothing for this long counts as dead. */
const IDLE_MS = 60_000;
/** Time limit for `zstd --version`, which takes milliseconds. */
const ANSWER_MS = 10_000;
const STDERR_BYTES = 4096;

/** The environment without the variables that zstd reads options from. */
function environment(): NodeJS.ProcessEnv {
  const { ZSTD_CLEVEL: _level, ZSTD_NBTHREADS: _threads, ...rest } = process.env;
  return rest;
}

/**
 * Looks for the program.
 * @param what the file or option that needs it, for the message
 * @throws TurnmillError `unavailable` if it is missing, not executable, not zstd, or does not answer
 */
export function requireZstdProgram(what: string): void {
  const answer = spawnSync(PROGRAM, ['--version'], {
    env: environment(),
    timeout: ANSWER_MS,
    encoding: 'utf8',
  });
  const answers = answer.status === 0 && /zstandard|zstd/i.test(answer.stdout);
  if (answers) return;
  const { code } = (answer.error ?? {}) as NodeJS.ErrnoException;
  const found = code === 'ENOENT' ? 'it was not found' : (code ?? 'the program of this name is not zstd');
  throw new TurnmillError('unavailable', `${what} needs zstd (${found}): ${HINT}`, { subject: what });
}

/** Compresses to one frame. Uses a single thread, because the number of threads would show in the bytes. */
export function packWithProgram(bytes: Uint8Array): Uint8Array {
  const { error, status, signal, stdout, stderr } = spawnSync(
    PROGRAM,
    [...PACK, `--stream-size=${bytes.length}`],
    { input: bytes, env: environment(), maxBuffer: Number.POSITIVE_INFINITY, ...OWN_GROUP },
  );
  if (error === undefined && status === 0) return stdout;
  const started = status !== null || signal !== null;
  const why = (started && endOf(status, signal, stderr.toString('latin1'))) || error;
  const what = why instanceof Error ? why.message : why;
  throw new TurnmillError('io', `cannot pack with zstd: ${what}`, { subject: PROGRAM, cause: error });
}

/** Starts the program as a decoder. */
export function startZstdProgram(idleMs: number = IDLE_MS): Decoder {
  // has no streams if no descriptors are left
  const child: ChildProcess = spawn(PROGRAM, DECODE, { stdio: 'pipe', env: environment(), ...OWN_GROUP });
  const { stdin, stdout, stderr } = child;
  const { moved, wake } = createWaker();
  let ending: Ending | undefined;
  let complaint = '';
  const closed = new Promise<void>((resolve) => {
    const over = (what: Ending): void => {
      ending ??= what;
      resolve();
      wake();
    };
    child.on('error', (error) => over(notStarted(error)));
    child.on('close', (status, signal) => over(endOf(status, signal, complaint)));
  });
  stdin?.on('error', () => undefined); // the exit status reports it
  stdout?.on('readable', wake);
  stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('latin1')).slice(-STDERR_BYTES);
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
    moved: () =>
      withinTime(moved(), idleMs, () => {
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
  return new SourceFault(reason, `cannot start zstd: ${error.code}${missing ? `; ${HINT}` : ''}`, error);
}

/** Waits for two idle periods: a process that was suspended sees one of them expire as soon as it resumes. */
async function withinTime(moved: Promise<void>, idleMs: number, giveUp: () => void): Promise<void> {
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
    if (turns === 2) giveUp();
  }, idleMs / 2);
  try {
    await moved;
  } finally {
    clearInterval(timer);
  }
}

/** The program's message without its prefix: `/*stdin*\ : Decoding error (36) : Data corruption detected`. */
function endOf(status: number | null, signal: NodeJS.Signals | null, complaint: string): Ending {
  if (status === 0) return '';
  if (signal !== null) return new SourceFault('unreadable', `zstd was killed by ${signal}`, DECODER_KILLED);
  const last = complaint.trim().split('\n').at(-1)?.split(' : ').at(-1)?.trim();
  return last || `zstd ended with status ${status}`;
}
