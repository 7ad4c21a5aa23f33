/** `--redact` as a user runs it: records, ledger, names and errors. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryLine, sessionLog } from '../../support/build-logs.ts';
import { turnmillHere } from '../../support/command-here.ts';
import { faultTest } from '../../support/faults.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { HEX, mixed, planted } from '../../transforms/redaction/plant.ts';

const PLACEHOLDER = /<[A-Z_]+:[A-Z2-7]{10}>/g;
const TOKEN = `gh${'p'}_${mixed(36)}`;

interface Place {
  readonly logs: string;
  path(name: string): string;
  build(out: string, ...args: string[]): ReturnType<typeof turnmillHere>;
}

const workersIn = (args: readonly string[]): string[] =>
  args.includes('--workers') ? [] : ['--workers', '1'];

/** Logs with each planted value in a text, in arguments and in a result; a session without secrets; a line that is not JSON. */
function place(): Place {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  mkdirSync(path('logs'));
  for (const [i, { value, before = '', after = '' }] of planted().entries()) {
    const text = `see\n${before}${value.replaceAll('\\n', '\n')}${after}\nend`;
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: JSON.stringify({ text }) } },
      ],
    };
    const messages = [
      { role: 'user', content: text },
      call,
      { role: 'tool', tool_call_id: 'c1', content: text },
    ];
    writeFileSync(
      path(`logs/${String(i).padStart(2, '0')}.jsonl`),
      `${entryLine({ id: `s${i}`, messages })}\n`,
    );
  }
  writeFileSync(path('logs/plain.jsonl'), sessionLog('plain'));
  writeFileSync(
    path('logs/torn.jsonl'),
    `${sessionLog('torn')}{"session_id": "torn", "api_key": "${TOKEN}" oh}\n`,
  );
  writeFileSync(path('key'), 'a key of the tests\n', { mode: 0o600 });
  const build: Place['build'] = (out, ...args) =>
    turnmillHere([
      'build',
      path('logs'),
      '--out',
      path(out),
      ...workersIn(args),
      '--redact',
      '--redact-key-file',
      path('key'),
      ...args,
    ]);
  return { logs: path('logs'), path, build };
}

/** All bytes of a dataset as text. */
function textsOf(out: string): string {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n');
}

const dataOf = (out: string): string => readFileSync(join(out, 'data/2026-01-13-00000.jsonl'), 'utf8');

describe('build --redact', () => {
  faultTest('F188', 'changes only the values, and the same key gives the same names', {}, async () => {
    const { build, path, logs } = place();
    expect((await build('out')).status).toBe(3);
    expect((await turnmillHere(['verify', path('out')])).status).toBe(0);
    expect((await turnmillHere(['build', logs, '--out', path('plain')])).status).toBe(3);
    const [plain, redacted] = [dataOf(path('plain')).split('\n'), dataOf(path('out')).split('\n')];
    expect(redacted.length).toBe(plain.length);
    let found = 0;
    for (const [i, line] of redacted.entries()) {
      if (line === '') continue;
      const { messages } = JSON.parse(line);
      for (const { tool_calls: calls } of messages) if (calls) JSON.parse(calls[0].function.arguments);
      // between its names, the record is the bytes of the record without --redact
      let at = 0;
      for (const piece of line.split(PLACEHOLDER)) {
        at = (plain[i] as string).indexOf(piece, at);
        expect(at).toBeGreaterThanOrEqual(0);
        at += piece.length;
      }
      const names = line.match(PLACEHOLDER) ?? [];
      expect(new Set(names).size).toBeLessThanOrEqual(1);
      if (names.length > 0) expect(names.length).toBe(3);
      found += names.length;
    }
    expect(found).toBe(3 * planted().length);
    await build('again');
    expect(hashesOf(path('again'))).toEqual(hashesOf(path('out')));
    writeFileSync(path('key'), 'another key');
    await build('other');
    expect(dataOf(path('other')).replace(PLACEHOLDER, '')).toBe(dataOf(path('out')).replace(PLACEHOLDER, ''));
    expect(dataOf(path('other'))).not.toBe(dataOf(path('out')));
  });

  test('no value is in any file, nor the key, and the ledger counts by rule', async () => {
    const { build, path } = place();
    const { stderr } = await build('out', '--quarantine-content', 'raw', '--copies', 'drop');
    expect((await turnmillHere(['verify', path('out')])).status).toBe(0);
    const texts = `${textsOf(path('out'))}\n${stderr}`;
    for (const { value } of planted()) expect(texts).not.toContain(value.split('\\n').at(-2) ?? value);
    expect(texts).not.toContain('a key of the tests');
    const { rewrites } = JSON.parse(readFileSync(join(path('out'), 'reports/summary.json'), 'utf8'));
    expect(rewrites['redact:github-token']).toBe(18);
    expect(rewrites['redact:email']).toBe(3);
    const [kept] = readFileSync(join(path('out'), 'quarantine/rejected.jsonl'), 'utf8')
      .split('\n')
      .map((line) => line && JSON.parse(line));
    expect(Buffer.from(kept.raw_b64, 'base64').toString()).toMatch(
      /"api_key": "<GITHUB_TOKEN:[A-Z2-7]{10}>" oh/,
    );
  });

  test('messages of rejections and findings have no value that the log has as a role or a member', async () => {
    const { logs, path } = place();
    const messages = [{ role: TOKEN, content: 'x' }];
    writeFileSync(join(logs, 'role.jsonl'), `${entryLine({ id: 'role', messages })}\n`);
    writeFileSync(join(logs, 'members.jsonl'), `{"${TOKEN}":1,"other":"x"}\n`);
    const options = ['--redact', '--redact-key-file', path('key'), '--workers', '1', '--format', 'sts'];
    const { stderr } = await turnmillHere([
      'build',
      logs,
      '--out',
      path('out'),
      '--format',
      'chat',
      ...options,
    ]);
    const texts = textsOf(path('out'));
    expect(texts).toMatch(/no dialect has objects with the keys <GITHUB_TOKEN:[A-Z2-7]{10}>, other/);
    expect(texts.match(PLACEHOLDER)?.length).toBeGreaterThan(1);
    expect(texts).toContain('"unknown-dialect"');
    expect(`${texts}\n${stderr}`).not.toContain(TOKEN);
    expect((await turnmillHere(['verify', path('out'), '--redacted'])).status).toBe(0);
  });

  test('a short message cannot be guessed from paths.bin: another key gives other hashes', async () => {
    const { build, path } = place();
    await build('out', '--copies', 'drop');
    const before = hashesOf(path('out'))['ledger/paths.bin'];
    writeFileSync(path('key'), 'another key');
    await build('other', '--copies', 'drop');
    expect(hashesOf(path('other'))['ledger/paths.bin']).not.toBe(before);
    expect((await turnmillHere(['verify', path('other')])).status).toBe(0);
  });

  test('threads, standard output and an update give the same records', async () => {
    const { build, path, logs } = place();
    await build('out');
    await build('threads', '--workers', '2');
    expect(hashesOf(path('threads'))).toEqual(hashesOf(path('out')));
    writeFileSync(join(logs, 'new.jsonl'), sessionLog('new', `use ${TOKEN}`));
    expect((await build('out', '--update')).status).toBe(3);
    await build('fresh');
    expect(hashesOf(path('out'))).toEqual(hashesOf(path('fresh')));
    const { stdout } = await turnmillHere([
      'build',
      logs,
      '--out',
      '-',
      '--redact',
      '--redact-key-file',
      path('key'),
    ]);
    expect(stdout.toString()).toBe(dataOf(path('fresh')));
  });

  test('check says what looks like a secret, and build without --redact does not look', async () => {
    const { logs, path } = place();
    const check = await turnmillHere(['check', logs]);
    const kinds = new Set(planted().map(({ rule }) => rule)).size;
    expect(`${check.stdout}`).toContain(
      `${3 * planted().length} values look like secrets (${kinds} kinds): --redact replaces them`,
    );
    expect(`${check.stdout}`).not.toContain('looks-secret');
    const plain = await turnmillHere(['build', logs, '--out', path('plain')]);
    expect(plain.stderr).not.toContain('secret');
  });

  test('reports/redactions.jsonl has the place of every name, and verify counts them again', async () => {
    const { build, path } = place();
    await build('out');
    const file = join(path('out'), 'reports/redactions.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    expect(lines.length).toBe(3 * planted().length);
    const shard = dataOf(path('out')).split('\n');
    for (const text of lines) {
      const { line, rule, start, end, placeholder } = JSON.parse(text);
      expect(
        Buffer.from(shard[line - 1] as string)
          .toString('latin1')
          .slice(start, end),
      ).toBe(placeholder);
      expect(placeholder.startsWith(`<${rule.toUpperCase().replaceAll('-', '_')}:`)).toBe(true);
    }
    writeFileSync(file, `${lines.slice(1).join('\n')}\n`);
    const { status, stdout } = await turnmillHere(['verify', path('out')]);
    expect(status).toBe(65);
    expect(stdout.toString()).toContain('reports/redactions.jsonl: names in data/2026-01-13-00000.jsonl');
  });

  test('slices are merged to the bytes of one build, and other keys are refused', async () => {
    const { build, path } = place();
    await build('out');
    for (const slice of ['1', '2']) await build(`part${slice}`, '--slice', `${slice}/2`);
    const merge = await turnmillHere(['merge', path('part1'), path('part2'), '--out', path('merged')]);
    expect(merge.stderr).not.toContain('refused');
    expect(hashesOf(path('merged'))).toEqual(hashesOf(path('out')));
    writeFileSync(path('key'), 'another key');
    await build('other2', '--slice', '2/2');
    const refused = await turnmillHere(['merge', path('part1'), path('other2'), '--out', path('mixed')]);
    expect(refused.status).toBe(65);
    expect(refused.stderr).toContain('was redacted with another key than');
  });

  test('--redact-rules adds rules and turns others off', async () => {
    const { path, logs } = place();
    const text = `deploy acme_${mixed(32, HEX)} and test_acme_${mixed(32, HEX, 3)} by ada@analytical-engine.org`;
    writeFileSync(join(logs, 'acme.jsonl'), sessionLog('acme', text));
    const rules = [
      'off = ["email"]',
      '[[rule]]',
      'name = "acme-token"',
      'anchor = "acme_"',
      'pattern = "(?:test_)?acme_[a-z0-9]{32}"',
      '[allow]',
      'patterns = ["^test_"]',
    ];
    writeFileSync(path('rules.toml'), rules.join('\n'));
    const options = ['--redact', '--redact-key-file', path('key'), '--redact-rules', path('rules.toml')];
    await turnmillHere(['build', join(logs, 'acme.jsonl'), '--out', path('out'), ...options]);
    const [record = ''] = dataOf(path('out')).split('\n');
    expect(JSON.parse(record).messages[0].content).toMatch(
      /^deploy <ACME_TOKEN:[A-Z2-7]{10}> and test_acme_[a-z0-9]{32} by ada@analytical-engine\.org$/,
    );
    const verify = await turnmillHere([
      'verify',
      path('out'),
      '--redacted',
      '--redact-rules',
      path('rules.toml'),
    ]);
    expect(verify.stdout.toString()).toContain('no problems');
    expect((await turnmillHere(['verify', path('out'), '--redacted'])).status).toBe(65);
    writeFileSync(
      join(logs, 'two.jsonl'),
      sessionLog('two', `acme_${mixed(32, HEX)} acme_${mixed(32, HEX, 5)}`),
    );
    const check = ['check', join(logs, 'two.jsonl')];
    expect((await turnmillHere(check)).stdout.toString()).not.toContain('secret');
    expect((await turnmillHere([...check, ...options.slice(3)])).stdout.toString()).toContain(
      'secrets    2 values look like secrets (1 kind): --redact replaces them\n',
    );
    writeFileSync(path('rules.toml'), 'off = ["no-such"]');
    const misled = await turnmillHere([...check, ...options.slice(3)]);
    expect([misled.status, misled.stderr]).toEqual([64, expect.stringContaining("'no-such' is not a rule")]);
    const wrong = await turnmillHere(['build', logs, '--out', path('wrong'), ...options]);
    expect(wrong.status).toBe(64);
    expect(wrong.stderr).toContain("off: 'no-such' is not a rule");
  });

  test('a rejected line without its secrets is not replayed, but read from the logs', async () => {
    const { build, path, logs } = place();
    await build('out', '--quarantine-content', 'raw');
    const args = ['quarantine', 'replay', path('out')];
    const without = await turnmillHere([...args, '--into', path('nothing')]);
    const said = `${without.stdout}${without.stderr}`;
    expect(said).toContain(
      'the quarantine contains only a copy without its secrets: name the logs with --logs',
    );
    expect(said).toContain('torn.jsonl:2');
    expect(without.status).toBe(3);
    const replayed = await turnmillHere([...args, '--into', path('again'), '--logs', logs]);
    expect(replayed.status).toBe(0);
    expect(readFileSync(path('again/torn.jsonl'), 'utf8')).toContain(TOKEN);
  });

  test('verify --redacted finds what is left, with its place and without a part of it', async () => {
    const { build, path, logs } = place();
    await build('out', '--quarantine-content', 'raw');
    const clean = await turnmillHere(['verify', path('out'), '--redacted']);
    expect(clean.stdout.toString()).toContain('no problems');
    await turnmillHere(['build', logs, '--out', path('plain'), '--quarantine-content', 'raw']);
    const { status, stdout } = await turnmillHere(['verify', path('plain'), '--redacted']);
    const lines = stdout.toString().split('\n');
    expect(status).toBe(65);
    const ofData = lines.filter((line) => line.startsWith('data/2026-01-13-00000.jsonl: line '));
    const places = new Set(ofData.map((line) => line.replace(/: [a-z-]+ at/, ' at')));
    expect(places.size).toBe(3 * planted().length);
    expect(lines).toContainEqual(
      expect.stringMatching(/^quarantine\/rejected\.jsonl: line 1: github-token at byte \d+$/),
    );
    for (const { value } of planted()) expect(stdout.toString()).not.toContain(value.slice(-12));
  });

  test.each([
    ['\\/', '/'],
    ['\\u002B', '+'],
  ])('both find a value with %s for %s, and verify names its place', async (escaped, byte) => {
    const { build, logs, path } = place();
    const value = `${mixed(20)}${byte}${mixed(19)}`;
    const line = sessionLog('escapes').replace(
      '"content":"',
      `"content":"/a/+A \\u0022AWS_SECRET_ACCESS_KEY\\u0022: \\u0022${value}\\u0022 `,
    );
    expect(line).toContain(value);
    const content = line.indexOf('/a/+A');
    const ofContent = line.slice(content).replaceAll(byte, escaped);
    writeFileSync(join(logs, 'escapes.jsonl'), line.slice(0, content) + ofContent);
    expect((await build('out')).status).toBe(3);
    expect((await turnmillHere(['verify', path('out'), '--redacted'])).status).toBe(0);
    expect((await turnmillHere(['build', logs, '--out', path('plain')])).status).toBe(3);
    const { stdout } = await turnmillHere(['verify', path('plain'), '--redacted']);
    const records = dataOf(path('plain')).split('\n');
    const [start] = value.replaceAll(byte, escaped).split('\\');
    const number = records.findIndex((record) => record.includes(`\\u0022${start}`));
    const at = records[number]?.indexOf(start as string, records[number].indexOf('AWS_'));
    expect(stdout.toString()).toContain(`line ${number + 1}: aws-secret-key at byte ${at}\n`);
  });

  test('verify says what looks like a secret in a dataset without --redact', async () => {
    const { build, path, logs } = place();
    await turnmillHere(['build', logs, '--out', path('plain')]);
    const { status, stdout } = await turnmillHere(['verify', path('plain')]);
    expect(status).toBe(0);
    expect(stdout.toString()).toContain(`plain: ${3 * planted().length} values look like secrets`);
    await build('out');
    expect((await turnmillHere(['verify', path('out')])).stdout.toString()).not.toContain('secret');
    expect((await turnmillHere(['verify', path('out'), '--redact-rules', path('key')])).status).toBe(64);
  });

  test('a key that others may read, or none, is a warning', async () => {
    const { build, path, logs } = place();
    chmodSync(path('key'), 0o644);
    expect((await build('out')).stderr).toContain(`others may read '${path('key')}'`);
    const { stderr } = await turnmillHere(['build', logs, '--out', path('random'), '--redact']);
    expect(stderr).toContain('--redact without a key: another run will give the same values other names');
  });

  test.each([
    ['an empty key file', ['--redact-key-file', 'empty'], 'is empty'],
    ['a missing key file', ['--redact-key-file', 'missing'], 'ENOENT'],
    ['a key file that is a folder', ['--redact-key-file', 'logs'], "logs' is a folder, not a regular file"],
    ['a key file that is not UTF-8', ['--redact-key-file', 'latin'], "latin' is not UTF-8"],
    ['rules that are too long', ['--redact-rules', 'long'], "long' is longer than 1048576 bytes"],
    ['an update without a key', ['--update'], '--update with --redact needs the key'],
    ['a resumption without a key', ['--resume'], '--resume with --redact needs the key'],
    ['a slice without a key', ['--slice', '1/2'], '--slice with --redact needs the key'],
  ])('%s is a usage error', async (_what, args, problem) => {
    const { path, logs } = place();
    writeFileSync(path('empty'), '\n');
    writeFileSync(path('latin'), Buffer.from('schl\u00fcssel', 'latin1'));
    writeFileSync(path('long'), '#'.repeat(1024 * 1024 + 1));
    const files = ['empty', 'missing', 'logs', 'latin', 'long'];
    const paths = args.map((arg) => (files.includes(arg) ? path(arg) : arg));
    const { status, stderr } = await turnmillHere([
      'build',
      logs,
      '--out',
      path('out'),
      '--redact',
      ...paths,
    ]);
    expect(stderr).toContain(problem);
    expect(status).toBe(64);
  });

  test('a key or rules without --redact are usage errors', async () => {
    const { path, logs } = place();
    for (const option of ['--redact-key-file', '--redact-rules']) {
      const { status, stderr } = await turnmillHere([
        'build',
        logs,
        '--out',
        path('out'),
        option,
        path('key'),
      ]);
      expect(stderr).toContain(`${option} works only together with --redact`);
      expect(status).toBe(64);
    }
  });
});
