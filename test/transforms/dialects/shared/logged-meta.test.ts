import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { metaOf, modelMeta } from '../../../../transforms/dialects/shared/logged-meta.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import { isPersonal, META_NAMES, type Meta } from '../../../../transforms/model/meta.ts';
import { text } from '../../bytes.ts';

const view = (value: unknown): JsonView => new JsonView(encode(JSON.stringify(value)));
const plain = (meta: Meta): object => Object.fromEntries([...meta].map(([key, json]) => [key, text(json)]));

test('modelMeta keeps a name as it was logged, whatever other log had it before', () => {
  const names = ['"m1"', '"m\\u0031"', '"m1"', '7', '"7"'];
  const kept = names.map((name) => plain(modelMeta(new JsonView(encode(name)))));
  expect(kept).toEqual(['"m1"', '"m\\u0031"', '"m1"', '"7"', '"7"'].map((model) => ({ model })));
});

describe('metaOf', () => {
  it('keeps values of the right type as they were logged', () => {
    const meta = metaOf({
      source_id: view('s\u0041'),
      model: new JsonView(encode('"m\\u0041"')),
      usage: new JsonView(encode('{"input_tokens":12,"details":{"cached":1.50,"by":"ada"},"tier":"x"}')),
      cost: new JsonView(encode('0.10')),
      reward: view({ score: 'C' }),
      tags: view(['a', 1, 'b']),
      copied: 3,
    });
    expect(plain(meta)).toEqual({
      source_id: '"sA"',
      model: '"m\\u0041"',
      usage: '{"input_tokens":12,"details":{"cached":1.50}}',
      cost: '0.10',
      reward: '{"score":"C"}',
      tags: '["a","b"]',
      copied: '3',
    });
  });

  it('leaves out values that are null, absent, empty or of another type', () => {
    const meta = metaOf({
      source_id: view(null),
      harness: undefined,
      model: '',
      usage: view({ service_tier: 'x' }),
      cost: view('0.1'),
      finish: view({}),
      tags: view('a'),
      parent: view([]),
    });
    expect(plain(meta)).toEqual({});
  });

  it('accepts a number as an id', () => {
    expect(plain(metaOf({ source_id: view(7) }))).toEqual({ source_id: '"7"' });
  });

  it.each(['/home/ada/s.jsonl', '~/s', 'C:\\Users\\ada\\s', '../s', '\\\\host\\s', 'file:///s'])(
    'never keeps the path %s',
    (path) => {
      expect(isPersonal(path)).toBe(true);
      const texts = { source_id: path, parent: view(path), harness: path, model: view(path), finish: path };
      expect(plain(metaOf({ ...texts, tags: view([path]) }))).toEqual({});
      expect(plain(metaOf({ tags: [path, 'a'] }))).toEqual({ tags: '["a"]' });
    },
  );

  it.each([
    'hosted_vllm//home/ada/models/q.gguf',
    'cwd=/srv/ada',
    'see C:\\Users\\ada',
    'run in ~/logs',
    'a:/Users/ada/q',
    '-home-ada-work',
    'S1/-Users-ada-work',
    'C--Users-ada',
    'https://example.org/a',
    'ssh://host/ada',
  ])('never keeps the path in %s', (words) => {
    expect(plain(metaOf({ model: words, tags: view([words]), finish: view(words) }))).toEqual({});
  });

  it.each([
    'ada@example.org',
    'by ada@laptop',
    'git@example.org:ada/work',
    'sk-ant-0123456789abcdef',
    'Bearer eyJhbGciOiJIUzI1NiJ9.e30',
    'AKIA0123456789ABCDEF',
    'user:ada',
    'team=a,user_id=7',
    'branch=ada/x',
    'home/ada/q.gguf',
    '192.168.0.7:8000',
    'vllm at 10.0.0.1',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude',
  ])('never keeps the name or the key in %s', (words) => {
    expect(plain(metaOf({ source_id: words, tags: view([words]), parent: view(words) }))).toEqual({});
  });

  it.each([
    'meta-llama/Llama-3.1-8B',
    'openai/gpt',
    'm@20260101',
    'm@latest',
    '@cf/meta/llama',
    'smart-home-planner',
    'task-12',
    'superuser: a',
    'a / b',
    'User-Agent: x',
    'rate 1/2',
    'llama3:8b',
    'gpt-4.1.2.3',
    'v1.2.3.4',
    'us.anthropic.claude-v1:0',
    'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude',
  ])('keeps %s', (words) => {
    expect(plain(metaOf({ model: words }))).toEqual({ model: JSON.stringify(words) });
  });

  it('keeps the scores of a reward and nothing personal', () => {
    const rewardOf = (value: unknown): object => plain(metaOf({ reward: view(value) }));
    const scores = { score: 1, solved: true, grade: 'partial', by: { a: 0.5, b: 'C' } };
    const others = {
      user_id: 7,
      username: 'ada',
      cwd: '/srv',
      note: 'written by Ada Lovelace',
      rated_by: 'ada',
      branch: 'C',
      '/srv/ada': 1,
      list: ['ada'],
    };
    expect(rewardOf({ ...scores, ...others })).toEqual({ reward: JSON.stringify(scores) });
    expect(rewardOf(others)).toEqual({});
    for (const value of [1.5, false, 'C']) expect(rewardOf(value)).toEqual({ reward: JSON.stringify(value) });
    expect(rewardOf('/srv/ada')).toEqual({});
    expect(rewardOf(['ada'])).toEqual({});
  });
});

test('writes any logged value as one line of JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(...META_NAMES), (json, name) => {
      for (const value of metaOf({ [name]: new JsonView(encode(json.trim())) }).values()) {
        expect(() => JSON.parse(text(value))).not.toThrow();
        expect(text(value)).not.toMatch(/[\r\n]/);
      }
    }),
  );
});
