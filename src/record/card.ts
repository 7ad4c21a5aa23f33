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
import type { LedgerSums } from '../dataset/schema/reports.ts';
import type { Settings } from '../settings/settings.ts';
import { type BodySettings, type CardRow, cardBody } from './card-body.ts';

const TYPES: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['dtype: string'],
  boolean: ['dtype: bool'],
  json: ['dtype: json'],
  'json-list': ['list: json'],
  turns: ['list:', '- name: from', '  dtype: string', '- name: value', '  dtype: string'],
};

type CardSettings = BodySettings &
  Pick<Settings, 'format' | 'formatOptions' | 'plugIns' | 'meta' | 'license'>;

/** The shards of one format, by split. */
interface Config {
  readonly format: Format;
  readonly splits: readonly Omit<CardRow, 'config'>[];
}

/** Returns the text of the card. It depends on the settings, the shards and the sums only. */
export function cardText(settings: CardSettings, shards: readonly ManifestShard[], sums: LedgerSums): string {
  const { license } = settings;
  const configs = configsOf(settings, shards);
  const typed = configs.flatMap(({ format }) => {
    const columns = Object.entries(columnsOf(format, settings) ?? {});
    return columns.length === 0
      ? []
      : [`- config_name: ${format.name}`, '  features:', ...columns.flatMap(featureLines)];
  });
  const yaml = [
    ...(license === undefined ? [] : [`license: ${license}`]),
    ...(configs.length === 0 ? [] : ['configs:', ...configs.flatMap(configLines)]),
    ...(typed.length === 0 ? [] : ['dataset_info:', ...typed]),
  ];
  const rows = configs.flatMap(({ format, splits }) =>
    splits.map((split) => ({ config: format.name, ...split })),
  );
  return `${['---', ...yaml, '---'].join('\n')}\n${cardBody(settings, rows, sums)}`;
}

/** The formats with shards, which a loader can read: the files of a config without any are an error. */
function configsOf(settings: CardSettings, shards: readonly ManifestShard[]): readonly Config[] {
  const { format: names, plugIns } = settings;
  return [...formats, ...plugIns.formats]
    .filter(({ name }) => names.includes(name))
    .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
    .map((format) => ({
      format,
      splits: splitsOf(names.length > 1 ? `${DATA}/${format.name}` : DATA, settings, shards),
    }))
    .filter(({ splits }) => splits.length > 0);
}

/** The splits with shards, in the order in which the user named them; without `--split` one, which loaders call `train`. */
function splitsOf(
  folder: string,
  { split: shares }: CardSettings,
  shards: readonly ManifestShard[],
): Config['splits'] {
  const folders =
    shares === undefined
      ? [['train', folder] as const]
      : Object.keys(shares).map((name) => [name, `${folder}/${name}`] as const);
  return folders.flatMap(([split, own]) => {
    const files = shards.filter(({ path }) => dirname(path) === own && !/\.toml(?:\.|$)/.test(path));
    const extension = files[0]?.path.match(/\.(?:sts\.)?jsonl(?:\.gz|\.zst)?$/)?.[0];
    if (extension === undefined) return [];
    const records = files.reduce((sum, shard) => sum + shard.records, 0);
    return [{ split, path: `${own}/*${extension}`, records }];
  });
}

function configLines({ format, splits }: Config, at: number): readonly string[] {
  const first = at === 0 ? ['  default: true'] : [];
  return [
    `- config_name: ${format.name}`,
    ...first,
    '  data_files:',
    ...splits.flatMap(({ split, path }) => [`  - split: ${split}`, `    path: ${path}`]),
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
