#!/usr/bin/env node
/**
 * The command. Success must be earned: the status is 70 from the first statement on and changes only when `main` has
 * returned. Everything is imported late, so that an old Node gets a clear word.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

process.exitCode = 70;
/** As in exit-code.ts, which is not loaded yet. */
const EARLY_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type EarlySignal = keyof typeof EARLY_SIGNALS;

function endEarly(name: EarlySignal): never {
  tell(`turnmill: stopped by ${name} before the run began; nothing was written\n`);
  process.exit(EARLY_SIGNALS[name]);
}

/** From here on a signal ends in a word and a status; one that comes while Node itself starts ends the process as it always does. */
for (const name of Object.keys(EARLY_SIGNALS) as EarlySignal[]) process.on(name, endEarly);

/** The command listens to signals itself now. */
function stopListening(): void {
  for (const name of Object.keys(EARLY_SIGNALS) as EarlySignal[]) process.off(name, endEarly);
}

let ended = false;
process.on('beforeExit', () => {
  if (!ended) tell('turnmill: unfinished: the run ended before its time; this is a bug\n');
});

function tell(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody is left to be told.
  }
}

/** Descriptors that loading the modules takes at most. */
const SPARE_DESCRIPTORS = 24;

/** Tried before anything is imported: a module that Node cannot open for want of descriptors is `not found` to it. */
function checkDescriptors(): void {
  const open: number[] = [];
  try {
    while (open.length < SPARE_DESCRIPTORS) open.push(openSync(process.execPath, 'r'));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

async function start(): Promise<number> {
  checkDescriptors();
  const { supportsNode, SUPPORTED } = await import('./node-version.ts');
  if (!supportsNode(process.versions.node)) {
    tell(`turnmill: Node ${process.versions.node} is not supported: use ${SUPPORTED}\n`);
    return 78;
  }
  const { watchForBugs } = await import('./bugs.ts');
  watchForBugs();
  // By itself: Node opens all files of a graph at once, and there may be few descriptors.
  await import('yargs');
  await import('../../transforms/chain.ts');
  const { main } = await import('./main.ts');
  return main(process.argv.slice(2), stopListening);
}

start().then(
  (status) => {
    ended = true;
    process.exitCode = status;
  },
  (error: unknown) => {
    ended = true;
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (['EMFILE', 'ENFILE'].includes(code)) {
      process.exitCode = 74;
      tell('turnmill: there are too few file descriptors to start with: see `ulimit -n`\n');
      return;
    }
    if (syscall === 'uv_cwd') {
      process.exitCode = 66;
      tell(`turnmill: the current folder is gone or cannot be reached (${code}): go to another one\n`);
      return;
    }
    tell(`${error instanceof Error ? error.stack : String(error)}\n`);
  },
);
