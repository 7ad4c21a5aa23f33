/** Plug-ins from outside: files and objects, in one thread and in worker threads. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build, check, defineDialect, dialects, formats } from '../../../src/index.ts';
import type { PlacedStage } from '../../../transforms/stage.ts';
import { turnmill as command } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const DIALECT = `export const dialects = [{
  name: 'pairs', summary: 'Pairs.', keys: ['q', 'a'],
  detect: (first) => first.get('q') !== undefined,
  read: (json, context) => ({
    messages: [context.makeMessage('user', { content: json.get('q') })],
    reply: context.makeMessage('assistant', { content: json.get('a') }),
  }),
}];`;
const FORMAT = `export const formats = [{
  name: 'count', summary: 'Counts.',
  encode: ({ messages }) => ({ bytes: Buffer.from('{"n":' + messages.length + '}'), written: messages, findings: [] }),
}];`;
const STAGE = `export const stages = [{
  name: 'no-secrets', summary: 'Drops secrets.', after: 'cleanup',
  create: () => ({ entry: (entry) => Buffer.from(entry.messages[0].bytes).includes('secret')
    ? [{ kind: 'fate', fate: 'dropped:secret', origin: entry.origin, sessionId: entry.sessionId }] : [entry] }),
}];`;

/** Makes a folder with logs and a plug-in file. */
function workshop(module: string): { root: string; logs: string; plugin: string; out: string } {
  const root = temporaryFolder();
  const logs = join(root, 'logs');
  mkdirSync(logs);
  const lines = [
    '{"q":"one","a":"1"}',
    '{"q":"a secret","a":"2"}',
    '{"q":[{"type":"text","text":"three","n":1.0}],"a":"3"}',
  ];
  for (const name of ['a', 'b', 'c', 'd'])
    writeFileSync(join(logs, `${name}.jsonl`), `${lines.join('\n')}\n`);
  const plugin = join(root, 'plug.mjs');
  writeFileSync(plugin, module);
  return { root, logs, plugin, out: join(root, 'ds') };
}
const dataOf = (out: string): string =>
  readdirSync(join(out, 'data'))
    .map((name) => readFileSync(join(out, 'data', name), 'utf8'))
    .join('');

describe('a plug-in file', () => {
  const all = `${DIALECT}\n${FORMAT}\n${STAGE}`;

  it('adds dialects, formats and stages, with the same bytes in worker threads', async () => {
    const { logs, plugin, root } = workshop(all);
    const request = { inputs: [logs], plugins: [plugin], format: 'count' };
    const [one, three] = [join(root, 'one'), join(root, 'three')];
    const { sums } = await build({ ...request, out: one, workers: 1 });
    expect(dataOf(one)).toBe('{"n":2}\n'.repeat(8));
    expect(sums.fates).toMatchObject({ 'dropped:secret': 4, snapshot: 8 });
    const { workers } = JSON.parse(readFileSync(join(one, 'run.json'), 'utf8'));
    expect(workers).toBe(1);
    const args = ['build', logs, '--plugin', plugin, '--format', 'count', '--out', three, '--workers', '3'];
    expect(await turnmill(args)).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(join(three, 'run.json'), 'utf8')).workers).toBe(3);
    expect(hashesOf(three)).toEqual(hashesOf(one));
    expect(await turnmill(['verify', three])).toMatchObject({ status: 0 });
  });

  it('leaves the registries unchanged', async () => {
    const before = [dialects.length, formats.length];
    const { logs, plugin } = workshop(all);
    await check({ inputs: [logs], plugins: [plugin] });
    expect([dialects.length, formats.length]).toEqual(before);
    await expect(check({ inputs: [logs], dialect: 'pairs' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('belongs to the settings: an update reads everything again when it has changed', async () => {
    const { logs, plugin, out } = workshop(DIALECT);
    const request = { inputs: [logs], plugins: [plugin] };
    await build({ ...request, out });
    expect(await build({ ...request, out, update: true })).toMatchObject({ nothingChanged: true });
    writeFileSync(plugin, DIALECT.replace("'user'", "'system'"));
    const again = await build({ ...request, out, update: true });
    expect(again).toMatchObject({ nothingChanged: false, reusedSources: 0 });
    expect(dataOf(out)).toContain('"system"');
  });

  it('passes bytes on as they were logged', async () => {
    const { logs, plugin, out } = workshop(DIALECT);
    await build({ inputs: [logs], plugins: [plugin], out });
    expect(dataOf(out)).toContain('{"role":"user","content":[{"type":"text","text":"three","n":1.0}]}');
  });

  it.each([
    ['throw new Error("boom")', 'it cannot be loaded: Error: boom'],
    ['export const = 1', 'it cannot be loaded: '],
    ['export default 5', "its export 'default' is not a plug-in"],
    ['export const formats = [{}]', "its export 'formats' is not a plug-in"],
    ['export const stages = {}', "its export 'stages' is not a list"],
    ['export const other = 1', 'it exports no plug-in'],
    [DIALECT.replace('pairs', 'exchange'), "there is already a dialect 'exchange'"],
    [DIALECT.replace('pairs', '../x'), "the name '../x' of a plug-in"],
    [FORMAT.replace("'count'", "'chat'"), "there is already a format 'chat'"],
    [STAGE.replace("'no-secrets'", "'parse'"), "there is already a stage 'parse'"],
    [STAGE.replace("'cleanup'", "'clean'"), 'which is not one of'],
    [STAGE.replace("summary: 'Drops secrets.', ", ''), 'has no summary'],
  ])('%# is refused by name', async (module, problem) => {
    const { logs, plugin } = workshop(module);
    const refused = check({ inputs: [logs], plugins: [plugin] });
    await expect(refused).rejects.toMatchObject({ code: 'usage', subject: plugin });
    await expect(refused).rejects.toThrow(`plug-in ${plugin}: `);
    await expect(refused).rejects.toThrow(problem);
  });

  it('is refused by name if it is missing or a folder', async () => {
    const { logs } = workshop('');
    const missing = `${logs}/none.mjs`;
    const { status, stderr } = await turnmill(['check', logs, '--plugin', missing]);
    expect({ status, stderr }).toMatchObject({ status: 64 });
    expect(stderr).toContain(`plug-in ${missing}: there is no such file`);
    await expect(check({ inputs: [logs], plugins: [logs] })).rejects.toThrow('it is a folder');
  });

  it('is refused when it is named twice', async () => {
    const { logs, plugin } = workshop(DIALECT);
    await expect(check({ inputs: [logs], plugins: [plugin, plugin] })).rejects.toThrow('already a dialect');
  });
});

describe('a dialect from a file', () => {
  it('that folds events is believed when it names what its logs lack', async () => {
    const folding = (lacks: string): string => `export default {
      name: 'talk', summary: 'Talk.', keys: ['said'], folds: true, ${lacks}
      detect: (first) => first.get('said') !== undefined,
      read(json, { fold, origin, makeMessage }) {
        fold.open('main', 'talk');
        fold.add(makeMessage('user', { content: json.get('said') }), { isTurn: true });
        fold.amend(String(origin.line), [{ kind: 'text', text: json.get('said').copy() }]);
      },
    };`;
    const rules = async (lacks: string): Promise<readonly string[]> => {
      const { root, plugin } = workshop(folding(lacks));
      const log = join(root, 'talk.jsonl');
      writeFileSync(log, '{"said":"hello"}\n');
      const { sums } = await check({ inputs: [log], plugins: [plugin] });
      expect(sums.records).toBe(1);
      return Object.keys(sums.findings);
    };
    expect(await rules('')).toContain('no-tools');
    expect(await rules("lacks: ['tools'],")).not.toContain('no-tools');
  });

  it('may reuse its buffer: each record is copied', async () => {
    const { logs, plugin, out } = workshop(
      `const room = Buffer.alloc(100);
export default { name: 'reused', summary: 'Reused.', encode: ({ messages }) =>
  ({ bytes: room.subarray(0, room.write(JSON.stringify({ n: String(messages[0].bytes.length) }))), written: [], findings: [] }) };
export const dialects = [{ name: 'odd', summary: 'Odd.', detect: () => true, read: (json, context) =>
  ({ messages: [context.makeMessage('user', { content: json.get('a') })] }) }];`,
    );
    writeFileSync(join(logs, 'b.jsonl'), '{"q":"x","a":"22"}\n{"q":"x","a":"333"}\n');
    await build({
      inputs: [join(logs, 'b.jsonl')],
      plugins: [plugin],
      out,
      format: ['reused'],
      groupBy: 'none',
    });
    expect(dataOf(out)).toBe('{"n":"30"}\n{"n":"31"}\n');
  });

  it.each([
    ['two lines', "Buffer.from('{}\\n{}')"],
    ['a list', "Buffer.from('[]')"],
    ['half an object', "Buffer.from('{')"],
    ['bytes that are not UTF-8', 'new Uint8Array([0x7b, 0xff, 0x7d])'],
    ['a text', "'{}'"],
  ])('that returns %s as a record costs the session', async (_what, bytes) => {
    const { logs, plugin, out } = workshop(
      `export default { name: 'torn', summary: 'Torn.', encode: () => ({ bytes: ${bytes}, written: [], findings: [] }) };`,
    );
    writeFileSync(join(logs, 'only.jsonl'), '{"messages":[{"role":"user","content":"a"}]}\n');
    const input = join(logs, 'only.jsonl');
    const { status } = await turnmill(['build', input, '--plugin', plugin, '--format', 'torn', '--out', out]);
    expect(status).toBe(3);
    expect(JSON.parse(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).reason).toBe(
      'record-not-json',
    );
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  it.each(['0', '3', ''])(
    'that ends the process with process.exit(%s) publishes nothing, with status 70',
    async (status) => {
      const ending = `messages: [process.exit(${status}), `;
      const { logs, plugin, out } = workshop(DIALECT.replace('messages: [', ending));
      const args = ['build', logs, '--plugin', plugin, '--out', out, '--workers', '1'];
      const ended = await command(args);
      const { stderr } = ended;
      expect([ended.status, existsSync(out)]).toEqual([70, false]);
      expect(stderr).toContain('something called process.exit before the run ended, perhaps a plug-in');
    },
  );

  it('that throws costs the source, and is named with the line it was reading', async () => {
    const { logs, plugin } = workshop(DIALECT.replace('messages: [', 'messages: [json.get("none").text(), '));
    const { status, stdout } = await turnmill(['check', logs, '--plugin', plugin]);
    expect(status).toBe(3);
    expect(`${stdout}`).toMatch(/ at line 1, byte 0: TypeError at \S+ plug\.mjs:\d+:\d+ < /);
    expect(`${stdout}`).toContain(`an error in the plug-in ${plugin} at line 1, byte 0: `);
    expect(`${stdout}`).toContain('If the message names a plug-in, correct the plug-in; ');
    expect(`${stdout}`).toContain('; it must reject odd data instead of throwing');
  });
});

describe('a stage from a file', () => {
  it('that leaves out a conversation without a rejection costs the source, and is told what it lacks', async () => {
    const { logs, plugin } = workshop(
      `export default { name: 'less', summary: 'Less.', after: 'snapshot-select', create: () => ({ conversation: () => [] }) };`,
    );
    const log = writeLog(logs, 's.jsonl', [entry()]);
    const { status, stdout } = await turnmill(['check', log, '--plugin', plugin]);
    expect(status).toBe(3);
    expect(`${stdout}`).toContain(
      'internal-error: ledger mismatch: a session has neither a record nor a rejection: a stage of a plug-in must return a rejection in place of what it leaves out; without such a stage, please report it with this line: ',
    );
  });

  const stage = (after: string, kind: string, encode: string): string => `const room = Buffer.alloc(1000);
const reused = (text) => room.subarray(0, room.write(text));
export default { name: 'reused', summary: 'Reused.', after: '${after}', create: () => ({
  ${kind}: (element) => [{ ...element, ${encode} }] }) };`;

  async function built(module: string) {
    const { logs, plugin, out, root } = workshop(module);
    const log = join(root, 'only.jsonl');
    writeFileSync(
      log,
      ['a', 'bb', 'ccc']
        .map((content) => `${JSON.stringify({ messages: [{ role: 'user', content }] })}\n`)
        .join(''),
    );
    const args = ['build', log, '--plugin', plugin, '--out', out, '--group-by', 'none'];
    return { ...(await turnmill(args)), logs, out };
  }

  it.each([
    ['handlers: () => []', 'but got a function', '() => () => []'],
    ['a kind that does not exist', "there is no kind 'entree'", '() => ({ entree: (one) => [one] })'],
    ['null', 'something else than elements', '() => ({ entry: () => [null] })'],
    [
      'a fate without dropped:',
      'dropped:NAME',
      "() => ({ entry: (one) => [{ ...one, kind: 'fate', fate: 'gone' }] })",
    ],
    [
      'a severity that does not exist',
      "a severity ('ERROR' or 'WARNING')",
      "() => ({ entry: (one) => [one, { ...one, kind: 'finding', rule: 'r', severity: 'LOUD', message: 'm' }] })",
    ],
    [
      'a message that is not JSON',
      'not one JSON object on one line',
      "() => ({ entry: (one) => [{ ...one, messages: [{ role: 'user', bytes: Buffer.from('secret') }] }] })",
    ],
  ])('ends the run if it returns %s', async (_what, problem, create) => {
    const module = `${DIALECT}\nexport const stages = [{ name: 's', summary: '', after: 'cleanup', create: ${create} }];`;
    const { logs, plugin, out } = workshop(module);
    const ended = build({ inputs: [logs], plugins: [plugin], out });
    await expect(ended).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(problem) });
    await expect(ended).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
  });

  it.each([
    ['nothing', 'encode: () => undefined', 'must return { bytes, written, findings }'],
    ['a Promise', 'encode: async () => ({})', 'must not be async'],
    [
      'a finding without a message',
      "encode: () => ({ bytes: Buffer.from('{}'), written: [], findings: [{ rule: 'r', severity: 'ERROR' }] })",
      'a finding without a rule',
    ],
  ])('as a format, it ends the run if it returns %s', async (_what, encode, problem) => {
    const { logs, plugin, out } = workshop(
      `${DIALECT}\nexport const formats = [{ name: 'f', summary: '', ${encode} }];`,
    );
    const ended = build({ inputs: [logs], plugins: [plugin], out, format: 'f' });
    await expect(ended).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(problem) });
  });

  it('may reuse its buffer for records', async () => {
    const encode = 'bytes: reused(JSON.stringify({ n: String(element.bytes.length) }))';
    const { status, out } = await built(stage('format', 'record', encode));
    expect([status, new Set(dataOf(out).trim().split('\n')).size]).toEqual([0, 3]);
  });

  it('may reuse its buffer for the messages of entries', async () => {
    const last =
      "{ role: 'user', bytes: reused(JSON.stringify({ role: 'user', content: 'x'.repeat(element.messages.length) })) }";
    const { logs, plugin, out } = workshop(
      stage('cleanup', 'entry', `messages: [...element.messages.slice(0, -1), ${last}]`),
    );
    const messages = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
    const log = writeLog(logs, 's.jsonl', [
      entry({ messages, reply: null }),
      entry({ second: 2, messages: messages.slice(1), reply: null }),
    ]);
    expect((await turnmill(['build', log, '--plugin', plugin, '--out', out])).status).toBe(0);
    const texts = JSON.parse(dataOf(out)).messages.map(({ content }: { content: string }) => content);
    expect(texts).toEqual(['a', 'b', 'xxx']);
  });

  it.each([
    ['the next record', 'record'],
    ['the end of the session', "'session-end'"],
  ])('that changes a record it has passed on, at %s, ends the build', async (_, kind) => {
    const change = `if (kept) kept.fill(32, 1, 2); return [element];`;
    const { logs, plugin, out } = workshop(`let kept;
export default { name: 'late', summary: 'Late.', after: 'format', create: () => ({
  record(element) { ${kind === 'record' ? 'const last = kept; last?.fill(32, 1, 2);' : ''} kept = element.bytes; return [element]; },
  ${kind === 'record' ? '' : `${kind}(element) { ${change} },`} }) };`);
    for (const name of ['a', 'b'])
      writeLog(logs, `${name}.jsonl`, [entry({ id: name }), entry({ id: name, second: 2 })]);
    const inputs = ['a', 'b'].map((name) => join(logs, `${name}.jsonl`));
    const by = kind === 'record' ? ['--format', 'chat', '--format', 'openai'] : [];
    const ended = await turnmill(['build', ...inputs, '--plugin', plugin, '--out', out, ...by]);
    expect([ended.status, existsSync(out)]).toEqual([70, false]);
    expect(ended.stderr).toMatch(
      /record-changed.*session a of a\.jsonl: its record \(chat\) changed after it was formatted/,
    );
  });

  it.each([
    ['async (one) => [one]', 'a Promise'],
    ['async function* (one) { yield one; }', 'a value of the type object'],
    ['() => 7', 'a value of the type number'],
  ])('whose handler is %s ends the run, and is told what it must return', async (handler, what) => {
    const { logs, plugin, out } = workshop(`${DIALECT}
      export const stages = [{ name: 'late', summary: 'Waits.', after: 'cleanup', create: () => ({ entry: ${handler} }) }];`);
    const run = await turnmill(['build', logs, '--plugin', plugin, '--out', out]);
    expect([run.status, existsSync(out)]).toEqual([64, false]);
    expect(run.stderr).toContain(
      `the stage 'late' of a plug-in returned ${what} for an element of the kind 'entry'`,
    );
  });

  it('that breaks a record costs the source', async () => {
    const { status, stderr } = await built(stage('format', 'record', "bytes: Buffer.from('{}\\n{}')"));
    expect(status).toBe(3);
    expect(stderr).toContain('internal-error');
  });
});

it.each([
  ['async () => true', 'an object'],
  ["(first) => first.get('q') && 'hi'", 'a string'],
])('the detect of a dialect in a plug-in, if it is %s, ends the run', async (detect, what) => {
  const { logs, plugin, out } = workshop(
    `export default { name: 'odd', summary: 'Odd.', detect: ${detect}, read: () => [] };`,
  );
  const run = await turnmill(['build', logs, '--plugin', plugin, '--out', out]);
  expect([run.status, existsSync(out)]).toEqual([64, false]);
  expect(run.stderr).toContain(`dialect 'odd': detect returned ${what}; it must return a boolean or one of`);
});

describe('the read of a dialect in a plug-in', () => {
  const MUST =
    'it must return an entry ({ messages, reply, ... }), context.reject(...), context.drop(...), a list of these, or undefined after context.fold took the object';
  const spec = (read: string, more = ''): string =>
    `export default { name: 'odd', summary: 'Odd.', detect: () => true, ${more} read(json, context) { ${read} } };`;

  it.each([
    ['nothing', spec(''), 'read returned undefined'],
    ['nothing, and folds nothing', spec('', 'folds: true,'), 'read returned undefined'],
    ['null', spec('return null'), 'read returned null'],
    ['a text, which may be of the log', spec("return 'hi'"), 'read returned a string'],
    ['a list of texts', spec("return ['hi']"), 'read returned a string'],
    ['an object without messages', spec('return {}'), 'read returned an object whose messages are undefined'],
    [
      'a text as messages',
      spec("return { messages: 'hi' }"),
      'read returned an object whose messages are a string',
    ],
    [
      'numbers as messages',
      spec('return { messages: [1] }'),
      'read returned messages[0] that is not from context.makeMessage',
    ],
    [
      'an object as reply',
      spec('return { messages: [], reply: {} }'),
      'read returned a reply that is not from context.makeMessage',
    ],
    [
      'a number as id',
      spec('return { messages: [], sessionId: 3 }'),
      'read returned a sessionId that is a number',
    ],
    [
      'an element of another kind',
      spec("return { kind: 'repair' }"),
      'read returned an object of an unknown kind',
    ],
  ])(
    'that returns %s is named, with its place and the results that it may return',
    async (_, module, what) => {
      const { logs, plugin, out } = workshop(module);
      const message = `turnmill: plug-in ${plugin}: dialect 'odd': ${what} for a.jsonl, line 1; ${MUST}\n`;
      for (const workers of ['1', '3']) {
        const args = ['build', logs, '--plugin', plugin, '--out', out, '--workers', workers];
        const { status, stderr } = await turnmill(args);
        expect([status, stderr.split('Try')[0]]).toEqual([64, message]);
      }
      expect(existsSync(out)).toBe(false);
    },
  );

  it('that rejects for an unknown reason is named, with the reasons', async () => {
    const { logs, plugin } = workshop(spec("return context.reject('whatever', 'no')"));
    const { status, stderr } = await turnmill(['check', logs, '--plugin', plugin]);
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(
        /^turnmill: plug-in .*plug\.mjs: dialect 'odd': context\.reject got the reason 'whatever'; the reasons are invalid-json, .*, bad-event, /,
      ),
    ]);
  });
});

describe('plug-in objects', () => {
  const pairs = defineDialect({
    name: 'pairs',
    summary: 'Pairs.',
    messages: 'deep.list',
    detect: () => true,
    read: (_json, context) => ({ messages: context.messages() }),
  });
  const write = (text: string): { root: string; file: string } => {
    const root = temporaryFolder();
    const file = join(root, 'a.jsonl');
    writeFileSync(file, text);
    return { root, file };
  };

  it('run their stage at its place, in one worker', async () => {
    const seen: string[] = [];
    const stage: PlacedStage = {
      name: 'see',
      summary: 'Sees.',
      after: 'snapshot-select',
      options: {},
      create: () => ({
        conversation(one) {
          seen.push(one.sessionId);
          return [one];
        },
      }),
    };
    const { root, file } = write('{"deep":{"list":[{"role":"user","content":"a"}]}}\n');
    const other = join(root, 'b.jsonl');
    writeFileSync(other, '{"deep":{"list":[{"role":"user","content":"a"}]}}\n');
    const out = join(root, 'ds');
    await build({ inputs: [file, other], dialects: [pairs], stages: [stage], out, workers: 2 });
    expect(seen).toEqual(['a.jsonl:1', 'b.jsonl:1']);
    expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).workers).toBe(1);
  });

  it('are refused by update and resume, because they cannot be compared', async () => {
    const { root, file } = write('{}');
    for (const way of [{ update: true }, { resume: true }]) {
      const refused = build({ inputs: [file], dialects: [pairs], out: join(root, 'ds'), ...way });
      await expect(refused).rejects.toMatchObject({ code: 'usage' });
    }
  });

  it('reject an object with its place when they return a rejection', async () => {
    const { file } = write(
      '{"deep":{"list":[1]}}\n{"deep":{"list":{}}}\n{"deep":{"list":[],"list":[]}}\n{"a":1}\n',
    );
    const { sums } = await check({ inputs: [file], dialects: [pairs] });
    expect(sums.fates).toEqual({ 'rejected:bad-messages': 3, 'rejected:duplicate-key': 1 });
  });
});
