/** Options of `turnmill quarantine replay`. */
import { followOutsideOption } from './input.ts';
import { type Option, option } from './option.ts';
import { text, texts } from './value-types.ts';

export const replayOptions: readonly Option[] = [
  option<'into'>({
    name: 'into',
    group: 'Output',
    describe: 'Write the logs to this new folder: one for each source with rejections',
    type: text('DIR'),
  }),
  option<'logs'>({
    name: 'logs',
    group: 'Input',
    describe:
      'Read bytes that the quarantine does not keep from this input of build; repeat it for each input, in the same order',
    type: texts('PATH'),
  }),
  followOutsideOption,
];
