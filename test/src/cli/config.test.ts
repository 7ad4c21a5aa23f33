import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { settingsOf } from '../../../src/cli/options/settings-of.ts';
import type { Values } from '../../../src/cli/options/values.ts';
import { COMMAND } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

function valuesOf(config: unknown, flags: readonly string[] = []): Values {
  const path = join(temporaryFolder(), 'config.json');
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config));
  const read = readArguments(['build', 'x', '--config', path, ...flags]);
  if ('text' in read) throw new Error(read.text);
  const { config: _config, ...values } = read.values;
  return values;
}

describe('F161 a configuration file', () => {
  test('is overridden by flags', () => {
    const flags = [
      '--out',
      'e',
      '--max-line',
      '7',
      '--limit',
      '9',
      '--cleanup',
      'goose',
      '--group-by',
      'date',
      '--workers',
      '1',
    ];
    const config = { out: 'd', replace: true, maxLine: '1MiB', limit: 5, cleanup: ['goose-info'] };
    const values = valuesOf({ ...config, groupBy: 'none', workers: 2 }, flags);
    expect(values).toMatchObject({
      out: 'e',
      maxLine: 7,
      limit: 9,
      cleanup: ['goose'],
      groupBy: 'date',
      workers: 1,
      replace: true,
    });
    expect(valuesOf({})).toEqual({});
    expect(valuesOf({ cleanup: ['goose'] }, ['--no-cleanup']).cleanup).toEqual([]);
    expect(valuesOf({ integrity: true }, ['--no-integrity']).integrity).toBe(false);
  });

  test('gives way to a flag for another format', () => {
    const formatOf = (config: object, flags: readonly string[]) =>
      settingsOf(['x'], valuesOf(config, flags)).format;
    expect(formatOf({ jsonToolCalls: true }, ['--format', 'chat'])).toEqual(['chat']);
    expect(formatOf({ format: 'chat' }, ['--json-tool-calls'])).toEqual(['chat-inline']);
    expect(formatOf({ format: 'chat' }, [])).toEqual(['chat']);
    expect(formatOf({ format: ['chat', 'trl'] }, [])).toEqual(['chat', 'trl']);
    expect(formatOf({ format: ['chat', 'trl'] }, ['--format', 'openai'])).toEqual(['openai']);
    expect(formatOf({ jsonToolCalls: true }, [])).toEqual(['chat-inline']);
  });

  test('is overridden by --on-finding rule by rule', () => {
    const values = valuesOf(
      { onFinding: { 'control-token-in-content': 'reject', 'non-text-part': 'reject' } },
      ['--on-finding', 'non-text-part=keep'],
    );
    const onFinding = { 'control-token-in-content': 'reject', 'non-text-part': 'keep' };
    expect(settingsOf(['x'], values).onFinding).toEqual(onFinding);
  });

  test('may start with a byte order mark', () => {
    expect(valuesOf('\ufeff{"limit": 3}')).toEqual({ limit: 3 });
  });

  test.each<[string, string]>([
    ['', 'not valid JSON, at line 1'],
    ['{', 'not valid JSON, at line 1'],
    ['{\n  "limit": 1,\n  oops\n}', 'not valid JSON, at line 3'],
    ['{"limit": 1}\n\n{}', 'not valid JSON, at line 3'],
    ['\ufeff{\n"limit": 01}', 'not valid JSON, at line 2'],
    ["{'limit': 1}", 'not valid JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['3', 'not a JSON object'],
    ['{"limits": 1}', "'limits'"],
    ['{"shard-size": 1}', "'shard-size'"],
    ['{"__proto__": {"limit": 1}}', "'__proto__'"],
    ['{"constructor": 1}', "'constructor'"],
    ['{"config": "other.json"}', "'config'"],
    ['{"version": 2}', "'version'"],
    ['{"limit": "5"}', 'limit: must be a number'],
    ['{"limit": 1.5}', 'limit'],
    ['{"limit": null}', 'limit'],
    ['{"replace": "yes"}', 'replace: must be true or false'],
    ['{"out": 3}', 'out: must be a string'],
    ['{"out": ""}', 'out: needs a value'],
    ['{"format": "nope"}', "format: 'nope' is not one of"],
    ['{"format": 3}', 'format: must be a string or an array'],
    ['{"format": []}', 'format: needs a value'],
    ['{"format": ["chat", "nope"]}', "format: 'nope' is not one of"],
    ['{"format": ["chat", "chat"]}', "format: 'chat' appears twice"],
    [
      '{"jsonToolCalls": true, "format": ["chat-inline", "trl"]}',
      'jsonToolCalls means format chat-inline, but format is trl',
    ],
    ['{"cleanup": "goose"}', 'cleanup: must be an array'],
    ['{"cleanup": ["x"]}', 'cleanup'],
    ['{"cleanup": [["goose"]]}', 'cleanup'],
    ['{"maxLine": true}', 'maxLine: must be a number of bytes or a string'],
    ['{"maxLine": "1Q"}', 'maxLine'],
    ['{"shardSize": 1.5}', 'shardSize'],
    ['{"onFinding": ["a"]}', 'onFinding: must be an object'],
    ['{"onFinding": {"toString": "reject"}}', 'onFinding'],
    ['{"onFinding": {"non-text-part": true}}', 'onFinding'],
    ['{"jsonToolCalls": true, "format": "chat"}', 'jsonToolCalls means format chat-inline'],
  ])('is refused with %s', (text, problem) => {
    let fault: unknown;
    try {
      valuesOf(text);
    } catch (error) {
      fault = error;
    }
    expect(fault).toMatchObject({ code: 'config' });
    expect((fault as Error).message).toContain(problem);
  });

  test('ends the run with 78 and one structured line if it is missing, a folder or invalid', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bad.json'), '{"secret": "hunter2"}');
    mkdirSync(join(folder, 'd'));
    for (const name of ['no.json', 'd', 'bad.json', '/dev/zero']) {
      const path = name.startsWith('/') ? name : join(folder, name);
      const { status, stderr } = await turnmill(['build', 'x', '--out', 'y', '--config', path]);
      expect([status, JSON.parse(stderr).code]).toEqual([78, 'config']);
      expect(stderr).not.toContain('hunter2');
    }
  });

  test('ends the run with 78 if it may not be read', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c.json');
    writeFileSync(path, '{}', { mode: 0 });
    chmodSync(folder, 0o755);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}; // root may do everything
    const args = [COMMAND, 'build', 'x', '--out', 'y', '--config', path];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', ...nobody });
    expect([status, stderr]).toEqual([78, expect.stringContaining('EACCES')]);
  });

  test('takes effect, and the manifest records it', async () => {
    const folder = temporaryFolder();
    const [log, out, config] = [
      writeLog(folder, 'a.jsonl', [entry()]),
      join(folder, 'out'),
      join(folder, 'c.json'),
    ];
    writeFileSync(config, JSON.stringify({ out, groupBy: 'none', shardSize: '1MB', cleanup: [] }));
    expect((await turnmill(['build', log, '--config', config, '--group-by', 'scenario'])).status).toBe(0);
    const { settings } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(settings).toMatchObject({ groupBy: 'scenario', shardSize: 1_000_000, cleanup: [] });
  });
});
