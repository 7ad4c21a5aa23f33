/**
 * F211: a signal that arrives before the command handles signals. A preloaded module (`--import`) sends the signal at a chosen moment of
 * the start.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sessionLines } from '../support/plain-logs.ts';

const STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Each one sends the signal once, writes a file as proof, and keeps the process alive until the signal has acted. */
const MOMENTS = {
  'in the first statements': `
    const on = process.on;
    process.on = function (name, ...rest) {
      if (name === 'beforeExit') send();
      return on.call(this, name, ...rest);
    };`,
  'while the modules are loaded': `
    const path = process.execPath;
    Object.defineProperty(process, 'execPath', { get: () => (send(), path) });`,
  'while the command line is read': `
    const columns = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
    Object.defineProperty(process.stdout, 'columns', { get: () => (send(), columns?.value) });`,
};

for (const [moment, code] of Object.entries(MOMENTS))
  for (const [name, status] of Object.entries(STATUSES))
    faultTest('F211', `${name} ${moment}: ${status} and one line`, {}, async () => {
      const folder = temporaryFolder();
      const [log, out, shim, sent] = ['a.jsonl', 'out', 'shim.mjs', 'sent'].map((file) =>
        join(folder, file),
      ) as [string, string, string, string];
      writeFileSync(log, sessionLines('s', { entries: 1, messageChars: 80, seed: 1 }).join('\n'));
      const send = `import { existsSync, writeFileSync } from 'node:fs';
        function send() {
          if (existsSync(${JSON.stringify(sent)})) return;
          writeFileSync(${JSON.stringify(sent)}, '${name}');
          process.kill(process.pid, '${name}');
        }`;
      writeFileSync(shim, `${send}${code}`);
      const run = await turnmill(['build', log, '--out', out], undefined, {
        ...process.env,
        NODE_OPTIONS: `--import ${shim}`,
      });
      expect(readFileSync(sent, 'utf8')).toBe(name); // the signal was sent
      expect({ status: run.status, signal: run.signal }, run.stderr).toEqual({ status, signal: null });
      expect(run.stderr.trim().split('\n')).toEqual([expect.stringContaining(`stopped by ${name}`)]);
      expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'sent', 'shim.mjs']);
    });
