/**
 * Writes the card of a dataset, README.md. Its YAML names the files of each format, without which a loader reads the
 * ledger as data, and the types of their columns, without which it guesses them from the first block (docs/formats.md).
 */
import { dirname } from 'node:path';
import type { Columns, ColumnType } from '../../transforms/formats/columns.ts';
import type { Format } from '../../transforms/formats/format.ts';
import { valuesFor } from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { DATA } from '../dataset/layout.ts';
import type { ManifestShard } from '../dataset/schema/manifest.ts';
import type { Settings } from '../settings/settings.ts';

const TYPES: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['dtype: string'],
  boolean: ['dtype: bool'],
  json: ['dtype: json'],
  'json-list': ['list: json'],
  turns: ['list:', '- name: from', '  dtype: string', '- name: value', '  dtype: string'],
};

type CardSettings = Pick<Settings, 'format' | 'formatOptions' | 'plugIns' | 'meta' | 'copies'>;

/** The shards of one format. */
interface Config {
  readonly format: Format;
  readonly path: string;
  readonly records: number;
}

/** Returns the text of the card. It depends on the settings and the shards only. */
export function cardText(settings: CardSettings, shards: readonly ManifestShard[]): string {
  const configs = configsOf(settings, shards);
  const typed = configs.flatMap(({ format }) => {
    const columns = Object.entries(columnsOf(format, settings) ?? {});
    return columns.length === 0
      ? []
      : [`- config_name: ${format.name}`, '  features:', ...columns.flatMap(featureLines)];
  });
  const lines = [
    '---',
    ...(configs.length === 0 ? [] : ['configs:', ...configs.flatMap(configLines)]),
    ...(typed.length === 0 ? [] : ['dataset_info:', ...typed]),
    '---',
    '# Conversations of LLM agents',
    '',
    'Built from logs by turnmill.',
    '',
    '| config | records | files |',
    '| --- | --- | --- |',
    ...configs.map(({ format, path, records }) => `| \`${format.name}\` | ${records} | \`${path}\` |`),
    '',
  ];
  return lines.join('\n');
}

/** The formats with shards, which a loader can read: the files of a config without any are an error. */
function configsOf(
  { format: names, plugIns }: CardSettings,
  shards: readonly ManifestShard[],
): readonly Config[] {
  return [...formats, ...plugIns.formats]
    .filter(({ name }) => names.includes(name))
    .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
    .flatMap((format) => {
      const folder = names.length > 1 ? `${DATA}/${format.name}` : DATA;
      const own = shards.filter(({ path }) => dirname(path) === folder && !/\.toml(?:\.|$)/.test(path));
      const extension = own[0]?.path.match(/\.(?:sts\.)?jsonl(?:\.gz|\.zst)?$/)?.[0];
      if (extension === undefined) return [];
      const records = own.reduce((sum, shard) => sum + shard.records, 0);
      return [{ format, path: `${folder}/*${extension}`, records }];
    });
}

function configLines({ format, path }: Config, at: number): readonly string[] {
  const first = at === 0 ? ['  default: true'] : [];
  return [
    `- config_name: ${format.name}`,
    ...first,
    '  data_files:',
    '  - split: train',
    `    path: ${path}`,
  ];
}

/** The columns of the records of a run; undefined if the format does not know them. */
function columnsOf(format: Format, { formatOptions, meta, copies }: CardSettings): Columns | undefined {
  const options = valuesFor(format, formatOptions);
  const plain = format.columns?.(options);
  if (plain === undefined) return undefined;
  const columns = (copies === 'mark' && format.context?.columns?.(plain)) || plain;
  if (meta.length === 0 || format.metadata === undefined) return columns;
  const type = format.metadata(options) === 'string' ? 'text' : 'json';
  return { ...columns, [format.metadataMember ?? 'metadata']: type };
}

function featureLines([name, type]: readonly [string, ColumnType]): readonly string[] {
  return [`  - name: ${name}`, ...TYPES[type].map((line) => `    ${line}`)];
}
