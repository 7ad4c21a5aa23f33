import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { consumerRules, effectOf } from '../../../transforms/consumers/consumer-rules.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const calls = (args: string, ...ids: readonly string[]) => ({
  role: 'assistant',
  tool_calls: (ids.length > 0 ? ids : ['c']).map((id) => ({
    ...{ id, type: 'function', function: { name: 'read', arguments: args } },
  })),
});

function logs(): string {
  const input = join(temporaryFolder(), 'logs');
  mkdirSync(input);
  writeLog(input, 'a.jsonl', [entry({ id: 'a' })]);
  writeLog(input, 'b.jsonl', [entry({ id: 'b' }), entry({ id: 'b', second: 1, reply: calls('[1]') })]);
  writeLog(input, 'c.jsonl', [entry({ id: 'c', reply: calls('') })]);
  return input;
}

/** The lines of the output, each with the name of the log in place of its path. */
const linesOf = (text: Buffer): string[] =>
  text
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/^\/\S*\//, ''));

describe('check --target', () => {
  test('reports what would be refused or altered, with the line', async () => {
    const { status, stdout } = await turnmill(['check', logs(), '--target', 'trl']);
    expect(status).toBe(3);
    expect(linesOf(stdout)).toEqual([
      'b.jsonl:2: refuses: arguments-not-object: messages[1].tool_calls[0] has arguments that are not a JSON object (--on-finding arguments-not-object=keep writes the record anyway.)',
      'c.jsonl:1: alters: empty-arguments: messages[1].tool_calls[0] has no arguments: written as {}',
      expect.stringMatching(/^c\.jsonl:1: alters: reader-columns: trl: the record has tools or arguments/),
      'c.jsonl:1: alters: reader-template-refuses: trl: the record has parts that some chat templates refuse: arguments as an object (deepseekv3); an id of a call that is not nine letters and digits (mistral)',
      expect.stringMatching(
        /^c\.jsonl:1: drops: reader-template-drops: trl: .* leave out or change: a call \(cohere, .*\)$/,
      ),
    ]);
  });

  test('shows what a rule alters or drops three times, and every refusal', async () => {
    const input = join(logs(), '..', 'many');
    for (let i = 0; i < 5; i++) {
      writeLog(input, `k${i}.jsonl`, [entry({ id: `k${i}`, reply: calls('') })]);
      writeLog(input, `r${i}.jsonl`, [entry({ id: `r${i}`, reply: calls('[1]') })]);
    }
    const { stdout } = await turnmill(['check', input, '--target', 'trl']);
    const lines = linesOf(stdout);
    const of = (rule: string) => lines.filter((line) => line.includes(`: ${rule}: `));
    expect(of('arguments-not-object')).toHaveLength(5);
    expect(of('empty-arguments').map((line) => line.slice(0, 8))).toEqual([
      'k0.jsonl',
      'k1.jsonl',
      'k2.jsonl',
    ]);
    expect(lines.slice(-4)).toContain('2 more: empty-arguments (--json lists all)');
    const { stdout: all } = await turnmill(['check', input, '--target', 'trl', '--json']);
    expect(linesOf(all).filter((line) => JSON.parse(line).rule === 'empty-arguments')).toHaveLength(5);
  });

  test('reports on several targets, each with its options, as JSON', async () => {
    const args = ['--target', 'trl', '--target', 'openai', '--arrow-safe', '--json'];
    const { status, stdout } = await turnmill(['check', logs(), ...args]);
    expect(status).toBe(3);
    expect(linesOf(stdout).map((line) => JSON.parse(line))).toMatchObject([
      { source: 'b.jsonl', line: 2, effect: 'refuses', rule: 'reader-arguments' },
      { source: 'b.jsonl', line: 2, effect: 'refuses', rule: 'arguments-not-object' },
      { source: 'c.jsonl', line: 1, effect: 'alters', rule: 'empty-arguments' },
      { source: 'c.jsonl', line: 1, effect: 'alters', rule: 'reader-template-refuses' },
      { source: 'c.jsonl', line: 1, effect: 'drops', rule: 'reader-template-drops' },
      { source: 'c.jsonl', line: 1, effect: 'alters', rule: 'arguments-not-json' },
      { source: 'c.jsonl', line: 1, effect: 'refuses', rule: 'reader-arguments' },
    ]);
  });

  test('ends with 0 and prints nothing when every record is accepted unchanged', async () => {
    const { status, stdout, stderr } = await turnmill([
      'check',
      join(logs(), 'a.jsonl'),
      '--target',
      'openai',
    ]);
    expect([status, stdout.length]).toEqual([0, 0]);
    expect(stderr).toContain('1 record would be written');
  });

  test('ends with 3 when only the target refuses a record', async () => {
    const input = join(logs(), '../alone.jsonl');
    writeLog(join(input, '..'), 'alone.jsonl', [entry({ reply: null })]);
    const { status, stdout } = await turnmill(['check', input, '--target', 'openai']);
    expect(status).toBe(3);
    expect(stdout.toString()).toBe(
      `${input}:1: refuses: no-answer: the conversation has no assistant message to learn from (--on-finding no-answer=keep writes the record anyway.)\n`,
    );
  });

  test('is the only command that reports these rules', async () => {
    const { stdout } = await turnmill([
      'inspect',
      logs(),
      '--after',
      'check-records',
      '--kind',
      'finding',
      '--format',
      'trl',
    ]);
    expect(stdout.toString()).not.toContain('reader-');
  });

  const ask = { role: 'user', content: 'a' };
  const reply = (more: object) => ({ role: 'assistant', content: 'b', ...more });
  const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
  const image = { type: 'image_url', image_url: { url: 'https://x.org/a.png' } };
  const broken: Readonly<
    Record<string, readonly [target: string, messages: readonly object[], tools?: readonly object[]]>
  > = {
    'reader-role': ['chat', [ask, { role: 'function', content: 'c' }, reply({})]],
    'reader-late-system': ['trl', [ask, { role: 'system', content: 's' }, reply({})]],
    'reader-parts': ['chat', [{ role: 'user', content: [{ type: 'text', text: 'a' }] }, reply({})]],
    'reader-reasoning': ['chat', [ask, reply({ reasoning_content: 'c' })]],
    'reader-columns': ['trl', [ask, calls('{}'), answer('c'), reply({})]],
    'reader-tool-parameters': ['sharegpt', [ask, reply({})], [{ name: 'f', parameters: { type: 'object' } }]],
    'reader-numbers': ['samples', [ask, reply({ score: 0.123456789012 })]],
    'reader-half-characters': ['sharegpt', [ask, reply({ content: 'cut \ud83d' })]],
    'reader-template-refuses': ['axolotl', [{ role: 'system', content: 's' }, ask, reply({})]],
    'reader-template-drops': ['axolotl', [ask, reply({ content: 'b</think>c' })]],
    'reader-parallel-calls': ['sharegpt', [ask, calls('{}', 'c', 'd'), answer('c'), reply({})]],
    'reader-text-before-call': ['sharegpt', [ask, { ...calls('{}'), content: 'b' }, answer('c'), reply({})]],
    'reader-thought-before-call': [
      'sharegpt',
      [ask, { ...calls('{}'), thinking: 't' }, answer('c'), reply({})],
    ],
    'reader-thought-tags': ['sharegpt', [ask, reply({ reasoning_content: 't' })]],
    'reader-media-tags': ['sharegpt', [ask, reply({ content: 'a <video> of it' })]],
    'reader-orphan-result': ['openai', [ask, answer('c'), reply({})]],
    'reader-unanswered-call': ['openai', [ask, calls('{}'), reply({})]],
    'reader-end': ['openai', [ask, reply({}), ask]],
    'reader-content': ['openai', [{ role: 'user' }, reply({})]],
    'reader-part-types': ['openai', [ask, calls('{}'), { ...answer('c'), content: [image] }, reply({})]],
    'reader-weight': ['openai', [ask, reply({ weight: 2 })]],
    'reader-calls': ['openai', [ask, reply({ tool_calls: [{ function: { name: 'f', arguments: '{}' } }] })]],
    'reader-arguments': ['openai', [ask, calls('[]'), answer('c'), reply({})]],
    'reader-tool': ['openai', [ask, reply({})], [{ name: 'f g' }]],
    'reader-no-reasoning': ['openai', [ask, reply({ reasoning_content: 'c' })]],
    'reader-members': ['openai', [ask, reply({ annotations: [] })]],
  };

  test('says in the summary how many records have numbers that are lost', async () => {
    const input = join(logs(), '..', 'numbers');
    const asked = (id: string, args: string) =>
      entry({ id, messages: [ask, calls(args), answer('c'), reply({})], reply: null });
    writeLog(input, 'a.jsonl', [
      asked('a', '{"n":1e-12}'),
      asked('b', '{"n":0.5}'),
      asked('c', '{"n":1e400}'),
    ]);
    const { stderr } = await turnmill(['check', input, '--target', 'trl', '--session-by', 'id']);
    expect(stderr).toContain(
      'numbers    2 records with numbers that `load_dataset` rounds or refuses (--arrow-safe, where the format has it, keeps them)',
    );
    const safe = await turnmill(['check', input, '--target', 'trl', '--session-by', 'id', '--arrow-safe']);
    expect(safe.stderr).not.toContain('numbers  ');
  });

  test.each(Object.entries(broken))('%s', async (rule, [target, messages, tools = []]) => {
    const folder = join(logs(), '..', 'one');
    writeLog(folder, 'x.jsonl', [entry({ messages, tools, reply: null })]);
    const { status, stdout } = await turnmill(['check', folder, '--target', target]);
    const lines = linesOf(stdout).map((line) => line.split(': ').slice(0, 3));
    const others = rule.includes('template') ? /^$/ : /template|^reasoning-inlined$/;
    const problems = lines.filter(([, , name = '']) => !others.test(name));
    const effect = effectOf(rule);
    expect([status, problems]).toEqual([effect === 'refuses' ? 3 : 0, [['x.jsonl:1', effect, rule]]]);
  });

  test('has a case here for every rule', () => {
    expect(Object.keys(broken).sort()).toEqual(consumerRules.map(({ name }) => name).sort());
  });

  test.each([
    [['--target', 'nope']],
    [['--target', 'trl', '--format', 'trl']],
    [['--target', 'trl', '--json-tool-calls']],
    [['--target', 'sharegpt', '--bos']],
  ])('refuses %j', async (args) => {
    const { status, stdout } = await turnmill(['check', logs(), ...args]);
    expect([status, stdout.length]).toEqual([64, 0]);
  });
});
