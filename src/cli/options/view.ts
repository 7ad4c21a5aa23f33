/** Options of `turnmill view`. */
import { onlyOption } from './input.ts';
import { type Option, option } from './option.ts';
import { flag, text, texts, wholeNumber } from './value-types.ts';

const MAX_PORT = 65_535;

export const viewOptions: readonly Option[] = [
  option<'logs'>({
    name: 'logs',
    group: 'Input',
    describe:
      'Show logged lines beside records, from this input of build; repeat it for each input, in the same order',
    type: texts('PATH'),
  }),
  option<'export'>({
    name: 'export',
    group: 'Output',
    describe: 'Write the page and its data to this new folder, for a static host, and exit',
    type: text('DIR'),
  }),
  onlyOption,
  option<'limit'>({
    name: 'limit',
    group: 'Output',
    describe: 'With --export: write at most N records',
    default: '2000',
    type: wholeNumber(1),
  }),
  option<'port'>({
    name: 'port',
    group: 'Run',
    describe: 'Listen on this port of 127.0.0.1',
    default: 'any free port',
    type: wholeNumber(1, MAX_PORT),
  }),
  option<'origin'>({
    name: 'origin',
    group: 'Run',
    describe: 'Also answer pages of this origin, such as http://localhost:18080 for a forwarded port',
    type: texts('ORIGIN'),
  }),
  option<'open'>({
    name: 'open',
    group: 'Run',
    describe: 'Open the page in the browser',
    type: flag,
  }),
];
