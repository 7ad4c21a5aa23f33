#!/usr/bin/env node
/**
 * Entry point of the command. The exit status is 70 (bug) from the first statement on and changes only once `main` has
 * returned. Modules are imported late, so that a user of an unsupported Node gets a clear message.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { keepCompiledCode } from '../compiled-code.ts';
import { setStartFlags } from '../start-flags.ts';

process.exitCode = 70;
/** Repeated from faults.ts, which is not loaded yet. */
const EARLY_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type EarlySignal = keyof typeof EARLY_SIGNALS;

function endEarly(name: EarlySignal): never {
  tell(`turnmill: stopped by ${name} before the run began; nothing was written\n`);
  process.exit(EARLY_SIGNALS[name]);
}

/** From here on a signal ends the process with a message and a status; before this, Node's default applies. */
for (const name of Object.keys(EARLY_SIGNALS) as EarlySignal[]) process.on(name, endEarly);

/** Called once the command handles signals itself. */
function stopListening(): void {
  for (const name of Object.keys(EARLY_SIGNALS) as EarlySignal[]) process.off(name, endEarly);
}

let ended = false;
/** With these a signal ends the process. */
const OWN_EXITS: ReadonlySet<number> = new Set(Object.values(EARLY_SIGNALS));
/** A plug-in may call `process.exit`: its status would be taken for that of the run. */
process.on('exit', (status) => {
  if (ended || OWN_EXITS.has(status)) return;
  process.exitCode = 70;
  tell(
    'turnmill: something called process.exit before the run ended, perhaps a plug-in; nothing was published\n',
  );
});
process.on('beforeExit', () => {
  if (!ended)
    tell('turnmill: unfinished: the process ended before the run did; this is a bug, please report it\n');
  ended = true;
});

function tell(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Standard error is gone, so there is nowhere to report this.
  }
}

/** Upper bound on the file descriptors needed to load the modules. */
const SPARE_DESCRIPTORS = 24;

/** Called before any import: when descriptors run out, Node reports a module as `not found`. */
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
  setStartFlags();
  const cache = keepCompiledCode();
  const { supportsNode, SUPPORTED } = await import('./supported-node.ts');
  if (!supportsNode(process.versions.node)) {
    tell(`turnmill: Node ${process.versions.node} is not supported: use ${SUPPORTED}\n`);
    return 78;
  }
  const { ProcessHost } = await import('./host.ts');
  const host = new ProcessHost();
  const { watchForBugs } = await import('./faults.ts');
  watchForBugs(host, () => {
    ended = true;
  });
  process.cwd(); // throws if the folder was deleted; later that would look like a bug
  // Imported one after the other: Node opens all files of an import graph at once, which can exhaust the descriptors.
  await import('../../transforms/chain.ts');
  const { main } = await import('./main.ts');
  const status = await main(process.argv.slice(2), host, stopListening);
  cache?.save(setStartFlags);
  return status;
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
      tell('turnmill: too few file descriptors to start: raise `ulimit -n`\n');
      return;
    }
    if (syscall === 'uv_cwd') {
      process.exitCode = 66;
      tell(
        `turnmill: the current folder was deleted or cannot be reached (${code}): change to another one\n`,
      );
      return;
    }
    tell(`${error instanceof Error ? error.stack : String(error)}\n`);
  },
);
