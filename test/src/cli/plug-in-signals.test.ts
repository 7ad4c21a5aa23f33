/** A plug-in that never returns blocks the event loop, so that no listener for signals is called. Two signals end the process. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ended, start, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const LOOP = `fs.writeFileSync(process.env.MARK, ''); for (;;);`;
const dialect = (read: string): string =>
  `export default { name: 'odd', summary: 'Odd.', detect: () => true, read() { ${read} } };`;
const PLUG_INS = {
  'the read of a dialect': dialect(LOOP),
  'the encode of a format': `export default { name: 'odd', summary: 'Odd.', encode() { ${LOOP} } };`,
  'a stage': `export default { name: 'odd', summary: 'Odd.', after: 'cleanup', create: () => ({ entry() { ${LOOP} } }) };`,
  'the module itself': `${LOOP}`,
} as const;
type PlugIn = keyof typeof PLUG_INS;

const build = (logs: string, out: string): readonly string[] => ['build', logs, '--out', out];
const RUNS: readonly (readonly [
  PlugIn,
  string,
  NodeJS.Signals,
  (logs: string, out: string) => readonly string[],
])[] = [
  ['the read of a dialect', 'build', 'SIGINT', build],
  [
    'the read of a dialect',
    'build with 2 workers',
    'SIGTERM',
    (...all) => [...build(...all), '--workers', '2'],
  ],
  ['the read of a dialect', 'explain', 'SIGTERM', (logs) => ['explain', join(logs, '0.jsonl:1')]],
  ['the read of a dialect', 'inspect', 'SIGINT', (logs) => ['inspect', logs, '--after', 'parse']],
  ['the read of a dialect', 'check', 'SIGHUP', (logs) => ['check', logs]],
  ['the encode of a format', 'build', 'SIGTERM', (...all) => [...build(...all), '--format', 'odd']],
  ['a stage', 'build', 'SIGTERM', build],
  ['the module itself', 'build', 'SIGINT', build],
];
const STATUS: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

test.each(RUNS)(
  'an endless loop in %s (%s) is ended by %s, sent twice',
  async (where, _what, signal, args) => {
    const folder = temporaryFolder();
    const [logs, out, mark] = ['logs', 'out', 'mark'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (let i = 0; i < 4; i++) writeLog(logs, `${i}.jsonl`, [entry({ id: `s${i}` })]);
    const plugIn = join(folder, 'plug.mjs');
    writeFileSync(plugIn, `import fs from 'node:fs'; ${PLUG_INS[where]}`);
    const child = start([...args(logs, out), '--plugin', plugIn], 'ignore', { ...process.env, MARK: mark });
    const end = ended(child);
    await expect.poll(() => existsSync(mark)).toBe(true);
    child.kill(signal);
    await setTimeout(300);
    child.kill(signal);
    const stopped = await Promise.race([end, setTimeout(15_000, 'it did not end')]);
    if (typeof stopped === 'string') child.kill('SIGKILL');
    const expected =
      typeof stopped === 'object' && stopped.signal === null ? { status: STATUS[signal] } : { signal };
    expect(stopped).toMatchObject(expected);
    expect(existsSync(out)).toBe(false);
    expect((await turnmill(build(logs, out))).status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'mark', 'out', 'plug.mjs']);
  },
);
