/**
 * Writes the card of a dataset, README.md. Its YAML names the files of each format, without which a loader reads the
 * ledger as data, and the types of their columns, without which it guesses them from the first block (docs/reference/formats.md).
 */
import { dirname } from 'node:path';
import type { Format } from '../../transforms/formats/format.ts';
import { valuesFor } from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { DATA } from '../dataset/layout.ts';
import type { ManifestShard } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import type { Settings } from '../settings/settings.ts';
import { type BodySettings, type CardRow, cardBody } from './card-body.ts';
import { JSON_LIST, JSON_TYPE, ObservedColumns } from './observed-columns.ts';
import { namedLines, yamlWord } from './observed-type.ts';

type CardSettings = BodySettings &
  Pick<Settings, 'format' | 'formatOptions' | 'plugIns' | 'meta' | 'license'>;

/** The shards of one format, by split. */
interface Config {
  readonly format: Format;
  readonly splits: readonly Omit<CardRow, 'config'>[];
}

/**
 * Returns the text of the card. It depends on the settings, the records and the sums only.
 * @param observed what the records of each format showed
 */
export function cardText(
  settings: CardSettings,
  shards: readonly ManifestShard[],
  sums: LedgerSums,
  observed: ReadonlyMap<string, ObservedColumns>,
): string {
  const { license } = settings;
  const configs = configsOf(settings, shards);
  const needJson: string[] = [];
  const typed = configs.flatMap(({ format }) => {
    const types = [...typesOf(format, settings, observed.get(format.name))];
    const lines = types.flatMap(([name, type]) => namedLines(name, type));
    if (types.some(([, type]) => type[0] === JSON_TYPE || type[0] === JSON_LIST)) needJson.push(format.name);
    return lines.length === 0
      ? []
      : [`- config_name: ${yamlWord(format.name)}`, '  features:', ...lines.map((line) => `  ${line}`)];
  });
  const yaml = [
    ...(license === undefined ? [] : [`license: ${yamlWord(license)}`]),
    'configs:',
    ...(configs.length === 0 ? noFiles(settings) : configs.flatMap(configLines)),
    ...(typed.length === 0 ? [] : ['dataset_info:', ...typed]),
  ];
  const rows = configs.flatMap(({ format, splits }) =>
    splits.map((split) => ({ config: format.name, ...split })),
  );
  return `${['---', ...yaml, '---'].join('\n')}\n${cardBody(settings, rows, sums, needJson)}`;
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
    `- config_name: ${yamlWord(format.name)}`,
    ...first,
    '  data_files:',
    ...splits.flatMap(({ split, path }) => [`  - split: ${yamlWord(split)}`, `    path: ${path}`]),
  ];
}

/** A config without files, so that loaders say that there are none: without any config they read the ledger as data. */
function noFiles({ format: [name = ''] }: CardSettings): readonly string[] {
  const files = ['  data_files:', '  - split: train', `    path: ${DATA}/*.jsonl`];
  return [`- config_name: ${yamlWord(name)}`, ...files];
}

/** The types of the columns of a run; none if the format does not know them. */
function typesOf(
  format: Format,
  { formatOptions, meta }: CardSettings,
  observed: ObservedColumns | undefined,
): ReadonlyMap<string, readonly string[]> {
  const types = observed?.types() ?? new Map<string, readonly string[]>();
  if (types.size === 0 || meta.length === 0 || format.metadata === undefined) return types;
  const isText = format.metadata(valuesFor(format, formatOptions)) === 'string';
  const type = [isText ? 'dtype: string' : JSON_TYPE];
  return new Map([...types, [format.metadataMember ?? 'metadata', type]]);
}

/** Creates what looks at the records of each format. */
export function observedColumns(settings: CardSettings): ReadonlyMap<string, ObservedColumns> {
  const { format: names, plugIns, formatOptions, copies } = settings;
  return new Map(
    [...formats, ...plugIns.formats].flatMap((format) => {
      const plain = names.includes(format.name)
        ? format.columns?.(valuesFor(format, formatOptions))
        : undefined;
      if (plain === undefined) return [];
      const columns = (copies === 'mark' && format.context?.columns?.(plain)) || plain;
      return [[format.name, new ObservedColumns(columns, format.hasOtherMembers === true)] as const];
    }),
  );
}
