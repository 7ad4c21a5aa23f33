/** Options for reading the input. */

import { FOLD_SELECTIONS, MAX_BRANCHES } from '../../../transforms/dialects/dialect.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { MAX_ELEMENTS } from '../../../transforms/json/elements.ts';
import { MAX_DEPTH, MAX_DEPTH_CEILING } from '../../../transforms/json/scanner.ts';
import { parse } from '../../../transforms/stages/parse.ts';
import { DEFAULT_RATIOS } from '../../input/decompress/limits.ts';
import { MAX_ELEMENTS_CEILING, MAX_LINE_CEILING } from '../../settings/settings.ts';
import { type Option, option } from './option.ts';
import { choice, flag, idFile, size, textFile, texts, wholeNumber } from './value-types.ts';

const DIALECT_NAMES = dialects.map(({ name }) => name);

export const plugInOption: Option = option<'plugin'>({
  name: 'plugin',
  group: 'Input',
  describe: 'Load more dialects, formats or stages from an ES module, which runs with your permissions',
  type: texts('FILE'),
  flagOnly: true,
});

export const inputOptions: readonly Option[] = [
  option<'dialect'>({
    name: 'dialect',
    group: 'Input',
    describe: parse.options.dialect.describe,
    default: 'auto',
    type: choice(['auto', ...DIALECT_NAMES], 'NAME'),
    typeWith: ({ dialects: own }) =>
      choice(['auto', ...DIALECT_NAMES, ...own.map(({ name }) => name)], 'NAME'),
  }),
  { ...plugInOption, advanced: true },
  option<'userTurn'>({
    name: 'userTurn',
    group: 'Input',
    advanced: true,
    describe: `${parse.options.userTurn.describe}, from a file`,
    type: textFile,
  }),
  option<'sessionBy'>({
    name: 'sessionBy',
    group: 'Input',
    describe:
      'Make one session of each file, of each run of entries with the same id (an id that returns later is rejected), or of all files in a folder',
    default: 'file; id for standard input; folder for event files',
    type: choice(['file', 'id', 'folder']),
  }),
  option<'select'>({
    name: 'select',
    group: 'Input',
    advanced: true,
    describe: parse.options.select.describe,
    default: parse.options.select.default,
    type: choice(FOLD_SELECTIONS),
  }),
  option<'maxLine'>({
    name: 'maxLine',
    group: 'Input limits',
    advanced: true,
    describe: 'Reject a line longer than SIZE',
    default: '256 MiB',
    type: size(MAX_LINE_CEILING),
  }),
  option<'maxDepth'>({
    name: 'maxDepth',
    group: 'Input limits',
    advanced: true,
    describe: `${parse.options.maxDepth.describe}; at most ${MAX_DEPTH_CEILING}`,
    default: String(MAX_DEPTH),
    type: wholeNumber(1, MAX_DEPTH_CEILING),
  }),
  option<'maxMessages'>({
    name: 'maxMessages',
    group: 'Input limits',
    advanced: true,
    describe: parse.options.maxMessages.describe,
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'maxElements'>({
    name: 'maxElements',
    group: 'Input limits',
    advanced: true,
    describe: parse.options.maxElements.describe,
    default: String(MAX_ELEMENTS),
    type: wholeNumber(1, MAX_ELEMENTS_CEILING),
  }),
  option<'maxConversation'>({
    name: 'maxConversation',
    group: 'Input limits',
    advanced: true,
    describe: parse.options.maxConversation.describe,
    default: '256 MiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'maxBranches'>({
    name: 'maxBranches',
    group: 'Input limits',
    advanced: true,
    describe: parse.options.maxBranches.describe,
    default: String(MAX_BRANCHES),
    type: wholeNumber(1),
  }),
  option<'maxDecompressed'>({
    name: 'maxDecompressed',
    group: 'Input limits',
    advanced: true,
    describe: 'Reject a compressed source that unpacks to more than SIZE',
    default: '1024 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'maxRatio'>({
    name: 'maxRatio',
    group: 'Input limits',
    advanced: true,
    describe: 'Reject a compressed source that unpacks to over 256 MiB and more than N times its size',
    default: `${DEFAULT_RATIOS.gzip} for gzip, ${DEFAULT_RATIOS.zstd} for zstd`,
    type: wholeNumber(1),
  }),
];

export const followOutsideOption: Option = option<'followOutside'>({
  name: 'followOutside',
  group: 'Input',
  advanced: true,
  describe: 'Follow symbolic links in folders wherever they lead',
  type: flag,
});

/** Options for walking folders. */
export const linkOptions: readonly Option[] = [
  option<'follow'>({
    name: 'follow',
    group: 'Input',
    advanced: true,
    describe: 'Follow symbolic links in folders that lead to a place in the same input',
    type: flag,
  }),
  followOutsideOption,
];

export const onlyOption: Option = option<'only'>({
  name: 'only',
  group: 'Input',
  advanced: true,
  describe:
    'Use only the sessions whose ids are in this file, one per line; write an id that contains a line end or begins with a quotation mark as a JSON string',
  default: 'all sessions',
  type: idFile,
});

export const runInputOptions: readonly Option[] = [
  option<'minRead'>({
    name: 'minRead',
    group: 'Input',
    advanced: true,
    describe: 'Reject a source of whose text less than this share was read, as check shows it',
    type: { ...wholeNumber(0, 100), placeholder: 'PERCENT' },
  }),
  onlyOption,
  option<'limit'>({
    name: 'limit',
    group: 'Input',
    describe: 'Stop after N sessions',
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'maxSources'>({
    name: 'maxSources',
    group: 'Input limits',
    advanced: true,
    describe: 'Read nothing and exit with 65 if there are more than N files',
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'allowEmpty'>({
    name: 'allowEmpty',
    group: 'Input',
    advanced: true,
    describe: 'Succeed with an empty dataset when the input has no sessions',
    type: flag,
  }),
  ...linkOptions,
];
