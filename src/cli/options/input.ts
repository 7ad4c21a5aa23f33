/** Options: what is read, and how. */
import { dialects } from '../../../transforms/dialects/index.ts';
import { MAX_ELEMENTS } from '../../../transforms/json/elements.ts';
import { MAX_DEPTH, MAX_DEPTH_CEILING } from '../../../transforms/json/scanner.ts';
import { parse } from '../../../transforms/stages/parse.ts';
import { DEFAULT_RATIOS } from '../../input/decompress/limits.ts';
import { MAX_ELEMENTS_CEILING, MAX_LINE_CEILING } from '../../settings/settings.ts';
import { type Option, option } from './option.ts';
import { textFile } from './text-file.ts';
import { choice, flag, size, text, texts, wholeNumber } from './value-types.ts';

export const inputOptions: readonly Option[] = [
  option<'dialect'>({
    name: 'dialect',
    group: 'Input',
    describe: parse.options.dialect.describe,
    default: 'auto',
    type: choice(['auto', ...dialects.map(({ name }) => name)]),
    typeWithPlugIns: text('DIALECT'),
  }),
  option<'plugin'>({
    name: 'plugin',
    group: 'Input',
    describe: 'An ES module with dialects, formats or stages of your own; its code is run',
    type: texts('FILE'),
    flagOnly: true,
  }),
  option<'userTurn'>({
    name: 'userTurn',
    group: 'Input',
    describe: `A file: ${(parse.options.userTurn.describe).replace(/^W/, 'w')}`,
    type: textFile,
  }),
  option<'sessionBy'>({
    name: 'sessionBy',
    group: 'Input',
    describe: parse.options.sessionBy.describe,
    default: 'file; id for standard input',
    type: choice(['file', 'id']),
  }),
  option<'maxLine'>({
    name: 'maxLine',
    group: 'Input',
    describe: 'A longer line is rejected',
    default: '256 MiB',
    type: size(MAX_LINE_CEILING),
  }),
  option<'maxDepth'>({
    name: 'maxDepth',
    group: 'Input',
    describe: `${parse.options.maxDepth.describe}; at most ${MAX_DEPTH_CEILING}`,
    default: String(MAX_DEPTH),
    type: wholeNumber(1, MAX_DEPTH_CEILING),
  }),
  option<'maxMessages'>({
    name: 'maxMessages',
    group: 'Input',
    describe: parse.options.maxMessages.describe,
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'maxElements'>({
    name: 'maxElements',
    group: 'Input',
    describe: parse.options.maxElements.describe,
    default: String(MAX_ELEMENTS),
    type: wholeNumber(1, MAX_ELEMENTS_CEILING),
  }),
  option<'maxDecompressed'>({
    name: 'maxDecompressed',
    group: 'Input',
    describe: 'A packed source that holds more is rejected',
    default: '1024 GiB',
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'maxRatio'>({
    name: 'maxRatio',
    group: 'Input',
    describe: 'A packed source that holds over 256 MiB and more than N times its size is rejected',
    default: `${DEFAULT_RATIOS.gzip} for gzip, ${DEFAULT_RATIOS.zstd} for zstd`,
    type: wholeNumber(1),
  }),
];

export const followOutsideOption: Option = option<'followOutside'>({
  name: 'followOutside',
  group: 'Input',
  describe: 'Follow symbolic links in folders wherever they end',
  type: flag,
});

/** Options about folders. */
export const linkOptions: readonly Option[] = [
  option<'follow'>({
    name: 'follow',
    group: 'Input',
    describe: 'Follow symbolic links in folders that end below the same input',
    type: flag,
  }),
  followOutsideOption,
];

/** Options that only make sense for a whole run. */
export const runInputOptions: readonly Option[] = [
  option<'limit'>({
    name: 'limit',
    group: 'Input',
    describe: 'Stop after so many sessions',
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'maxSources'>({
    name: 'maxSources',
    group: 'Input',
    describe: 'Read nothing (65) when there are more files',
    default: 'no limit',
    type: wholeNumber(1),
  }),
  option<'allowEmpty'>({
    name: 'allowEmpty',
    group: 'Input',
    describe: 'Input without a session is no error',
    type: flag,
  }),
  ...linkOptions,
];
