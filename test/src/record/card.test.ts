/** The card: the files of each format and the types of their columns, as loaders read them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ManifestShard } from '../../../src/dataset/schema/manifest.ts';
import type { LedgerSums } from '../../../src/dataset/schema/reports.ts';
import { cardText, observedColumns } from '../../../src/record/card.ts';
import { DEFAULT_SETTINGS } from '../../../src/settings/settings.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { buildLogs, entryLine } from '../../support/build-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const shard = (path: string, records = 2): ManifestShard => ({
  ...{ path, records, group: 'a', bytes: 1, sha256: '' },
});

const SUMS: LedgerSums = {
  ...{ sources: { read: 2, rejected: 1 }, skipped: {}, extensions: {}, bytes: {}, repairs: {}, tools: {} },
  ...{ fates: { snapshot: 4, superseded: 1200 }, lines: 1204, sessions: { seen: 5, written: 4, empty: 1 } },
  ...{ rewrites: { 'null-fields': 3, 'redact:github-token': 2 }, findings: {}, errors: 1, warnings: 0 },
  ...{ records: 4, formats: { chat: { records: 4 } } },
};

/** The card of records that were not looked at, or of those in `records`. */
function card(
  changed: Partial<typeof DEFAULT_SETTINGS>,
  shards: readonly ManifestShard[],
  records: readonly object[] = [],
): string {
  const settings = { ...DEFAULT_SETTINGS, ...changed };
  const observed = observedColumns(settings);
  for (const one of records)
    for (const columns of observed.values())
      columns.see(Buffer.from(JSON.stringify(one)), 'data/a-00000.jsonl');
  return cardText(settings, shards, SUMS, observed);
}

function header(settings: Partial<typeof DEFAULT_SETTINGS>, ...paths: readonly string[]): string {
  const shards = paths.map((path) => shard(path));
  return card(settings, shards).split('\n---\n')[0] as string;
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

  it('leaves out a format without shards, and a deck of TOML, which no loader reads; without any, its only config has no files', () => {
    expect(header({ format: ['trl', 'sts'] }, 'data/trl/a-00000.jsonl')).not.toContain('sts');
    const none = ['---', 'configs:', '- config_name: samples', '  data_files:', '  - split: train'];
    const noFiles = [...none, '    path: data/*.jsonl'].join('\n');
    expect(header({ format: ['samples'] }, 'data/a-00000.toml.gz')).toBe(noFiles);
    expect(header({ format: ['samples', 'sts'] })).toBe(noFiles);
  });

  it.each(['no', 'null', 'on', 'y'])(
    'writes the split %s as a text, which YAML would read as a value',
    (name) => {
      const split = { [name]: 0.5, test: 0.5 };
      const text = header({ split }, `data/${name}/2026-01-13-00000.jsonl`);
      expect(text).toContain(`  - split: "${name}"\n    path: data/${name}/*.jsonl`);
    },
  );

  it('names the files of each split that has any, and the licence', () => {
    const split = { train: 0.8, validation: 0.1, test: 0.1 };
    const paths = [
      'data/chat/test/a-00000.jsonl',
      'data/chat/train/a-00000.jsonl',
      'data/trl/train/a-00000.jsonl',
    ];
    const text = header({ format: ['chat', 'trl'], split, license: 'cc-by-4.0' }, ...paths);
    expect(text.split('\n').slice(0, 10)).toEqual([
      ...['---', 'license: cc-by-4.0', 'configs:', '- config_name: chat', '  default: true', '  data_files:'],
      ...['  - split: train', '    path: data/chat/train/*.jsonl'],
      ...['  - split: test', '    path: data/chat/test/*.jsonl'],
    ]);
    expect(text.match(/path: data\/trl.*/g)).toEqual(['path: data/trl/train/*.jsonl']);
  });

  it('has prompt and completion for trl with --copies mark', () => {
    const text = header({ format: ['trl'], copies: 'mark' }, 'data/a-00000.jsonl');
    expect(text.match(/- name: \S+/g)).toEqual(['- name: prompt', '- name: completion', '- name: tools']);
  });
});

describe('the text of a card', () => {
  const body = (settings: Partial<typeof DEFAULT_SETTINGS>): string =>
    card({ format: ['chat'], ...settings }, [shard('data/a-00000.jsonl', 4)])
      .split('\n---\n')
      .slice(1)
      .join('\n---\n');

  it('says where the records are, what became of the logs, and what was not looked for', () => {
    const text = body({});
    expect(text).toContain('| `chat` | `train` | 4 | `data/*.jsonl` |');
    expect(text).toContain('3 sources: 2 read, 1 rejected. 5 sessions: 4 written, 1 empty.');
    expect(text).toContain('| repeated later | 1,200 |\n| all | 1,204 |');
    expect(text).toContain('Nothing was redacted');
    expect(text).toContain('1 error and 0 warnings');
    expect(text).toContain('Copies of a conversation');
  });

  it('says which version of the loader it needs, if a column is JSON', () => {
    expect(body({})).toContain(
      'version 4.7 or newer of `datasets`: older ones have no type for JSON, which columns of `chat` have',
    );
    expect(body({ format: ['sharegpt'] })).not.toContain('4.7');
    expect(body({})).toMatch(
      /## Limits\n\n(?:- .*\n)*- .*in columns of JSON \(`chat`\).*10 decimal places.*--arrow-safe/,
    );
    expect(body({ format: ['sharegpt'] })).not.toContain('decimal places');
    const safe = { format: ['chat'], formatOptions: { arrowSafe: true } };
    const record = { messages: [{ role: 'user', content: 'q' }], tools: '[]' };
    expect(card(safe, [shard('data/a-00000.jsonl')], [record])).not.toContain('4.7');
    expect(card({ ...safe, meta: ['reward'] }, [shard('data/a-00000.jsonl')], [record])).not.toContain('4.7');
  });

  it('counts what was redacted by rule, and says what is not found', () => {
    const text = body({ redact: true, copies: 'drop' });
    expect(text).toContain('| `github-token` | 2 |');
    expect(text).not.toContain('null-fields');
    expect(text).toContain('- values in base64');
    expect(text).not.toContain('Copies of a conversation');
    expect(text).not.toContain('None was found');
  });

  it("is the user's own, if there is one", () => {
    expect(body({ card: '# Mine\n\n---\n\nText.\n\n' })).toBe('# Mine\n\n---\n\nText.\n');
  });
});

describe.each(formats.filter(({ columns }) => columns !== undefined))(
  'the columns of $name',
  ({ name, metadata }) => {
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
        ...['--format', name, ...(metadata === undefined ? [] : ['--meta', 'source_id'])],
      ]);
      const known = [...readFileSync(join(out, 'README.md'), 'utf8').matchAll(/^ {2}- name: (\S+)$/gm)];
      const members = new Set(records.flatMap((record) => Object.keys(JSON.parse(record))));
      expect([...members].sort()).toEqual(known.map(([, key]) => key).sort());
    });
  },
);

describe('the command', () => {
  it('writes the licence and the text of a file', async () => {
    const folder = temporaryFolder();
    const [mine, yaml] = [join(folder, 'mine.md'), join(folder, 'yaml.md')];
    writeFileSync(mine, '# Mine\n');
    writeFileSync(yaml, '---\nlicense: mit\n---\n# Mine\n');
    const files = { 's.jsonl': `${entryLine()}\n` };
    const { out } = await buildLogs({ files }, ['--license', 'cc-by-4.0', '--card', mine]);
    const text = readFileSync(join(out, 'README.md'), 'utf8');
    expect(text.startsWith('---\nlicense: cc-by-4.0\nconfigs:\n')).toBe(true);
    expect(text.endsWith('\n---\n# Mine\n')).toBe(true);
    await expect(buildLogs({ files }, ['--card', yaml])).rejects.toThrow('begins with YAML: leave it out');
    await expect(buildLogs({ files }, ['--license', 'MIT'])).rejects.toThrow(
      "'MIT' is not the id of a licence",
    );
  });
});
