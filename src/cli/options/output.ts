/** Options for writing the dataset. */
import { type Option, option } from './option.ts';
import { choice, fileMode, flag, size, text } from './value-types.ts';

export const outputOptions: readonly Option[] = [
  option<'out'>({
    name: 'out',
    alias: 'o',
    group: 'Output',
    describe: 'Write the dataset to this folder, or its records to standard output',
    type: text('DIR|-'),
  }),
  option<'replace'>({
    name: 'replace',
    group: 'Output',
    describe: 'Replace the existing dataset',
    type: flag,
  }),
  option<'update'>({
    name: 'update',
    group: 'Output',
    describe: 'Update this dataset, reading only new and changed sources; same as --out DIR --update',
    type: text('DIR'),
    defaultsTo: 'out',
  }),
  option<'checksum'>({
    name: 'checksum',
    group: 'Output',
    advanced: true,
    describe: 'With --update: detect changes by the SHA-256 of every source instead of its times and size',
    type: flag,
  }),
  option<'allowShrink'>({
    name: 'allowShrink',
    group: 'Output',
    advanced: true,
    describe:
      'With --update: also replace a dataset that loses more than half of the sessions of sources that still exist',
    type: flag,
  }),
  option<'resume'>({
    name: 'resume',
    group: 'Output',
    describe: 'Continue a killed run of the same command from its last checkpoint',
    type: flag,
  }),
  option<'report'>({
    name: 'report',
    group: 'Output',
    advanced: true,
    describe: 'Write reports/index.html',
    type: flag,
    negative: { describe: 'Do not write reports/index.html', value: false, only: true },
  }),
  option<'dryRun'>({
    name: 'dryRun',
    group: 'Output',
    describe: 'Convert everything, write nothing',
    type: flag,
  }),
  option<'shardSize'>({
    name: 'shardSize',
    group: 'Output',
    describe: 'Start a new shard before one grows beyond SIZE',
    default: '1 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'compress'>({
    name: 'compress',
    group: 'Output',
    describe: 'Compress the shards',
    default: 'none',
    type: choice(['none', 'gzip', 'zstd']),
  }),
  option<'mode'>({
    name: 'mode',
    group: 'Output',
    advanced: true,
    describe:
      'Set the permissions of the files, in octal, regardless of the umask; the owner can always read and write, and only the owner can read quarantine/',
    default: 'permissions that all source files share, limited by the umask',
    type: fileMode,
  }),
  option<'quarantineContent'>({
    name: 'quarantineContent',
    group: 'Quarantine',
    advanced: true,
    describe: 'Keep position and hash of rejected lines (ref), or their bytes too (raw)',
    default: 'ref',
    type: choice(['ref', 'raw']),
  }),
  option<'quarantineSize'>({
    name: 'quarantineSize',
    group: 'Quarantine',
    advanced: true,
    describe: 'Keep at most SIZE of rejected bytes in total; beyond that, only positions and hashes',
    default: '1 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
];
