/**
 * The harness of the fault suite. A test declares its needs of the machine, and each need is probed once by trying it. A missing need skips
 * the test and is shown in its name, or fails the test under FAULTS=strict. Long tests run only with TURNMILL_FAULTS=all (npm run
 * test:faults).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { matrix } from '../faults/matrix.ts';

const LONG_TIMEOUT_MS = 60 * 60_000;
/** Only for a probe that hangs; slow machines are fine. */
const PROBE_TIMEOUT_MS = 5 * 60_000;
const IDS = /^[FS]\d{3}(?:(?:, |-)[FS]\d{3})*$/;
/** Whether long tests run too. */
export const ALL_FAULTS = process.env.TURNMILL_FAULTS === 'all';

/** The server of moto; TURNMILL_MOTO names it if it is not on the PATH. */
export const MOTO_PROGRAM = process.env.TURNMILL_MOTO ?? 'moto_server';

/** For each need a bash line that tries it in an empty folder and fails if it is not possible. */
const PROBES = {
  /** A private mount namespace with a small file system. */
  mount: 'mkdir m && unshare -m sh -c "mount -t tmpfs -o size=64k none m && stat -f -c %T m | grep -q tmpfs"',
  /** A private network namespace. */
  network: 'unshare -n true',
  /** Separate network and process namespaces, like two containers on one volume. */
  containers: 'unshare -n -p -f --mount-proc true',
  ptrace:
    'strace -f -qq -o log -e trace=write -e inject=write:error=ENOSPC:when=1 echo 1 2>/dev/null; grep -q INJECTED log',
  /** A memory cgroup (version 1) that can be created and entered. */
  cgroup:
    'd=/sys/fs/cgroup/memory/turnmill-probe-$$; mkdir $d && echo 64M >$d/memory.limit_in_bytes && (echo $BASHPID >$d/cgroup.procs); s=$?; rmdir $d; exit $s',
  /** Switching to another user. */
  setpriv: '[ "$(setpriv --reuid=65534 --clear-groups id -u)" = 65534 ]',
  prlimit: '[ "$(prlimit --nofile=99 bash -c "ulimit -n")" = 99 ]',
  chattr: 'touch f && chattr +i f && chattr -i f',
  zstd: 'echo 1 | zstd -qc | zstd -qdc | grep -q 1',
  faketime: '[ "$(faketime 2001-02-03 date +%Y)" = 2001 ]',
  fiu: '! fiu-run -x -c "enable name=posix/io/oc/open" cat /dev/null',
  mkfifo: 'mkfifo f',
  mknod: 'mknod f c 1 3',
  /** A separate terminal for a command. */
  script: '[ "$(script -qec "echo 1" /dev/null </dev/null | tr -d "\\r")" = 1 ]',
  gdb: 'gdb --version',
  /** A C compiler, and a way to preload its libraries. */
  preload: `printf '#include <stdio.h>\n__attribute__((constructor)) static void f(void) { fputs("on", stdout); }' >a.c &&
    cc -shared -fPIC -o a.so a.c && [ "$(LD_PRELOAD=$PWD/a.so cat /dev/null)" = on ]`,
  /** The server of moto, an independent implementation of S3. */
  moto: `"${MOTO_PROGRAM}" --help`,
  python3: 'python3 -c "import mmap"',
} as const;

export type Need = keyof typeof PROBES;

export interface FaultOptions {
  readonly needs?: readonly Need[];
  /** Takes more than about 5 s, or repeats a quick test of the same fault with other values. */
  readonly long?: boolean;
}

const found = new Map<Need, boolean>();

/** Probes a need once. */
function has(need: Need): boolean {
  const known = found.get(need);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-probe-'));
  const { status } = spawnSync('bash', ['-c', PROBES[need]], {
    cwd: folder,
    stdio: 'ignore',
    timeout: PROBE_TIMEOUT_MS,
  });
  rmSync(folder, { recursive: true, force: true });
  found.set(need, status === 0);
  return status === 0;
}

/**
 * A test for faults of the matrix. `id` is one id or several: 'F070-F074', 'F070, F072'.
 * @param fn checks that its fault fired, and the result
 */
export function faultTest(
  id: string,
  title: string,
  { needs = [], long = false }: FaultOptions,
  fn: () => Promise<void> | void,
): void {
  checkIds(id);
  const name = `${id} ${title}`;
  if (long && !ALL_FAULTS) {
    test.skip(`${name} (long)`, fn);
    return;
  }
  const missing = needs.filter((need) => !has(need));
  if (missing.length === 0) {
    test(name, fn, long ? LONG_TIMEOUT_MS : undefined);
    return;
  }
  const skippedName = `${name} (needs ${missing.join(', ')})`;
  if (process.env.FAULTS === 'strict') {
    test(skippedName, () => {
      throw new Error(`this machine does not have: ${missing.join(', ')}`);
    });
  } else test.skip(skippedName, fn);
}

function checkIds(id: string): void {
  const known = new Set(Object.values(matrix).flatMap((faults) => Object.keys(faults)));
  const unknown = (id.match(/[FS]\d{3}/g) ?? []).filter((one) => !known.has(one));
  if (!IDS.test(id) || unknown.length > 0) throw new Error(`${id}: not a fault in test/faults/matrix.ts`);
}
