/** Options of `turnmill quarantine replay`. */
import { followOutsideOption } from './input.ts';
import { type Option, option } from './option.ts';
import { text, texts } from './value-types.ts';

export const replayOptions: readonly Option[] = [
  option<'into'>({
    name: 'into',
    group: 'Output',
    describe: 'The folder to make: a log for each source of which something was rejected',
    type: text('DIR'),
  }),
  option<'logs'>({
    name: 'logs',
    group: 'Input',
    describe:
      'What build was given, for bytes that are not in the records; once for each input, in their order',
    type: texts('PATH'),
  }),
  followOutsideOption,
];
