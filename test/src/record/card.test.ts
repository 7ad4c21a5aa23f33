/** The card: the files of each format and the types of their columns, as loaders read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ManifestShard } from '../../../src/dataset/schema/manifest.ts';
import { cardText } from '../../../src/record/card.ts';
import { DEFAULT_SETTINGS } from '../../../src/settings/settings.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { buildLogs, entryLine } from '../../support/build-logs.ts';

const shard = (path: string, records = 2): ManifestShard => ({
  ...{ path, records, group: 'a', bytes: 1, sha256: '' },
});

function header(settings: Partial<typeof DEFAULT_SETTINGS>, ...paths: readonly string[]): string {
  const shards = paths.map((path) => shard(path));
  return cardText({ ...DEFAULT_SETTINGS, ...settings }, shards).split('\n---\n')[0] as string;
}

const CHAT = `---
configs:
- config_name: chat
  default: true
  data_files:
  - split: train
    path: data/*.jsonl
dataset_info:
- config_name: chat
  features:
  - name: messages
    list: json
  - name: tools
    list: json`;

describe('the header of a card', () => {
  it('names the shards of the only format, and its columns', () => {
    expect(header({ format: ['chat'] }, 'data/a-00000.jsonl', 'data/b-00000.jsonl')).toBe(CHAT);
  });

  it('writes tools as a text with --arrow-safe, and metadata as one', () => {
    const safe = header(
      { format: ['chat'], formatOptions: { arrowSafe: true }, meta: ['reward'] },
      'data/a-00000.jsonl',
    );
    const tools = CHAT.replace('- name: tools\n    list: json', '- name: tools\n    dtype: string');
    expect(safe).toBe(`${tools}\n  - name: metadata\n    dtype: string`);
    const plain = header({ format: ['atif'], meta: ['reward'] }, 'data/a-00000.jsonl');
    expect(plain).toContain('  - name: extra\n    dtype: json');
  });

  it('has a config for each format in the order of the command, the first by default', () => {
    const paths = ['data/trl/a-00000.jsonl.zst', 'data/sts/a-00000.sts.jsonl.zst'];
    const [names, files] = [/config_name: \S+(?:\n {2}default: \S+)?/g, /path: .*/g].map((pattern) =>
      header({ format: ['sts', 'trl'] }, ...paths).match(pattern),
    );
    expect(names?.slice(0, 2)).toEqual(['config_name: sts\n  default: true', 'config_name: trl']);
    expect(files).toEqual(['path: data/sts/*.sts.jsonl.zst', 'path: data/trl/*.jsonl.zst']);
  });

  it('leaves out a format without shards, and a deck of TOML, which no loader reads', () => {
    expect(header({ format: ['trl', 'sts'] }, 'data/trl/a-00000.jsonl')).not.toContain('sts');
    expect(header({ format: ['samples'] }, 'data/a-00000.toml.gz')).toBe('---');
  });

  it('has prompt and completion for trl with --copies mark', () => {
    const text = header({ format: ['trl'], copies: 'mark' }, 'data/a-00000.jsonl');
    expect(text.match(/- name: \S+/g)).toEqual(['- name: prompt', '- name: completion', '- name: tools']);
  });
});

describe.each(formats.filter(({ columns }) => columns !== undefined))('the columns of $name', ({ name }) => {
  it('are the members of its records', async () => {
    const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
    const calls = [1, 2].map((i) => ({
      ...{ id: `c${i}`, type: 'function', function: { name: 'add', arguments: '{"a":"<escape>"}' } },
    }));
    const answer = {
      role: 'assistant',
      content: 'I add.',
      tool_calls: calls.slice(0, name.includes('teach') ? 1 : 2),
    };
    const log = entryLine({ tools, reply: answer });
    const { out, records } = await buildLogs({ files: { 'a.jsonl': log } }, [
      '--format',
      name,
      '--meta',
      'source_id',
    ]);
    const known = [...readFileSync(join(out, 'README.md'), 'utf8').matchAll(/^ {2}- name: (\S+)$/gm)];
    const members = new Set(records.flatMap((record) => Object.keys(JSON.parse(record))));
    expect([...members].sort()).toEqual(known.map(([, key]) => key).sort());
  });
});
