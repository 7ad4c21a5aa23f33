/** `--system-text` and `--tool-definitions` add what agents do not log. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const example = resolve(import.meta.dirname, '../../../examples/dialects/claude-code.jsonl');
const READ = { name: 'Read', input_schema: { type: 'object', properties: {} } };

function files(): { system: string; tools: string; folder: string } {
  const folder = temporaryFolder();
  const [system, tools] = [join(folder, 'system.md'), join(folder, 'tools.json')];
  writeFileSync(system, 'You look after\na garden.\n');
  writeFileSync(tools, JSON.stringify([READ, { name: 'Bash', input_schema: {} }]));
  return { system, tools, folder };
}

test('both are added, counted and recorded by their hash', async () => {
  const { system, tools, folder } = files();
  const out = join(folder, 'out');
  const flags = ['--system-text', system, '--tool-definitions', tools, '--group-by', 'none'];
  expect((await turnmill(['build', example, '--out', out, ...flags])).status).toBe(0);
  const record = JSON.parse(readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8'));
  expect(record.messages[0]).toEqual({ role: 'system', content: 'You look after\na garden.' });
  expect(record.tools).toEqual([{ name: 'Read', parameters: { type: 'object', properties: {} } }]);
  const { findings, rewrites } = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  expect(rewrites).toMatchObject({ 'system-supplied': 1, 'tools-supplied': 1 });
  expect(findings).not.toHaveProperty('no-system');
  expect(findings).not.toHaveProperty('no-tools');
  expect((await turnmill(['verify', out])).status).toBe(0);
  const manifest = readFileSync(join(out, 'manifest.json'), 'utf8');
  expect(manifest).toMatch(
    /"systemTextSha256":"[0-9a-f]{64}","toolDefinitionsSha256":"|"systemTextSha256": "[0-9a-f]{64}"/,
  );
  expect(manifest).not.toContain('garden');
});

test('sessions that would otherwise take the shortcut get them too, with any number of workers', async () => {
  const { system, folder } = files();
  const log = writeLog(folder, 'a.jsonl', [entry(), entry({ second: 3 })]);
  const args = ['build', log, '--out', '-', '--system-text', system];
  const [one, two] = [
    await turnmill([...args, '--workers', '1']),
    await turnmill([...args, '--workers', '2']),
  ];
  expect(one.stdout.toString()).toMatch(
    /^\{"messages":\[\{"role":"system","content":"You look after\\na garden\."\}/,
  );
  expect(two.stdout.equals(one.stdout)).toBe(true);
});

test('--tool-definitions refuses a file without a list of tools', async () => {
  const { system } = files();
  const { status, stderr } = await turnmill(['build', example, '--out', '-', '--tool-definitions', system]);
  expect(status).toBe(64);
  expect(stderr).toContain('--tool-definitions: not a JSON array of objects that each have a name');
});
