/** Options: where a dataset goes, and how it is cut. */
import { type Option, option } from './option.ts';
import { choice, fileMode, flag, size, text } from './value-types.ts';

export const outputOptions: readonly Option[] = [
  option<'out'>({
    name: 'out',
    alias: 'o',
    group: 'Output',
    describe: 'The folder to make, or - for records on standard output',
    type: text('DIR|-'),
  }),
  option<'replace'>({
    name: 'replace',
    group: 'Output',
    describe: 'Put the new dataset in the place of the one that is there',
    type: flag,
  }),
  option<'update'>({
    name: 'update',
    group: 'Output',
    describe:
      'Bring this dataset up to date: what has not changed is taken from it; --out DIR --update says the same',
    type: text('DIR'),
    beside: 'out',
  }),
  option<'checksum'>({
    name: 'checksum',
    group: 'Output',
    describe: 'With --update: read every source and compare its content (SHA-256), whatever its times say',
    type: flag,
  }),
  option<'resume'>({
    name: 'resume',
    group: 'Output',
    describe: 'Go on from the last checkpoint of the same run, which was killed',
    type: flag,
  }),
  option<'dryRun'>({
    name: 'dryRun',
    group: 'Output',
    describe: 'Do everything but the writing',
    type: flag,
  }),
  option<'shardSize'>({
    name: 'shardSize',
    group: 'Output',
    describe: 'Begin a new shard before it grows beyond this',
    default: '1 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'compress'>({
    name: 'compress',
    group: 'Output',
    describe: 'How shards are compressed',
    default: 'none',
    type: choice(['none', 'gzip', 'zstd']),
  }),
  option<'mode'>({
    name: 'mode',
    group: 'Output',
    describe:
      'Permissions of the files, in octal (0640), whatever the umask; the owner always reads and writes, and quarantine/ is for the owner alone',
    default: 'what every source file and the umask grant',
    type: fileMode,
  }),
  option<'quarantineContent'>({
    name: 'quarantineContent',
    group: 'Output',
    describe: 'Keep of a rejected line its place and hash, or its bytes too',
    default: 'ref',
    type: choice(['ref', 'raw']),
  }),
  option<'quarantineSize'>({
    name: 'quarantineSize',
    group: 'Output',
    describe: 'Keep so much of rejected lines at most; of others their place and hash',
    default: '1 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
];
