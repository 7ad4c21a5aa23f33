/**
 * `npm run test:plain` relies on TURNMILL_SCANNER=plain: with it no WebAssembly is instantiated, in the main thread or a worker, by the
 * built command or by tests that import the settings; without it some is.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { COMMAND, ended } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

const TELL_WASM =
  'const{Instance}=WebAssembly;WebAssembly.Instance=function(m,i){process._rawDebug("wasm-instance");return new Instance(m,i)}';

it.each([
  ['plain', '1'],
  ['plain', '2'],
  ['auto', '1'],
  ['auto', '2'],
])('TURNMILL_SCANNER=%s, %s workers', async (scanner, workers) => {
  const logs = join(temporaryFolder(), 'logs');
  // more than one task, so that workers start
  writePlainLogs(logs, { sessions: 6, entries: 10, messageChars: 20_000, seed: 1 });
  const node = [`--import=data:text/javascript,${TELL_WASM}`, COMMAND];
  const child = spawn(process.execPath, [...node, 'check', logs, '--workers', workers], {
    env: { ...process.env, TURNMILL_SCANNER: scanner },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { status, stderr } = await ended(child);
  expect(status, stderr).toBe(0);
  expect(stderr.split('wasm-instance').length - 1).toBe(scanner === 'plain' ? 0 : Number(workers));
});

it('settings imported by a test use the scanner of the environment', () => {
  expect(DEFAULT_SETTINGS.scanner).toBe(process.env.TURNMILL_SCANNER === 'plain' ? 'plain' : 'auto');
});
